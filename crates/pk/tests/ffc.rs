//! Groups, powers, ballots and proofs against num-bigint.

mod common;

use common::{big, boxed};
use crypto_bigint::BoxedUint;
use num_bigint::BigUint;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::ffc::elgamal::{self, Ballot, Ciphertext, PublicKey};
use sunzi_pk::ffc::equality::{self, Claim, Statement};
use sunzi_pk::ffc::{
    FfcError, FixedBase, Group, PreparedGroup, is_member_batch, power_batch,
    product_of_powers_batch_vartime,
};
use sunzi_pk::system_rng;
use zeroize::Zeroizing;

fn engine() -> Engine {
    Engine::new(Backend::best()).unwrap()
}

fn one() -> BigUint {
    BigUint::from(1u32)
}

/// Numbers below n, the same at every run: its ends first.
fn numbers(n: &BigUint, count: usize) -> Vec<BigUint> {
    let mut numbers = vec![BigUint::ZERO, one(), n - 1u32];
    let mut next = BigUint::from(0x1234_5678u32);
    while numbers.len() < count {
        next = (&next * &next + 12_345u32) % n;
        numbers.push(next.clone());
    }
    numbers.truncate(count);
    numbers
}

fn ok<T>(results: Vec<Result<T, FfcError>>) -> Vec<T> {
    results.into_iter().map(Result::unwrap).collect()
}

/// All named groups are groups of prime order, of the digits that their definitions have in common.
#[test]
fn named_groups() {
    let engine = engine();
    assert!(Group::named("modp2048").is_none());
    for (name, group) in [
        ("modp3072", Group::modp3072()),
        ("modp4096", Group::modp4096()),
        ("ffdhe3072", Group::ffdhe3072()),
        ("ffdhe4096", Group::ffdhe4096()),
        ("ElectionGuard", Group::election_guard()),
    ] {
        assert!(Group::named(name).as_ref() == Some(&group), "{name}");
        assert_eq!(group.validate(&engine, &mut system_rng()), Ok(()), "{name}");
        let p = big(group.p());
        let (bits, shared) = (p.bits(), if name == "ElectionGuard" { 256 } else { 64 });
        assert_eq!(&p >> (bits - shared), (one() << shared) - 1u32, "{name}");
        assert_eq!(&p % (one() << shared), (one() << shared) - 1u32, "{name}");
        if name == "ElectionGuard" {
            assert_eq!(big(group.q()), (one() << 256) - 189u32);
            let cofactor = (&p - 1u32) / big(group.q());
            assert_eq!(big(group.g()), BigUint::from(2u32).modpow(&cofactor, &p));
        } else {
            assert_eq!(big(group.q()), p >> 1);
        }
    }
}

#[test]
fn groups_that_are_refused() {
    let (engine, good) = (engine(), Group::election_guard());
    let [p, q, g] = [good.p(), good.q(), good.g()].map(big);
    let new = |p: &BigUint, q: &BigUint, g: &BigUint| Group::new(&boxed(p), &boxed(q), &boxed(g));
    let bad =
        |p: &BigUint, q: &BigUint, g: &BigUint| matches!(new(p, q, g), Err(FfcError::BadGroup(_)));
    assert!(bad(&(&p + 1u32), &q, &g));
    assert!(bad(&p, &(&q - 1u32), &g));
    assert!(bad(&p, &(&q + 2u32), &g));
    assert!(bad(&p, &BigUint::from(3u32), &g));
    for base in [BigUint::ZERO, one(), &p - 1u32, p.clone()] {
        assert!(bad(&p, &q, &base));
    }
    assert_eq!(new(&q, &q, &g).unwrap_err(), FfcError::GroupSize(256));
    // Not of order q, q not prime, p not prime.
    let rng = &mut system_rng();
    let mut refused = |p: &BigUint, q: &BigUint, g: &BigUint| {
        let group = new(p, q, g).unwrap();
        matches!(group.validate(&engine, rng), Err(FfcError::BadGroup(_)))
    };
    assert!(refused(&p, &q, &BigUint::from(2u32)));
    let mut composite = &p - 1u32;
    while &composite % 2u32 == BigUint::ZERO {
        composite /= 2u32;
    }
    assert!(refused(&p, &composite, &g));
    let product = (&q << 3001u32) + 1u32;
    assert!(refused(&product, &q, &BigUint::from(2u32)));
}

#[test]
fn powers_and_products() {
    let engine = engine();
    for group in [Group::election_guard(), Group::ffdhe3072()] {
        let [p, q, g] = [group.p(), group.q(), group.g()].map(big);
        let group = PreparedGroup::new(&engine, &group).unwrap();
        let exponents = numbers(&q, 10);
        let secret: Vec<_> = exponents.iter().map(|e| Zeroizing::new(boxed(e))).collect();
        let powers = ok(power_batch(&engine, &group, group.generator(), &secret));
        for (power, e) in powers.iter().zip(&exponents) {
            assert_eq!(big(power), g.modpow(e, &p));
        }
        let base: FixedBase = group.fixed_base(&engine, &powers[5]).unwrap();
        let again = ok(power_batch(&engine, &group, &base, &secret[..4]));
        for (power, e) in again.iter().zip(&exponents) {
            assert_eq!(big(power), big(&powers[5]).modpow(e, &p));
        }
        let public: Vec<_> = exponents.iter().map(boxed).collect();
        let terms: Vec<_> = powers.iter().zip(&public).collect();
        let products = [
            &terms[..0],
            &terms[..1],
            &terms[3..5],
            &terms[..],
            &terms[4..6],
        ];
        let results = product_of_powers_batch_vartime(&engine, &group, &products);
        for (terms, result) in products.iter().zip(ok(results)) {
            let product = |product: BigUint, (x, e): &(&BoxedUint, &BoxedUint)| {
                product * big(x).modpow(&big(e), &p) % &p
            };
            assert_eq!(big(&result), terms.iter().fold(one(), product));
        }
        // What is out of range harms no neighbour.
        let wrong = [Zeroizing::new(boxed(&q)), secret[1].clone()];
        let results = power_batch(&engine, &group, group.generator(), &wrong);
        assert_eq!(results[0], Err(FfcError::ExponentRange));
        assert_eq!(results[1].as_ref().map(big), Ok(g));
        let (large, order, zero) = (boxed(&p), boxed(&q), boxed(&BigUint::ZERO));
        let results = product_of_powers_batch_vartime(
            &engine,
            &group,
            &[
                &[(&large, &public[1])],
                &[(&powers[3], &order)],
                &[(&zero, &public[1])],
                &[(&powers[3], &public[1])],
            ],
        );
        assert_eq!(results[0], Err(FfcError::ElementRange));
        assert_eq!(results[1], Err(FfcError::ExponentRange));
        assert_eq!(results[2], Err(FfcError::ElementRange));
        assert_eq!(results[3].as_ref(), Ok(&powers[3]));
    }
}

#[test]
fn membership() {
    let engine = engine();
    for group in [Group::election_guard(), Group::modp3072()] {
        let p = big(group.p());
        let q = big(group.q());
        let g = big(group.g());
        let group = PreparedGroup::new(&engine, &group).unwrap();
        let mut candidates = vec![
            BigUint::ZERO,
            one(),
            &p - 1u32,
            p.clone(),
            &p + 1u32,
            g.clone(),
        ];
        candidates.extend((2u32..12).map(BigUint::from));
        candidates.extend((2u32..5).map(|e| g.modpow(&BigUint::from(e), &p)));
        let given: Vec<_> = candidates.iter().map(boxed).collect();
        let verdicts = ok(is_member_batch(&engine, &group, &given));
        for (x, verdict) in candidates.iter().zip(verdicts) {
            let expected = *x != BigUint::ZERO && x < &p && x.modpow(&q, &p) == one();
            assert_eq!(verdict, expected, "{x}");
        }
    }
}

struct Election {
    engine: Engine,
    group: PreparedGroup,
    secret: Zeroizing<BoxedUint>,
    key: PublicKey,
}

fn election(group: &Group) -> Election {
    let engine = engine();
    let group = PreparedGroup::new(&engine, group).unwrap();
    let secret = group.group().random_exponent(&mut system_rng()).unwrap();
    let base = group.generator();
    let element = power_batch(&engine, &group, base, core::slice::from_ref(&secret))
        .remove(0)
        .unwrap();
    let key = PublicKey::new(&engine, &group, &element).unwrap();
    Election {
        engine,
        group,
        secret,
        key,
    }
}

#[test]
fn ballots_are_counted() {
    for group in [Group::election_guard(), Group::modp3072()] {
        let Election {
            engine,
            group,
            secret,
            key,
        } = &election(&group);
        let rng = &mut system_rng();
        let votes = [0, 1, 1, 0, 1, 1, 1];
        let ballots = ok(elgamal::encrypt_batch(
            engine,
            rng,
            key,
            &votes,
            b"election",
        ));
        let [p, q, g] = [group.group().p(), group.group().q(), group.group().g()].map(big);
        for (ballot, vote) in ballots.iter().zip(votes) {
            let [alpha, beta] = [&ballot.ciphertext.alpha, &ballot.ciphertext.beta].map(big);
            let hidden = alpha.modpow(&(&q - big(secret)), &p) * beta % &p;
            assert_eq!(hidden, g.modpow(&BigUint::from(vote), &p));
        }
        let verdicts = elgamal::verify_batch(engine, key, &ballots, b"election");
        assert!(verdicts.iter().all(Result::is_ok), "{verdicts:?}");
        let other = elgamal::verify_batch(engine, key, &ballots, b"another election");
        assert!(
            other
                .iter()
                .all(|verdict| *verdict == Err(FfcError::WrongProof))
        );
        let ciphertexts: Vec<_> = ballots.iter().map(|ballot| &ballot.ciphertext).collect();
        let sum = elgamal::sum(engine, group, &ciphertexts).unwrap();
        let tally = elgamal::decrypt_sum_vartime(engine, group, secret, &sum, 7).unwrap();
        assert_eq!(tally.sum, 5);
        let few = elgamal::decrypt_sum_vartime(engine, group, secret, &sum, 4);
        assert_eq!(few, Err(FfcError::SumRange(4)));
    }
}

/// Numbers outside the subgroup are not raised to the secret. In a valid group whose cofactor has small factors the
/// answers to elements of such orders would tell the secret modulo each.
#[test]
fn no_power_of_strangers() {
    let q = (one() << 256) - 189u32;
    let mut cofactor = BigUint::from(43u32).pow(4) * (BigUint::from(3u32).pow(40) << 1659);
    for prime in [3u32, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41] {
        cofactor *= prime;
    }
    let p: BigUint = &q * &cofactor + 1u32;
    let g = BigUint::from(2u32).modpow(&cofactor, &p);
    let group = Group::new(&boxed(&p), &boxed(&q), &boxed(&g)).unwrap();
    assert_eq!(group.validate(&engine(), &mut system_rng()), Ok(()));
    let Election {
        engine,
        group,
        secret,
        key,
    } = &election(&group);
    let of_order = |order: u32| {
        let bases = (2u32..).map(BigUint::from);
        let mut elements = bases.map(|base| base.modpow(&((&p - 1u32) / order), &p));
        elements.find(|element| *element != one()).unwrap()
    };
    let rng = &mut system_rng();
    let ballot = elgamal::encrypt_batch(engine, rng, key, &[1], b"").remove(0);
    let ciphertext = ballot.unwrap().ciphertext;
    let decrypt = |ciphertext: &Ciphertext| {
        elgamal::decrypt_sum_vartime(engine, group, secret, ciphertext, 1)
    };
    assert_eq!(decrypt(&ciphertext).unwrap().sum, 1);
    for order in [2u32, 3, 13, 43] {
        let stranger = of_order(order);
        // It would be decrypted to 0, of all powers of this element for the right one only.
        let beta = boxed(&stranger.modpow(&big(secret), &p));
        let alpha = boxed(&stranger);
        let chosen = Ciphertext { alpha, beta };
        assert_eq!(decrypt(&chosen), Err(FfcError::NotMember), "{order}");
        let strange = |x: &BoxedUint| boxed(&(big(x) * &stranger % &p));
        let Ciphertext { alpha, beta } = ciphertext.clone();
        for (alpha, beta) in [(strange(&alpha), beta.clone()), (alpha, strange(&beta))] {
            let chosen = Ciphertext { alpha, beta };
            assert_eq!(decrypt(&chosen), Err(FfcError::NotMember), "{order}");
        }
        // Nor does a proof raise it to a secret.
        let (stranger, right) = (boxed(&stranger), group.group().g());
        let statement = |g, h| Statement {
            g,
            a: right,
            h,
            b: right,
            context: b"",
        };
        let claims = [(right, &stranger), (&stranger, right), (right, right)].map(|(g, h)| Claim {
            statement: statement(g, h),
            logarithm: secret,
        });
        let proofs = equality::prove_batch(engine, rng, group, &claims);
        assert_eq!(
            proofs[..2],
            [Err(FfcError::NotMember), Err(FfcError::NotMember)]
        );
        assert!(proofs[2].is_ok());
    }
}

/// Each number of a ballot changed: refused, and its neighbours are not.
#[test]
fn damaged_ballots() {
    let Election {
        engine, key, group, ..
    } = &election(&Group::election_guard());
    let rng = &mut system_rng();
    let votes = elgamal::encrypt_batch(engine, rng, key, &[0, 1, 2], b"");
    assert_eq!(votes[2], Err(FfcError::Vote(2)));
    let [zero, vote] = [0, 1].map(|k| votes[k].clone().unwrap());
    let plus = |x: &BoxedUint| boxed(&(big(x) + 1u32));
    let modulus = big(group.group().p());
    let times = |x: &BoxedUint, k: u32| boxed(&(big(x) * k % &modulus));
    let changes: [&dyn Fn(&mut Ballot); 12] = [
        &|b| b.ciphertext.alpha = times(&b.ciphertext.alpha, 2),
        &|b| b.ciphertext.beta = times(&b.ciphertext.beta, 3),
        &|b| b.ciphertext.alpha = group.group().g().clone(),
        &|b| b.ciphertext.beta = b.ciphertext.alpha.clone(),
        &|b| b.ciphertext.alpha = BoxedUint::zero(),
        &|b| b.ciphertext.beta = group.group().p().clone(),
        &|b| b.proof.challenges[0] = plus(&b.proof.challenges[0]),
        &|b| b.proof.challenges.swap(0, 1),
        &|b| b.proof.responses[0] = plus(&b.proof.responses[0]),
        &|b| b.proof.responses[1] = plus(&b.proof.responses[1]),
        &|b| b.proof.challenges[1] = group.group().q().clone(),
        &|b| b.proof.responses[1] = boxed(&(one() << 5000)),
    ];
    let mut batch = vec![zero.clone()];
    for change in changes {
        let mut damaged = vote.clone();
        change(&mut damaged);
        batch.extend([damaged, vote.clone()]);
    }
    let verdicts = elgamal::verify_batch(engine, key, &batch, b"");
    for (index, verdict) in verdicts.iter().enumerate() {
        assert_eq!(verdict.is_err(), index % 2 == 1, "{index}: {verdict:?}");
    }
    assert_eq!(verdicts[1], Err(FfcError::NotMember));
    assert_eq!(verdicts[9], Err(FfcError::ElementRange));
    assert_eq!(verdicts[13], Err(FfcError::WrongProof));
    assert_eq!(verdicts[21], Err(FfcError::ExponentRange));
    let outside = PublicKey::new(engine, group, &BoxedUint::from(2u32));
    assert_eq!(outside.unwrap_err(), FfcError::NotMember);
}

#[test]
fn equal_logarithms() {
    let Election {
        engine,
        group,
        secret,
        key,
    } = &election(&Group::election_guard());
    let rng = &mut system_rng();
    let p = big(group.group().p());
    let h = boxed(&big(group.group().g()).modpow(&BigUint::from(12_345u32), &p));
    let b = boxed(&big(&h).modpow(&big(secret), &p));
    let right = Statement {
        g: group.group().g(),
        a: key.element(),
        h: &h,
        b: &b,
        context: b"a share",
    };
    let wrong = Statement { b: &h, ..right };
    let two = BoxedUint::from(2u32);
    let outside = Statement { a: &two, ..right };
    let claims = [right, wrong, right].map(|statement| Claim {
        statement,
        logarithm: secret,
    });
    let proofs = ok(equality::prove_batch(engine, rng, group, &claims));
    let other = Statement {
        context: b"another",
        ..right
    };
    let swapped = equality::Proof {
        challenge: proofs[0].response.clone(),
        response: proofs[0].challenge.clone(),
    };
    let items = [
        (right, &proofs[0]),
        (wrong, &proofs[1]),
        (right, &proofs[2]),
        (other, &proofs[0]),
        (outside, &proofs[0]),
        (right, &swapped),
        (right, &proofs[0]),
    ];
    let verdicts = equality::verify_batch(engine, group, &items);
    let expected = [
        Ok(()),
        Err(FfcError::WrongProof),
        Ok(()),
        Err(FfcError::WrongProof),
        Err(FfcError::NotMember),
        Err(FfcError::WrongProof),
        Ok(()),
    ];
    assert_eq!(verdicts, expected);
    assert_ne!(proofs[0], proofs[2]);
    let large = Claim {
        statement: right,
        logarithm: group.group().q(),
    };
    let refused = equality::prove_batch(engine, rng, group, &[large]);
    assert_eq!(refused, [Err(FfcError::ExponentRange)]);
}
