//! What the processor must have, and what this device makes of a modulus.

use std::sync::{Arc, OnceLock};

use super::spread::constants::SpreadPlan;
use crate::plan::PreparedModulus;

/// Proof that this processor has AVX-512F and IFMA. A value exists only after detection.
#[derive(Clone, Copy)]
pub(crate) struct Ifma(());

impl Ifma {
    /// The kernels, if this processor has the instructions.
    pub(crate) fn detect() -> Option<Self> {
        let present = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512ifma");
        present.then_some(Self(()))
    }
}

/// The spread form of a plan, made when it is first used and shared by all moduli of the plan.
pub(super) type SharedSpreadPlan = Arc<OnceLock<SpreadPlan>>;

/// A modulus as this device prepares it.
pub(crate) struct IfmaModulus {
    pub(crate) residues: PreparedModulus,
    pub(super) spread: SharedSpreadPlan,
}
