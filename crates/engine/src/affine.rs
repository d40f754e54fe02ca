//! Affine points of a curve that stay on a device, and sums of pairs of them: what sums of many multiples consist of.

use core::fmt;
use std::sync::Arc;

use crypto_bigint::BoxedUint;

use crate::{
    device::{AffineAdder, AffinePoint},
    engine::Engine,
    error::EngineError,
    job::Modulus,
    program::Part,
};

/// Affine points of a curve `y^2 = x^3 + a x + b` modulo a prime, on a device with numbers in limbs.
///
/// The coordinates stay in the device's form, so that a sum costs no conversion; thousands of sums share an inversion
/// (Montgomery, "Speeding the Pollard and elliptic curve methods of factorization", 1987, section 10.3.1), and each takes six
/// modular products. Points are public: the time depends on them.
pub struct AffinePoints<'a> {
    adder: Box<dyn AffineAdder + 'a>,
    modulus: &'a Modulus,
    device: usize,
}

impl fmt::Debug for AffinePoints<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AffinePoints")
            .field("device", &self.modulus.shared.devices[self.device].name())
            .field("points", &self.adder.len())
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// No points yet, of curves with this coefficient a modulo a prime; none if no device of the engine adds points.
    ///
    /// # Errors
    /// [`EngineError::ForeignModulus`] if another engine prepared the modulus, [`EngineError::NoPlan`] if the device has no
    /// plan for it.
    ///
    /// # Panics
    /// If a is not below the modulus.
    pub fn affine_points<'a>(
        &self,
        modulus: &'a Arc<Modulus>,
        a: &BoxedUint,
    ) -> Result<Option<AffinePoints<'a>>, EngineError> {
        if !self.owns(modulus) {
            return Err(EngineError::ForeignModulus { index: 0 });
        }
        assert!(a < &**modulus.value, "a coefficient is below the modulus");
        let mut kinds = modulus.shared.kinds();
        let Some((device, adding)) = kinds.find(|(_, device)| device.adds_points()) else {
            return Ok(None);
        };
        let prepared = modulus.prepared(device)?;
        let adder = adding.affine_adder(&**prepared, a);
        Ok(adder.map(|adder| AffinePoints {
            adder,
            modulus,
            device,
        }))
    }
}

impl AffinePoints<'_> {
    /// Makes room for so many more points: without, memory grows with them.
    pub fn reserve(&mut self, additional: usize) {
        self.adder.reserve(additional);
    }

    /// Appends points, given by their coordinates below the modulus, which must satisfy one curve's equation.
    ///
    /// # Panics
    /// If a coordinate is not below the modulus, or if there would be more than `2^32` points.
    pub fn enter(&mut self, points: &[[&BoxedUint; 2]]) -> Vec<AffinePoint> {
        let modulus: &BoxedUint = &self.modulus.value;
        let is_below = |x: &&BoxedUint| x.cmp_vartime(modulus).is_lt();
        assert!(
            points.as_flattened().iter().all(is_below),
            "coordinates are below the modulus"
        );
        let first = self.adder.len();
        self.adder.enter(points);
        let places = first..first + points.len();
        let points = places.map(|place| AffinePoint {
            place: place as u32,
            is_negative: false,
        });
        points.collect()
    }

    /// Appends the points `(beta x, y)` for each of these, which may be on the same curve.
    ///
    /// # Panics
    /// As [`enter`](Self::enter), if beta is not below the modulus, and if there is no such point.
    pub fn enter_with_x_times(
        &mut self,
        beta: &BoxedUint,
        points: &[AffinePoint],
    ) -> Vec<AffinePoint> {
        assert!(
            beta < &**self.modulus.value,
            "a factor is below the modulus"
        );
        self.adder.enter_with_x_times(beta, points)
    }

    /// Appends the sums of pairs: `None` for one at infinity. Points may be equal or opposite.
    ///
    /// # Errors
    /// [`EngineError::BadJob`] if a difference of coordinates has no inverse, because the modulus is no prime.
    ///
    /// # Panics
    /// As [`enter`](Self::enter), and if there is no such point.
    pub fn add_pairs(
        &mut self,
        pairs: &[[AffinePoint; 2]],
    ) -> Result<Vec<Option<AffinePoint>>, EngineError> {
        self.adder.add_pairs(pairs)
    }

    /// Keeps the first `count` points, and these, which come after them; drops all others.
    ///
    /// # Panics
    /// If one of these is among the first, or if there are fewer points.
    pub fn retain(&mut self, count: usize, points: &mut [AffinePoint]) {
        self.adder.retain(count, points);
    }

    /// Keeps the first `count` points and drops all others.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn truncate(&mut self, count: usize) {
        self.adder.retain(count, &mut []);
    }

    /// The number of points that came before this one.
    pub fn position(&self, point: AffinePoint) -> usize {
        point.place as usize
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.adder.len()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The coordinates of these points.
    ///
    /// # Errors
    /// [`EngineError::Damaged`] if the device's constants have changed in memory since they were made.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn leave(&mut self, points: &[AffinePoint]) -> Result<Vec<[BoxedUint; 2]>, EngineError> {
        let coordinates = self.adder.leave(points);
        let sealed = self.modulus.sealed(self.device)?;
        if sealed.are_whole(&[Part::Single]) {
            Ok(coordinates)
        } else {
            Err(EngineError::Damaged { what: "a modulus" })
        }
    }
}
