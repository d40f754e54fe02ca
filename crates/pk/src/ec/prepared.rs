//! Curves prepared on an engine: the data that all keys of a curve share.

use super::curve::Curve;
use super::endomorphism::Endomorphism;
use super::key_tables::KeyTables;
use super::model::{Kind, Model};
use super::multiply::{BASE_ENTRIES, FixedBase, half_bits};
use super::point::Point;
use super::sharing::Identity;
use core::fmt;
use crypto_bigint::BoxedUint;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use sunzi_engine::{Constants, Engine, EngineError, Modulus};

/// A curve prepared on an engine; cheap to clone. Keys refer to it.
///
/// Tables of multiples of the base point are made when they are first needed, in some milliseconds.
#[derive(Clone)]
pub struct PreparedCurve(Arc<PreparedCurveData>);

/// Data of the curve, shared by its clones.
struct PreparedCurveData {
    curve: Curve,
    engine: Engine,
    model: Model,
    p: Arc<Modulus>,
    n: Arc<Modulus>,
    /// `p - 2` and `n - 2`: powers with these exponents are inverses.
    less_two: [BoxedUint; 2],
    endomorphism: OnceLock<Option<Endomorphism>>,
    coefficients: OnceLock<Arc<Constants>>,
    joint: OnceLock<Arc<Constants>>,
    split: OnceLock<Arc<Constants>>,
    /// The recoding of scalars of the base point on the engine.
    fixed: FixedBase,
    /// Whether tables of points may be made affine: batches are in limbs, whose groups share inversions, and the curve has no
    /// better tables, as those with a = 0 have.
    has_affine_tables: bool,
    fixed_base: OnceLock<Arc<Constants>>,
    subgroup: OnceLock<Arc<Constants>>,
    beta: OnceLock<Arc<Constants>>,
    keys: KeyTables<Point>,
}

impl PreparedCurve {
    /// Prepares a curve on an engine.
    ///
    /// # Errors
    /// [`EngineError::NoPlan`] if the engine has no plan for the curve's size.
    pub fn new(engine: &Engine, curve: &Curve) -> Result<Self, EngineError> {
        Self::with_order(engine, curve, engine.modulus(curve.order().as_ref())?)
    }

    /// A curve whose base point has an order that is too small for a modulus of the engine: prepared for
    /// sums and multiples of points, which compute modulo p alone.
    #[cfg(test)]
    pub(super) fn of_small_order(engine: &Engine, curve: &Curve) -> Result<Self, EngineError> {
        Self::with_order(engine, curve, engine.modulus(curve.field().p())?)
    }

    fn with_order(engine: &Engine, curve: &Curve, n: Arc<Modulus>) -> Result<Self, EngineError> {
        let (p, order) = (curve.field().p(), curve.order().as_ref());
        let model = Model::new(curve);
        let has_affine_tables =
            engine.has_batches_in_limbs() && !matches!(model.kind, Kind::Zero(_));
        Ok(Self(Arc::new(PreparedCurveData {
            curve: curve.clone(),
            engine: engine.clone(),
            model,
            p: engine.modulus(p)?,
            n,
            less_two: [p, order].map(|prime| prime.wrapping_sub(BoxedUint::from(2u32))),
            endomorphism: OnceLock::new(),
            coefficients: OnceLock::new(),
            joint: OnceLock::new(),
            split: OnceLock::new(),
            fixed: FixedBase::of(engine),
            has_affine_tables,
            fixed_base: OnceLock::new(),
            subgroup: OnceLock::new(),
            beta: OnceLock::new(),
            keys: KeyTables::default(),
        })))
    }

    /// The curve.
    pub fn curve(&self) -> &Curve {
        &self.0.curve
    }

    /// The engine.
    pub(super) fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// The model of the curve that programs compute with.
    pub(super) fn model(&self) -> &Model {
        &self.0.model
    }

    /// The prime of the field.
    pub(super) fn p(&self) -> &Arc<Modulus> {
        &self.0.p
    }

    /// The order of the base point.
    pub(super) fn n(&self) -> &Arc<Modulus> {
        &self.0.n
    }

    /// `p - 2`.
    pub(super) fn p_less_two(&self) -> &BoxedUint {
        &self.0.less_two[0]
    }

    /// `n - 2`.
    pub(super) fn n_less_two(&self) -> &BoxedUint {
        &self.0.less_two[1]
    }

    /// Length of the order in bits.
    pub(super) fn order_bits(&self) -> u32 {
        self.curve().order().as_ref().bits_vartime()
    }

    /// The constants of the curve.
    pub(super) fn coefficients(&self) -> Result<&Arc<Constants>, EngineError> {
        self.constants(&self.0.coefficients, Vec::new)
    }

    /// The constants of the curve, and [`BASE_ENTRIES`] odd multiples of the base point.
    pub(super) fn joint_constants(&self) -> Result<&Arc<Constants>, EngineError> {
        self.constants(&self.0.joint, || {
            let curve = self.curve();
            let multiples = curve.odd_multiples(curve.generator(), BASE_ENTRIES);
            self.model().points(&multiples)
        })
    }

    /// The recoding of scalars of the base point on the engine.
    pub(super) fn fixed_base(&self) -> FixedBase {
        self.0.fixed
    }

    /// The endomorphism of the curve, if it has one that programs use: for a = 0 and a small b, where
    /// entries of tables have no products.
    pub(super) fn endomorphism(&self) -> Option<&Endomorphism> {
        let endomorphism = self.0.endomorphism.get_or_init(|| {
            let fits = matches!(self.model().kind, Kind::Zero(_));
            fits.then(|| Endomorphism::new(self.curve())).flatten()
        });
        endomorphism.as_ref()
    }

    /// The constants of the curve, [`BASE_ENTRIES`] odd multiples of the base point G, as many of
    /// `2^bits G` for halves of `bits` bits, and the endomorphism's beta.
    pub(super) fn split_constants(
        &self,
        endomorphism: &Endomorphism,
    ) -> Result<&Arc<Constants>, EngineError> {
        self.constants(&self.0.split, || {
            let curve = self.curve();
            let high = curve.double_times(curve.generator(), half_bits(endomorphism.bits()));
            let bases = [Some(curve.generator().clone()), high];
            let tables = bases.iter().flatten().flat_map(|point| {
                let multiples = curve.odd_multiples(point, BASE_ENTRIES);
                self.model().points(&multiples)
            });
            let beta = (endomorphism.beta().retrieve(), 1);
            tables.chain([beta]).collect()
        })
    }

    /// The constants of the curve, and for each digit of a scalar odd multiples of
    /// the base point times the digit's power of two.
    pub(super) fn fixed_base_constants(&self) -> Result<&Arc<Constants>, EngineError> {
        self.constants(&self.0.fixed_base, || {
            self.fixed_table(self.curve().generator())
        })
    }

    /// The constants of the curve, and tables as those of [`fixed_base_constants`](Self::fixed_base_constants), of the base
    /// point and of a public key, if they are kept, or if `make` is true. Making them takes the time of some hundred
    /// verifications.
    pub(super) fn key_constants(
        &self,
        key: &Point,
        make: bool,
    ) -> Result<Option<Arc<Constants>>, EngineError> {
        let constants = || {
            let mut numbers = self.model().constants();
            for point in [self.curve().generator(), key] {
                numbers.extend(self.fixed_table(point));
            }
            self.new_constants(&numbers)
        };
        self.0.keys.get(key, make.then_some(constants))
    }

    /// Odd multiples of a point times each digit's power of two.
    fn fixed_table(&self, point: &Point) -> Vec<(BoxedUint, i32)> {
        let curve = self.curve();
        let mut base = Some(point.clone());
        let mut constants = Vec::new();
        let fixed = self.fixed_base();
        for _ in 0..fixed.windows(self.order_bits()) {
            let multiples = base.iter();
            let multiples = multiples.flat_map(|p| curve.odd_multiples(p, fixed.entries()));
            let multiples: Vec<_> = multiples.collect();
            constants.extend(self.model().points(&multiples));
            base = base.and_then(|point| curve.double_times(&point, fixed.width()));
        }
        constants
    }

    /// Changes the numbers of a curve that has none yet, as faults in memory may do.
    #[cfg(test)]
    pub(super) fn change_fixed_base(&self, change: impl FnOnce(&mut [(BoxedUint, i32)])) {
        let fresh = Self::new(self.engine(), self.curve()).unwrap();
        let mut numbers = fresh.model().constants();
        numbers.extend(fresh.fixed_table(fresh.curve().generator()));
        change(&mut numbers);
        let constants = self.0.fixed_base.set(
            (self.engine())
                .constants(
                    self.p(),
                    &numbers
                        .iter()
                        .map(|(x, form)| (x, *form))
                        .collect::<Vec<_>>(),
                )
                .unwrap(),
        );
        assert!(constants.is_ok(), "the table is there already");
    }

    /// The constants of the curve, and the endomorphism's beta.
    pub(super) fn endomorphism_constants(
        &self,
        endomorphism: &Endomorphism,
    ) -> Result<&Arc<Constants>, EngineError> {
        self.constants(&self.0.beta, || vec![(endomorphism.beta().retrieve(), 1)])
    }

    /// The constants of the curve, and the beta by which the subgroup of the base point is recognized, for
    /// [`in_subgroup`](super::pairing::in_subgroup).
    pub(super) fn subgroup_constants(&self) -> Result<&Arc<Constants>, EngineError> {
        self.constants(&self.0.subgroup, || {
            let beta = self.curve().subgroup_root();
            beta.map(|beta| (beta.retrieve(), 1)).into_iter().collect()
        })
    }

    /// The constants of the curve and those of a table, made when they are first asked for.
    fn constants<'a>(
        &self,
        kept: &'a OnceLock<Arc<Constants>>,
        table: impl FnOnce() -> Vec<(BoxedUint, i32)>,
    ) -> Result<&'a Arc<Constants>, EngineError> {
        if let Some(constants) = kept.get() {
            return Ok(constants);
        }
        let mut numbers = self.model().constants();
        numbers.extend(table());
        let constants = self.new_constants(&numbers)?;
        Ok(kept.get_or_init(|| constants))
    }

    fn new_constants(&self, numbers: &[(BoxedUint, i32)]) -> Result<Arc<Constants>, EngineError> {
        let numbers = numbers.iter().map(|(number, form)| (number, *form));
        let numbers: Vec<_> = numbers.collect();
        self.engine().constants(self.p(), &numbers)
    }
}

impl Identity for PreparedCurve {
    fn id(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}

/// Curves prepared on an engine, each once, when it is first asked for; cheap to clone.
#[derive(Clone, Debug)]
pub struct PreparedCurves {
    engine: Engine,
    prepared: Arc<Mutex<Vec<PreparedCurve>>>,
}

impl PreparedCurves {
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
    pub fn get(&self, curve: &Curve) -> Result<PreparedCurve, EngineError> {
        let mut prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = prepared.iter().find(|known| known.curve() == curve) {
            return Ok(known.clone());
        }
        let new = PreparedCurve::new(&self.engine, curve)?;
        prepared.push(new.clone());
        Ok(new)
    }
}

impl fmt::Debug for PreparedCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PreparedCurve").field(self.curve()).finish()
    }
}

/// The curves of a batch with so many numbers that the multiples of their points are made affine.
pub(super) struct AffineCurves(HashSet<usize>);

impl AffineCurves {
    /// The curves among these, one for each number.
    pub(super) fn of<'a>(curves: impl ExactSizeIterator<Item = &'a PreparedCurve>) -> Self {
        /// The least number of one curve: fewer have too few groups that share their inversions.
        const LEAST: usize = 128;
        let mut counts: HashMap<usize, usize> = HashMap::new();
        if curves.len() >= LEAST {
            for curve in curves.filter(|curve| curve.0.has_affine_tables) {
                *counts.entry(curve.id()).or_default() += 1;
            }
        }
        let many = counts.into_iter().filter(|(_, count)| *count >= LEAST);
        Self(many.map(|(id, _)| id).collect())
    }

    pub(super) fn has(&self, curve: &PreparedCurve) -> bool {
        self.0.contains(&curve.id())
    }
}
