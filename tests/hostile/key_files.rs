//! Key files: damaged bytes, damaged DER inside PEM, exchanged elements of DER, and keys made of other numbers. OpenSSL
//! must read every key that Sunzi reads, with the same numbers.

use crate::Tally;
use crate::mutation::{Random, damage, element, elements, integer};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use openssl::bn::{BigNum, BigNumContext, BigNumRef};
use openssl::pkey::PKey;
use openssl::rsa::{Rsa, RsaPrivateKeyBuilder};
use std::num::NonZeroU32;
use sunzi_pk::KdfLimits;
use sunzi_pk::rsa::{PrivateKey, PublicKey};

/// Number of damaged files, and of files made of other numbers.
const DAMAGED: usize = 27_000;
const MADE: usize = 4_910;
/// The passphrase of the encrypted seeds.
const PASSPHRASE: &[u8] = b"sunzi";
/// Limits of key derivation: damaged files may have more rounds than the seeds; costlier files are refused.
const LIMITS: KdfLimits = KdfLimits::new(1000, 1 << 20, 4);

/// The seeds, undamaged.
const SEEDS: [&[u8]; 12] = [
    include_bytes!("../../fuzz/seeds/key_files/pkcs8.pem"),
    include_bytes!("../../fuzz/seeds/key_files/pkcs8.der"),
    include_bytes!("../../fuzz/seeds/key_files/pkcs1.pem"),
    include_bytes!("../../fuzz/seeds/key_files/pkcs1.der"),
    include_bytes!("../../fuzz/seeds/key_files/aes256.der"),
    include_bytes!("../../fuzz/seeds/key_files/aes128.pem"),
    include_bytes!("../../fuzz/seeds/key_files/des3.der"),
    include_bytes!("../../fuzz/seeds/key_files/scrypt.der"),
    include_bytes!("../../fuzz/seeds/public_keys/spki.der"),
    include_bytes!("../../fuzz/seeds/public_keys/spki.pem"),
    include_bytes!("../../fuzz/seeds/public_keys/pkcs1.der"),
    include_bytes!("../../fuzz/seeds/public_keys/pkcs1.pem"),
];

pub(crate) fn run(random: &mut Random, tally: &mut Tally) {
    long_keys(tally);
    for number in 0..DAMAGED {
        let seed = SEEDS[number % SEEDS.len()];
        // Each seed once as it is.
        let file = if number < SEEDS.len() {
            seed.to_vec()
        } else {
            damaged(random, seed)
        };
        check(tally, &file);
    }
    for _ in 0..MADE {
        let file = made(random);
        check(tally, &file);
    }
}

/// The private keys that take longest to check: as long as the limit permits, with primes of equal and of
/// unequal lengths, all right; and longer ones, which are refused.
fn long_keys(tally: &mut Tally) {
    let [p2048, p4096, p6144, p8192] = [
        BigNum::get_rfc3526_prime_2048(),
        BigNum::get_rfc3526_prime_4096(),
        BigNum::get_rfc3526_prime_6144(),
        BigNum::get_rfc3526_prime_8192(),
    ]
    .map(|prime| prime.expect("OpenSSL has the primes of RFC 3526"));
    let made = |p, q| key_of(p, q).expect("OpenSSL makes a key of primes");
    let longest = made(&p6144, &p2048);
    check(tally, &longest);
    check(
        tally,
        include_bytes!("../../crates/pk/tests/fixtures/rsa8192.pkcs8.pem"),
    );
    for (p, q) in [(&p6144, &p4096), (&p8192, &p4096), (&p8192, &p6144)] {
        let file = made(p, q);
        check(tally, &file);
        // The longer keys are right, and are read with higher limits.
        let double = KdfLimits::times(NonZeroU32::MIN.saturating_add(1));
        if let Err(error) = PrivateKey::from_pem_or_der_within(&file, None, double) {
            tally.fail(&error.to_string(), &|| STANDARD.encode(&file));
        }
    }
    if PrivateKey::from_pem_or_der(&longest, None).is_err() {
        tally.fail("it is refused", &|| STANDARD.encode(&longest));
    }
}

/// The key of these primes with e = 65,537, as PKCS#1 in DER.
fn key_of(p: &BigNumRef, q: &BigNumRef) -> Result<Vec<u8>, openssl::error::ErrorStack> {
    let mut context = BigNumContext::new()?;
    let one = BigNum::from_u32(1)?;
    let e = BigNum::from_u32(65_537)?;
    let less_one = |x: &BigNumRef| -> Result<BigNum, openssl::error::ErrorStack> {
        let mut less = BigNum::new()?;
        less.checked_sub(x, &one)?;
        Ok(less)
    };
    let (p1, q1) = (less_one(p)?, less_one(q)?);
    let [mut n, mut order, mut d, mut dp, mut dq, mut qinv] =
        [(); 6].map(|()| BigNum::new().expect("there is memory"));
    n.checked_mul(p, q, &mut context)?;
    order.checked_mul(&p1, &q1, &mut context)?;
    d.mod_inverse(&e, &order, &mut context)?;
    dp.nnmod(&d, &p1, &mut context)?;
    dq.nnmod(&d, &q1, &mut context)?;
    qinv.mod_inverse(q, p, &mut context)?;
    RsaPrivateKeyBuilder::new(n, e, d)?
        .set_factors(p.to_owned()?, q.to_owned()?)?
        .set_crt_params(dp, dq, qinv)?
        .build()
        .private_key_to_der()
}

fn check(tally: &mut Tally, file: &[u8]) {
    tally.case(
        || STANDARD.encode(file),
        || {
            (
                PrivateKey::from_pem_or_der_within(file, Some(PASSPHRASE), LIMITS),
                PublicKey::from_pem_or_der(file),
            )
        },
        |(private, public)| {
            let accepted = private.is_ok() || public.is_ok();
            if let Ok(key) = private {
                agrees_private(file, &key)?;
            }
            if let Ok(key) = public {
                agrees_public(file, &key)?;
            }
            Ok(accepted)
        },
    );
}

/// Whether OpenSSL reads the same private key.
fn agrees_private(file: &[u8], key: &PrivateKey) -> Result<(), String> {
    let theirs = if is_pem(file) {
        PKey::private_key_from_pem_passphrase(file, PASSPHRASE)
    } else {
        PKey::private_key_from_der(file)
            .or_else(|_| PKey::private_key_from_pkcs8_passphrase(file, PASSPHRASE))
    };
    let theirs = theirs.map_err(|error| format!("OpenSSL refuses this private key: {error}"))?;
    let theirs = theirs.rsa().map_err(|_| "OpenSSL reads no RSA key")?;
    if !theirs.check_key().unwrap_or(false) {
        return Err("OpenSSL finds the key inconsistent".into());
    }
    let their_der = theirs.private_key_to_der().map_err(|e| e.to_string())?;
    if their_der != *key.to_pkcs1_der() {
        return Err("OpenSSL reads other numbers".into());
    }
    Ok(())
}

/// Whether OpenSSL reads the same public key.
fn agrees_public(file: &[u8], key: &PublicKey) -> Result<(), String> {
    let theirs = if is_pem(file) {
        Rsa::public_key_from_pem(file).or_else(|_| Rsa::public_key_from_pem_pkcs1(file))
    } else {
        Rsa::public_key_from_der(file).or_else(|_| Rsa::public_key_from_der_pkcs1(file))
    };
    let their_der = match theirs {
        Ok(theirs) => theirs.public_key_to_der_pkcs1(),
        // The public half of a private key.
        Err(_) if is_pem(file) => PKey::private_key_from_pem_passphrase(file, PASSPHRASE)
            .and_then(|key| key.rsa()?.public_key_to_der_pkcs1()),
        Err(_) => {
            PKey::private_key_from_der(file).and_then(|key| key.rsa()?.public_key_to_der_pkcs1())
        }
    };
    let their_der = their_der.map_err(|error| format!("OpenSSL refuses this key: {error}"))?;
    if their_der != key.to_pkcs1_der() {
        return Err("OpenSSL reads other numbers".into());
    }
    Ok(())
}

fn is_pem(file: &[u8]) -> bool {
    file.windows(11).any(|window| window == b"-----BEGIN ")
}

/// A seed with damage to its bytes, to its DER inside the PEM, or to the elements of its DER.
fn damaged(random: &mut Random, seed: &[u8]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    let pem = is_pem(seed).then(|| unwrapped(seed)).flatten();
    match (random.below(3), pem) {
        (0, _) => damage(random, &mut bytes),
        (_, Some((first, mut der, last))) => {
            damage_elements(random, &mut der);
            bytes = wrapped(&first, &der, &last);
        }
        (_, None) => damage_elements(random, &mut bytes),
    }
    bytes
}

/// The first line of a file of PEM, its DER, and its last line.
fn unwrapped(pem: &[u8]) -> Option<(String, Vec<u8>, String)> {
    let text = std::str::from_utf8(pem).ok()?;
    let lines: Vec<&str> = text.lines().collect();
    let (first, rest) = lines.split_first()?;
    let (last, digits) = rest.split_last()?;
    let der = STANDARD.decode(digits.concat()).ok()?;
    Some(((*first).into(), der, (*last).into()))
}

fn wrapped(first: &str, der: &[u8], last: &str) -> Vec<u8> {
    let digits = STANDARD.encode(der);
    let mut pem = format!("{first}\n");
    for line in digits.as_bytes().chunks(64) {
        pem += &String::from_utf8_lossy(line);
        pem.push('\n');
    }
    pem += last;
    pem.push('\n');
    pem.into_bytes()
}

/// Damages DER: anywhere, at the head of an element, or by exchanging an element for another one, an
/// integer, or nothing.
fn damage_elements(random: &mut Random, der: &mut Vec<u8>) {
    let mut found = Vec::new();
    elements(der, 0, &mut found);
    if found.is_empty() {
        return damage(random, der);
    }
    let &(place, start, end) = random.choose(&found);
    match random.below(6) {
        0 => damage(random, der),
        1 => der[place] = random.next() as u8,
        2 => {
            let head = place + random.below(start - place);
            der[head] = *random.choose(&[0, 1, 0x7f, 0x80, 0x81, 0x82, 0x84, 0xff]);
        }
        3 => {
            let &(other, _, other_end) = random.choose(&found);
            let copy = der[other..other_end].to_vec();
            der.splice(place..end, copy);
        }
        4 => {
            let length = *random.choose(&[0, 1, 2, 64, 127, 128, 129, 300]);
            let number = integer(&random.edge_bytes(length));
            der.splice(place..end, number);
        }
        _ => drop(der.drain(place..end)),
    }
}

/// A private key of PKCS#1 or a public key whose structure is right, with other numbers in some
/// places.
fn made(random: &mut Random) -> Vec<u8> {
    let mut found = Vec::new();
    let seed = SEEDS[3];
    elements(seed, 0, &mut found);
    // The first is the sequence; version, n, e, d, p, q, d mod p - 1, d mod q - 1, q^-1 mod p.
    let mut numbers: Vec<Vec<u8>> = found[1..]
        .iter()
        .map(|&(_, start, end)| seed[start..end].to_vec())
        .collect();
    for _ in 0..=random.below(2) {
        let place = random.below(numbers.len());
        numbers[place] = match random.below(6) {
            0 => Vec::new(),
            1 => vec![random.next() as u8],
            2 => numbers[random.below(numbers.len())].clone(),
            3 => {
                let length = *random.choose(&[8, 64, 128, 256, 2048, 2049]);
                random.edge_bytes(length)
            }
            4 => {
                let mut number = numbers[place].clone();
                if let Some(last) = number.last_mut() {
                    *last ^= 1 << random.below(8);
                }
                number
            }
            _ => {
                let length = numbers[place].len();
                random.edge_bytes(length)
            }
        };
    }
    // p and q exchanged give another key of the same modulus, with a wrong coefficient.
    if random.below(20) == 0 {
        numbers.swap(4, 5);
    }
    let private = random.below(4) > 0;
    let chosen = if private {
        &numbers[..]
    } else {
        &numbers[1..3]
    };
    let content: Vec<u8> = chosen.iter().flat_map(|number| integer(number)).collect();
    element(0x30, &content)
}
