//! A server with a thread for each connection, and rustls's own client, which checks each signature.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection, StreamOwned,
    SupportedProtocolVersion,
};
use sunzi_gather::KindStatistics;
use sunzi_rustls::Keys;

const CLIENTS: usize = 16;
const EACH: usize = 4;

/// Handshakes of clients at the same time.
fn handshakes(
    keys: &Keys,
    der: &PrivateKeyDer<'_>,
    certificate: &CertificateDer<'static>,
    version: &'static SupportedProtocolVersion,
) {
    let key = Arc::new(keys.key(der).unwrap());
    let certified = CertifiedKey::new(vec![certificate.clone()], key);
    certified.keys_match().unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let server = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[version])
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(certified)));
    let server = Arc::new(server);
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).unwrap();
    let client = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[version])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let client = Arc::new(client);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                for _ in 0..EACH {
                    let (stream, _) = listener.accept().unwrap();
                    let connection = ServerConnection::new(Arc::clone(&server)).unwrap();
                    StreamOwned::new(connection, stream)
                        .write_all(b"hello")
                        .unwrap();
                }
            });
            scope.spawn(|| {
                for _ in 0..EACH {
                    // A session is never resumed: each handshake has a signature.
                    let mut config = (*client).clone();
                    config.resumption = rustls::client::Resumption::disabled();
                    let name = ServerName::try_from("localhost").unwrap();
                    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
                    let stream = TcpStream::connect(address).unwrap();
                    let mut hello = [0; 5];
                    let mut stream = StreamOwned::new(connection, stream);
                    stream.read_exact(&mut hello).unwrap();
                    assert_eq!(&hello, b"hello");
                }
            });
        }
    });
}

#[test]
fn every_handshake_has_a_right_signature() {
    let keys = Keys::new().unwrap();
    let mut rounds = 0;
    for algorithm in [
        &rcgen::PKCS_ECDSA_P256_SHA256,
        &rcgen::PKCS_ECDSA_P384_SHA384,
    ] {
        let pair = rcgen::KeyPair::generate_for(algorithm).unwrap();
        let parameters = rcgen::CertificateParams::new(vec!["localhost".into()]).unwrap();
        let certificate = parameters.self_signed(&pair).unwrap();
        let der = PrivateKeyDer::try_from(pair.serialize_der()).unwrap();
        for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
            handshakes(&keys, &der, certificate.der(), version);
            rounds += 1;
        }
    }
    // An RSA key, whose certificate rcgen makes of the same key.
    let file = include_str!("../../pk/tests/fixtures/rsa2048.pkcs8.pem");
    let pair = rcgen::KeyPair::from_pem(file).unwrap();
    let parameters = rcgen::CertificateParams::new(vec!["localhost".into()]).unwrap();
    let certificate = parameters.self_signed(&pair).unwrap();
    let der = PrivateKeyDer::try_from(pair.serialize_der()).unwrap();
    for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
        handshakes(&keys, &der, certificate.der(), version);
        rounds += 1;
    }
    let statistics = keys.statistics();
    let operations = statistics.kinds.iter().map(KindStatistics::operations);
    assert_eq!(operations.sum::<u64>(), (rounds * CLIENTS * EACH) as u64);
    assert_eq!(statistics.kinds[0].faults, 0);
}

/// Keys of other algorithms, and damaged ones, are refused with a reason.
#[test]
fn keys_that_are_refused() {
    let keys = Keys::new().unwrap();
    let pair = rcgen::KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap();
    let der = PrivateKeyDer::try_from(pair.serialize_der()).unwrap();
    let error = keys.key(&der).unwrap_err().to_string();
    assert!(error.contains("Ed25519"), "{error}");
    let pair = rcgen::KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256).unwrap();
    let mut bytes = pair.serialize_der();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let der = PrivateKeyDer::try_from(bytes).unwrap();
    assert!(keys.key(&der).is_err());
}
