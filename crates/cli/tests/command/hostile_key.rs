//! Encrypted key files that were made to cost memory or time: every verb that reads a key refuses
//! them before it asks for a passphrase, and says what would permit them.

use crate::place::{Place, error_line, small_key};

/// A value of DER with this tag.
fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let mut value = match u8::try_from(length) {
        Ok(short @ 0..0x80) => vec![tag, short],
        _ => vec![tag, 0x82, (length >> 8) as u8, length as u8],
    };
    value.extend_from_slice(content);
    value
}

fn integer(value: u64) -> Vec<u8> {
    let bytes = value.to_be_bytes();
    let leading = bytes.iter().take_while(|&&byte| byte == 0).count().min(7);
    let mut content = bytes[leading..].to_vec();
    if content[0] >= 0x80 {
        content.insert(0, 0);
    }
    der(2, &content)
}

const PBES2: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 5, 13];
const PBKDF2: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 5, 12];
const SCRYPT: &[u8] = &[0x2b, 6, 1, 4, 1, 0xda, 0x47, 4, 11];
const AES_256_CBC: &[u8] = &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 42];

/// `EncryptedPrivateKeyInfo` with this key derivation function and these numbers, in DER.
fn encrypted(kdf: &[u8], numbers: &[u64]) -> Vec<u8> {
    let object = |id: &[u8]| der(6, id);
    let sequence = |parts: &[Vec<u8>]| der(0x30, &parts.concat());
    let mut parameters = vec![der(4, b"salt")];
    parameters.extend(numbers.iter().map(|&number| integer(number)));
    let derivation = sequence(&[object(kdf), sequence(&parameters)]);
    let cipher = sequence(&[object(AES_256_CBC), der(4, &[7; 16])]);
    sequence(&[
        sequence(&[object(PBES2), sequence(&[derivation, cipher])]),
        der(4, &[0x55; 640]),
    ])
}

#[test]
fn a_key_derivation_that_costs_too_much_is_refused_by_every_verb() {
    let place = Place::with(small_key());
    place.write("message", "text");
    place.write("message.enc", [0; 128]);
    place.write("message.sig", [0; 128]);
    for (file, said) in [
        (
            encrypted(SCRYPT, &[0, 8, 1]),
            "the scrypt parameter N is 0, and must be a power of two and at least 2",
        ),
        (
            encrypted(SCRYPT, &[1 << 17, 8, 1]),
            "134217728 bytes of memory for scrypt: only 67108864 are permitted (limits 2 times the \
             default would permit it); --kdf-limit 2 permits it",
        ),
        (
            encrypted(SCRYPT, &[1 << 40, 8, 1]),
            "1125899906842624 bytes of memory for scrypt: only 67108864 are permitted",
        ),
        (
            encrypted(PBKDF2, &[u64::from(u32::MAX)]),
            "4294967295 rounds of PBKDF2: only 10000000 are permitted (limits 430 times the \
             default would permit it); --kdf-limit 430 permits it",
        ),
    ] {
        place.write("hostile.der", file);
        for verb in [
            "sign -k hostile.der message",
            "verify -k hostile.der message",
            "encrypt -k hostile.der message",
            "decrypt -k hostile.der message.enc",
            "key show hostile.der",
        ] {
            let error = error_line(&mut place.run(verb), 2);
            assert!(
                error.contains("hostile.der") && error.contains(said),
                "{verb}: {error}"
            );
        }
    }
}

#[test]
fn a_higher_limit_permits_what_the_default_refuses() {
    let place = Place::with(small_key());
    place.write("passphrase", "correct\n");
    place.write("costly.der", encrypted(SCRYPT, &[1 << 17, 8, 1]));
    for verb in [
        "sign --kdf-limit 2 -k costly.der key.pem",
        "verify --kdf-limit 2 -k costly.der key.pem",
        "encrypt --kdf-limit 2 -k costly.der key.pem",
        "decrypt --kdf-limit 2 -k costly.der key.pem.enc",
        "key show --kdf-limit 2 costly.der",
    ] {
        place.write("key.pem.enc", [0; 128]);
        let error = error_line(&mut place.run(verb), 2);
        assert!(error.contains("a passphrase is needed"), "{verb}: {error}");
    }
    // What it decrypts to is no key: this says that the key was derived.
    let show = "key show --kdf-limit 2 costly.der --passphrase-file passphrase";
    let error = error_line(&mut place.run(show), 2);
    assert!(error.contains("wrong passphrase"), "{error}");
    for limit in ["0", "1025", "-1", "many"] {
        let show = format!("key show --kdf-limit={limit} costly.der");
        place.run(&show).assert().code(2);
    }
}
