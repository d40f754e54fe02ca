//! `sunzi explain curve`: a multiplication on a curve, one field operation at a time, by the reference.

mod choices;
mod estimates;
mod formulas;
mod operations;
mod parameters;
mod report;
mod subject;

use crate::failure::{Failure, Outcome, Status};
use crate::io::output::Output;
use crate::options::CommonOptions;
use crate::verbs::Run;
use choices::{Inversion, Reduction};
use crypto_bigint::BoxedUint;
use estimates::{Costs, Size, estimates};
use formulas::{Formulas, OnEdwards, OnLadder, OnWeierstrass};
use parameters::hex;
use report::{Report, Steps, print};
use subject::Subject;
use sunzi_field::arithmetic::{Arithmetic, SumOfResidues};
use sunzi_field::montgomery::{Montgomery, bases};
use sunzi_field::{BinaryInversion, BinaryTernaryInversion};
use sunzi_rns::{Base, Counting};

/// A multiple of a curve's base point in residues: its parameters, each step's operations, the result
///
/// The reference computes it, one operation at a time, by doubling and adding with the addition without exceptions,
/// or on X25519's and X448's curves by the ladder. Operations on residues are counted: EMM is a product of two
/// residues, CMM one with a constant, EMA a sum, CMR the reduction of a wider number. Beside what is counted stand
/// the estimates of the papers.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The curve: secp256k1, P-256, BLS12-381-G1 and so on; Ed25519, Ed448, X25519 or X448
    #[arg(value_name = "NAME")]
    curve: Subject,
    /// How products are reduced
    #[arg(long, value_enum, default_value_t = Reduction::Sor)]
    reduction: Reduction,
    /// How Z is inverted in the end
    #[arg(long, value_enum, default_value_t = Inversion::Btmi)]
    inversion: Inversion,
    /// The multiple, in hexadecimal [default: half of the order]
    #[arg(long, value_name = "HEX", value_parser = scalar)]
    scalar: Option<BoxedUint>,
}

/// The width of the channels of Montgomery's reduction and of inversions, in bits.
const WIDTH: u32 = 24;
/// Moduli in a row of the hierarchical base extension.
const COLUMNS: usize = 2;

fn scalar(hex: &str) -> Result<BoxedUint, &'static str> {
    let digits = hex.trim_start_matches("0x");
    let scalar = BoxedUint::from_str_radix_vartime(digits, 16);
    scalar.map_err(|_| "it must be a number in hexadecimal")
}

/// An arithmetic in words, and its channels: of one base, if it has two.
struct Described {
    name: String,
    channels: usize,
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let p = self.curve.prime();
        let report = match self.reduction {
            Reduction::Sor => {
                let arithmetic = SumOfResidues::new(&p).map_err(Failure::from_error)?;
                let channels = arithmetic.reduction().channels().len();
                let name = format!("the sum of residues, exact, {channels} channels of 66 bits");
                self.report(arithmetic, Described { name, channels })
            }
            Reduction::Kbe => {
                let (a, b) = bases(&p, WIDTH, 1).map_err(Failure::from_error)?;
                let arithmetic = Montgomery::kawamura(&p, &a, &b).map_err(Failure::from_error)?;
                let channels = a.moduli().len();
                let name = format!(
                    "Montgomery's reduction, Kawamura's extension, twice {channels} channels of \
                     {WIDTH} bits"
                );
                self.report(arithmetic, Described { name, channels })
            }
            Reduction::Hbe => {
                let (a, b) = bases(&p, WIDTH, COLUMNS).map_err(Failure::from_error)?;
                let arithmetic = Montgomery::hierarchical(&p, &a, &b, COLUMNS);
                let arithmetic = arithmetic.map_err(Failure::from_error)?;
                let channels = a.moduli().len();
                let name = format!(
                    "Montgomery's reduction, hierarchical extension ({COLUMNS} columns), twice \
                     {channels} channels of {WIDTH} bits"
                );
                self.report(arithmetic, Described { name, channels })
            }
        }?;
        let mut output = Output::new();
        if common.json {
            output.json(&report)?;
        } else {
            print(&mut output, &report)?;
        }
        output.flush()?;
        Ok(Status::Done)
    }
}

impl Args {
    /// Computes with this arithmetic.
    fn report<A: Arithmetic>(
        &self,
        arithmetic: A,
        described: Described,
    ) -> Result<Report, Failure> {
        match &self.curve {
            Subject::Weierstrass(curve) => {
                let formulas = OnWeierstrass::new(arithmetic, curve);
                let formulas =
                    formulas.ok_or_else(|| Failure::new("the base point is at infinity"))?;
                self.multiple(&formulas, described)
            }
            Subject::Edwards(named) => self.multiple(&OnEdwards::new(arithmetic, named), described),
            Subject::Montgomery(named) => {
                self.multiple(&OnLadder::new(arithmetic, named), described)
            }
        }
    }

    /// Computes with these formulas.
    fn multiple<F: Formulas>(
        &self,
        formulas: &F,
        Described { name, channels }: Described,
    ) -> Result<Report, Failure> {
        let order = self.curve.order();
        let half = order.shr(1);
        let scalar = self.scalar.as_ref().unwrap_or(&half);
        let p = self.curve.prime();
        let counting = Counting::default();

        let arithmetic = formulas.arithmetic();
        let three = arithmetic.number(&counting, &BoxedUint::from(3u32));
        let _ = counting.take();
        let _ = arithmetic.mul(&counting, &three, &three);
        let product = counting.take();
        formulas.step(&counting);
        let step = counting.take();
        let multiple = formulas.multiple(&counting, scalar);
        let multiplication = counting.take();
        let (result, inversion_channels) = self.divided(formulas, &p, &counting, &multiple)?;
        let inversion = counting.take();

        let steps = F::steps(scalar);
        let costs = Costs {
            products: steps * u64::from(F::PRODUCTS),
            product: product.into(),
            multiplication: multiplication.into(),
            inversion: inversion.into(),
        };
        let size = Size {
            bits: p.bits_vartime(),
            channels,
            inversion_channels,
        };
        Ok(Report {
            curve: self.curve.to_string(),
            parameters: self.curve.parameters(),
            arithmetic: name,
            steps: Steps::new(self.curve.is_ladder(), step.into(), steps),
            scalar: hex(scalar),
            multiplication: multiplication.into(),
            inversion: inversion.into(),
            result: result.map(|coordinates| coordinates.iter().map(hex).collect()),
            estimates: estimates((self.reduction, self.inversion), size, &costs),
            formulas: F::DESCRIPTION,
        })
    }

    /// The affine coordinates of a point, and the number of channels of the inversion.
    fn divided<F: Formulas>(
        &self,
        formulas: &F,
        p: &BoxedUint,
        counting: &Counting,
        point: &F::Point,
    ) -> Result<(Option<Vec<BoxedUint>>, usize), Failure> {
        Ok(match self.inversion {
            Inversion::Fermat => {
                let invert = |z: &BoxedUint| {
                    let arithmetic = formulas.arithmetic();
                    let less_two = p.wrapping_sub(BoxedUint::from(2u32));
                    let z = arithmetic.number(counting, z);
                    let inverse = arithmetic.power_vartime(counting, &z, &less_two);
                    Some(arithmetic.integer(counting, &inverse))
                };
                (formulas.coordinates(counting, point, invert), 0)
            }
            Inversion::Btmi => {
                let (inversion, channels) = with_base(p, BinaryTernaryInversion::new)?;
                let invert = |z: &BoxedUint| inversion.invert_uint_vartime(counting, z).ok();
                (formulas.coordinates(counting, point, invert), channels)
            }
            Inversion::Bmi => {
                let (inversion, channels) = with_base(p, BinaryInversion::new)?;
                let invert = |z: &BoxedUint| inversion.invert_uint_vartime(counting, z).ok();
                (formulas.coordinates(counting, point, invert), channels)
            }
        })
    }
}

/// An inversion modulo p in as few channels as it takes, and how many that are: their moduli must be coprime to 2,
/// 3 and p.
fn with_base<I, E: core::fmt::Display>(
    p: &BoxedUint,
    new: impl Fn(&Base, &BoxedUint) -> Result<I, E>,
) -> Result<(I, usize), Failure> {
    let least = p.bits_vartime().div_ceil(WIDTH) as usize;
    // A third of the moduli that there are is divisible by 3.
    let known = Base::pseudo_mersenne(WIDTH, 2 * least + 8).map_err(Failure::from_error)?;
    let coprime = known.moduli().iter();
    let coprime = coprime.filter(|m| m.value() % 3 != 0 && m.reduce_uint(p) != 0);
    let moduli: Vec<u128> = coprime.map(sunzi_rns::Modulus::value).collect();
    let mut refused = Failure::new("there are too few moduli for an inversion");
    for count in least..=moduli.len() {
        let base = Base::new_odd(&moduli[..count]).map_err(Failure::from_error)?;
        match new(&base, p) {
            Ok(inversion) => return Ok((inversion, count)),
            Err(error) => refused = Failure::from_error(error),
        }
    }
    Err(refused)
}
