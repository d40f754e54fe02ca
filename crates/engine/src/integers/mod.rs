//! Integers in words: operations that both number systems use. All in constant time.

pub(crate) mod canonical;
pub(crate) mod digits;
pub(crate) mod inverse;
mod scaled;

pub(crate) use self::scaled::{each_times_power, negative_inverse, remainder, times_power};
