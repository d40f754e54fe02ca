//! Verification of proofs, each by itself or all together by random factors. Public.

use super::key::PreparedVerifyingKey;
use super::proof::Proof;
use crate::batch::CHUNK;
use crate::ec::pairing::{
    PairingRequest, ShortFactor, are_one, multiply_values, pairing_product_is_one_batch, products,
    sum_g1_short_batch_vartime,
};
use crate::ec::{GroupElement, GroupError, SumRequest, multi_scalar_batch_vartime};
use crypto_bigint::{BoxedUint, Resize};
use rand_core::TryCryptoRng;
use sunzi_engine::EngineError;

/// A proof to verify, with its public inputs.
#[derive(Clone, Copy, Debug)]
pub struct VerifyRequest<'a> {
    /// The proof.
    pub proof: &'a Proof,
    /// The public inputs, each below the order.
    pub inputs: &'a [BoxedUint],
}

/// The reason why a proof is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Groth16Error {
    /// The key has another number of public inputs.
    #[error("the key is for {expected} public inputs, not {given}")]
    Inputs {
        /// The key's number.
        expected: usize,
        /// The request's number.
        given: usize,
    },
    /// A public input is not below the order of the groups.
    #[error("a public input is not below the order of the group")]
    OutOfRange,
    /// An element of the proof is not of G1 of BLS12-381.
    #[error("an element of the proof is of another curve")]
    OtherCurve,
    /// The proof is wrong.
    #[error("the proof is wrong")]
    Mismatch,
    /// The random number generator failed: nothing is known about the proofs.
    #[error("the random number generator failed")]
    Random,
    /// No device of the engine could compute it: nothing is known about the proof.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

impl From<GroupError> for Groth16Error {
    fn from(error: GroupError) -> Self {
        match error {
            GroupError::Engine(error) => Self::Engine(error),
            _ => Self::OtherCurve,
        }
    }
}

impl PreparedVerifyingKey {
    /// One answer for each proof, in the same order.
    pub fn verify_batch(&self, requests: &[VerifyRequest<'_>]) -> Vec<Result<(), Groth16Error>> {
        let chunks = requests.chunks(CHUNK).flat_map(|requests| {
            let checked: Vec<_> = requests.iter().map(|request| self.check(request)).collect();
            let possible = requests.iter().zip(&checked);
            let possible =
                possible.filter_map(|(request, checked)| checked.is_ok().then_some(*request));
            let (mut verdicts, failed) = match self.hold(&possible.collect::<Vec<_>>()) {
                Ok(verdicts) => (verdicts.into_iter(), Groth16Error::Mismatch),
                Err(error) => (Vec::new().into_iter(), error),
            };
            let answer = |checked: Result<(), Groth16Error>| {
                checked?;
                match verdicts.next() {
                    Some(true) => Ok(()),
                    _ => Err(failed.clone()),
                }
            };
            checked.into_iter().map(answer).collect::<Vec<_>>()
        });
        chunks.collect()
    }

    /// Whether all proofs are valid. A batch with an invalid one is accepted with a probability of at most 2^-72; the
    /// factors are drawn from `rng`, which must be unpredictable to whoever made the proofs. No proofs are valid.
    ///
    /// # Errors
    /// [`Groth16Error::Random`], [`Groth16Error::Engine`]: nothing is known about the proofs.
    pub fn verify_together<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        requests: &[VerifyRequest<'_>],
    ) -> Result<bool, Groth16Error> {
        if requests.iter().any(|request| self.check(request).is_err()) {
            return Ok(false);
        }
        let factors = requests.iter().map(|_| ShortFactor::random(rng));
        let factors: Option<Vec<_>> = factors.collect();
        self.hold_together(requests, &factors.ok_or(Groth16Error::Random)?)
    }

    /// Whether the parts of a request fit the key.
    fn check(&self, request: &VerifyRequest<'_>) -> Result<(), Groth16Error> {
        let expected = self.key().inputs.len().saturating_sub(1);
        let given = request.inputs.len();
        if given != expected {
            return Err(Groth16Error::Inputs { expected, given });
        }
        let curve = self.pairing().g1().curve();
        let order = curve.order().as_ref();
        if !request.inputs.iter().all(|x| x.cmp_vartime(order).is_lt()) {
            return Err(Groth16Error::OutOfRange);
        }
        request.proof.a.check(curve)?;
        Ok(request.proof.c.check(curve)?)
    }

    /// The sums of the key's elements for the inputs, times these numbers, the first for `K_0`.
    fn sums(&self, scalars: &[Vec<BoxedUint>]) -> Result<Vec<GroupElement>, Groth16Error> {
        let terms = scalars.iter().map(|scalars| {
            let terms = scalars.iter().zip(&self.key().inputs);
            terms.collect::<Vec<_>>()
        });
        let terms: Vec<_> = terms.collect();
        let curve = self.pairing().g1();
        let requests = terms.iter().map(|terms| SumRequest { curve, terms });
        let engine = self.pairing().engine();
        let sums = multi_scalar_batch_vartime(engine, &requests.collect::<Vec<_>>());
        Ok(sums.into_iter().collect::<Result<_, _>>()?)
    }

    /// Whether each proof is right.
    fn hold(&self, requests: &[VerifyRequest<'_>]) -> Result<Vec<bool>, Groth16Error> {
        let scalars = requests.iter().map(|request| {
            let one = core::iter::once(BoxedUint::one());
            one.chain(request.inputs.iter().cloned()).collect()
        });
        let sums = self.sums(&scalars.collect::<Vec<_>>())?;
        let pairings = requests.iter().zip(&sums).map(|(request, sum)| {
            [
                PairingRequest::new(&request.proof.a, &request.proof.b),
                PairingRequest::prepared(sum, self.minus_gamma()),
                PairingRequest::prepared(&request.proof.c, self.minus_delta()),
            ]
        });
        let pairings: Vec<_> = pairings.collect();
        let pairings: Vec<_> = pairings.iter().map(|pairings| &pairings[..]).collect();
        let values = products(self.pairing(), &pairings)?.into_iter();
        let values: Vec<_> = values
            .map(|value| [value, self.constant().clone()])
            .collect();
        let values: Vec<_> = values.iter().map(|values| &values[..]).collect();
        let values = multiply_values(self.pairing(), &values)?;
        Ok(are_one(self.pairing(), &values)?)
    }

    /// Whether the sum of all equations, each times its factor, holds.
    fn hold_together(
        &self,
        requests: &[VerifyRequest<'_>],
        factors: &[ShortFactor],
    ) -> Result<bool, Groth16Error> {
        let curve = self.pairing().g1();
        let order = curve.curve().order();
        let (precision, order) = (order.as_ref().bits_precision(), order.as_nz_ref());
        let numbers: Vec<_> = factors.iter().map(|factor| factor.number(order)).collect();
        // The sum of the factors, and for each input of their products with it.
        let zero = || BoxedUint::zero_with_precision(precision);
        let mut scalars = vec![zero(); self.key().inputs.len()];
        let mut sum_of_factors = zero();
        for (request, number) in requests.iter().zip(&numbers) {
            sum_of_factors = sum_of_factors.add_mod(number, order);
            for (scalar, input) in scalars.iter_mut().skip(1).zip(request.inputs) {
                let input = input.resize_unchecked(precision);
                *scalar = scalar.add_mod(&input.mul_mod(number, order), order);
            }
        }
        if let Some(first) = scalars.first_mut() {
            *first = sum_of_factors.clone();
        }
        let inputs = self.sums(&[scalars])?.remove(0);
        let minus = sum_of_factors.neg_mod(order);
        let request = SumRequest {
            curve,
            terms: &[(&minus, &self.key().alpha)],
        };
        let alpha = multi_scalar_batch_vartime(self.pairing().engine(), &[request]).remove(0)?;
        // A multiple of each a, and the sum of multiples of all c.
        let proofs = || requests.iter().map(|request| request.proof).zip(factors);
        let mut lists: Vec<_> = proofs()
            .map(|(proof, factor)| vec![(&proof.a, factor)])
            .collect();
        lists.push(proofs().map(|(proof, factor)| (&proof.c, factor)).collect());
        let mut a = sum_g1_short_batch_vartime(self.pairing(), &lists)?;
        let c = a
            .pop()
            .unwrap_or_else(|| GroupElement::identity(curve.curve()));
        let pairs = requests.iter().zip(&a);
        let pairings = pairs.map(|(request, a)| PairingRequest::new(a, &request.proof.b));
        let pairings = pairings.chain([
            PairingRequest::prepared(&inputs, self.minus_gamma()),
            PairingRequest::prepared(&c, self.minus_delta()),
            PairingRequest::prepared(&alpha, self.beta()),
        ]);
        let pairings: Vec<_> = pairings.collect();
        Ok(pairing_product_is_one_batch(self.pairing(), &[&pairings])? == [true])
    }
}
