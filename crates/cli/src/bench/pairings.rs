//! The jobs with values of pairings, on BLS12-381 and BN254.

use super::job::CurveWithPairing;
use super::peers::{self, PairingBatch};
use super::report::Report;
use super::turns::Contestant;
use super::{Bench, Job, random};
use crate::failure::Failure;
use core::fmt::Display;
use crypto_bigint::BoxedUint;
use sunzi_engine::Engine;
use sunzi_pk::ec::pairing::{
    Bls12_381, Bn254, G2Element, G2MultiplyRequest, PairingCurve, PairingRequest, PreparedPairing,
    multiply_g2_batch, pairing_batch,
};
use sunzi_pk::ec::{GroupElement, MultiplyRequest, multiply_batch};

/// A curve whose pairings are measured.
trait MeasuredCurve: PairingCurve {
    /// Elements of G2, one for each scalar.
    fn elements_of_g2(
        pairing: &PreparedPairing<Self>,
        scalars: &[BoxedUint],
    ) -> Result<Vec<G2Element<Self>>, Failure>;
}

impl MeasuredCurve for Bls12_381 {
    fn elements_of_g2(
        pairing: &PreparedPairing,
        scalars: &[BoxedUint],
    ) -> Result<Vec<G2Element>, Failure> {
        let element = &G2Element::generator();
        let requests = scalars.iter();
        let requests = requests.map(|scalar| G2MultiplyRequest { scalar, element });
        let multiples = multiply_g2_batch(pairing, &requests.collect::<Vec<_>>());
        done(multiples.into_iter().collect())
    }
}

impl MeasuredCurve for Bn254 {
    /// The generator for each, as there are no multiples in G2 of this curve. No contestant knows that they are equal, and
    /// the time of a pairing does not depend on its elements.
    fn elements_of_g2(
        _: &PreparedPairing<Self>,
        scalars: &[BoxedUint],
    ) -> Result<Vec<G2Element<Self>>, Failure> {
        Ok(vec![G2Element::generator(); scalars.len()])
    }
}

/// An engine with the pairing prepared for it.
struct EngineWithPairing<C: PairingCurve> {
    engine: Engine,
    pairing: PreparedPairing<C>,
}

/// Pairs of elements.
struct Operands<C: PairingCurve> {
    g1: Vec<GroupElement>,
    g2: Vec<G2Element<C>>,
}

impl<C: MeasuredCurve> EngineWithPairing<C> {
    fn new(engine: Engine) -> Result<Self, Failure> {
        let pairing = done(PreparedPairing::new(&engine))?;
        Ok(Self { engine, pairing })
    }

    /// Random elements.
    fn operands(&self, count: usize) -> Result<Operands<C>, Failure> {
        let curve = self.pairing.g1();
        let bits = curve.curve().order().as_ref().bits_vartime();
        // Numbers of a bit less are below the order.
        let scalars = || (0..count).map(|_| random(bits, bits - 1));
        let multipliers = scalars().collect::<Result<Vec<_>, _>>()?;
        let element = &GroupElement::generator(curve.curve());
        let requests = multipliers.iter().map(|scalar| MultiplyRequest {
            curve,
            scalar,
            element,
        });
        let multiples = multiply_batch(&self.engine, &requests.collect::<Vec<_>>());
        let multipliers = scalars().collect::<Result<Vec<_>, _>>()?;
        Ok(Operands {
            g1: done(multiples.into_iter().collect())?,
            g2: C::elements_of_g2(&self.pairing, &multipliers)?,
        })
    }

    /// The values of the first pairs, as the bytes of their numbers.
    fn run(&self, operands: &Operands<C>, batch: usize) -> Result<Vec<Vec<u8>>, Failure> {
        let pairs = operands.g1[..batch].iter().zip(&operands.g2);
        let pairs = pairs.map(|(p, q)| PairingRequest::new(p, q));
        let values = done(pairing_batch(&self.pairing, &pairs.collect::<Vec<_>>()))?;
        let values = values.iter().map(|value| {
            let numbers = value.coefficients();
            self.bytes(numbers.into_iter().flatten())
        });
        Ok(values.collect())
    }

    /// Numbers modulo the prime, each as long as the prime.
    fn bytes<'a>(&self, numbers: impl Iterator<Item = &'a BoxedUint>) -> Vec<u8> {
        let length = self.pairing.g1().curve().bits().div_ceil(8) as usize;
        let mut bytes = Vec::new();
        for number in numbers {
            let number = number.to_be_bytes();
            bytes.extend_from_slice(&number[number.len() - length..]);
        }
        bytes
    }
}

fn done<T>(result: Result<T, impl Display>) -> Result<T, Failure> {
    result.map_err(Failure::from_error)
}

impl Bench<'_> {
    /// Measures pairings on a curve.
    pub(super) fn pairings(
        &self,
        job: Job,
        curve: CurveWithPairing,
        report: &mut Report,
    ) -> Result<(), Failure> {
        match curve {
            CurveWithPairing::Bls12_381 => self.pairings_on::<Bls12_381>(job, curve, report),
            CurveWithPairing::Bn254 => self.pairings_on::<Bn254>(job, curve, report),
        }
    }

    fn pairings_on<C: MeasuredCurve>(
        &self,
        job: Job,
        curve: CurveWithPairing,
        report: &mut Report,
    ) -> Result<(), Failure> {
        report.show_activity(&format_args!("{job}: elements"));
        let engines = self.new_engines()?.into_iter();
        let engines = engines.map(EngineWithPairing::<C>::new);
        let engines = engines.collect::<Result<Vec<_>, _>>()?;
        let Some(first) = engines.first() else {
            return Err(Failure::new("no backend can run on this processor"));
        };
        let operands = first.operands(self.largest_batch())?;
        let g1 = operands.g1.iter().filter_map(GroupElement::coordinates);
        let g1: Vec<_> = g1.map(|point| first.bytes(point.iter())).collect();
        let g2 = operands.g2.iter().filter_map(G2Element::coordinates);
        let g2 = g2.map(|[[x_re, x_im], [y_re, y_im]]| {
            let parts = [&x_im, &x_re, &y_im, &y_re];
            first.bytes(parts.into_iter())
        });
        let g2: Vec<_> = g2.collect();
        for &batch in &self.batches {
            let values = first.run(&operands, batch)?;
            let ours = engines.iter().map(|prepared| {
                let operands = &operands;
                Contestant {
                    name: prepared.engine.backend().to_string(),
                    unit: batch,
                    repeat: Box::new(move |repetitions| {
                        (0..repetitions).try_for_each(|_| prepared.run(operands, batch).map(drop))
                    }),
                }
            });
            let mut contestants: Vec<_> = ours.collect();
            contestants.extend(peers::pairings(&PairingBatch {
                curve: curve.name(),
                g1: &g1,
                g2: &g2,
                values: &values,
                threads: self.threads,
            })?);
            self.turns(job, batch, contestants, report)?;
        }
        Ok(())
    }
}
