//! Integers in words: what both number systems need of them. All in constant time.

pub(crate) mod canonical;
pub(crate) mod digits;
mod scaled;

pub(crate) use self::scaled::{remainder, times_power};
