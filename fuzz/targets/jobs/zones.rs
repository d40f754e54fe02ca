//! Zone files: a zone that is taken is signed, and the verifier finds no defect in what was written. Signed zones, as they
//! stand, and old signatures are read, too.

use crate::ALGORITHMS;
use std::sync::LazyLock;
use sunzi_jobs::dnssec::{
    Algorithm, Nsec3, Purpose, Serial, SignOptions, Signatures, Zone, ZoneKey, generate, sign_zone,
    verify_zone,
};
use sunzi_pk::system_rng;

const NOW: u32 = 1_764_115_200;

static KEY: LazyLock<[ZoneKey; 1]> = LazyLock::new(|| {
    let (kind, purpose, rng) = (Algorithm::Ed25519, Purpose::Keys, &mut system_rng());
    let made = generate(&ALGORITHMS, "example.", kind, 0, purpose, NOW, rng);
    let (public, private) = made.expect("there is randomness");
    let key = ZoneKey::new(&ALGORITHMS, public, private.as_bytes());
    [key.expect("they belong together")]
});

pub(crate) fn run(input: &[u8]) {
    if let Ok(zone) = Zone::read_signed(input, None, &mut |_| {}) {
        verify_zone(&ALGORITHMS, &zone, NOW, &mut |_| {});
    }
    let Ok(zone) = Zone::read(input, Some("example."), &mut |_| {}) else {
        return;
    };
    let old: Vec<Signatures> = Signatures::read(input, &zone, &mut |_| {})
        .into_iter()
        .collect();
    let nsec3 = input.len().is_multiple_of(2).then(|| Nsec3 {
        iterations: 0,
        salt: Vec::new(),
        opt_out: input.len().is_multiple_of(4),
    });
    let options = SignOptions {
        now: NOW,
        inception: NOW - 3600,
        expiration: NOW + 86_400,
        serial: Serial::Increment,
        nsec3,
        old: &old,
        refresh: 3600,
    };
    let (rng, mut output) = (&mut system_rng(), Vec::new());
    let watch = &mut |_| {};
    let signed = sign_zone(&ALGORITHMS, rng, zone, &*KEY, &options, &mut output, watch);
    // Keys of the zone itself may be of an algorithm for which there is none here.
    let Ok(signed) = signed else {
        return;
    };
    let zone = Zone::read_signed(&output[..], None, &mut |_| {});
    let zone = zone.expect("what is written can be read");
    let verified = verify_zone(&ALGORITHMS, &zone, NOW, &mut |defect| panic!("{defect}"));
    assert_eq!(verified.signatures, signed.signatures);
}
