//! The device `octet`, for lone numbers modulo numbers of up to 391 bits: two bases of up to eight channels, so that a
//! number is two registers.
//!
//! Formulas of curves and pairings are long rows of short operations. Beside the layout [`spread`](super::spread), which
//! serves every size, three things are different here: channels have 50 bits and stored residues are within 2^26 of
//! them, so that 384 bits fit; a sum of products is reduced once; and operations that follow each other run without the
//! interpreter. `docs/engine/octet.md` has the bounds.

mod constants;
mod group;
mod kernels;
mod tape;

use core::any::Any;
use std::sync::Arc;

use crypto_bigint::{BoxedUint, Odd};
use zeroize::Zeroizing;

use self::{
    constants::{CHANNELS, OctetPlan, columns, octet},
    group::OctetGroup,
    tape::Tape,
};
use super::{
    modulus::{IfmaModulus, SharedSpreadPlan},
    spread::Octet,
};
use crate::{
    EngineError,
    choices::Split,
    device::{Device, DeviceError, Outcome, PlanSummary, Work, no_such_layout},
    instructions::Ifma,
    integers::inverse,
    interpreter,
    kept::{Prepared, kept, own},
    layout::Layout,
    program::{Limits, Program},
    residues::plan::{
        ChannelArithmetic, LaneFormat, Matrix, Plan, PlanCache, PlanFormat, PreparedModulus,
        SizePlan,
    },
    words::{self, WordModulus},
};
use sunzi_program::content;

/// The widest moduli that are served, in bits. A has 400 bits, and a plan leaves out 9 of them: twice those of the
/// overshoot, and two.
const MOST_BITS: u32 = 391;

/// The only layout.
const LAYOUT: Layout = Layout::Spread(1);

/// The time of a product in nanoseconds, as part of formulas of curves, at sizes in bits, on a Xeon (Emerald Rapids) core.
const PRODUCT_NS: [(Layout, &[(u32, f64)]); 1] = [(LAYOUT, &[(256, 28.0), (384, 25.0)])];

/// The device and its plans.
pub(crate) struct OctetDevice {
    kernels: Ifma,
    plans: PlanCache<SizedPlan>,
}

impl OctetDevice {
    /// The device, or the instructions that the processor lacks.
    pub(crate) fn detect() -> Result<Self, &'static str> {
        Ok(Self {
            kernels: Ifma::detect()?,
            plans: PlanCache::new((), Split::Fixed),
        })
    }
}

/// A plan in the forms that operations read.
struct SizedPlan {
    plan: Arc<Plan>,
    octet: OctetPlan,
    spread: SharedSpreadPlan,
}

impl SizePlan for SizedPlan {
    type Format = ();

    fn new(bits: u32, (): (), split: Split) -> Result<Self, EngineError> {
        let no_plan = |condition| EngineError::NoPlan { bits, condition };
        if bits > MOST_BITS {
            let condition = format!("bases of {CHANNELS} channels serve at most {MOST_BITS} bits");
            return Err(no_plan(condition));
        }
        let format = PlanFormat {
            lanes: LaneFormat::TIGHT,
            redundancy: 0,
        };
        let plan = Plan::new(bits, format, split)?;
        if plan.a.len().max(plan.b.len()) > CHANNELS || plan.w != LaneFormat::TIGHT_WIDTH {
            let channels = [plan.a.len(), plan.b.len()];
            let condition = format!("it takes {channels:?} channels of {} bits", plan.w);
            return Err(no_plan(condition));
        }
        Ok(Self {
            octet: OctetPlan::new(&plan),
            plan: Arc::new(plan),
            spread: SharedSpreadPlan::default(),
        })
    }

    fn bytes(&self) -> usize {
        self.plan.bytes()
    }
}

/// A modulus as this device prepares it.
struct OctetModulus {
    plan: Arc<SizedPlan>,
    general: IfmaModulus,
    weights: Weights,
}

content!(OctetModulus { general, weights } without { plan });
kept!(OctetModulus, |kept| {
    kept.plan.octet.is_whole() && kept.general.plan_is_whole()
});

/// The weights of products that depend on the modulus; wiped on drop.
#[derive(Clone)]
struct Weights {
    /// [`PreparedModulus::to_quotient`].
    to_quotient: Zeroizing<Octet>,
    /// For each channel of A `|P (A/a_i) g_j^2|_{b_j}`: the first extension, and the product with P after it.
    a_to_b: Zeroizing<[Octet; CHANNELS]>,
}

content!(Weights {
    to_quotient,
    a_to_b
});

impl Weights {
    fn new(plan: &Plan, to_quotient: &[u64], scaled_p: &[u64]) -> Self {
        let n_a = plan.a.len();
        let rows = plan.a_to_b.weights().chunks_exact(n_a).zip(scaled_p);
        let rows = rows.zip(&plan.arithmetic[n_a..]);
        // Products with |R A/a_i|, divided by R.
        let row = |((row, &scaled_p), channel): ((&[u64], &u64), &ChannelArithmetic)| {
            let weights = row.iter().map(|&weight| channel.multiply(scaled_p, weight));
            weights.collect::<Vec<u64>>()
        };
        let rows: Zeroizing<Vec<Vec<u64>>> = Zeroizing::new(rows.map(row).collect());
        Self {
            to_quotient: Zeroizing::new(octet(to_quotient.iter().copied())),
            a_to_b: Zeroizing::new(columns(&Matrix::from_rows(&rows), n_a)),
        }
    }

    fn of(modulus: &PreparedModulus) -> Self {
        Self::new(&modulus.plan, &modulus.to_quotient, &modulus.scaled_p)
    }
}

impl Device for OctetDevice {
    fn name(&self) -> &'static str {
        "octet"
    }

    fn unit(&self) -> &'static str {
        "residues"
    }

    fn layouts(&self, bits: u32) -> Vec<Layout> {
        if bits > MOST_BITS {
            return Vec::new();
        }
        vec![LAYOUT]
    }

    fn limits(&self, bits: u32) -> Result<Limits, EngineError> {
        Ok(self.plans.plan(bits)?.plan.limits())
    }

    /// An entry is two loads of 64 bytes. Tables of a base point's multiples are longer than the first cache: their
    /// look-ups take half the time of a multiple.
    fn entries_per_product(&self, _: u32) -> u32 {
        3
    }

    fn summary(&self, bits: u32) -> Result<PlanSummary, EngineError> {
        Ok(self.plans.plan(bits)?.plan.summary())
    }

    fn prepare(&self, moduli: &[&Odd<BoxedUint>], bits: u32) -> Vec<Result<Prepared, EngineError>> {
        let plan = match self.plans.plan(bits) {
            Ok(plan) => plan,
            Err(error) => return moduli.iter().map(|_| Err(error.clone())).collect(),
        };
        let prepared = PreparedModulus::prepare(moduli, &plan.plan).into_iter();
        let boxed = |(residues, &value): (Option<PreparedModulus>, &&Odd<BoxedUint>)| {
            Ok(match residues {
                Some(residues) => Box::new(OctetModulus {
                    plan: Arc::clone(&plan),
                    weights: Weights::of(&residues),
                    general: IfmaModulus {
                        residues,
                        spread: Arc::clone(&plan.spread),
                    },
                }) as Prepared,
                None => Box::new(WordModulus::new(value, plan.plan.limits())),
            })
        };
        prepared.zip(moduli).map(boxed).collect()
    }

    fn prepare_constants(
        &self,
        modulus: &(dyn Any + Send + Sync),
        integers: &[Zeroizing<BoxedUint>],
        forms: &[i32],
    ) -> Prepared {
        if let Some(plain) = WordModulus::of(modulus) {
            return plain.constants(integers, forms);
        }
        let modulus: &OctetModulus = own(modulus);
        Box::new(modulus.general.residues.constants(integers, forms))
    }

    fn limits_of(&self, modulus: &(dyn Any + Send + Sync)) -> Limits {
        WordModulus::of(modulus).map_or_else(
            || own::<OctetModulus>(modulus).plan.plan.limits(),
            WordModulus::limits,
        )
    }

    fn group_key(&self, modulus: &(dyn Any + Send + Sync)) -> usize {
        WordModulus::of(modulus).map_or_else(
            || Arc::as_ptr(&own::<OctetModulus>(modulus).plan).addr(),
            |_| words::GROUP_KEY,
        )
    }

    /// Programs have several independent products, which are reduced in turns.
    fn products_in_waiting_square(&self) -> f64 {
        2.0
    }

    fn powers_measure_products(&self) -> bool {
        false
    }

    fn step_ns(&self) -> f64 {
        10.0
    }

    /// Entering and leaving are conversions between residues and digits, which wait for each other.
    fn conversions_in_products(&self, _: u32) -> [f64; 2] {
        [2.5, 4.0]
    }

    fn inversion_ns(&self, bits: u32) -> Option<f64> {
        inverse::predicted_ns(bits)
    }

    fn product_ns(&self, layout: Layout, bits: u32) -> f64 {
        crate::times::product_ns(&PRODUCT_NS, layout, bits)
    }

    fn program_is_whole(
        &self,
        program: &Program,
        modulus: &(dyn Any + Send + Sync),
        without_spans: bool,
    ) -> bool {
        let tape = program.compiled(Tape::new);
        match tape.filter(|_| WordModulus::of(modulus).is_none()) {
            // Builds with debug assertions read arithmetic operations, too.
            Some(tape) if !cfg!(debug_assertions) => {
                tape.is_whole() && program.is_whole_beside_arithmetic()
            }
            Some(tape) => tape.is_whole() && program.is_whole(),
            None if without_spans => program.is_whole_without_spans(),
            None => program.is_whole(),
        }
    }

    fn run(&self, work: &Work<'_>) -> Result<Vec<Outcome>, DeviceError> {
        if WordModulus::of(work.members[0].modulus).is_some() {
            return Ok(words::run(work));
        }
        if work.layout != LAYOUT {
            return Err(no_such_layout(work.layout));
        }
        Ok(interpreter::run(work, |members| {
            OctetGroup::new(self.kernels, members)
        }))
    }
}
