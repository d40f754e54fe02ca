//! A modulus' constants on this device.

use std::sync::{Arc, OnceLock};

use crate::{
    kept::kept,
    residues::{avx512::spread::constants::SpreadPlan, plan::PreparedModulus},
};
use sunzi_program::content;

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
