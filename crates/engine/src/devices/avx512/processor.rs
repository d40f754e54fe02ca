//! What the processor must have, and what this device makes of a modulus.

use std::sync::{Arc, OnceLock};

use super::spread::constants::SpreadPlan;
use crate::{
    InstructionLimit,
    plan::PreparedModulus,
    processor::BEYOND_LIMIT,
    seal::{content, kept},
};

/// Proof that this processor has AVX-512F and IFMA. A value exists only after detection.
#[derive(Clone, Copy)]
pub(crate) struct Ifma(());

impl Ifma {
    /// The kernels, or what is missing.
    pub(crate) fn detect() -> Result<Self, &'static str> {
        if !InstructionLimit::Ifma.is_allowed() {
            return Err(BEYOND_LIMIT);
        }
        let present = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512ifma");
        let lacking = "the processor lacks AVX-512F or AVX-512 IFMA";
        present.then_some(Self(())).ok_or(lacking)
    }
}

/// The spread form of a plan, made when it is first used and shared by all moduli of the plan.
pub(super) type SharedSpreadPlan = Arc<OnceLock<SpreadPlan>>;

/// A modulus as this device prepares it.
pub(crate) struct IfmaModulus {
    pub(crate) residues: PreparedModulus,
    pub(super) spread: SharedSpreadPlan,
}

content!(IfmaModulus { residues } without { spread });

kept!(IfmaModulus, |kept| {
    kept.residues.plan_is_whole() && kept.spread.get().is_none_or(SpreadPlan::is_whole)
});
