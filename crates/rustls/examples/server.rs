//! A TLS server with a thread for each connection: `server CERTIFICATE.pem KEY.pem PORT`.

use std::error::Error;
use std::io::Write;
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use sunzi_rustls::Keys;

/// Number of threads that serve.
const THREADS: usize = 64;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, certificate, key, port] = &arguments[..] else {
        return Err("server CERTIFICATE.pem KEY.pem PORT".into());
    };
    let keys = Keys::new()?;
    let chain = CertificateDer::pem_file_iter(certificate)?.collect::<Result<Vec<_>, _>>()?;
    let key = keys.key(&PrivateKeyDer::from_pem_file(key)?)?;
    let certified = CertifiedKey::new(chain, Arc::new(key));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(certified)));
    let config = Arc::new(config);
    let listener = TcpListener::bind(("127.0.0.1", port.parse()?))?;
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Ok((stream, _)) = listener.accept() {
                    let Ok(connection) = ServerConnection::new(Arc::clone(&config)) else {
                        continue;
                    };
                    // A client that gives up is no error of the server's.
                    let _ = StreamOwned::new(connection, stream).write_all(b"hello\n");
                }
            });
        }
    });
    Ok(())
}
