//! Kernels for groups in which every number has a lane.

mod convert;
mod kernels;
mod matrix;
mod product;
mod select;

pub(crate) use self::kernels::Ifma;
