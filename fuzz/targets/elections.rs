//! What elections take from others: groups, elements, ballots, and proofs of equal logarithms. The input
//! damages a right ballot and a right proof, which must be refused then; membership is num-bigint's.

#![no_main]

use crypto_bigint::BoxedUint;
use libfuzzer_sys::fuzz_target;
use num_bigint::BigUint;
use std::sync::LazyLock;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::ffc::elgamal::{self, Ballot, PublicKey};
use sunzi_pk::ffc::equality::{self, Claim, Proof, Statement};
use sunzi_pk::ffc::{FfcError, Group, PreparedGroup, is_member_batch, power_batch};
use sunzi_pk::system_rng;
use zeroize::Zeroizing;

const CONTEXT: &[u8] = b"an election";

struct Prepared {
    engine: Engine,
    group: PreparedGroup,
    key: PublicKey,
    ballot: Ballot,
    /// `g^x` and `h^x` for the key h, and the proof.
    powers: [BoxedUint; 2],
    proof: Proof,
}

static PREPARED: LazyLock<Prepared> = LazyLock::new(|| {
    let engine = Engine::new(Backend::best()).expect("it is present");
    let rng = &mut system_rng();
    let group = PreparedGroup::new(&engine, &Group::election_guard()).expect("it is served");
    let exponent = |x: u64| [Zeroizing::new(BoxedUint::from(x))];
    let power = |base, x| power_batch(&engine, &group, base, &exponent(x)).remove(0);
    let element = power(group.generator(), 0x1234_5678_9abc_def1).expect("it is in range");
    let key = PublicKey::new(&engine, &group, &element).expect("it is in the group");
    let ballots = elgamal::encrypt_batch(&engine, rng, &key, &[1], CONTEXT);
    let base = group.fixed_base(&engine, &element).expect("it is in range");
    let x = 0xfedc_ba98_7654_3211;
    let powers = [group.generator(), &base].map(|base| power(base, x).expect("it is in range"));
    let statement = Statement {
        g: group.group().g(),
        a: &powers[0],
        h: &element,
        b: &powers[1],
        context: CONTEXT,
    };
    let logarithm = BoxedUint::from(x);
    let claim = Claim {
        statement,
        logarithm: &logarithm,
    };
    let proof = equality::prove_batch(&engine, rng, &group, &[claim]).remove(0);
    Prepared {
        ballot: ballots.into_iter().next().expect("one").expect("a vote"),
        proof: proof.expect("the claim is true"),
        engine,
        group,
        key,
        powers,
    }
});

fuzz_target!(|input: &[u8]| {
    match input {
        [b'g', rest @ ..] => groups(rest),
        [b'm', rest @ ..] => members(rest),
        [b'b', place, rest @ ..] => ballots(*place, rest),
        [b'p', place, rest @ ..] => proofs(*place, rest),
        _ => {}
    }
});

/// Three numbers, each after its length in eights of bytes.
fn groups(mut rest: &[u8]) {
    let mut next = || match rest {
        [length, after @ ..] => {
            let (number, after) = after.split_at(after.len().min(8 * usize::from(*length)));
            rest = after;
            number_of(number)
        }
        [] => BoxedUint::zero(),
    };
    let [p, q, g] = [next(), next(), next()];
    let group = Group::new(&p, &q, &g);
    let [p, q, g] = [&p, &q, &g].map(big);
    let one = BigUint::from(1u32);
    let is_odd = |x: &BigUint| x.bit(0);
    let fits = (2048..=8192).contains(&p.bits()) && is_odd(&p) && q.bits() >= 160 && is_odd(&q);
    let fits = fits && (&p - &one) % &q == BigUint::ZERO && g > one && g < &p - &one;
    match group {
        Ok(group) => {
            assert!(fits);
            let numbers = [group.p(), group.q(), group.g()].map(big);
            assert_eq!(numbers, [p, q, g]);
        }
        Err(error) => assert!(
            !fits && matches!(error, FfcError::GroupSize(_) | FfcError::BadGroup(_)),
            "{error}"
        ),
    }
}

/// A number, and its product with an element.
fn members(rest: &[u8]) {
    let Prepared {
        engine,
        group,
        powers,
        ..
    } = &*PREPARED;
    let [p, q] = [group.group().p(), group.group().q()].map(big);
    let number = BigUint::from_bytes_be(&rest[..rest.len().min(600)]);
    let product = &number * big(&powers[0]) % &p;
    let expected = number < p && number.modpow(&q, &p) == BigUint::from(1u32);
    let verdicts = is_member_batch(engine, group, &[boxed(&number), boxed(&product)]);
    assert_eq!(verdicts[0], Ok(expected));
    assert!(number >= p || verdicts[1] == Ok(expected));
}

/// A ballot, one of whose numbers has another value.
fn ballots(place: u8, rest: &[u8]) {
    let Prepared {
        engine,
        key,
        ballot,
        ..
    } = &*PREPARED;
    let mut changed = ballot.clone();
    let number = match place % 6 {
        0 => &mut changed.ciphertext.alpha,
        1 => &mut changed.ciphertext.beta,
        place => {
            let numbers = [&mut changed.proof.challenges, &mut changed.proof.responses];
            let [c, v] = numbers;
            match place {
                2 | 3 => &mut c[usize::from(place - 2)],
                _ => &mut v[usize::from(place - 4)],
            }
        }
    };
    let is_changed = change(number, rest);
    let (context, is_other) = match place & 0x40 {
        0 => (CONTEXT, false),
        _ => (rest, rest != CONTEXT),
    };
    let verdict = elgamal::verify_batch(engine, key, &[changed], context).remove(0);
    assert_eq!(verdict.is_ok(), !is_changed && !is_other, "{verdict:?}");
}

/// A proof, or its statement, of which one number has another value.
fn proofs(place: u8, rest: &[u8]) {
    let Prepared {
        engine,
        group,
        key,
        powers,
        proof,
        ..
    } = &*PREPARED;
    let (mut powers, mut proof) = (powers.clone(), proof.clone());
    let is_changed = match place % 4 {
        0 => change(&mut powers[0], rest),
        1 => change(&mut powers[1], rest),
        2 => change(&mut proof.challenge, rest),
        _ => change(&mut proof.response, rest),
    };
    let statement = Statement {
        g: group.group().g(),
        a: &powers[0],
        h: key.element(),
        b: &powers[1],
        context: CONTEXT,
    };
    let verdict = equality::verify_batch(engine, group, &[(statement, &proof)]).remove(0);
    assert_eq!(verdict.is_ok(), !is_changed, "{verdict:?}");
}

/// Adds bytes, bit by bit, or puts them in the number's place; whether it is another number then.
fn change(number: &mut BoxedUint, rest: &[u8]) -> bool {
    let [way, bytes @ ..] = rest else {
        return false;
    };
    let before = big(number);
    let bytes = BigUint::from_bytes_be(&bytes[..bytes.len().min(1100)]);
    let after = if way % 2 == 0 { bytes } else { &before ^ bytes };
    *number = boxed(&after);
    after != before
}

fn number_of(bytes: &[u8]) -> BoxedUint {
    boxed(&BigUint::from_bytes_be(bytes))
}

fn boxed(x: &BigUint) -> BoxedUint {
    let bytes = x.to_bytes_be();
    let precision = (8 * bytes.len() as u32).next_multiple_of(64);
    BoxedUint::from_be_slice(&bytes, precision).expect("the precision is the slice's")
}

fn big(x: &BoxedUint) -> BigUint {
    BigUint::from_bytes_be(&x.to_be_bytes())
}
