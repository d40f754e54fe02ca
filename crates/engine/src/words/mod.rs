//! The device for one number, in words: Montgomery arithmetic in radix `2^64` (`2^32` where words have 32 bits), as in
//! conventional libraries. It serves single numbers on processors without wide integer multiplications over which a
//! number in residues could be spread, and moduli that a plan of residues does not serve, because a prime of its base A
//! divides them. Such moduli are rare by chance, but anyone can make one; they take no plan of their own, and so no
//! more memory than other moduli.

mod carries;
mod group;
mod modulus;
mod primes;
mod product;
mod rows;
mod short;
#[cfg(target_arch = "x86_64")]
mod two_carries;
#[cfg(target_arch = "x86_64")]
mod wide;

use core::any::Any;

use crypto_bigint::{BoxedUint, Odd, Word};
use zeroize::Zeroizing;

pub(crate) use self::modulus::WordModulus;
#[cfg(target_arch = "x86_64")]
use self::two_carries::TwoCarries;
use self::{
    primes::{Choice, Form},
    rows::{Plain, Rows},
};
use crate::{
    EngineError,
    device::{Device, DeviceError, Outcome, PartsOfTime, PlanSummary, Work},
    integers::inverse,
    kept::{Prepared, own},
    layout::Layout,
    program::{Limits, Magnitude, public_length},
};

/// The group key of all moduli in words, which differs from the address of any plan.
pub(crate) const GROUP_KEY: usize = 0;

/// The device.
pub(crate) struct Radix64;

/// Number of words of a number of `bits` bits.
fn words(bits: u32) -> usize {
    bits.div_ceil(Word::BITS) as usize
}

/// The time of a product in nanoseconds, as part of a power, at sizes in bits, with BMI2 and ADX on a Xeon
/// (Sapphire Rapids) core.
#[cfg(target_arch = "x86_64")]
const TWO_CARRIES_NS: &[(u32, f64)] = &[
    (128, 30.0),
    (256, 30.0),
    (512, 86.0),
    (1024, 215.0),
    (2048, 700.0),
    (4096, 2760.0),
    (8192, 11_700.0),
];

/// The time of a product in plain Rust, in nanoseconds, at sizes in bits, measured likewise.
const PLAIN_NS: &[(u32, f64)] = &[
    (128, 30.0),
    (256, 34.0),
    (512, 100.0),
    (1024, 275.0),
    (2048, 1080.0),
    (4096, 4550.0),
    (8192, 20_000.0),
];

/// Whether the processor has instructions with two carries.
fn has_two_carries() -> bool {
    #[cfg(target_arch = "x86_64")]
    let has = TwoCarries::detect().is_some();
    #[cfg(not(target_arch = "x86_64"))]
    let has = false;
    has
}

/// A description of a few words: the instructions on this processor.
pub(crate) fn describe() -> String {
    let instructions = if has_two_carries() {
        "mulx, adcx, adox"
    } else {
        "plain Rust"
    };
    format!("words of {} bits, {instructions}", Word::BITS)
}

/// Runs the work, one member after the other.
pub(crate) fn run(work: &Work<'_>) -> Vec<Outcome> {
    #[cfg(target_arch = "x86_64")]
    if let Some(rows) = TwoCarries::detect() {
        return run_with(rows, work);
    }
    run_with(Plain, work)
}

fn run_with(rows: impl Rows + Choice, work: &Work<'_>) -> Vec<Outcome> {
    match own::<WordModulus>(work.members[0].modulus).form {
        Some(form) => form.run(rows, work),
        None => group::run(rows, work),
    }
}

impl Radix64 {
    /// The limits of programs. Numbers are below P, whatever magnitude a program gives them.
    const LIMITS: Limits = Limits {
        product: Magnitude::interval(-1, 1),
        operands: 1 << 60,
        signed: true,
        folded: None,
    };
}

impl Device for Radix64 {
    fn name(&self) -> &'static str {
        "radix64"
    }

    fn unit(&self) -> &'static str {
        "limbs"
    }

    fn layouts(&self, _: u32) -> Vec<Layout> {
        vec![Layout::Single]
    }

    fn limits(&self, _: u32) -> Result<Limits, EngineError> {
        Ok(Self::LIMITS)
    }

    /// The number of entries: a product multiplies `2 l^2` pairs of words, and an entry has l words to read.
    fn entries_per_product(&self, bits: u32) -> u32 {
        4 * words(bits) as u32
    }

    fn summary(&self, bits: u32) -> Result<PlanSummary, EngineError> {
        Ok(PlanSummary::of_limbs(bits, words(bits), Word::BITS, 1))
    }

    fn prepare(&self, moduli: &[&Odd<BoxedUint>], _: u32) -> Vec<Result<Prepared, EngineError>> {
        let prepare = |value: &&Odd<BoxedUint>| {
            Ok(Box::new(WordModulus::new(value, Self::LIMITS)) as Prepared)
        };
        moduli.iter().map(prepare).collect()
    }

    fn prepare_constants(
        &self,
        modulus: &(dyn Any + Send + Sync),
        integers: &[Zeroizing<BoxedUint>],
        forms: &[i32],
    ) -> Prepared {
        own::<WordModulus>(modulus).constants(integers, forms)
    }

    fn limits_of(&self, _: &(dyn Any + Send + Sync)) -> Limits {
        Self::LIMITS
    }

    fn group_key(&self, _: &(dyn Any + Send + Sync)) -> usize {
        GROUP_KEY
    }

    fn parts_of_time(&self, modulus: &Odd<BoxedUint>, bits: u32) -> PartsOfTime {
        if bits != primes::BITS {
            return PartsOfTime::WHOLE;
        }
        let length = words(public_length(modulus));
        let form = Form::of(&modulus.as_words()[..length]);
        form.map_or(PartsOfTime::WHOLE, |form| {
            form.parts_of_time(has_two_carries())
        })
    }

    fn compiled_primes(&self, bits: u32) -> Vec<&'static str> {
        let names = Form::ALL.map(|(_, name)| name);
        if bits == primes::BITS {
            names.to_vec()
        } else {
            Vec::new()
        }
    }

    fn step_ns(&self) -> f64 {
        55.0
    }

    fn inversion_ns(&self, bits: u32) -> Option<f64> {
        inverse::predicted_ns(bits)
    }

    fn product_ns(&self, layout: Layout, bits: u32) -> f64 {
        #[cfg(target_arch = "x86_64")]
        let times = if has_two_carries() {
            TWO_CARRIES_NS
        } else {
            PLAIN_NS
        };
        #[cfg(not(target_arch = "x86_64"))]
        let times = PLAIN_NS;
        crate::times::product_ns(&[(Layout::Single, times)], layout, bits)
    }

    fn run(&self, work: &Work<'_>) -> Result<Vec<Outcome>, DeviceError> {
        match work.layout {
            Layout::Single => Ok(run(work)),
            layout => Err(crate::device::no_such_layout(layout)),
        }
    }
}
