//! Key files as other tools write them: OpenSSH's formats, PKCS#12 and keys for PSS alone. What `ssh-keygen` and
//! `openssl` write is read, and they read what is written here. Damaged and hostile files are refused.

mod common;

use common::fixture;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use sunzi_engine::{Backend, Engine};
use sunzi_pk::ec::PreparedCurve;
use sunzi_pk::keys::{
    Algorithms, KeyError, NonceKind, PrivateKey, PublicKey, Scheme, SignError, SignRequest,
    SigningKey, VerifyError, VerifyRequest, VerifyingKey, sign_batch, verify_batch,
};
use sunzi_pk::rsa::{self, RestrictionError, SaltLen};
use sunzi_pk::{Hash, KdfLimits, KeyFileError, ec, system_rng};

fn algorithms() -> Algorithms {
    Algorithms::new(&Engine::new(Backend::PORTABLE).unwrap())
}

/// A folder in which tools run.
struct Place {
    folder: tempfile::TempDir,
    algorithms: Algorithms,
}

impl Place {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            algorithms: algorithms(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    fn write(&self, name: &str, content: &[u8]) {
        std::fs::write(self.path(name), content).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::Permissions::from_mode(0o600);
            std::fs::set_permissions(self.path(name), mode).unwrap();
        }
    }

    /// Runs a program whose arguments are the words of a line; `''` is an empty one.
    fn try_run(&self, program: &str, arguments: &str) -> Output {
        let words = arguments.split_whitespace();
        Command::new(program)
            .args(words.map(|word| if word == "''" { "" } else { word }))
            .current_dir(self.folder.path())
            .output()
            .unwrap()
    }

    fn run(&self, program: &str, arguments: &str) -> String {
        let output = self.try_run(program, arguments);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{program} {arguments}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn openssl(&self, arguments: &str) -> String {
        self.run("openssl", arguments)
    }

    fn private(&self, file: &[u8], passphrase: Option<&[u8]>) -> Result<PrivateKey, KeyError> {
        PrivateKey::from_pem_or_der(&self.algorithms, file, passphrase, KdfLimits::default())
    }
}

/// A place with `ssh-keygen`, unless it is missing.
fn with_ssh_keygen() -> Option<Place> {
    let found = std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|folder| Path::new(&folder).join("ssh-keygen").is_file())
    });
    if !found {
        println!("SKIPPED: ssh-keygen is not installed");
    }
    found.then(Place::new)
}

/// The first two words of a line.
fn without_comment(line: &str) -> String {
    line.split_whitespace()
        .take(2)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Fixtures of each format, which are read where there are no tools, too.
#[test]
fn files_of_other_tools() {
    let expected = rsa::PrivateKey::from_pem_or_der(&fixture("rsa2048.pkcs8.pem"), None).unwrap();
    for (name, passphrase) in [
        ("rsa2048.openssh.pem", None),
        ("rsa2048.openssh-aes256.pem", Some(&b"correct"[..])),
        ("rsa2048.p12", Some(b"correct")),
    ] {
        let key = rsa::PrivateKey::from_pem_or_der(&fixture(name), passphrase).unwrap();
        assert_eq!(key.to_pkcs1_der(), expected.to_pkcs1_der(), "{name}");
    }
}

const SSH_KINDS: [&str; 5] = [
    "rsa -b 2048",
    "ecdsa -b 256",
    "ecdsa -b 384",
    "ecdsa -b 521",
    "ed25519",
];

#[test]
fn keys_of_ssh_keygen_are_read() {
    let Some(place) = with_ssh_keygen() else {
        return;
    };
    for (number, kind) in SSH_KINDS.iter().enumerate() {
        let name = format!("key{number}");
        place.run(
            "ssh-keygen",
            &format!("-q -t {kind} -N '' -C somebody@example -f {name}"),
        );
        let line = place.file(&format!("{name}.pub"));
        let public = PublicKey::from_pem_or_der(&line).unwrap();
        let private = place.private(&place.file(&name), None).unwrap();
        assert_eq!(private.public_key(), public, "{kind}");
        let line = String::from_utf8(line).unwrap();
        let written = public.to_openssh().unwrap();
        assert_eq!(written.trim_end(), without_comment(&line), "{kind}");
        if *kind != "ed25519" {
            let spki = place.run("ssh-keygen", &format!("-e -m PKCS8 -f {name}.pub"));
            assert_eq!(public.to_spki_pem().unwrap(), spki, "{kind}");
        }
    }
}

#[test]
fn encrypted_keys_of_ssh_keygen_are_read() {
    let Some(place) = with_ssh_keygen() else {
        return;
    };
    for (number, (kind, cipher)) in [
        (SSH_KINDS[0], "aes256-ctr"),
        (SSH_KINDS[1], "aes128-cbc"),
        (SSH_KINDS[2], "aes192-ctr"),
        (SSH_KINDS[3], "aes256-gcm@openssh.com"),
        (SSH_KINDS[4], "aes128-gcm@openssh.com"),
        (SSH_KINDS[4], "chacha20-poly1305@openssh.com"),
        (SSH_KINDS[4], "aes256-cbc"),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("key{number}");
        place.run(
            "ssh-keygen",
            &format!("-q -t {kind} -N correct -Z {cipher} -a 2 -f {name}"),
        );
        let file = place.file(&name);
        let public = PublicKey::from_pem_or_der(&place.file(&format!("{name}.pub"))).unwrap();
        let private = place.private(&file, Some(b"correct")).unwrap();
        assert_eq!(private.public_key(), public, "{cipher}");
        let refused = |passphrase| place.private(&file, passphrase).unwrap_err();
        let wrong = KeyError::File(KeyFileError::WrongPassphrase);
        assert_eq!(refused(Some(b"wrong")), wrong, "{cipher}");
        assert_eq!(refused(Some(b"")), wrong, "{cipher}");
        let needed = KeyError::File(KeyFileError::PassphraseNeeded);
        assert_eq!(refused(None), needed, "{cipher}");
        let given = PublicKey::from_pem_or_der(&file).unwrap_err();
        assert_eq!(given, KeyError::PrivateKeyGiven);
    }
}

/// OpenSSH writes private numbers without leading zeros, as one in 256 keys of P-256 has them.
#[test]
fn openssh_keys_with_leading_zeros() {
    let Some(place) = with_ssh_keygen() else {
        return;
    };
    for (number, (curve, zeros)) in [("P-256", 1), ("P-256", 9), ("P-384", 3), ("P-521", 2)]
        .into_iter()
        .enumerate()
    {
        let curve: ec::Curve = curve.parse().unwrap();
        let prepared = PreparedCurve::new(place.algorithms.engine(), &curve).unwrap();
        let mut bytes = vec![0x97; curve.order_bytes()];
        bytes[..zeros].fill(0);
        let key = ec::PrivateKey::from_bytes(&prepared, &bytes).unwrap();
        let name = format!("key{number}");
        place.write(&name, key.to_pkcs8_pem().unwrap().as_bytes());
        // Rewrites the file in OpenSSH's format.
        place.run("ssh-keygen", &format!("-q -p -P '' -N '' -f {name}"));
        let file = place.file(&name);
        assert!(file.starts_with(b"-----BEGIN OPENSSH PRIVATE KEY-----"));
        let read = ec::PrivateKey::from_pem_or_der(place.algorithms.curves(), &file, None);
        assert_eq!(*read.unwrap().to_bytes(), bytes);
    }
}

#[test]
fn ssh_keygen_reads_what_is_written() {
    let Some(place) = with_ssh_keygen() else {
        return;
    };
    for name in ["RSA-2048", "P-256", "P-384", "P-521", "Ed25519"] {
        let key = PrivateKey::generate(&place.algorithms, name, &mut system_rng()).unwrap();
        for passphrase in [None, Some(&b"correct"[..])] {
            let pem = key.to_openssh(&mut system_rng(), passphrase).unwrap();
            place.write("key", pem.as_bytes());
            let word = passphrase.map_or("''", |_| "correct");
            let line = place.run("ssh-keygen", &format!("-y -P {word} -f key"));
            let expected = key.public_key().to_openssh().unwrap();
            assert_eq!(without_comment(&line), expected.trim_end(), "{name}");
            let again = place.private(pem.as_bytes(), passphrase).unwrap();
            assert_eq!(again.to_pkcs8_der(), key.to_pkcs8_der(), "{name}");
        }
        let empty = key.to_openssh(&mut system_rng(), Some(b"")).unwrap_err();
        assert_eq!(empty, KeyError::File(KeyFileError::EmptyPassphrase));
    }
    for name in ["secp256k1", "Ed448", "X25519"] {
        let key = PrivateKey::generate(&place.algorithms, name, &mut system_rng()).unwrap();
        let refused = KeyError::File(KeyFileError::NoOpenSshFormat(name.into()));
        let written = key.to_openssh(&mut system_rng(), None);
        assert_eq!(written.unwrap_err(), refused);
        assert_eq!(key.public_key().to_openssh().unwrap_err(), refused);
    }
}

/// An OpenSSH key file, taken apart: the first bytes, and the strings and numbers after them.
fn openssh_file(algorithms: &Algorithms, passphrase: Option<&[u8]>) -> Vec<u8> {
    let key = PrivateKey::generate(algorithms, "P-256", &mut system_rng()).unwrap();
    let pem = key.to_openssh(&mut system_rng(), passphrase).unwrap();
    let (_, bytes) = pkcs1::der::pem::decode_vec(pem.as_bytes()).unwrap();
    bytes
}

fn openssh_pem(bytes: &[u8]) -> Vec<u8> {
    let ending = pkcs1::der::pem::LineEnding::LF;
    let pem = pkcs1::der::pem::encode_string("OPENSSH PRIVATE KEY", ending, bytes);
    pem.unwrap().into_bytes()
}

/// Of each bit that is changed, and of each length to which a file is cut, the reader says what is wrong: no key
/// is another one than that which was written.
#[test]
fn damaged_openssh_files() {
    let place = Place::new();
    let whole = openssh_file(&place.algorithms, None);
    let key = place.private(&openssh_pem(&whole), None).unwrap();
    for length in 0..whole.len() {
        let refused = place.private(&openssh_pem(&whole[..length]), None);
        assert!(refused.is_err(), "{length}");
    }
    let mut unchanged = 0;
    for bit in 0..8 * whole.len() {
        let mut changed = whole.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        if let Ok(read) = place.private(&openssh_pem(&changed), None) {
            assert_eq!(read.to_pkcs8_der(), key.to_pkcs8_der(), "bit {bit}");
            unchanged += 1;
        }
    }
    assert_eq!(unchanged, 0);
}

#[test]
fn openssh_rounds_are_bounded() {
    let place = Place::new();
    let whole = openssh_file(&place.algorithms, Some(b"correct"));
    // The rounds, 24, stand after the salt of 16 bytes.
    let options = [0, 0, 0, 24, 0, 0, 0, 16];
    let at = whole.windows(8).position(|bytes| bytes == options).unwrap() + 24;
    let with_rounds = |rounds: u32| {
        let mut file = whole.clone();
        assert_eq!(file[at..at + 4], 24u32.to_be_bytes());
        file[at..at + 4].copy_from_slice(&rounds.to_be_bytes());
        openssh_pem(&file)
    };
    for passphrase in [None, Some(&b"correct"[..])] {
        let refused = |rounds| place.private(&with_rounds(rounds), passphrase).unwrap_err();
        assert_eq!(
            refused(u32::MAX),
            KeyError::File(KeyFileError::KdfCost {
                what: "rounds of bcrypt",
                needed: u32::MAX.into(),
                limit: 1000,
                factor: 4_294_968,
            })
        );
        assert!(matches!(
            refused(0),
            KeyError::File(KeyFileError::KdfParameter { value: 0, .. })
        ));
    }
    // The limits of a service count a round of bcrypt as 10,000 of PBKDF2.
    let limits = KdfLimits::new(230_000, 1 << 20, 1);
    let file = openssh_pem(&whole);
    let refused = PrivateKey::from_pem_or_der(&place.algorithms, &file, None, limits);
    assert!(matches!(
        refused,
        Err(KeyError::File(KeyFileError::KdfCost {
            needed: 24,
            limit: 23,
            ..
        }))
    ));
}

#[test]
fn lines_that_are_no_public_key() {
    let place = Place::new();
    let key = PrivateKey::generate(&place.algorithms, "Ed25519", &mut system_rng()).unwrap();
    let line = key.public_key().to_openssh().unwrap();
    let read = |line: &str| PublicKey::from_pem_or_der(line.as_bytes());
    for good in [
        line.clone(),
        format!("# a comment\n\n {line}"),
        format!("{} me@example, at home\r\n", line.trim_end()),
    ] {
        assert_eq!(read(&good).unwrap(), key.public_key(), "{good:?}");
    }
    for (bad, reason) in [
        (line.repeat(2), "several lines"),
        ("ssh-ed25519".to_owned(), "ends after the algorithm"),
        ("ssh-ed25519 *".to_owned(), "not base64"),
        (
            line.replace("ssh-ed25519 ", "ssh-rsa "),
            "another one than its line says",
        ),
        (line.replace("AAAAC3", "AAAAf3"), "longer than the rest"),
        (
            line.replacen("ssh-ed25519", "ssh-ed25519-cert-v01@openssh.com", 1),
            "",
        ),
        (
            "ecdsa-sha2-nistp192 AAAAE2VjZHNhLXNoYTItbmlzdHAxOTI=".to_owned(),
            "its curve is none",
        ),
    ] {
        let error = read(&bad).unwrap_err().to_string();
        assert!(error.contains(reason), "{bad:?}: {error}");
    }
    let dsa = "ssh-dss AAAAB3NzaC1kc3M=";
    assert_eq!(
        read(dsa).unwrap_err(),
        KeyError::UnknownAlgorithm("DSA".into())
    );
    let token = "sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29t";
    assert!(matches!(read(token), Err(KeyError::UnknownAlgorithm(_))));
}

/// The keys of PKCS#12 tests, in PEM.
fn make_pkcs8(place: &Place) -> [(&'static str, PrivateKey); 4] {
    ["RSA-2048", "P-256", "secp256k1", "Ed25519"].map(|name| {
        let key = PrivateKey::generate(&place.algorithms, name, &mut system_rng()).unwrap();
        let pem = key.to_pkcs8_pem().unwrap();
        place.write(&format!("{name}.pem"), pem.as_bytes());
        (name, key)
    })
}

#[test]
fn pkcs12_of_openssl_is_read() {
    let place = Place::new();
    for (name, key) in make_pkcs8(&place) {
        place.openssl(&format!(
            "req -x509 -new -key {name}.pem -subj /CN=test -out {name}.crt"
        ));
        for options in [
            format!("-in {name}.crt"),
            "-nocerts".to_owned(),
            "-nocerts -macalg sha1 -keypbe AES-128-CBC".to_owned(),
            "-nocerts -macalg sha384 -keypbe DES-EDE3-CBC -iter 10000".to_owned(),
            "-nocerts -macalg sha512 -keypbe NONE -name someone".to_owned(),
        ] {
            let passphrase = "pässword";
            place.openssl(&format!(
                "pkcs12 -export -inkey {name}.pem {options} -passout pass:{passphrase} -out file.p12"
            ));
            let file = place.file("file.p12");
            let read = place.private(&file, Some(passphrase.as_bytes()));
            let read = read.unwrap_or_else(|error| panic!("{name} {options}: {error}"));
            assert_eq!(read.to_pkcs8_der(), key.to_pkcs8_der(), "{name} {options}");
            let refused = |passphrase| place.private(&file, passphrase).unwrap_err();
            for wrong in [&b"wrong"[..], b"", b"\xff"] {
                let error = KeyError::File(KeyFileError::WrongPassphrase);
                assert_eq!(refused(Some(wrong)), error, "{name} {options}");
            }
            let needed = KeyError::File(KeyFileError::PassphraseNeeded);
            assert_eq!(refused(None), needed);
            let given = PublicKey::from_pem_or_der(&file).unwrap_err();
            assert_eq!(given, KeyError::PrivateKeyGiven);
        }
    }
}

#[test]
fn pkcs12_that_is_refused() {
    let place = Place::new();
    let [(name, _), ..] = make_pkcs8(&place);
    let made = |options: &str| {
        place.openssl(&format!(
            "pkcs12 -export -inkey {name}.pem -nocerts {options} -passout pass:correct -out file.p12"
        ));
        place.file("file.p12")
    };
    for (options, reason) in [
        ("-nomac", "no MAC"),
        ("-keypbe PBE-SHA1-3DES", "triple DES"),
        ("-macalg md5", "1.2.840.113549.2.5"),
    ] {
        for passphrase in [None, Some(&b"correct"[..])] {
            let error = place.private(&made(options), passphrase).unwrap_err();
            let unsupported = KeyFileError::UnsupportedPkcs12(String::new());
            let KeyError::File(error) = error else {
                panic!("{error}")
            };
            assert_eq!(
                core::mem::discriminant(&error),
                core::mem::discriminant(&unsupported),
                "{error}"
            );
            assert!(error.to_string().contains(reason), "{error}");
        }
    }
    place.openssl(&format!(
        "req -x509 -new -key {name}.pem -subj /CN=test -out test.crt"
    ));
    place.openssl("pkcs12 -export -nokeys -in test.crt -passout pass:correct -out file.p12");
    let error = place.private(&place.file("file.p12"), Some(b"correct"));
    assert!(error.unwrap_err().to_string().contains("no private key"));

    // Both derivations are bounded before anybody is asked for a passphrase.
    let limits = KdfLimits::new(5000, 1 << 20, 1);
    for options in ["-iter 6000 -nomaciter", "-maciter -iter 6000"] {
        let file = made(options);
        for passphrase in [None, Some(&b"correct"[..])] {
            let refused = PrivateKey::from_pem_or_der(&place.algorithms, &file, passphrase, limits);
            assert!(
                matches!(
                    refused,
                    Err(KeyError::File(KeyFileError::KdfCost {
                        needed: 6000,
                        limit: 5000,
                        ..
                    }))
                ),
                "{options}: {refused:?}"
            );
        }
    }
}

/// Some tools write lengths that are only known at the end (BER), which no reader here takes.
#[test]
fn pkcs12_in_ber() {
    let file = [0x30, 0x80, 2, 1, 3, 0x30, 0x80, 0, 0, 0, 0];
    let error = Place::new().private(&file, None).unwrap_err().to_string();
    assert!(error.contains("BER"), "{error}");
}

/// A MAC finds each changed bit of what it ensures; what it does not ensure decides whether there is a key at all.
#[test]
fn damaged_pkcs12() {
    let place = Place::new();
    make_pkcs8(&place);
    place.openssl(
        "pkcs12 -export -inkey Ed25519.pem -nocerts -passout pass:correct -iter 1 -out file.p12",
    );
    let whole = place.file("file.p12");
    let limits = KdfLimits::new(1000, 1 << 16, 1);
    let open = |file: &[u8]| {
        PrivateKey::from_pem_or_der(&place.algorithms, file, Some(b"correct"), limits)
    };
    let key = open(&whole).unwrap();
    for length in 0..whole.len() {
        assert!(open(&whole[..length]).is_err(), "{length}");
    }
    for bit in 0..8 * whole.len() {
        let mut changed = whole.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        if let Ok(read) = open(&changed) {
            assert_eq!(read.to_pkcs8_der(), key.to_pkcs8_der(), "bit {bit}");
            // Only the parameters of the MAC's hash function, which are not looked at.
            let tail = whole.len() - bit / 8;
            assert!(tail < 60, "bit {bit}");
        }
    }
}

fn pss_key(place: &Place, options: &str) -> PrivateKey {
    place.openssl(&format!(
        "genpkey -quiet -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048 {options} -out key.pem"
    ));
    place.openssl("pkey -in key.pem -pubout -out public.pem");
    place.private(&place.file("key.pem"), None).unwrap()
}

const PSS_SHA384: &str = "-pkeyopt rsa_pss_keygen_md:sha384 \
    -pkeyopt rsa_pss_keygen_mgf1_md:sha256 -pkeyopt rsa_pss_keygen_saltlen:50";

#[test]
fn keys_for_pss_sign_as_openssl_verifies() {
    let place = Place::new();
    for options in ["", PSS_SHA384] {
        let key = pss_key(&place, options);
        let public = PublicKey::from_pem_or_der(&place.file("public.pem")).unwrap();
        assert_eq!(key.public_key(), public);
        let PublicKey::Rsa(rsa) = &public else {
            panic!("RSA")
        };
        let parameters = rsa.restriction().unwrap().parameters;
        assert_eq!(
            parameters.map(|key| (key.hash, key.mgf1, key.min_salt)),
            (!options.is_empty()).then(|| (Hash::Sha384.into(), Hash::Sha256.into(), 50))
        );
        // It is written as it was read.
        assert_eq!(
            public.to_spki_pem().unwrap().into_bytes(),
            place.file("public.pem")
        );
        assert_eq!(
            key.to_pkcs8_pem().unwrap().as_bytes(),
            place.file("key.pem")
        );

        let signing = SigningKey::new(&place.algorithms, &key).unwrap();
        let scheme = Scheme::of(&public);
        let request = SignRequest {
            key: &signing,
            scheme,
            content: b"a message".into(),
        };
        let signature = sign_batch(
            &place.algorithms,
            &mut system_rng(),
            NonceKind::Deterministic,
            &[request],
        );
        let signature = signature[0].as_ref().unwrap();
        place.write("message", b"a message");
        place.write("signature", signature);
        let hash = if options.is_empty() {
            "sha256"
        } else {
            "sha384"
        };
        place.openssl(&format!(
            "dgst -{hash} -verify public.pem -signature signature message"
        ));
        let verifying = VerifyingKey::new(&place.algorithms, &public).unwrap();
        let request = VerifyRequest {
            key: &verifying,
            scheme,
            content: b"a message".into(),
            signature,
        };
        assert_eq!(verify_batch(&place.algorithms, &[request]), [Ok(())]);
    }
}

/// Requests that contradict what a key is for are refused, by what they contradict.
#[test]
fn keys_for_pss_do_nothing_else() {
    let place = Place::new();
    let pss = |salt_len, mgf1: Option<Hash>| rsa::Scheme::Pss {
        salt_len,
        mgf1: mgf1.map(Into::into),
    };
    let free = pss_key(&place, "");
    let bound = pss_key(&place, PSS_SHA384);
    let (sha256, sha384) = (Hash::Sha256, Hash::Sha384);
    let right = pss(SaltLen::Bytes(50), Some(sha256));
    for (key, scheme, hash, expected) in [
        (
            &free,
            rsa::Scheme::Pkcs1v15,
            sha256,
            Some(RestrictionError::Padding),
        ),
        (&free, pss(SaltLen::Bytes(0), Some(sha384)), sha256, None),
        (
            &bound,
            rsa::Scheme::Pkcs1v15,
            sha384,
            Some(RestrictionError::Padding),
        ),
        (&bound, right, sha384, None),
        (&bound, pss(SaltLen::Bytes(51), Some(sha256)), sha384, None),
        (
            &bound,
            right,
            sha256,
            Some(RestrictionError::Hash {
                key: sha384.into(),
                asked: sha256,
            }),
        ),
        (
            &bound,
            pss(SaltLen::Bytes(50), None),
            sha384,
            Some(RestrictionError::Mgf1 {
                key: sha256.into(),
                asked: sha384.into(),
            }),
        ),
        (
            &bound,
            pss(SaltLen::Bytes(49), Some(sha256)),
            sha384,
            Some(RestrictionError::Salt { key: 50, asked: 49 }),
        ),
        (
            &bound,
            pss(SaltLen::Hash, Some(sha256)),
            sha384,
            Some(RestrictionError::Salt { key: 50, asked: 48 }),
        ),
    ] {
        let signing = SigningKey::new(&place.algorithms, key).unwrap();
        let scheme = Scheme::Rsa(scheme, hash);
        let request = SignRequest {
            key: &signing,
            scheme,
            content: b"a message".into(),
        };
        let signature = sign_batch(
            &place.algorithms,
            &mut system_rng(),
            NonceKind::Deterministic,
            &[request],
        )
        .remove(0);
        let refused = signature.as_ref().err().cloned();
        let wanted = expected.map(|error| SignError::Rsa(error.into()));
        assert_eq!(refused, wanted, "{scheme:?}");
        let request = VerifyRequest {
            key: &signing.verifying_key(),
            scheme,
            content: b"a message".into(),
            signature: &signature.unwrap_or_default(),
        };
        let verdict = verify_batch(&place.algorithms, &[request]).remove(0);
        let wanted = expected.map(|error| VerifyError::Rsa(error.into()));
        assert_eq!(verdict.err(), wanted, "{scheme:?}");
    }
}

/// A key for PSS with these parameters, as a key of RSA.
fn bound_key(place: &Place) -> rsa::PrivateKey {
    let PrivateKey::Rsa(key) = pss_key(place, PSS_SHA384) else {
        panic!("RSA")
    };
    *key
}

/// A verifier that takes any salt still takes none that is too short for the key.
#[test]
fn salts_that_are_too_short_for_the_key() {
    let place = Place::new();
    let bound = bound_key(&place);
    let (sha256, sha384) = (Hash::Sha256, Hash::Sha384);
    let pss = |salt_len| rsa::Scheme::Pss {
        salt_len,
        mgf1: Some(sha256.into()),
    };
    let unrestricted = rsa::PrivateKey::from_pem_or_der(&bound.to_pkcs1_der(), None).unwrap();
    let unrestricted = PrivateKey::Rsa(Box::new(unrestricted));
    let signing = SigningKey::new(&place.algorithms, &unrestricted).unwrap();
    let public = PublicKey::Rsa(bound.public_key().clone());
    let verifying = VerifyingKey::new(&place.algorithms, &public).unwrap();
    for (salt, accepted) in [(49, false), (50, true), (60, true)] {
        let scheme = Scheme::Rsa(pss(SaltLen::Bytes(salt)), sha384);
        let request = SignRequest {
            key: &signing,
            scheme,
            content: b"a message".into(),
        };
        let signature = sign_batch(
            &place.algorithms,
            &mut system_rng(),
            NonceKind::Deterministic,
            &[request],
        )
        .remove(0);
        let request = VerifyRequest {
            key: &verifying,
            scheme: Scheme::Rsa(pss(SaltLen::Any), sha384),
            content: b"a message".into(),
            signature: &signature.unwrap(),
        };
        let verdict = verify_batch(&place.algorithms, &[request]).remove(0);
        assert_eq!(verdict.is_ok(), accepted, "{salt}");
    }
}

#[test]
fn keys_for_pss_neither_decrypt_nor_compute_without_padding() {
    let place = Place::new();
    let bound = &bound_key(&place);
    let engine = place.algorithms.engine();
    let refused = rsa::KeyError::Restricted(RestrictionError::Purpose("decrypt"));
    assert_eq!(rsa::DecryptionKey::new(engine, bound).err(), Some(refused));
    let refused = rsa::KeyError::Restricted(RestrictionError::Purpose("encrypt"));
    let encryption = rsa::EncryptionKey::new(engine, bound.public_key());
    assert_eq!(encryption.err(), Some(refused));
    let key = rsa::SigningKey::new(engine, bound).unwrap();
    let request = rsa::raw::PrivateRequest {
        key: &key,
        number: &2u32.into(),
    };
    let power = rsa::raw::private_batch(engine, &mut system_rng(), &[request]).remove(0);
    assert!(matches!(power, Err(rsa::raw::RawError::Restricted(_))));
}

#[test]
fn parameters_of_pss_that_are_refused() {
    let read = |parameters: &[u8]| {
        // SubjectPublicKeyInfo with these parameters, in which nothing else is looked at before.
        let oid = [6, 9, 42, 134, 72, 134, 247, 13, 1, 1, 10];
        let algorithm = [&oid[..], parameters].concat();
        let key = rsa::PublicKey::from_pem_or_der(&fixture("rsa2048.pkcs1.pub.pem")).unwrap();
        let key = [&[0][..], &key.to_pkcs1_der()].concat();
        let element = |tag: u8, value: &[u8]| {
            let length = value.len() as u16;
            [&[tag, 0x82][..], &length.to_be_bytes(), value].concat()
        };
        // Lengths below 256 have a shorter form.
        let algorithm = [&[0x30, algorithm.len() as u8][..], &algorithm].concat();
        let spki = [algorithm, element(3, &key)].concat();
        rsa::PublicKey::from_pem_or_der(&element(0x30, &spki))
    };
    let restriction = read(&[]).unwrap().restriction().unwrap();
    assert_eq!(restriction.parameters, None);
    // All defaults: SHA-1 and a salt of 20 bytes.
    let restriction = read(&[0x30, 0]).unwrap().restriction().unwrap();
    assert_eq!(restriction.parameters.unwrap().min_salt, 20);
    // A trailer of 2, MD5, a salt of 256 bytes, and NULL.
    let trailer = [0x30, 5, 0xa3, 3, 2, 1, 2];
    let md5 = [
        0x30, 14, 0xa0, 12, 0x30, 10, 6, 8, 42, 134, 72, 134, 247, 13, 2, 5,
    ];
    let salt = [0x30, 6, 0xa2, 4, 2, 2, 1, 0];
    for parameters in [&trailer[..], &md5, &salt, &[5, 0]] {
        let refused = read(parameters).unwrap_err();
        assert!(
            matches!(refused, rsa::KeyError::File(KeyFileError::Malformed(_))),
            "{refused}"
        );
    }
}
