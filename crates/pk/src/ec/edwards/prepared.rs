//! Curves prepared on an engine: the data that all keys of a curve share.

use super::curve::{EdwardsCurve, Parameters};
use super::multiply::BaseWindows;
use crate::ec::key_tables::KeyTables;
use crate::ec::multiply::FixedBase;
use crate::ec::point::Point;
use crate::ec::sharing::Identity;
use core::fmt;
use crypto_bigint::BoxedUint;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use sunzi_engine::{Constants, Engine, EngineError, Modulus};

/// A twisted Edwards curve prepared on an engine; cheap to clone. Keys refer to it.
///
/// Tables of multiples of the base point are made when they are first needed, in some milliseconds.
#[derive(Clone)]
pub struct PreparedEdwardsCurve(Arc<PreparedEdwardsCurveData>);

/// Data of the curve, shared by its clones.
struct PreparedEdwardsCurveData {
    curve: EdwardsCurve,
    engine: Engine,
    p: Arc<Modulus>,
    roots: OnceLock<Arc<Constants>>,
    /// The constants for multiplications of two points: with wide windows of the base point, and with narrow ones.
    joint: [OnceLock<Arc<Constants>>; 2],
    /// The recoding of scalars of the base point on the engine.
    fixed: FixedBase,
    /// The constants for multiples of the base point: in large batches, and of a few numbers.
    fixed_base: [OnceLock<Arc<Constants>>; 2],
    keys: KeyTables<[BoxedUint; 2]>,
}

impl PreparedEdwardsCurve {
    /// Prepares a curve on an engine.
    ///
    /// # Errors
    /// [`EngineError::NoPlan`] if the engine has no plan for the curve's size.
    pub fn new(engine: &Engine, curve: EdwardsCurve) -> Result<Self, EngineError> {
        let parameters = curve.parameters();
        Ok(Self(Arc::new(PreparedEdwardsCurveData {
            curve,
            engine: engine.clone(),
            p: engine.modulus(parameters.field.p())?,
            roots: OnceLock::new(),
            joint: [(); 2].map(|()| OnceLock::new()),
            fixed: FixedBase::of(engine),
            fixed_base: [(); 2].map(|()| OnceLock::new()),
            keys: KeyTables::default(),
        })))
    }

    /// The curve.
    pub fn curve(&self) -> EdwardsCurve {
        self.0.curve
    }

    /// The engine.
    pub(in crate::ec) fn engine(&self) -> &Engine {
        &self.0.engine
    }

    pub(in crate::ec) fn parameters(&self) -> &'static Parameters {
        self.0.curve.parameters()
    }

    /// The prime of the field.
    pub(in crate::ec) fn p(&self) -> &Arc<Modulus> {
        &self.0.p
    }

    /// The constants for [`super::decode`]: d, 1, and as an integer a square root of -1, or 1 if there is none.
    pub(super) fn root_constants(&self) -> Result<&Arc<Constants>, EngineError> {
        self.constants(&self.0.roots, || {
            let Parameters { field, d, .. } = self.parameters();
            let minus_one = field.small(1).neg();
            let root = field.sqrt(&minus_one).unwrap_or_else(|| field.small(1));
            let one = field.small(1).retrieve();
            vec![(d.retrieve(), 1), (one, 1), (root.retrieve(), 0)]
        })
    }

    /// The constants for [`super::multiply::joint`]: the coefficient d, and tables of multiples of the base point.
    pub(in crate::ec) fn joint_constants(
        &self,
        windows: BaseWindows,
    ) -> Result<&Arc<Constants>, EngineError> {
        let [wide, narrow] = &self.0.joint;
        let kept = match windows {
            BaseWindows::Wide => wide,
            BaseWindows::Narrow => narrow,
        };
        self.constants(kept, || self.parameters().joint_table(windows))
    }

    /// The recoding of scalars of the base point on the engine, for large batches.
    pub(super) fn fixed_base(&self) -> FixedBase {
        self.0.fixed
    }

    /// The coefficient d, and the constants for [`super::multiply::fixed_base`]: a table of multiples of the base point
    /// for each digit.
    pub(super) fn fixed_base_constants(
        &self,
        fixed: FixedBase,
    ) -> Result<&Arc<Constants>, EngineError> {
        let kept = self.kept_fixed_base(fixed);
        self.constants(kept, || self.parameters().fixed_base_tables(fixed))
    }

    fn kept_fixed_base(&self, fixed: FixedBase) -> &OnceLock<Arc<Constants>> {
        let [large, few] = &self.0.fixed_base;
        if fixed == self.fixed_base() {
            large
        } else {
            few
        }
    }

    /// Changes the numbers of [`fixed_base_constants`](Self::fixed_base_constants), which are not there yet, as faults in
    /// memory may do.
    #[cfg(test)]
    pub(super) fn change_fixed_base(
        &self,
        fixed: FixedBase,
        change: impl FnOnce(&mut [(BoxedUint, i32)]),
    ) {
        let mut numbers = self.parameters().fixed_base_tables(fixed);
        change(&mut numbers);
        let constants = self.new_constants(&numbers).unwrap();
        let constants = self.kept_fixed_base(fixed).set(constants);
        assert!(constants.is_ok(), "the tables are there already");
    }

    /// The constants of [`fixed_base_constants`](Self::fixed_base_constants), and tables for
    /// [`super::multiply::tabled`] of the point with these coordinates, if they are kept, or if `make` is true. Making them
    /// takes the time of some hundred verifications. There are none for coordinates from p on.
    pub(in crate::ec) fn key_constants(
        &self,
        coordinates: &[BoxedUint; 2],
        make: bool,
    ) -> Result<Option<Arc<Constants>>, EngineError> {
        let curve = self.parameters();
        let [Some(x), Some(y)] = coordinates.each_ref().map(|x| curve.field.element(x)) else {
            return Ok(None);
        };
        let constants = || {
            let mut numbers = curve.fixed_base_tables(self.fixed_base());
            numbers.extend(curve.key_tables(&Point { x, y }));
            self.new_constants(&numbers)
        };
        self.0.keys.get(coordinates, make.then_some(constants))
    }

    /// Constants, made when they are first asked for.
    fn constants<'a>(
        &self,
        kept: &'a OnceLock<Arc<Constants>>,
        numbers: impl FnOnce() -> Vec<(BoxedUint, i32)>,
    ) -> Result<&'a Arc<Constants>, EngineError> {
        if let Some(constants) = kept.get() {
            return Ok(constants);
        }
        let constants = self.new_constants(&numbers())?;
        Ok(kept.get_or_init(|| constants))
    }

    fn new_constants(&self, numbers: &[(BoxedUint, i32)]) -> Result<Arc<Constants>, EngineError> {
        let numbers = numbers.iter().map(|(number, form)| (number, *form));
        let numbers: Vec<_> = numbers.collect();
        self.engine().constants(self.p(), &numbers)
    }
}

impl Identity for PreparedEdwardsCurve {
    fn id(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}

impl Parameters {
    /// The constants of [`super::multiply::joint`]: the coefficient d, and tables of odd multiples of the base point and
    /// of it times `2^(w m)`, where the first one serves m digits of w bits.
    pub(super) fn joint_table(&self, windows: BaseWindows) -> Vec<(BoxedUint, i32)> {
        let order_bits = self.order_bits();
        let mut base = self.generator.clone();
        let mut constants = vec![self.coefficient()];
        for _ in 0..windows.tables(order_bits) {
            constants.extend(self.entries(&self.odd_multiples(&base, windows.entries())));
            base = self.double_times(&base, windows.width() * windows.digits_each(order_bits));
        }
        constants
    }

    /// The constants of [`super::multiply::fixed_base`].
    pub(super) fn fixed_base_tables(&self, fixed: FixedBase) -> Vec<(BoxedUint, i32)> {
        let mut base = self.generator.clone();
        let mut constants = vec![self.coefficient()];
        for _ in 0..fixed.windows(self.order_bits()) {
            constants.extend(self.entries(&self.odd_multiples(&base, fixed.entries())));
            base = self.double_times(&base, fixed.width());
        }
        constants
    }
}

impl fmt::Debug for PreparedEdwardsCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PreparedEdwardsCurve")
            .field(&self.curve())
            .finish()
    }
}

/// Curves prepared on an engine, each once, when it is first asked for; cheap to clone.
#[derive(Clone, Debug)]
pub struct PreparedEdwardsCurves {
    engine: Engine,
    prepared: Arc<Mutex<Vec<PreparedEdwardsCurve>>>,
}

impl PreparedEdwardsCurves {
    /// An empty set of prepared curves.
    pub fn new(engine: &Engine) -> Self {
        Self {
            engine: engine.clone(),
            prepared: Arc::default(),
        }
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// A curve, prepared now if it has not been before.
    ///
    /// # Errors
    /// [`EngineError::NoPlan`] if the engine has no plan for the curve's size.
    pub fn get(&self, curve: EdwardsCurve) -> Result<PreparedEdwardsCurve, EngineError> {
        let mut prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = prepared.iter().find(|known| known.curve() == curve) {
            return Ok(known.clone());
        }
        let new = PreparedEdwardsCurve::new(&self.engine, curve)?;
        prepared.push(new.clone());
        Ok(new)
    }
}
