//! The papers behind Sunzi, one module a paper: what it claims, and what is counted and
//! measured here.

pub mod cube_rsa;
