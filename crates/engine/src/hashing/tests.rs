//! Hashes in lanes beside those of the crate `sha2`.

use sha2::Digest as _;

use super::*;

fn check<F: Function>(expected: impl Fn(&[u8]) -> Vec<u8>) {
    // Lengths around those where padding takes another block, numbers of messages around those of lanes.
    let byte = |k: usize| ((k * k) >> 3) as u8 ^ k as u8;
    let bytes: Vec<u8> = (0..1000).map(byte).collect();
    for count in (0..=18).chain([33]) {
        for first in [0usize, 40, 100, 230] {
            let lengths = (0..count).map(|k| first + k * 7 % 40);
            let texts: Vec<&[u8]> = lengths
                .enumerate()
                .map(|(k, length)| &bytes[k..][..length])
                .collect();
            let parts: Vec<[&[u8]; 3]> = texts
                .iter()
                .map(|text| {
                    let (start, end) = text.split_at(text.len() / 3);
                    [start, &[], end]
                })
                .collect();
            let messages: Vec<_> = parts.iter().map(|parts| Message::<F>::new(parts)).collect();
            let states = hash(&messages);
            assert_eq!(states.len(), texts.len());
            for (state, text) in states.iter().zip(&texts) {
                assert_eq!(
                    digest::<F>(state).as_ref(),
                    expected(text),
                    "{}",
                    text.len()
                );
            }
        }
    }
}

#[test]
fn same_as_one_by_one() {
    check::<Sha256>(|text| sha2::Sha256::digest(text).to_vec());
    check::<Sha384>(|text| sha2::Sha384::digest(text).to_vec());
    check::<Sha512>(|text| sha2::Sha512::digest(text).to_vec());
}

/// Messages of which blocks have been compressed before.
#[test]
fn rests_of_messages() {
    let bytes = [7; 200];
    let mut state = Sha256::START;
    <Sha256 as Core>::compress(&mut state, &bytes[..64]);
    <Sha256 as Core>::compress(&mut state, &bytes[64..128]);
    let parts: [&[u8]; 1] = [&bytes[128..]];
    for count in [1, 20] {
        let messages = vec![Message::<Sha256>::after(state, 2, &parts); count];
        for state in &*hash(&messages) {
            assert_eq!(digest::<Sha256>(state)[..], sha2::Sha256::digest(bytes)[..]);
        }
    }
}
