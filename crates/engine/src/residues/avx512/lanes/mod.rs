//! The kernels for groups in lanes, one number per lane.

mod convert;
mod kernels;
mod matrix;
mod product;
mod select;
