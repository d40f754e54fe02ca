//! Tests of the wrappers: what each library computes is what the others compute.

use openssl::bn::{BigNum, BigNumContext};
use openssl::derive::Deriver;
use openssl::ec::{Asn1Flag, EcGroup, EcKey, PointConversionForm};
use openssl::nid::Nid;
use openssl::pkey::{Id, PKey, Private};
use openssl::rsa::Rsa;
use openssl::sha::sha256;
use sunzi_peers::{CurveName, Groups, Peer, all, version};

#[test]
fn every_peer_has_a_version() {
    assert!(version().starts_with("OpenSSL 4."));
    let mut names = Vec::new();
    for peer in all().unwrap() {
        let version = peer.name.split(' ').nth(1).unwrap();
        let numbers: Vec<_> = version.split('.').map(str::parse::<u32>).collect();
        assert_eq!(numbers.len(), 3, "{}", peer.name);
        assert!(numbers.iter().all(Result::is_ok), "{}", peer.name);
        names.push(peer.short);
    }
    let mut expected = vec!["openssl"];
    if cfg!(feature = "aws-lc") {
        expected.push("aws-lc");
    }
    if cfg!(feature = "gmp") {
        expected.extend(["gmp", "powm"]);
    }
    if cfg!(feature = "secp256k1") {
        expected.push("libsecp");
    }
    if cfg!(feature = "blst") {
        expected.push("blst");
    }
    if cfg!(feature = "arkworks") {
        expected.push("arkworks");
    }
    if std::env::var_os("SUNZI_CRYPTO_MB").is_some() {
        expected.push("crypto_mb");
    }
    if std::env::var_os("SUNZI_ED25519_SIMD").is_some() {
        expected.push("ed-simd");
    }
    assert_eq!(names, expected);
}

#[test]
fn all_sign_alike_and_verify() {
    let key = PKey::from_rsa(Rsa::generate(2048).unwrap()).unwrap();
    let private = key.private_key_to_pkcs8().unwrap();
    let public = key.public_key_to_der().unwrap();
    let mut signatures = Vec::new();
    for peer in all().unwrap() {
        let (Some(signer), Some(verifier)) = (peer.signer, peer.verifier) else {
            continue;
        };
        let mut signer = signer(&private).unwrap();
        let mut verifier = verifier(&public).unwrap();
        // Two messages, as one context serves many operations.
        for message in [b"one", b"two"] {
            let digest = sha256(message);
            let mut signature = [0; 256];
            signer.sign(&digest, &mut signature).unwrap();
            assert!(verifier.verify(&digest, &signature).unwrap());
            let other = sha256(b"other");
            assert!(!verifier.verify(&other, &signature).unwrap_or(false));
            signatures.push((digest, signature));
        }
        assert!(signer.sign(&[0; 31], &mut [0; 256]).is_err());
        assert!(signer.sign(&sha256(b"one"), &mut [0; 255]).is_err());
    }
    // PKCS#1 v1.5 is deterministic.
    assert!(signatures.chunks(2).all(|pair| pair == &signatures[..2]));
}

#[test]
fn all_compute_the_same_powers() {
    for bits in [64, 1024, 1536, 2048] {
        let mut numbers = [(); 3].map(|()| BigNum::new().unwrap());
        for number in &mut numbers {
            number
                .rand(bits, openssl::bn::MsbOption::ONE, true)
                .unwrap();
        }
        let [base, exponent, modulus] = &numbers;
        let mut context = BigNumContext::new().unwrap();
        let mut reduced = BigNum::new().unwrap();
        reduced.nnmod(base, modulus, &mut context).unwrap();
        let mut expected = BigNum::new().unwrap();
        expected
            .mod_exp(&reduced, exponent, modulus, &mut context)
            .unwrap();
        for peer in all().unwrap() {
            let [base, exponent, modulus] = [&reduced, exponent, modulus].map(|n| n.to_vec());
            let Some(power) = peer.power else { continue };
            let mut power = power(&base, &exponent, &modulus).unwrap();
            for _ in 0..2 {
                power.compute().unwrap();
                let length = bits / 8 + 1;
                let found = power.result(length as usize).unwrap();
                assert_eq!(
                    found,
                    expected.to_vec_padded(length).unwrap(),
                    "{}",
                    peer.name
                );
            }
            assert!(power.result(1).is_err(), "{}", peer.name);
        }
    }
}

#[test]
fn what_is_not_a_key_is_refused() {
    for peer in all().unwrap() {
        assert!(peer.signer.is_none_or(|signer| signer(b"key").is_err()));
        assert!(peer.verifier.is_none_or(|make| make(b"key").is_err()));
    }
}

/// Signatures on curves are accepted by all peers that have the curve, and the peers agree on the same
/// secrets.
#[test]
fn all_agree_on_curves() {
    for (name, bits, nid) in [
        ("P-256", 256, Nid::X9_62_PRIME256V1),
        ("P-384", 384, Nid::SECP384R1),
        ("P-521", 521, Nid::SECP521R1),
        ("secp256k1", 256, Nid::SECP256K1),
        ("brainpoolP512r1", 512, Nid::BRAINPOOL_P512R1),
    ] {
        let curve = CurveName { name, bits };
        let mut group = EcGroup::from_curve_name(nid).unwrap();
        group.set_asn1_flag(Asn1Flag::NAMED_CURVE);
        let [ours, theirs] = [(); 2].map(|()| EcKey::generate(&group).unwrap());
        let mut context = BigNumContext::new().unwrap();
        let form = PointConversionForm::UNCOMPRESSED;
        let peer_point = theirs.public_key();
        let peer_point = peer_point.to_bytes(&group, form, &mut context).unwrap();
        let length = i32::try_from(bits.div_ceil(8)).unwrap();
        let d = ours.private_key().to_vec_padded(length).unwrap();
        let ours = PKey::from_ec_key(ours).unwrap();
        let theirs = PKey::from_ec_key(theirs).unwrap();
        let mut deriver = Deriver::new(&ours).unwrap();
        deriver.set_peer(&theirs).unwrap();
        let secret = deriver.derive_to_vec().unwrap();

        let private = ours.private_key_to_pkcs8().unwrap();
        let public = ours.public_key_to_der().unwrap();
        let curves: Vec<_> = all()
            .unwrap()
            .into_iter()
            .filter_map(|peer| peer.curves)
            .collect();
        let signers = curves
            .iter()
            .map(|peer| (peer.signer)(curve, &private).unwrap());
        let signatures: Vec<_> = signers
            .flatten()
            .map(|mut signer| signer.sign(b"message").unwrap())
            .collect();
        assert!(!signatures.is_empty());
        for peer in &curves {
            if let Some(mut verifier) = (peer.verifier)(curve, &public).unwrap() {
                for signature in &signatures {
                    assert!(verifier.verify(b"message", signature).unwrap());
                    assert!(!verifier.verify(b"other", signature).unwrap_or(false));
                }
            }
            if let Some(mut key) = (peer.agreement)(curve, &d).unwrap() {
                assert_eq!(key.agree(&peer_point).unwrap(), secret, "{name}");
                assert!(key.agree(&[4; 65]).is_err());
            }
        }
    }
}

/// The example of RFC 8032, section 7.1, "TEST 3"; for X25519, the public key of a private one.
#[test]
fn all_agree_on_edwards_and_montgomery_curves() {
    let curve = |name| CurveName { name, bits: 255 };
    let seed = hex("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7");
    let key = PKey::private_key_from_raw_bytes(&seed, Id::ED25519).unwrap();
    let (private, public) = (
        key.private_key_to_pkcs8().unwrap(),
        key.public_key_to_der().unwrap(),
    );
    let right = hex(
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac\
         18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    );
    let d = hex("77076d0a7318a57d3c16c17251b26645c6df1f9ad2e7ac1d8fba3e7b3d8f1b4b");
    let mut seen = 0;
    for peer in all().unwrap().into_iter().filter_map(|peer| peer.curves) {
        if let Some(mut signer) = (peer.signer)(curve("Ed25519"), &private).unwrap() {
            assert_eq!(signer.sign(&[0xaf, 0x82]).unwrap(), right);
            let verifier = (peer.verifier)(curve("Ed25519"), &public).unwrap();
            let mut verifier = verifier.unwrap();
            assert!(verifier.verify(&[0xaf, 0x82], &right).unwrap());
            assert!(!verifier.verify(b"other", &right).unwrap_or(false));
            seen += 1;
        }
        if let Some(mut key) = (peer.agreement)(curve("X25519"), &d).unwrap() {
            // The secret with the owner of the base point.
            let own = key.agree(&[&[9][..], &[0; 31]].concat()).unwrap();
            let ours = PKey::private_key_from_raw_bytes(&d, Id::X25519).unwrap();
            assert_eq!(ours.raw_public_key().unwrap(), own);
            assert!(key.agree(&[0; 32]).is_err());
            seen += 1;
        }
    }
    assert!(seen >= 2);
}

/// The operations that this peer does together, if it is there.
fn groups_of(peers: &[Peer], short: &str) -> Option<Groups> {
    peers.iter().find(|peer| peer.short == short)?.groups
}

/// Groups of one, five and eight operations: each result of a peer equals OpenSSL's, or OpenSSL accepts it.
#[test]
fn groups_are_openssls() {
    let peers = all().unwrap();
    let openssl = &peers[0];
    let Some(groups) = groups_of(&peers, "crypto_mb") else {
        println!("SKIPPED: crypto_mb: SUNZI_CRYPTO_MB is not set");
        return;
    };
    let results = |group: sunzi_peers::MaybeGroup, count: usize| {
        let mut group = group.unwrap().unwrap();
        group.run().unwrap();
        (0..count).map(|k| group.result(k)).collect::<Vec<_>>()
    };
    let keys: Vec<_> = (0..8)
        .map(|_| PKey::from_rsa(Rsa::generate(2048).unwrap()).unwrap())
        .collect();
    let private: Vec<_> = keys
        .iter()
        .map(|key| key.private_key_to_pkcs8().unwrap())
        .collect();
    let public: Vec<_> = keys
        .iter()
        .map(|key| key.public_key_to_der().unwrap())
        .collect();
    let messages: Vec<_> = (0..8).map(|k| vec![k; 60 + usize::from(k)]).collect();
    let digests: Vec<_> = messages.iter().map(|message| sha256(message)).collect();
    let mut context = BigNumContext::new().unwrap();
    for count in [1, 5, 8] {
        let signing: Vec<_> = (0..count).map(|k| [&private[k][..], &digests[k]]).collect();
        let signatures = results((groups.signing)(&signing), count);
        for (k, signature) in signatures.iter().enumerate() {
            let mut expected = vec![0; 256];
            let mut signer = openssl.signer.unwrap()(&private[k]).unwrap();
            signer.sign(&digests[k], &mut expected).unwrap();
            assert_eq!(*signature, expected);
        }
        let mut verifying: Vec<_> = (0..count)
            .map(|k| [&public[k][..], &digests[k], &signatures[k]])
            .collect();
        assert_eq!(
            results((groups.verifying)(&verifying), count),
            vec![vec![1]; count]
        );
        verifying[0][1] = &digests[7];
        let verdicts = results((groups.verifying)(&verifying), count);
        assert_eq!(verdicts[0], [0]);

        let number = |bits| {
            let mut number = BigNum::new().unwrap();
            number
                .rand(bits, openssl::bn::MsbOption::ONE, true)
                .unwrap();
            number
        };
        let numbers: Vec<_> = (0..count).map(|_| [1023, 1000, 1024].map(number)).collect();
        let bytes: Vec<_> = numbers
            .iter()
            .map(|all| all.each_ref().map(|one| one.to_vec()))
            .collect();
        let operands: Vec<_> = bytes
            .iter()
            .map(|all| all.each_ref().map(|one| &one[..]))
            .collect();
        for (power, [base, exponent, modulus]) in results((groups.powers)(&operands), count)
            .iter()
            .zip(&numbers)
        {
            let mut expected = BigNum::new().unwrap();
            expected
                .mod_exp(base, exponent, modulus, &mut context)
                .unwrap();
            assert_eq!(*power, expected.to_vec_padded(128).unwrap());
        }
    }
    // Moduli of other sizes, and of several sizes, are refused.
    assert!((groups.powers)(&[[&[2], &[3], &[5]]]).unwrap().is_none());
}

/// A new key on a curve, by its name.
fn new_key(name: &str) -> PKey<Private> {
    match name {
        "Ed25519" => PKey::generate_ed25519().unwrap(),
        "X25519" => PKey::generate_x25519().unwrap(),
        _ => {
            let nid = match name {
                "P-256" => Nid::X9_62_PRIME256V1,
                "P-384" => Nid::SECP384R1,
                _ => Nid::SECP521R1,
            };
            let mut group = EcGroup::from_curve_name(nid).unwrap();
            group.set_asn1_flag(Asn1Flag::NAMED_CURVE);
            PKey::from_ec_key(EcKey::generate(&group).unwrap()).unwrap()
        }
    }
}

/// Groups of signatures on curves: each result of a peer is one that OpenSSL accepts, or OpenSSL's own.
#[test]
fn groups_of_signatures_on_curves_are_openssls() {
    let peers = all().unwrap();
    let curves = peers[0].curves.unwrap();
    let Some(groups) = groups_of(&peers, "crypto_mb") else {
        println!("SKIPPED: crypto_mb: SUNZI_CRYPTO_MB is not set");
        return;
    };
    let messages: Vec<_> = (0..8).map(|k| vec![k; 60 + usize::from(k)]).collect();
    for (name, bits) in [
        ("P-256", 256),
        ("P-384", 384),
        ("P-521", 521),
        ("Ed25519", 255),
    ] {
        let curve = CurveName { name, bits };
        let keys: Vec<_> = (0..8).map(|_| new_key(name)).collect();
        let private: Vec<_> = keys
            .iter()
            .map(|key| key.private_key_to_pkcs8().unwrap())
            .collect();
        let public: Vec<_> = keys
            .iter()
            .map(|key| key.public_key_to_der().unwrap())
            .collect();
        for count in [1, 5, 8] {
            let signing: Vec<_> = (0..count)
                .map(|k| [&private[k][..], &messages[k]])
                .collect();
            let mut group = (groups.signing_on_curve)(curve, &signing).unwrap().unwrap();
            group.run().unwrap();
            let signatures: Vec<_> = (0..count).map(|k| group.result(k)).collect();
            for (k, signature) in signatures.iter().enumerate() {
                let mut verifier = (curves.verifier)(curve, &public[k]).unwrap().unwrap();
                assert!(verifier.verify(&messages[k], signature).unwrap(), "{name}");
            }
            let mut verifying: Vec<_> = (0..count)
                .map(|k| [&public[k][..], &messages[k], &signatures[k]])
                .collect();
            let mut group = (groups.verifying_on_curve)(curve, &verifying)
                .unwrap()
                .unwrap();
            group.run().unwrap();
            assert!((0..count).all(|k| group.result(k) == [1]), "{name}");
            verifying[0][1] = b"other";
            let mut group = (groups.verifying_on_curve)(curve, &verifying)
                .unwrap()
                .unwrap();
            group.run().unwrap();
            assert!(
                (0..count).all(|k| group.result(k) == [u8::from(k > 0)]),
                "{name}"
            );
        }
    }
}

/// ed25519-simd accepts OpenSSL's signatures, in groups that do and do not fill the lanes, and finds the wrong one.
#[test]
fn groups_of_ed25519_simd_are_openssls() {
    let peers = all().unwrap();
    let curves = peers[0].curves.unwrap();
    let Some(groups) = groups_of(&peers, "ed-simd") else {
        println!("SKIPPED: ed25519-simd: SUNZI_ED25519_SIMD is not set");
        return;
    };
    let curve = CurveName {
        name: "Ed25519",
        bits: 255,
    };
    let signed: Vec<_> = (0..17)
        .map(|k| {
            let key = new_key("Ed25519");
            let message = vec![k; 100 + usize::from(k)];
            let private = key.private_key_to_pkcs8().unwrap();
            let mut signer = (curves.signer)(curve, &private).unwrap().unwrap();
            let signature = signer.sign(&message).unwrap();
            (key.public_key_to_der().unwrap(), message, signature)
        })
        .collect();
    for count in [1, 8, 17] {
        for wrong in 0..count {
            let operations: Vec<_> = (0..count)
                .map(|k| {
                    let other = if k == wrong { 16 - k } else { k };
                    [&signed[k].0[..], &signed[other].1, &signed[k].2]
                })
                .collect();
            let made = (groups.verifying_on_curve)(curve, &operations).unwrap();
            let mut group = made.unwrap();
            group.run().unwrap();
            for k in 0..count {
                let right = k != wrong || k == 8;
                assert_eq!(group.result(k), [u8::from(right)], "{k} of {count}");
            }
        }
    }
}

/// Groups of key agreements: each secret equals OpenSSL's.
#[test]
fn groups_of_agreements_are_openssls() {
    let peers = all().unwrap();
    let curves = peers[0].curves.unwrap();
    let Some(groups) = groups_of(&peers, "crypto_mb") else {
        println!("SKIPPED: crypto_mb: SUNZI_CRYPTO_MB is not set");
        return;
    };
    for (name, bits) in [
        ("P-256", 256),
        ("P-384", 384),
        ("P-521", 521),
        ("X25519", 255),
    ] {
        let curve = CurveName { name, bits };
        let keys: Vec<_> = (0..9).map(|_| new_key(name)).collect();
        let secret = |key: &PKey<Private>| {
            let Ok(key) = key.ec_key() else {
                return key.raw_private_key().unwrap();
            };
            let length = i32::try_from(bits.div_ceil(8)).unwrap();
            key.private_key().to_vec_padded(length).unwrap()
        };
        let point = match keys[8].ec_key() {
            Ok(key) => {
                let form = PointConversionForm::UNCOMPRESSED;
                let mut context = BigNumContext::new().unwrap();
                let point = key.public_key();
                point.to_bytes(key.group(), form, &mut context).unwrap()
            }
            Err(_) => keys[8].raw_public_key().unwrap(),
        };
        let secrets: Vec<_> = keys[..8].iter().map(secret).collect();
        for count in [1, 5, 8] {
            let agreeing: Vec<_> = secrets[..count]
                .iter()
                .map(|key| [&key[..], &point])
                .collect();
            let mut group = (groups.agreeing)(curve, &agreeing).unwrap().unwrap();
            group.run().unwrap();
            for (k, d) in secrets[..count].iter().enumerate() {
                let mut key = (curves.agreement)(curve, d).unwrap().unwrap();
                assert_eq!(group.result(k), key.agree(&point).unwrap(), "{name}");
            }
        }
    }
}

fn hex(digits: &str) -> Vec<u8> {
    let digit = |k: usize| u8::from_str_radix(&digits[2 * k..2 * k + 2], 16).unwrap();
    (0..digits.len() / 2).map(digit).collect()
}

/// The signature of BIP 340 with zeros for the auxiliary randomness, of the vector with index 0.
#[cfg(feature = "secp256k1")]
#[test]
fn schnorr_signatures() {
    let group = EcGroup::from_curve_name(Nid::SECP256K1).unwrap();
    let three = BigNum::from_u32(3).unwrap();
    let mut context = BigNumContext::new().unwrap();
    let mut point = openssl::ec::EcPoint::new(&group).unwrap();
    point.mul_generator2(&group, &three, &mut context).unwrap();
    let key = EcKey::from_private_components(&group, &three, &point).unwrap();
    let key = PKey::from_ec_key(key).unwrap();
    let private = key.private_key_to_pkcs8().unwrap();
    let public = key.public_key_to_der().unwrap();
    let curve = CurveName {
        name: "BIP340",
        bits: 256,
    };
    let peers = all().unwrap().into_iter();
    let mut signers = peers.filter_map(|peer| {
        let curves = peer.curves?;
        let signer = (curves.signer)(curve, &private).unwrap()?;
        let verifier = (curves.verifier)(curve, &public).unwrap()?;
        Some((signer, verifier))
    });
    let (mut signer, mut verifier) = signers.next().unwrap();
    assert!(signers.next().is_none());
    let message = [0; 32];
    let signature = signer.sign(&message).unwrap();
    let right = "e907831f80848d1069a5371b402410364bdf1c5f8307b0084c55f1ce2dca8215\
                 25f66a4a85ea8b71e482a74f382d2ce5ebeee8fdb2172f477df4900d310536c0";
    assert_eq!(signature, hex(right));
    assert!(verifier.verify(&message, &signature).unwrap());
    assert!(!verifier.verify(b"other", &signature).unwrap());
    assert!(verifier.verify(&message, &signature[1..]).is_err());
}

/// Multiples of the base point of BLS12-381's G1, their sums and encodings, and refusals: of points outside the
/// subgroup, and of encodings of another length.
#[cfg(feature = "blst")]
#[test]
fn group_elements() {
    // draft-irtf-cfrg-pairing-friendly-curves-11, section 4.2.1.
    let x = "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac58\
             6c55e83ff97a1aeffb3af00adb22c6bb";
    let y = "08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3ed\
             d03cc744a2888ae40caa232946c5e7e1";
    let generator = [hex(x), hex(y)].concat();
    let mut compressed = hex(x);
    compressed[0] |= 0x80;
    let less_one = hex("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000000");
    let small = |k: u8| {
        let mut scalar = vec![0; 32];
        scalar[31] = k;
        scalar
    };
    let curve = "BLS12-381-G1";
    let peers = all().unwrap().into_iter();
    let groups: Vec<_> = peers.filter_map(|peer| peer.pairing_group).collect();
    assert_eq!(groups.len(), 1);
    for group in groups {
        let multiple = |k: &[u8], element: &[u8]| {
            let computation = (group.multiply)(curve, [k, element]).unwrap();
            computation.unwrap().compute().unwrap()
        };
        assert_eq!(multiple(&small(1), &generator), generator);
        let five = multiple(&small(5), &generator);
        let two = multiple(&small(2), &generator);
        let terms = [[&small(2)[..], &two], [&small(1), &generator]];
        let mut sum = (group.sum)(curve, &terms).unwrap().unwrap();
        assert_eq!(sum.compute().unwrap(), five);
        // (n - 1) G = -G: the same x, and the coordinates y add up to p.
        let opposite = multiple(&less_one, &generator);
        assert_eq!(opposite[..48], generator[..48]);
        assert_ne!(opposite[48..], generator[48..]);
        assert_eq!(multiple(&less_one, &opposite), generator);

        let decode = |bytes: &[u8]| {
            let computation = (group.decode)(curve, bytes)?;
            computation.unwrap().compute()
        };
        assert_eq!(decode(&compressed).unwrap(), generator);
        // (0, 2) is on the curve, and has the order 3.
        let mut outside = vec![0; 48];
        outside[0] = 0x80;
        assert!(decode(&outside).is_err());
        let mut uncompressed = vec![0; 96];
        uncompressed[95] = 2;
        assert!((group.multiply)(curve, [&small(1), &uncompressed]).is_err());
        assert!(decode(&compressed[1..]).is_err());
        assert!((group.multiply)(curve, [&[1], &generator]).is_err());
        assert!((group.sum)(curve, &[]).is_err());
        assert!((group.decode)("BN254-G1", &compressed).unwrap().is_none());
    }
}

/// A pairing on BN254 of `vectors/pairings/bn254.json`, and refusals: of coordinates that are not below the prime, of
/// points that are not on their curves or outside the subgroup, and of encodings of another length.
#[cfg(feature = "arkworks")]
#[test]
fn pairings() {
    let p = hex(
        "1ae45b9e3e40f4863023d2b19114e1321a969a57c4e97defcf48478f1f2a4709\
         30419982b112d34571bda2932cdce689159b176df28eab11bbc2f905acc8048b",
    );
    // Imaginary parts first.
    let q = hex(
        "1ad77b74f6b24b22094569d4239c30a0d819ca5fb355f30e0e678a4cdbd536a3\
         13dc14a52ae2b901d3dc53a98df3084d552415453e8c83a10e1febf29021cbc3\
         20804035b6b0c61648bbb20b0f015e6c1c66d04407f63ceef2c4bf6bfb7d70b5\
         29709659926ee00665d8a470a2dd70a35551696009a925414197b4fbd7c9f0fd",
    );
    let value = hex(
        "0549ef25b63852e095b66971eec69ab26a210ba3931097cc77725b8bc3d4eb80\
         07931889b24b0b260b7a7b241323d198bd223a1fa72ab9d3973171b30575f5d7\
         0a7c9e2482cb1d3088ca72b558b62bdc20870a9ab61873ead0567213b3bb2cfa\
         24f1e0888e0a97d9774fd481a0b8bcb635504138e858443585b8a58abc695b67\
         2d193493b555de6690dc9e9fd2ad42d5b47e6819cff3ea688f01732a3168455a\
         0e5dcebf8106cdc379539dbc29defa4ea40118ff03590f1cf6b7911896df313b\
         204ba9e1b867fc6603d98d0f1b68b360b832bed905662c2d3f0a075bc9e4852c\
         2d3547759023d0870508e34afb19e9a180a1f575412f66705456082f6ea97680\
         1e28496e697faa267984fded6bafcc73f8a0997adcd74f46b98c7ea9185b8647\
         15190bb0a3db9300e7b3139cb242ab684703cf348467143984c5429b392b4655\
         24738da77253b3d2790d49b5bd20fad098a0a75b1713adfbf007e952d63bb8c5\
         26986e126f8c82a449cf43522f81512fbca4f617b447c2663cb68db4bccda74e",
    );
    let peers = all().unwrap().into_iter();
    let constructors: Vec<_> = peers.filter_map(|peer| peer.pairing).collect();
    let pairing = |p: &[u8], q: &[u8]| {
        let made = constructors
            .iter()
            .map(|pairing| pairing("BN254", [p, q]).transpose());
        let mut made: Vec<_> = made.flatten().collect();
        assert_eq!(made.len(), 1);
        made.remove(0)
    };
    for _ in 0..2 {
        let mut computation = pairing(&p, &q).unwrap();
        assert_eq!(computation.compute().unwrap(), value);
    }
    for bytes in [&p[1..], &[]] {
        assert!(pairing(bytes, &q).is_err());
    }
    assert!(pairing(&p, &q[32..]).is_err());
    // (p, 0), (1, 1), the second point with exchanged parts, and one with x = 2 + u outside the subgroup.
    let prime = hex("30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47");
    assert!(pairing(&[&prime[..], &[0; 32]].concat(), &q).is_err());
    let mut one = [0; 64];
    (one[31], one[63]) = (1, 1);
    assert!(pairing(&one, &q).is_err());
    let exchanged = [&q[32..64], &q[..32], &q[96..], &q[64..96]].concat();
    assert!(pairing(&p, &exchanged).is_err());
    let outside = hex(
        "0000000000000000000000000000000000000000000000000000000000000001\
         0000000000000000000000000000000000000000000000000000000000000002\
         2b76c179599bb92a963dac85546a005a777f7c13f6a7b75d5918b6b5808f5fde\
         101f7278419308b95099eca02dcee0c5381f4d26d1d62313f057167f064101ce",
    );
    assert!(pairing(&p, &outside).is_err());
    assert!(
        constructors
            .iter()
            .all(|pairing| pairing("BLS12-377", [&p, &q]).unwrap().is_none())
    );
}
