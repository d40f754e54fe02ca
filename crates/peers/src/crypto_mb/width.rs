//! The width of the library.

/// The number of operations that are done together. Groups of fewer do some of them twice.
pub(super) const WIDTH: usize = 8;
