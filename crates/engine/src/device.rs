//! What runs programs: the interface that every device has.
//!
//! A device owns how numbers are represented and laid out. It prepares moduli, says what each of
//! its layouts would take for a program, and runs a program on a group. `schedule` is the only
//! caller that chooses between devices.

use core::{any::Any, cell::RefCell, fmt, str::FromStr};
use std::sync::Arc;

use crypto_bigint::{BoxedUint, Odd};
use zeroize::Zeroizing;

use crate::{
    EngineError,
    program::{Limits, Program},
    redundancy::Finding,
    seal::Checksum,
};

/// How the numbers of a group lie in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
    /// This many numbers side by side, one a lane.
    Lanes(usize),
    /// This many numbers, each over all lanes.
    Spread(usize),
    /// One number after the other.
    Single,
}

impl Layout {
    /// Numbers of a group.
    pub fn width(self) -> usize {
        match self {
            Self::Lanes(width) | Self::Spread(width) => width,
            Self::Single => 1,
        }
    }

    /// The kind of layout, as it is named on the command line.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Lanes(_) => "lanes",
            Self::Spread(_) => "spread",
            Self::Single => "single",
        }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lanes(lanes) => write!(f, "one number a lane, {lanes} lanes"),
            Self::Spread(1) => f.write_str("one number over all lanes"),
            Self::Spread(numbers) => write!(f, "{numbers} numbers, each over all lanes"),
            Self::Single => f.write_str("one number after the other"),
        }
    }
}

/// The layouts that an engine may use: of one kind, and perhaps of one width. Written as `lanes`,
/// `lanes16`, `spread`, `spread2`, `single`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ForcedLayout {
    kind: &'static str,
    width: Option<usize>,
}

impl ForcedLayout {
    /// This one layout.
    pub fn only(layout: Layout) -> Self {
        Self {
            kind: layout.kind(),
            width: Some(layout.width()),
        }
    }

    /// Whether this is a single layout, of the same kind as the other one and at least as wide.
    pub(crate) fn holds(self, other: Self) -> bool {
        self.kind == other.kind && self.width >= other.width
    }

    /// Whether this layout may be used.
    pub fn allows(self, layout: Layout) -> bool {
        self.kind == layout.kind() && self.width.is_none_or(|width| width == layout.width())
    }
}

impl fmt::Display for ForcedLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind)?;
        self.width.map_or(Ok(()), |width| write!(f, "{width}"))
    }
}

impl FromStr for ForcedLayout {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let digits = text.trim_start_matches(|c: char| c.is_ascii_lowercase());
        let kinds = [Layout::Lanes(0), Layout::Spread(0), Layout::Single];
        let name = &text[..text.len() - digits.len()];
        let kind = kinds.map(Layout::kind).into_iter().find(|&k| k == name);
        let width = match digits {
            "" => None,
            digits => Some(digits.parse().map_err(|_| ())?),
        };
        Ok(Self {
            kind: kind.ok_or(())?,
            width,
        })
    }
}

/// A way to read constants, for which a device may keep them in a form of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The first ones, by number: those of a curve. All of a modulus.
    Single,
    /// Any of them, by number or by public digits.
    Public,
    /// By secret digits, for which whole tables are read.
    Secret,
}

impl Part {
    pub(crate) const ALL: [Self; 3] = [Self::Single, Self::Public, Self::Secret];
    /// Constants with lower numbers are [`Part::Single`], if they are read by number.
    pub(crate) const SINGLE: usize = 16;
}

/// What a device made of a modulus, or of constants.
pub(crate) type Prepared = Box<dyn Kept>;

/// What a device keeps of a modulus, or of constants. Its seals are the engine's; that of what it rests on is there.
pub(crate) trait Kept: Any + Send + Sync {
    /// What programs read of it in one way. What a device keeps in one form for all ways is [`Part::Single`].
    fn add_part(&self, part: Part, sum: &mut Checksum);

    /// Whether the plan that it rests on is what it was when it was made.
    fn plan_is_whole(&self) -> bool {
        true
    }
}

/// One member of a group: its numbers, and what the device made of its modulus.
#[derive(Clone, Copy)]
pub(crate) struct Member<'a> {
    pub(crate) modulus: &'a (dyn Any + Send + Sync),
    pub(crate) constants: Option<&'a (dyn Any + Send + Sync)>,
    /// The program's inputs, of at most the declared lengths.
    pub(crate) inputs: &'a [&'a BoxedUint],
    /// The program's scalars, of at most the declared lengths.
    pub(crate) scalars: &'a [&'a BoxedUint],
}

/// What a member's run of a program yields; wiped on drop.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The integers that the program puts out, canonical, each as wide as the modulus in whole
    /// words.
    pub integers: Vec<Zeroizing<BoxedUint>>,
    /// The flags that the program puts out.
    pub flags: Vec<bool>,
}

impl fmt::Debug for Outcome {
    /// The number of integers, which may be secret, and the flags.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outcome")
            .field("integers", &self.integers.len())
            .field("flags", &self.flags)
            .finish()
    }
}

/// Why a device did not run a program: it failed, is busy, or was lost.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct DeviceError {
    /// What happened.
    pub reason: String,
}

/// What a plan of a device looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlanSummary {
    /// The size that it was made for.
    pub(crate) bits: u32,
    /// Width of a channel (of a limb) in bits.
    pub(crate) channel_bits: u32,
    pub(crate) channels_a: usize,
    pub(crate) channels_b: usize,
    /// Products are below this many times the modulus.
    pub(crate) overshoot: u64,
    /// Multiplications of residues (of bytes) in a modular product.
    pub(crate) multiplications: usize,
}

/// What runs programs.
///
/// A device must compute what `reference` computes, within the bounds that it states, in a time
/// that depends on no secret: on the program, the layout and the moduli's size only.
pub(crate) trait Device: Send + Sync {
    /// What it is called.
    fn name(&self) -> &'static str;

    /// The layouts for moduli of size class `bits`, none if it does not serve the size.
    fn layouts(&self, bits: u32) -> Vec<Layout>;

    /// The magnitudes that programs for moduli of size class `bits` may have.
    ///
    /// # Errors
    /// [`EngineError::NoPlan`] if it does not serve the size.
    fn limits(&self, bits: u32) -> Result<Limits, EngineError>;

    /// Number of table entries that are read in the time of a product.
    fn entries_per_product(&self, bits: u32) -> u32;

    /// What its plan for the size looks like.
    ///
    /// # Errors
    /// [`EngineError::NoPlan`] if it does not serve the size.
    fn summary(&self, bits: u32) -> Result<PlanSummary, EngineError>;

    /// The constants of odd moduli of size class `bits`, each of at least 64 bits.
    fn prepare(&self, moduli: &[&Odd<BoxedUint>], bits: u32) -> Vec<Result<Prepared, EngineError>>;

    /// Integers below a modulus, each times the device's Montgomery factor to the power of its
    /// form, for programs that take them as constants of the modulus.
    fn prepare_constants(
        &self,
        modulus: &(dyn Any + Send + Sync),
        integers: &[Zeroizing<BoxedUint>],
        forms: &[i32],
    ) -> Prepared;

    /// The magnitudes that programs may have for this modulus.
    fn limits_of(&self, modulus: &(dyn Any + Send + Sync)) -> Limits;

    /// Members of one group must have moduli of which this is the same.
    fn group_key(&self, modulus: &(dyn Any + Send + Sync)) -> usize;

    /// The time of a product of a whole group in this layout, in nanoseconds.
    fn product_ns(&self, layout: Layout, bits: u32) -> f64;

    /// Runs a program for up to `layout.width()` members of one group key.
    ///
    /// # Errors
    /// [`DeviceError`]; nothing has then been computed.
    fn run(&self, work: &Work<'_>) -> Result<Vec<Outcome>, DeviceError>;

    /// A device of this kind that makes its plans anew, and so its constants: what computes again
    /// after a fault. It has the same limits. None for devices without redundant channels.
    fn afresh(&self) -> Option<Arc<dyn Device>> {
        None
    }
}

/// A program and the group to run it on.
#[derive(Clone, Copy)]
pub(crate) struct Work<'a> {
    pub(crate) program: &'a Program,
    pub(crate) layout: Layout,
    pub(crate) members: &'a [Member<'a>],
    /// Where the members go that redundant channels find wrong. Their outcomes mean nothing.
    pub(crate) findings: &'a RefCell<Vec<Finding>>,
    /// Tests look into the run, or disturb it: an `Instrument`.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) instrument: Option<&'a (dyn Any + Send + Sync)>,
}

/// The device's own type of something that it prepared.
///
/// # Panics
/// If another device prepared it, which the engine rules out.
pub(crate) fn own<T: 'static>(prepared: &(dyn Any + Send + Sync)) -> &T {
    prepared
        .downcast_ref()
        .expect("the engine hands a device what that device has prepared")
}
