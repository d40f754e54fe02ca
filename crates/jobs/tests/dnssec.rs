//! Zones: the examples of RFCs, and what signing keeps to whatever the zone.

use sunzi_engine::{Backend, Engine};
use sunzi_jobs::dnssec::{
    Algorithm, KeyError, Nsec3, PublicPart, Purpose, Serial, SignOptions, Signatures, Zone,
    ZoneKey, generate, sign_zone, verify_zone,
};
use sunzi_pk::keys::Algorithms;
use sunzi_pk::system_rng;

fn algorithms() -> Algorithms {
    Algorithms::new(&Engine::new(Backend::best()).unwrap())
}

const ZONE: &str = "example.com. 3600 IN SOA ns hostmaster 1 7200 3600 1209600 3600
example.com. 3600 IN NS ns.example.com.
example.com. 3600 IN MX 10 mail.example.com.
";

fn options(nsec3: Option<Nsec3>) -> SignOptions<'static> {
    SignOptions {
        now: 1_439_000_000,
        inception: 1_438_207_200,
        expiration: 1_440_021_600,
        serial: Serial::Keep,
        nsec3,
        old: &[],
        refresh: 0,
    }
}

fn read(text: &str) -> Zone {
    Zone::read(text.as_bytes(), Some("example.com."), &mut |_| {}).unwrap()
}

fn signed(
    algorithms: &Algorithms,
    text: &str,
    keys: &[ZoneKey],
    options: &SignOptions<'_>,
) -> String {
    let mut output = Vec::new();
    let (zone, rng) = (read(text), &mut system_rng());
    sign_zone(
        algorithms,
        rng,
        zone,
        keys,
        options,
        &mut output,
        &mut |_| {},
    )
    .unwrap();
    let zone = Zone::read_signed(&output[..], None, &mut |_| {}).unwrap();
    let verified = verify_zone(algorithms, &zone, options.now, &mut |defect| {
        panic!("{defect}")
    });
    assert_eq!(verified.records, zone.len() as u64);
    String::from_utf8(output).unwrap()
}

/// RFC 8080, section 6: the first and the third example.
#[test]
fn examples_of_rfc_8080() {
    let algorithms = algorithms();
    for (public, private, tag, ds, signature) in [
        (
            "example.com. 3600 IN DNSKEY 257 3 15 (\n l02Woi0iS8Aa25FQkUd9RMzZHJpBoRQwAQEX1SxZJA4= )",
            "Private-key-format: v1.2\nAlgorithm: 15 (ED25519)\n\
             PrivateKey: ODIyNjAzODQ2MjgwODAxMjI2NDUxOTAyMDQxNDIyNjI=\n",
            3613,
            "example.com. IN DS 3613 15 2 3AA5AB37EFCE57F737FC1627013FEE07BDF241BD10F3B1964AB55C78E79A304B",
            "3613 example.com. oL9krJun7xfBOIWcGHi7mag5/hdZrKWw15jPGrHpjQeRAvTdszaPD+QLs3fx8A4M3e23mRZ9VrbpMngwcrqNAg==",
        ),
        (
            "example.com. 3600 IN DNSKEY 257 3 16 \
             3kgROaDjrh0H2iuixWBrc8g2EpBBLCdGzHmn+G2MpTPhpj/OiBVHHSfPodx1FYYUcJKm1MDpJtIA",
            "Private-key-format: v1.2\nAlgorithm: 16 (ED448)\n\
             PrivateKey: xZ+5Cgm463xugtkY5B0Jx6erFTXp13rYegst0qRtNsOYnaVpMx0Z/c5EiA9x8wWbDDct/U3FhYWA\n",
            9713,
            "example.com. IN DS 9713 16 2 6CCF18D5BC5D7FC2FCEB1D59D17321402F2AA8D368048DB93DD811F5CB2B19C7",
            "9713 example.com. 3cPAHkmlnxcDHMyg7vFC34l0blBhuG1qpwLmjInI8w1CMB29FkEAIJUA0amxWndkmnBZ6SKiwZSAxGILn/NBtOXft0+\
             Gj7FSvOKxE/07+4RQvE581N3Aj/JtIyaiYVdnYtyMWbSNyGEY2213WKsJlwEA",
        ),
    ] {
        let public = PublicPart::read(public.as_bytes()).unwrap();
        assert_eq!((public.tag(), &public.ds()[..]), (tag, ds));
        assert!(public.signs_keys());
        let key = ZoneKey::new(&algorithms, public, private.as_bytes()).unwrap();
        let text = signed(&algorithms, ZONE, &[key], &options(None));
        let expected = format!(
            "example.com. 3600 IN RRSIG MX {} 2 3600 20150819220000 20150729220000 {signature}\n",
            if tag == 3613 { 15 } else { 16 },
        );
        assert!(text.contains(&expected), "{expected}\n{text}");
    }
}

/// RFC 6605, section 6: the keys, whose signatures were made with random nonces.
#[test]
fn keys_of_rfc_6605() {
    let algorithms = algorithms();
    let public = PublicPart::read(
        b"example.net. 3600 IN DNSKEY 257 3 13 (
          GojIhhXUN/u4v54ZQqGSnyhWJwaubCvTmeexv7bR6edb
          krSqQpF64cYbcB7wNcP+e+MAnLr+Wi9xMWyQLc8NAA== )",
    )
    .unwrap();
    assert_eq!(public.tag(), 55648);
    assert_eq!(
        public.ds(),
        "example.net. IN DS 55648 13 2 B4C8C1FE2E7477127B27115656AD6256F424625BF5C1E2770CE6D6E37DF61D17"
    );
    let private = b"Private-key-format: v1.2\nAlgorithm: 13 (ECDSAP256SHA256)\n\
        PrivateKey: GU6SnQ/Ou+xC5RumuIUIuJZteXT2z0O/ok1s38Et6mQ=\n";
    ZoneKey::new(&algorithms, public, private).unwrap();
}

#[test]
fn new_keys_are_read_again() {
    let (algorithms, rng) = (algorithms(), &mut system_rng());
    for algorithm in Algorithm::ALL {
        let (public, private) = generate(
            &algorithms,
            "Example.com",
            algorithm,
            2048,
            Purpose::Zone,
            5,
            rng,
        )
        .unwrap();
        assert!(!public.signs_keys());
        let read = PublicPart::read(public.record().as_bytes()).unwrap();
        assert_eq!(read, public);
        ZoneKey::new(&algorithms, read, private.as_bytes()).unwrap();
        let name = format!(
            "Kexample.com.+{:03}+{:05}",
            algorithm.number(),
            public.tag()
        );
        assert_eq!(public.file_name(), name);
    }
    for wrong in [
        "",
        "a. IN A 192.0.2.1",
        "a. IN DNSKEY 257 3 13 AAAA\na. IN DNSKEY 257 3 13 AAAA",
    ] {
        let error = PublicPart::read(wrong.as_bytes()).unwrap_err();
        assert!(matches!(error, KeyError::NotDnskey(_)), "{error}");
    }
    let error = PublicPart::read(b"a. IN DNSKEY 257 3 5 AAAA").unwrap_err();
    assert_eq!(error, KeyError::Algorithm(5));
    let error = PublicPart::read(b"a. IN DNSKEY 0 3 13 AAAA").unwrap_err();
    assert_eq!(error, KeyError::NotZoneKey);
}

fn key(algorithms: &Algorithms, purpose: Purpose) -> ZoneKey {
    let algorithm = Algorithm::EcdsaP256Sha256;
    let rng = &mut system_rng();
    let (public, private) =
        generate(algorithms, "example.com.", algorithm, 0, purpose, 5, rng).unwrap();
    ZoneKey::new(algorithms, public, private.as_bytes()).unwrap()
}

#[test]
fn only_what_is_the_zones_own_is_signed() {
    let algorithms = algorithms();
    let keys = [
        key(&algorithms, Purpose::Keys),
        key(&algorithms, Purpose::Zone),
    ];
    let text = format!(
        "{ZONE}*.Wild.example.com. 5 IN TXT \"any\"
sub.example.com. 5 IN NS ns.sub.example.com.
ns.sub.example.com. 5 IN A 192.0.2.1
safe.example.com. 5 IN NS ns.sub.example.com.
safe.example.com. 5 IN DS 1 13 2 0000000000000000000000000000000000000000000000000000000000000000
a.b.c.example.com. 5 IN A 192.0.2.2
"
    );
    let nsec = signed(&algorithms, &text, &keys, &options(None));
    let has = |text: &str, words: &str| text.contains(words);
    let [all, zone] = [0, 1].map(|k| keys[k].public().tag());
    for words in [
        &format!(
            "example.com. 3600 IN RRSIG DNSKEY 13 2 3600 20150819220000 20150729220000 {all} "
        )[..],
        &format!("*.wild.example.com. 5 IN RRSIG TXT 13 3 5 20150819220000 20150729220000 {zone} "),
        &format!("safe.example.com. 5 IN RRSIG DS 13 3 5 20150819220000 20150729220000 {zone} "),
        "example.com. 3600 IN NSEC a.b.c.example.com. NS SOA MX RRSIG NSEC DNSKEY\n",
        "a.b.c.example.com. 3600 IN NSEC safe.example.com. A RRSIG NSEC\n",
        "safe.example.com. 3600 IN NSEC sub.example.com. NS DS RRSIG NSEC\n",
        "sub.example.com. 3600 IN NSEC *.wild.example.com. NS RRSIG NSEC\n",
        "*.wild.example.com. 3600 IN NSEC example.com. TXT RRSIG NSEC\n",
    ] {
        assert!(has(&nsec, words), "{words}\n{nsec}");
    }
    for words in [
        "sub.example.com. 5 IN RRSIG NS ",
        "ns.sub.example.com. 5 IN RRSIG",
        "safe.example.com. 5 IN RRSIG NS ",
    ] {
        assert!(!has(&nsec, words), "{words}\n{nsec}");
    }
    // Signed again as it is, the zone is the same; as NSEC3, it has the empty names between.
    assert_eq!(signed(&algorithms, &nsec, &keys, &options(None)), nsec);
    let nsec3 = signed(&algorithms, &nsec, &keys, &options(Some(Nsec3::default())));
    // The apex, wild and *.wild, sub, safe, and c, b.c, a.b.c.
    assert_eq!(nsec3.matches(" IN NSEC3 ").count(), 8);
    assert!(!has(&nsec3, " IN NSEC "));
    let opt_out = Nsec3 {
        opt_out: true,
        ..Nsec3::default()
    };
    let nsec3 = signed(&algorithms, &nsec, &keys, &options(Some(opt_out)));
    assert_eq!(nsec3.matches(" IN NSEC3 ").count(), 7);
}

#[test]
fn old_signatures_are_kept_only_if_they_are_valid() {
    let algorithms = algorithms();
    let keys = [key(&algorithms, Purpose::Keys)];
    let first = signed(&algorithms, ZONE, &keys, &options(None));
    let kept = |old: &str, options: &SignOptions| {
        let zone = read(ZONE);
        let old = Signatures::read(old.as_bytes(), &zone, &mut |_| {}).unwrap();
        let (rng, mut output) = (&mut system_rng(), Vec::new());
        let options = SignOptions {
            old: &[old],
            ..options.clone()
        };
        let signed = sign_zone(
            &algorithms,
            rng,
            zone,
            &keys,
            &options,
            &mut output,
            &mut |_| {},
        );
        signed.unwrap().kept
    };
    // SOA, NS, MX, DNSKEY, NSEC.
    assert_eq!(kept(&first, &options(None)), 5);
    let refresh = |refresh| SignOptions {
        refresh,
        ..options(None)
    };
    assert_eq!(kept(&first, &refresh(1_440_021_600 - 1_439_000_000 - 1)), 5);
    assert_eq!(kept(&first, &refresh(1_440_021_600 - 1_439_000_000)), 0);
    assert_eq!(kept(&first, &refresh(u32::MAX)), 0);
    // Another signature of the same set is none of it.
    let mx = first
        .lines()
        .find(|line| line.contains("RRSIG MX"))
        .unwrap();
    let ns = first
        .lines()
        .find(|line| line.contains("RRSIG NS "))
        .unwrap();
    let signature = |line: &str| line.rsplit(' ').next().unwrap().to_owned();
    let swapped = first.replace(&signature(mx), &signature(ns));
    assert_eq!(kept(&swapped, &options(None)), 4);
    assert_eq!(kept(ZONE, &options(None)), 0);
}

/// Numbers that look random, the same at every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % bound
    }
}

#[test]
fn damaged_zones_are_read_or_refused() {
    let algorithms = algorithms();
    let keys = [key(&algorithms, Purpose::Keys)];
    let text = format!(
        "$ORIGIN example.com.\n{ZONE}a 5 IN TXT \"a;(b\" \\( ( c
 \"d\" )\n  5 IN CAA 0 issue \"ca\"\n\\000\\.b MX 5 @\n@ IN TYPE65280 \\# 2 ab cd
c IN HTTPS 1 . alpn=\"h2,h3\" port=5\nd IN NAPTR 1 2 \"s\" \"a\" \"!^.*$!x!\" .\n$TTL 7\ne IN SRV 1 2 3 f\n"
    );
    let signed = signed(&algorithms, &text, &keys, &options(Some(Nsec3::default())));
    let mut numbers = Numbers(1);
    let mut read = [0; 2];
    for round in 0..20_000 {
        let mut damaged = [text.as_bytes(), signed.as_bytes()][round % 2].to_vec();
        for _ in 0..=numbers.below(3) {
            let at = numbers.below(damaged.len());
            match numbers.below(4) {
                0 => damaged[at] = b"\n\t \\\"();@$.#019-\0\xff"[numbers.below(18)],
                1 => {
                    damaged.remove(at);
                }
                2 => damaged.truncate(at.max(40)),
                _ => damaged.extend_from_within(at..(at + 20).min(damaged.len())),
            }
        }
        if let Ok(zone) = Zone::read_signed(&damaged[..], Some("example.com."), &mut |_| {}) {
            read[round % 2] += 1;
            if round % 50 < 2 {
                verify_zone(&algorithms, &zone, 1_439_000_000, &mut |_| {});
            }
        }
    }
    assert!(read.iter().all(|&count| count > 100), "{read:?}");
}
