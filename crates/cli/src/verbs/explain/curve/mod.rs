//! `sunzi explain curve`: a multiplication on a curve, one field operation at a time, by the reference.

use crate::failure::{Failure, Outcome, Status};
use crate::io::output::Output;
use crate::options::CommonOptions;
use crate::verbs::Run;
use clap::ValueEnum;
use crypto_bigint::BoxedUint;
use serde::Serialize;
use std::io;
use sunzi_field::arithmetic::{Arithmetic, SumOfResidues};
use sunzi_field::curve::Curve as Group;
use sunzi_field::montgomery::{Montgomery, bases};
use sunzi_field::{BinaryInversion, BinaryTernaryInversion};
use sunzi_pk::ec::{Curve, GroupElement};
use sunzi_rns::{Base, Counting, Counts, Plain};

/// A multiple of a curve's base point in residues: its parameters, each step's operations, the result
///
/// The reference computes it, one operation at a time: the addition without exceptions, by doubling and adding.
/// Operations on residues are counted: EMM is a product of two residues, CMM one with a constant, EMA a sum,
/// CMR the reduction of a wider number.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The curve: secp256k1, P-256, BLS12-381-G1 and so on
    #[arg(value_name = "NAME")]
    curve: Curve,
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

/// A reduction modulo p, as an option.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Reduction {
    /// The sum of residues, exact, in 66-bit channels
    Sor,
    /// Montgomery's, with Kawamura's base extension
    Kbe,
    /// Montgomery's, with the hierarchical base extension
    Hbe,
}

/// An inversion modulo p, as an option.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Inversion {
    /// Binary-ternary plus-minus
    Btmi,
    /// Binary plus-minus
    Bmi,
    /// The power p - 2
    Fermat,
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

/// What is printed.
#[derive(Debug, Serialize)]
struct Report {
    curve: String,
    p: String,
    a: String,
    b: String,
    base_point: [String; 2],
    order: String,
    arithmetic: String,
    addition: Operations,
    scalar: String,
    additions: u64,
    multiplication: Operations,
    inversion: Operations,
    /// None at infinity.
    result: Option<[String; 2]>,
}

/// Operations on residues.
#[derive(Clone, Copy, Debug, Serialize)]
struct Operations {
    emm: u64,
    cmm: u64,
    ema: u64,
    cmr: u64,
}

impl From<Counts> for Operations {
    fn from(counts: Counts) -> Self {
        let Counts {
            emm, cmm, ema, cmr, ..
        } = counts;
        Self { emm, cmm, ema, cmr }
    }
}

impl core::fmt::Display for Operations {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { emm, cmm, ema, cmr } = self;
        write!(f, "{emm} EMM, {cmm} CMM, {ema} EMA, {cmr} CMR")
    }
}

fn hex(x: &BoxedUint) -> String {
    let digits = x.to_string_radix_vartime(16);
    format!("0x{digits}")
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let [p, ..] = self.curve.parameters();
        let report = match self.reduction {
            Reduction::Sor => {
                let arithmetic = SumOfResidues::new(&p).map_err(Failure::from_error)?;
                let channels = arithmetic.reduction().channels().len();
                let name = format!("the sum of residues, exact, {channels} channels of 66 bits");
                self.report(arithmetic, name)
            }
            Reduction::Kbe => {
                let (a, b) = bases(&p, WIDTH, 1).map_err(Failure::from_error)?;
                let arithmetic = Montgomery::kawamura(&p, &a, &b).map_err(Failure::from_error)?;
                let channels = a.moduli().len();
                let name = format!(
                    "Montgomery's reduction, Kawamura's extension, twice {channels} channels of \
                     {WIDTH} bits"
                );
                self.report(arithmetic, name)
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
                self.report(arithmetic, name)
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
    fn report<A: Arithmetic>(&self, arithmetic: A, name: String) -> Result<Report, Failure> {
        let [p, a, b] = self.curve.parameters();
        let generator = GroupElement::generator(&self.curve);
        let generator = generator.coordinates();
        let [x, y] = generator.ok_or_else(|| Failure::new("the base point is at infinity"))?;
        let order = self.curve.order().as_ref();
        let half = order.shr(1);
        let scalar = self.scalar.as_ref().unwrap_or(&half);
        let counting = Counting::default();

        let group = Group::new(&Plain, arithmetic, &a, &b);
        let point = group.point(&Plain, &x, &y);
        let _ = group.add(&counting, &point, &point);
        let addition = counting.take();
        let multiple = group.multiply_vartime(&counting, scalar, &point);
        let multiplication = counting.take();
        let result = match self.inversion {
            Inversion::Fermat => group.coordinates(&counting, &multiple, |z| {
                let arithmetic = group.arithmetic();
                let less_two = p.wrapping_sub(BoxedUint::from(2u32));
                let z = arithmetic.number(&counting, z);
                let inverse = arithmetic.power_vartime(&counting, &z, &less_two);
                Some(arithmetic.integer(&counting, &inverse))
            }),
            Inversion::Btmi => {
                let inversion = with_base(&p, BinaryTernaryInversion::new)?;
                let invert = |z: &BoxedUint| inversion.invert_uint_vartime(&counting, z).ok();
                group.coordinates(&counting, &multiple, invert)
            }
            Inversion::Bmi => {
                let inversion = with_base(&p, BinaryInversion::new)?;
                let invert = |z: &BoxedUint| inversion.invert_uint_vartime(&counting, z).ok();
                group.coordinates(&counting, &multiple, invert)
            }
        };
        let inversion = counting.take();
        // Each bit but the highest takes a doubling, and each that is set an addition more.
        let bits = (0..scalar.bits_vartime()).map(|bit| u64::from(scalar.bit_vartime(bit)));
        let additions = bits.map(|bit| 1 + bit).sum::<u64>().saturating_sub(2);
        Ok(Report {
            curve: self.curve.to_string(),
            p: hex(&p),
            a: hex(&a),
            b: hex(&b),
            base_point: [x, y].each_ref().map(hex),
            order: hex(order),
            arithmetic: name,
            addition: addition.into(),
            scalar: hex(scalar),
            additions,
            multiplication: multiplication.into(),
            inversion: inversion.into(),
            result: result.map(|coordinates| coordinates.each_ref().map(hex)),
        })
    }
}

/// An inversion modulo p in as few channels as it takes: their moduli must be coprime to 2, 3 and p.
fn with_base<I, E: core::fmt::Display>(
    p: &BoxedUint,
    new: impl Fn(&Base, &BoxedUint) -> Result<I, E>,
) -> Result<I, Failure> {
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
            Ok(inversion) => return Ok(inversion),
            Err(error) => refused = Failure::from_error(error),
        }
    }
    Err(refused)
}

fn print(output: &mut Output, report: &Report) -> io::Result<()> {
    let Report { p, a, b, .. } = report;
    let [x, y] = &report.base_point;
    output.line(format_args!("{}: y^2 = x^3 + a x + b", report.curve))?;
    for (name, number) in [("p", p), ("a", a), ("b", b), ("x(G)", x), ("y(G)", y)] {
        output.line(format_args!("  {name:<4} = {number}"))?;
    }
    output.line(format_args!("  n    = {}", report.order))?;
    output.line(format_args!("by {}", report.arithmetic))?;
    output.line(format_args!(
        "  an addition: {} products, {} of them with a and 3 b, and {} sums",
        Group::<SumOfResidues>::PRODUCTS,
        Group::<SumOfResidues>::PRODUCTS_WITH_CONSTANTS,
        Group::<SumOfResidues>::SUMS,
    ))?;
    output.line(format_args!("    {}", report.addition))?;
    output.line(format_args!("  k G for k = {}", report.scalar))?;
    output.line(format_args!("    {} additions", report.additions))?;
    output.line(format_args!("    {}", report.multiplication))?;
    output.line(format_args!("  X/Z and Y/Z: {}", report.inversion))?;
    match &report.result {
        Some([x, y]) => {
            output.line(format_args!("  x    = {x}"))?;
            output.line(format_args!("  y    = {y}"))?;
        }
        None => output.line("  the point at infinity")?,
    }
    Ok(())
}
