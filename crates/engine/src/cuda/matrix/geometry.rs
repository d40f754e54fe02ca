//! The sizes that the kernels are compiled with.

/// The numbers that the kernels are compiled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Geometry {
    /// Number of channels of each base, a multiple of 8.
    pub(crate) channels: usize,
    /// Number of warps of a block.
    pub(crate) warps: usize,
    /// Number of pairs of channels that are multiplied together.
    pub(crate) group: usize,
    /// Whether both matrices are in shared memory.
    pub(crate) is_resident: bool,
    /// Number of words of 32 bits of an integer.
    pub(crate) limbs: usize,
    /// Products are below this many times P in absolute value.
    pub(crate) lift: u32,
}

/// Number of numbers of a warp.
pub(crate) const OF_WARP: usize = 16;

impl Geometry {
    pub(super) fn new(channels: usize, limbs: usize, lift: u32) -> Self {
        // Measured on an H200. The registers of a multiprocessor limit the warps, and its shared memory the matrices.
        let warps = match channels {
            0..=80 => 16,
            81..=208 => 12,
            _ => 8,
        };
        let group = if (channels / 8).is_multiple_of(3) {
            3
        } else {
            2
        };
        let mut geometry = Self {
            channels,
            warps,
            group,
            is_resident: true,
            limbs,
            lift,
        };
        geometry.is_resident = geometry.shared_bytes() <= 227 << 10;
        geometry
    }

    pub(super) fn pairs(self) -> usize {
        self.channels / 8
    }

    /// Number of words of a warp's numbers in one base.
    pub(crate) fn span(self) -> usize {
        self.pairs() * 64
    }

    /// Number of words of a number in both bases.
    pub(crate) fn row(self) -> usize {
        self.pairs() * 8
    }

    pub(super) fn groups(self) -> usize {
        self.pairs().div_ceil(self.group)
    }

    /// Number of words of a group's part of a matrix.
    fn part(self) -> usize {
        self.group * 2 * self.chunks() * 32
    }

    /// Number of chunks of 16 digits in a row of a matrix.
    pub(super) fn chunks(self) -> usize {
        self.pairs().next_multiple_of(2)
    }

    /// The shared memory of a block, in bytes.
    pub(crate) fn shared_bytes(self) -> usize {
        let parts = if self.is_resident {
            2 * self.groups()
        } else {
            4
        };
        4 * (parts * self.part() + 6 * 4 * self.pairs() + self.warps * self.span())
    }

    /// The definitions that the kernels are compiled with.
    pub(crate) fn definitions(self) -> [(&'static str, usize); 7] {
        [
            ("CHANNELS", self.channels),
            ("WARPS", self.warps),
            ("GROUP", self.group),
            ("RESIDENT", self.is_resident.into()),
            ("LIMBS", self.limbs),
            ("LIFT", self.lift as usize),
            ("LIFT_BITS", (2 * self.lift).ilog2() as usize + 1),
        ]
    }
}
