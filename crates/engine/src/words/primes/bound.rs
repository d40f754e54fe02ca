//! Bounds of numbers in limbs.

/// A bound of a number's limbs, which the compiler knows: formulas are inlined whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::words) struct Bound {
    /// The largest of all limbs but the highest.
    pub(in crate::words) limb: u64,
    /// The highest limb.
    pub(in crate::words) top: u64,
}

impl Bound {
    #[inline(always)]
    pub(super) fn largest(self) -> u64 {
        self.limb.max(self.top)
    }

    #[inline(always)]
    pub(super) fn max(self, other: Self) -> Self {
        Self {
            limb: self.limb.max(other.limb),
            top: self.top.max(other.top),
        }
    }

    #[inline(always)]
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            limb: self.limb + other.limb,
            top: self.top + other.top,
        }
    }

    #[inline(always)]
    pub(super) fn times(self, factor: u64) -> Self {
        Self {
            limb: self.limb * factor,
            top: self.top * factor,
        }
    }

    /// Whether numbers within this bound are within another one.
    #[inline(always)]
    pub(super) fn is_within(self, other: Self) -> bool {
        self.limb <= other.limb && self.top <= other.top
    }
}
