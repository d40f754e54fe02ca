//! X25519 and X448: the vectors of RFC 7748, and refusals.

use sunzi_engine::{Backend, Engine};
use sunzi_pk::ec::xdh::{
    AgreeError, AgreeRequest, AgreementKey, KeyError, PrivateKey, PublicKey, agree_batch,
};
use sunzi_pk::ec::{MontgomeryCurve, PreparedMontgomeryCurve};
use sunzi_pk::system_rng;

/// The engines that this processor can run. The others are named in the output.
fn engines() -> impl Iterator<Item = Engine> {
    Backend::ALL.iter().filter_map(|&backend| {
        Engine::new(backend)
            .inspect_err(|reason| println!("SKIPPED: {reason}"))
            .ok()
    })
}

fn bytes(digits: &str) -> Vec<u8> {
    (0..digits.len() / 2)
        .map(|k| u8::from_str_radix(&digits[2 * k..2 * k + 2], 16).unwrap())
        .collect()
}

fn curves(engine: &Engine) -> [PreparedMontgomeryCurve; 2] {
    [MontgomeryCurve::Curve25519, MontgomeryCurve::Curve448]
        .map(|curve| PreparedMontgomeryCurve::new(engine, curve).unwrap())
}

fn key(curve: &PreparedMontgomeryCurve, private: &[u8]) -> AgreementKey {
    let private = PrivateKey::from_bytes(curve, private).unwrap();
    AgreementKey::new(curve, &private).unwrap()
}

/// RFC 7748, section 5.2: private key, u, and the result.
const VECTORS: [(usize, [&str; 3]); 4] = [
    (
        0,
        [
            "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
            "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
            "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
        ],
    ),
    (
        0,
        [
            "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
            "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
            "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
        ],
    ),
    (
        1,
        [
            "3d262fddf9ec8e88495266fea19a34d28882acef045104d0d1aae121\
             700a779c984c24f8cdd78fbff44943eba368f54b29259a4f1c600ad3",
            "06fce640fa3487bfda5f6cf2d5263f8aad88334cbd07437f020f08f9\
             814dc031ddbdc38c19c6da2583fa5429db94ada18aa7a7fb4ef8a086",
            "ce3e4ff95a60dc6697da1db1d85e6afbdf79b50a2412d7546d5f239f\
             e14fbaadeb445fc66a01b0779d98223961111e21766282f73dd96b6f",
        ],
    ),
    (
        1,
        [
            "203d494428b8399352665ddca42f9de8fef600908e0d461cb021f8c5\
             38345dd77c3e4806e25f46d3315c44e0a5b4371282dd2c8d5be3095f",
            "0fbcc2f993cd56d3305b0b7d9e55d4c1a8fb5dbb52f8e9a1e9b6201b\
             165d015894e56c4d3570bee52fe205e28a78b91cdfbde71ce8d157db",
            "884a02576239ff7a2f2f63b2db6a9ff37047ac13568e1e30fe63c4a7\
             ad1b3ee3a5700df34321d62077e63633c575c1c954514e99da7c179d",
        ],
    ),
];

/// RFC 7748, section 5.2, repeated until a batch is full, and mixed.
#[test]
fn rfc7748() {
    for engine in engines() {
        let curves = curves(&engine);
        let (keys, peers): (Vec<_>, Vec<_>) = VECTORS
            .iter()
            .map(|(curve, [private, u, _])| {
                let curve = &curves[*curve];
                let peer = PublicKey::from_bytes(curve.curve(), &bytes(u)).unwrap();
                (key(curve, &bytes(private)), peer)
            })
            .unzip();
        let requests: Vec<_> = (0..150)
            .map(|k| AgreeRequest {
                key: &keys[k % 4],
                peer: &peers[k % 4],
            })
            .collect();
        for (k, secret) in agree_batch(&engine, &requests).into_iter().enumerate() {
            assert_eq!(secret.unwrap().as_bytes(), bytes(VECTORS[k % 4].1[2]));
        }
    }
}

/// RFC 7748, section 5.2: k and u are 9 or 5, then `k, u := X(k, u), k`, many times.
#[test]
fn rfc7748_iterated() {
    let engine = Engine::new(Backend::best()).unwrap();
    let expected = [
        [
            "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079",
            "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51",
        ],
        [
            "3f482c8a9f19b01e6c46ee9711d9dc14fd4bf67af30765c2ae2b846a\
             4d23a8cd0db897086239492caf350b51f833868b9bc2b3bca9cf4113",
            "aa3b4749d55b9daf1e5b00288826c467274ce3ebbdd5c17b975e09d4\
             af6c67cf10d087202db88286e2b79fceea3ec353ef54faa26e219f38",
        ],
    ];
    for (curve, expected) in curves(&engine).iter().zip(expected) {
        let name = curve.curve();
        let mut k = vec![0; name.encoded_bytes()];
        k[0] = if name == MontgomeryCurve::Curve25519 {
            9
        } else {
            5
        };
        let mut u = k.clone();
        for count in 1..=1000 {
            let peer = PublicKey::from_bytes(name, &u).unwrap();
            let request = AgreeRequest {
                key: &key(curve, &k),
                peer: &peer,
            };
            let secret = agree_batch(&engine, &[request]).remove(0).unwrap();
            u = core::mem::replace(&mut k, secret.as_bytes().to_vec());
            match count {
                1 => assert_eq!(k, bytes(expected[0])),
                1000 => assert_eq!(k, bytes(expected[1])),
                _ => {}
            }
        }
    }
}

/// RFC 7748, section 6.1.
#[test]
fn diffie_hellman() {
    for engine in engines() {
        let [curve, _] = curves(&engine);
        let sides = [
            (
                "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
                "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
            ),
            (
                "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
                "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
            ),
        ];
        let keys = sides.map(|(private, public)| {
            let key = key(&curve, &bytes(private));
            assert_eq!(key.public_key().as_bytes(), bytes(public));
            key
        });
        let requests = [0, 1].map(|k| AgreeRequest {
            key: &keys[k],
            peer: keys[1 - k].public_key(),
        });
        for secret in agree_batch(&engine, &requests) {
            let expected = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742";
            assert_eq!(secret.unwrap().as_bytes(), bytes(expected));
        }
    }
}

/// Points of small order, and keys of another curve, are refused without harm to their neighbours.
#[test]
fn refusals() {
    let engine = Engine::new(Backend::best()).unwrap();
    let curves = curves(&engine);
    for (curve, other) in [(&curves[0], &curves[1]), (&curves[1], &curves[0])] {
        let name = curve.curve();
        let private = PrivateKey::generate(curve, &mut system_rng()).unwrap();
        let key = AgreementKey::new(curve, &private).unwrap();
        let peer = PrivateKey::generate(curve, &mut system_rng()).unwrap();
        let foreign = PrivateKey::generate(other, &mut system_rng()).unwrap();
        let low = [0, 1].map(|u| {
            let mut bytes = vec![0; name.encoded_bytes()];
            bytes[0] = u;
            PublicKey::from_bytes(name, &bytes).unwrap()
        });
        let peers = [
            peer.public_key(),
            &low[0],
            foreign.public_key(),
            &low[1],
            peer.public_key(),
        ];
        let requests = peers.map(|peer| AgreeRequest { key: &key, peer });
        let secrets = agree_batch(&engine, &requests);
        let peer_key = AgreementKey::new(curve, &peer).unwrap();
        let request = AgreeRequest {
            key: &peer_key,
            peer: key.public_key(),
        };
        let expected = agree_batch(&engine, &[request]).remove(0).unwrap();
        for (secret, place) in secrets.into_iter().zip(0..) {
            match place {
                0 | 4 => assert_eq!(secret.unwrap().as_bytes(), expected.as_bytes()),
                2 => {
                    let refused = AgreeError::OtherCurve {
                        key: name,
                        peer: other.curve(),
                    };
                    assert_eq!(secret.err(), Some(refused));
                }
                _ => assert_eq!(secret.err(), Some(AgreeError::LowOrder)),
            }
        }
        let refused = AgreementKey::new(other, &private).unwrap_err();
        assert!(matches!(refused, KeyError::OtherCurve { .. }), "{refused}");
        let given = name.encoded_bytes() - 1;
        let refused = PrivateKey::from_bytes(curve, &vec![1; given]).unwrap_err();
        assert_eq!(refused, KeyError::Length { curve: name, given });
        let refused = PublicKey::from_bytes(name, &vec![1; given]).unwrap_err();
        assert_eq!(refused, KeyError::Length { curve: name, given });
    }
}

/// Keys made in a batch are those made one by one; one of the wrong length harms no other.
#[test]
fn batches_of_keys() {
    let engine = Engine::new(Backend::best()).unwrap();
    for curve in curves(&engine) {
        let length = curve.curve().encoded_bytes();
        let bytes: Vec<Vec<u8>> = (0..20)
            .map(|k| vec![k; length - usize::from(k == 3)])
            .collect();
        let slices: Vec<_> = bytes.iter().map(|bytes| &bytes[..]).collect();
        let keys = PrivateKey::from_bytes_batch(&curve, &slices);
        for (bytes, key) in bytes.iter().zip(keys) {
            let alone = PrivateKey::from_bytes(&curve, bytes);
            match key {
                Ok(key) => assert_eq!(key.public_key(), alone.unwrap().public_key()),
                Err(refused) => assert_eq!(Some(refused), alone.err()),
            }
        }
        let new = PrivateKey::generate_batch(&curve, &mut system_rng(), 9);
        let new: Vec<_> = new.into_iter().map(Result::unwrap).collect();
        for (k, key) in new.iter().enumerate() {
            assert!(
                new[..k]
                    .iter()
                    .all(|other| other.as_bytes() != key.as_bytes())
            );
            assert!(
                new[..k]
                    .iter()
                    .all(|other| other.public_key() != key.public_key())
            );
        }
    }
}

/// `4 L` is a private key of X448 by its bits, and all its multiples are at infinity. It is refused without
/// harm to those that share its inversion.
#[test]
fn a_multiple_of_the_order() {
    let [_, curve] = curves(&Engine::new(Backend::best()).unwrap());
    let mut multiple = vec![0xff; 56];
    let low = bytes("cc1361ad4a0ae38d543d1637ca09b38540da58bb266d3b11a78f28f3fd");
    multiple[..29].copy_from_slice(&low);
    let keys: Vec<Vec<u8>> = (0..70)
        .map(|k| match k {
            20 | 50 => multiple.clone(),
            _ => vec![k; 56],
        })
        .collect();
    let slices: Vec<_> = keys.iter().map(|key| &key[..]).collect();
    for (k, key) in PrivateKey::from_bytes_batch(&curve, &slices)
        .iter()
        .enumerate()
    {
        let expected = matches!(k, 20 | 50).then_some(KeyError::Infinity);
        assert_eq!(key.as_ref().err(), expected.as_ref(), "{k}");
    }
    let alone = PrivateKey::from_bytes(&curve, &multiple);
    assert_eq!(alone.err(), Some(KeyError::Infinity));
}
