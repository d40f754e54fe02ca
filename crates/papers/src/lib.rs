//! The papers behind Sunzi, one module for each paper: the method it proposes, the numbers it
//! claims, and the numbers counted and measured here.

pub mod cube_rsa;
