//! Verification of many signatures by random combinations of their equations (Naccache, M'Raïhi, Vaudenay
//! and Raphaeli, 1994; Bernstein, Duif, Lange, Schwabe and Yang, 2011, section 5.1). All inputs are public.

use super::super::edwards::combination::{COEFFICIENT_BITS, Combination, Term, vanish};
use super::super::edwards::equation::{Right, hold};
use super::super::sharing::shares;
use super::verify::{Acceptance, Parts, Read, VerifyError, VerifyRequest, equation, failed, read};
use crypto_bigint::BoxedUint;
use rand_core::TryCryptoRng;
use sunzi_engine::{Engine, EngineError};

/// The answer to each request, in the same order, by the equation *with* cofactor: a signature is accepted if the
/// cofactor times `S B - h A - R` is the neutral point, and S is below the order. A batch may mix keys, curves and
/// variants.
///
/// [`verify_batch`](super::verify_batch) tests the equation without cofactor for Ed25519. Signatures that it accepts
/// are accepted here, too, but not the reverse: signatures whose A or R has a part of small order may be accepted here
/// only, with which the owner of the key can make two verifiers disagree. For Ed25519 these are the rules of ZIP 215: A
/// and R are read as [`VerifyingKey`](super::VerifyingKey) reads keys. For Ed448 both functions accept the same.
///
/// Up to 16 signatures are tested together, with random coefficients of 128 bits, from a few hundred
/// signatures on; a wrong one passes with a probability of at most `2^-128`. If a test fails, its signatures are
/// verified one by one.
pub fn verify_cofactored_batch<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    requests: &[VerifyRequest<'_>],
) -> Vec<Result<(), VerifyError>> {
    let mut answers = Vec::with_capacity(requests.len());
    for chunk in requests.chunks(engine.at_a_time()) {
        let parts = Parts::of_all(chunk);
        let signatures = match read(engine, &parts, Acceptance::Cofactored) {
            Ok(signatures) => signatures,
            Err(error) => {
                answers.extend(failed(&parts, &error));
                continue;
            }
        };
        let read: Vec<_> = signatures.iter().flatten().collect();
        match matches(engine, rng, &read) {
            Ok(matches) => {
                let mut matches = matches.into_iter();
                answers.extend(signatures.iter().map(|signature| match signature {
                    Err(refused) => Err(refused.clone()),
                    Ok(_) => matches.next().unwrap_or(Err(VerifyError::Mismatch)),
                }));
            }
            Err(error) => answers.extend(failed(&parts, &error)),
        }
    }
    answers
}

/// Whether each signature matches.
fn matches<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    signatures: &[&Read<'_>],
) -> Result<Vec<Result<(), VerifyError>>, EngineError> {
    let curves: Vec<_> = signatures
        .iter()
        .map(|(parts, _)| parts.key.curve())
        .collect();
    // A signature is refused unless a test accepts it.
    let mut answers = vec![Err(VerifyError::Mismatch); signatures.len()];
    let mut combinations = Vec::new();
    let mut alone = Vec::new();
    for share in shares(&curves) {
        if let [place] = share.places[..] {
            alone.push(place);
            continue;
        }
        let terms = share
            .places
            .iter()
            .map(|&place| term(rng, signatures[place]));
        match terms.collect::<Option<Vec<_>>>() {
            Some(terms) => {
                let curve = share.curve;
                combinations.push((share.places, Combination { curve, terms }));
            }
            None => share
                .places
                .iter()
                .for_each(|&place| answers[place] = Err(VerifyError::Random)),
        }
    }
    let (places, combinations): (Vec<_>, Vec<_>) = combinations.into_iter().unzip();
    for (places, vanishes) in places.into_iter().zip(vanish(engine, &combinations)?) {
        if vanishes {
            for place in places {
                answers[place] = Ok(());
            }
        } else {
            alone.extend(places);
        }
    }
    // The last signature of a share may be in it several times.
    alone.dedup();
    let equations: Vec<_> = alone
        .iter()
        .map(|&place| equation(signatures[place]))
        .collect();
    for (&place, holds) in alone.iter().zip(hold(engine, &equations)?) {
        answers[place] = holds.then_some(()).ok_or(VerifyError::Mismatch);
    }
    Ok(answers)
}

/// A signature's equation with a random coefficient; `None` if the generator fails.
fn term<'a, R: TryCryptoRng + ?Sized>(
    rng: &mut R,
    (parts, right): &'a Read<'_>,
) -> Option<Term<'a>> {
    let mut bytes = [0; COEFFICIENT_BITS as usize / 8];
    rng.try_fill_bytes(&mut bytes).ok()?;
    let z = BoxedUint::from_le_slice(&bytes, COEFFICIENT_BITS).ok()?;
    let Right::Negative(negative) = right else {
        return None;
    };
    Some(Term {
        u: &parts.s,
        v: &parts.h,
        q: parts.key.negative(),
        negative,
        z,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{NonceKind, PrivateKey, SignRequest, SigningKey, Variant, sign_batch};
    use super::*;
    use crate::ec::{EdwardsCurve, PreparedEdwardsCurve};
    use crate::system_rng;
    use sunzi_engine::Backend;

    /// Combinations of right signatures vanish, and those with a wrong one do not.
    #[test]
    fn combinations() {
        let engine = Engine::new(Backend::best()).unwrap();
        for &curve in EdwardsCurve::ALL {
            let curve = PreparedEdwardsCurve::new(&engine, curve).unwrap();
            let private = PrivateKey::generate(&curve, &mut system_rng()).unwrap();
            let key = SigningKey::new(&curve, &private).unwrap();
            let messages: Vec<[u8; 1]> = (0..16).map(|k| [k]).collect();
            let variant = Variant::Pure;
            let requests = messages.iter().map(|message| SignRequest {
                key: &key,
                variant,
                message,
            });
            let (rng, requests) = (&mut system_rng(), requests.collect::<Vec<_>>());
            let signatures = sign_batch(&engine, rng, NonceKind::Deterministic, &requests);
            let signatures: Vec<_> = signatures.into_iter().map(Result::unwrap).collect();
            let vanishes = |wrong: Option<usize>, count: usize| {
                let requests = (0..count).map(|k| VerifyRequest {
                    key: key.verifying_key(),
                    variant,
                    message: &messages[if Some(k) == wrong { (k + 1) % 16 } else { k }],
                    signature: signatures[k].as_bytes(),
                });
                let parts = Parts::of_all(&requests.collect::<Vec<_>>());
                let read = read(&engine, &parts, Acceptance::Cofactored).unwrap();
                let terms = read
                    .iter()
                    .flatten()
                    .map(|read| term(&mut system_rng(), read));
                let terms = terms.collect::<Option<Vec<_>>>().unwrap();
                let curve = &curve;
                vanish(&engine, &[Combination { curve, terms }]).unwrap()
            };
            for count in [2, 4, 8, 16] {
                assert_eq!(vanishes(None, count), [true]);
                for wrong in 0..count {
                    assert_eq!(vanishes(Some(wrong), count), [false]);
                }
            }
        }
    }
}
