//! Keys for [rustls] whose signatures are computed in batches: for servers with a thread for each connection.
//!
//! [`Keys`] makes [`SigningKey`]s of private keys: RSA, and ECDSA on P-256, P-384 and P-521. The signatures that the
//! threads of a server ask for at the same time, by any of these keys, become batches ([`sunzi_gather`]). A batch needs
//! more threads that wait than processors; a server with one thread signs one by one. Signatures are checked before
//! they are returned.
//!
//! ```no_run
//! use std::sync::Arc;
//! use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
//! use rustls::server::ResolvesServerCert;
//! use rustls::sign::{CertifiedKey, SingleCertAndKey};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let keys = sunzi_rustls::Keys::new()?;
//! let chain = CertificateDer::pem_file_iter("server.crt")?.collect::<Result<Vec<_>, _>>()?;
//! let key = keys.key(&PrivateKeyDer::from_pem_file("server.pem")?)?;
//! let resolver = SingleCertAndKey::from(CertifiedKey::new(chain, Arc::new(key)));
//! let config = rustls::ServerConfig::builder()
//!     .with_no_client_auth()
//!     .with_cert_resolver(Arc::new(resolver));
//! # Ok(())
//! # }
//! ```

use core::fmt;
use std::sync::Arc;

use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::SubjectPublicKeyInfoDer;
use rustls::sign::{Signer, SigningKey};
use rustls::{Error, OtherError, SignatureAlgorithm, SignatureScheme};
use sunzi_engine::{Backend, Engine, on_calling_thread};
use sunzi_gather::{Compute, Gatherer, Limits, Statistics};
use sunzi_pk::ec::ecdsa::{Encoding, SRange};
use sunzi_pk::keys::{self, Algorithms, NonceKind, PrivateKey, PublicKey, Scheme, SignRequest};
use sunzi_pk::{Hash, KdfLimits, rsa, system_rng};

/// Makes keys whose signatures share batches. Cheap to clone. A child of a fork makes its own.
#[derive(Clone)]
pub struct Keys(Arc<Shared>);

struct Shared {
    algorithms: Algorithms,
    gatherer: Gatherer<Signing, Box<dyn Fn() -> Signing + Send + Sync>>,
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").finish_non_exhaustive()
    }
}

/// A message to sign.
#[derive(Clone)]
struct Request {
    key: keys::SigningKey,
    scheme: Scheme<'static>,
    message: Vec<u8>,
}

/// Signatures in batches.
struct Signing(Algorithms);

/// The signatures of messages, in order, with hedged nonces.
fn sign(algorithms: &Algorithms, requests: &[Request]) -> Vec<Result<Vec<u8>, Error>> {
    let requests = requests.iter().map(|request| SignRequest {
        key: &request.key,
        scheme: request.scheme,
        content: request.message[..].into(),
    });
    let requests: Vec<_> = requests.collect();
    let nonces = NonceKind::Hedged;
    let made =
        on_calling_thread(|| keys::sign_batch(algorithms, &mut system_rng(), nonces, &requests));
    made.into_iter().map(|made| made.map_err(other)).collect()
}

impl Compute for Signing {
    type Request = Request;
    type Answer = Result<Vec<u8>, Error>;

    fn least(&self, _: usize) -> usize {
        1
    }

    fn compute(&self, _: usize, requests: Vec<Request>) -> Option<Vec<Option<Self::Answer>>> {
        Some(sign(&self.0, &requests).into_iter().map(Some).collect())
    }
}

impl Keys {
    /// Keys on the fastest engine of this processor, with the usual [`Limits`].
    ///
    /// # Errors
    /// [`Error::Other`] if no engine can be made.
    pub fn new() -> Result<Self, Error> {
        let engine = Engine::new(Backend::best()).map_err(other)?;
        Ok(Self::with(&engine, Limits::default()))
    }

    /// Keys on this engine, with these limits.
    pub fn with(engine: &Engine, limits: Limits) -> Self {
        let algorithms = Algorithms::new(engine);
        let own = algorithms.clone();
        let make: Box<dyn Fn() -> Signing + Send + Sync> = Box::new(move || Signing(own.clone()));
        Self(Arc::new(Shared {
            algorithms,
            gatherer: Gatherer::new(limits, 1, make),
        }))
    }

    /// A key: RSA, P-256, P-384 or P-521, in any format.
    ///
    /// # Errors
    /// [`Error::General`] with the reason, for a key that is refused or of another algorithm.
    pub fn key(&self, der: &PrivateKeyDer<'_>) -> Result<GatheredKey, Error> {
        let general = |error: keys::KeyError| Error::General(error.to_string());
        let algorithms = &self.0.algorithms;
        let key =
            PrivateKey::from_pem_or_der(algorithms, der.secret_der(), None, KdfLimits::default());
        let key = key.map_err(general)?;
        let schemes = schemes(&key.public_key());
        if schemes.is_empty() {
            let algorithm = key.public_key().algorithm();
            return Err(Error::General(format!(
                "keys of {algorithm} are not for this: RSA, P-256, P-384 and P-521 are"
            )));
        }
        let key = keys::SigningKey::new(algorithms, &key).map_err(general)?;
        Ok(GatheredKey {
            public: key.public_key().to_spki_der().map_err(general)?,
            keys: self.clone(),
            key,
            schemes,
        })
    }

    /// What the gatherer of these keys has counted.
    pub fn statistics(&self) -> Statistics {
        self.0.gatherer.statistics()
    }
}

/// An error of this crate's as one of rustls.
fn other(error: impl core::error::Error + Send + Sync + 'static) -> Error {
    Error::Other(OtherError(Arc::new(error)))
}

/// The schemes of TLS that a key signs by, the best first.
fn schemes(key: &PublicKey) -> Vec<SignatureScheme> {
    use SignatureScheme as Name;
    match key {
        PublicKey::Rsa(_) => vec![
            Name::RSA_PSS_SHA512,
            Name::RSA_PSS_SHA384,
            Name::RSA_PSS_SHA256,
            Name::RSA_PKCS1_SHA512,
            Name::RSA_PKCS1_SHA384,
            Name::RSA_PKCS1_SHA256,
        ],
        PublicKey::Ec(key) => match key.curve().name() {
            Some("P-256") => vec![Name::ECDSA_NISTP256_SHA256],
            Some("P-384") => vec![Name::ECDSA_NISTP384_SHA384],
            Some("P-521") => vec![Name::ECDSA_NISTP521_SHA512],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// A scheme of TLS as Sunzi has it.
fn own_scheme(scheme: SignatureScheme) -> Option<Scheme<'static>> {
    use SignatureScheme as Name;
    let ecdsa = |hash| Scheme::Ecdsa {
        hash,
        encoding: Encoding::Der,
        s: SRange::Any,
    };
    Some(match scheme {
        Name::RSA_PSS_SHA512 => Scheme::Rsa(rsa::Scheme::PSS, Hash::Sha512),
        Name::RSA_PSS_SHA384 => Scheme::Rsa(rsa::Scheme::PSS, Hash::Sha384),
        Name::RSA_PSS_SHA256 => Scheme::Rsa(rsa::Scheme::PSS, Hash::Sha256),
        Name::RSA_PKCS1_SHA512 => Scheme::Rsa(rsa::Scheme::Pkcs1v15, Hash::Sha512),
        Name::RSA_PKCS1_SHA384 => Scheme::Rsa(rsa::Scheme::Pkcs1v15, Hash::Sha384),
        Name::RSA_PKCS1_SHA256 => Scheme::Rsa(rsa::Scheme::Pkcs1v15, Hash::Sha256),
        Name::ECDSA_NISTP256_SHA256 => ecdsa(Hash::Sha256),
        Name::ECDSA_NISTP384_SHA384 => ecdsa(Hash::Sha384),
        Name::ECDSA_NISTP521_SHA512 => ecdsa(Hash::Sha512),
        _ => return None,
    })
}

/// A private key for rustls.
#[derive(Clone, Debug)]
pub struct GatheredKey {
    keys: Keys,
    key: keys::SigningKey,
    /// The public half, as `SubjectPublicKeyInfo`.
    public: Vec<u8>,
    schemes: Vec<SignatureScheme>,
}

impl SigningKey for GatheredKey {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        let mut schemes = self.schemes.iter().copied();
        let name = schemes.find(|scheme| offered.contains(scheme))?;
        let signer = GatheredSigner {
            keys: self.keys.clone(),
            key: self.key.clone(),
            name,
            scheme: own_scheme(name)?,
        };
        Some(Box::new(signer))
    }

    fn public_key(&self) -> Option<SubjectPublicKeyInfoDer<'_>> {
        Some(SubjectPublicKeyInfoDer::from(&self.public[..]))
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        match self.key.public_key() {
            PublicKey::Rsa(_) => SignatureAlgorithm::RSA,
            _ => SignatureAlgorithm::ECDSA,
        }
    }
}

/// A key with a scheme.
#[derive(Debug)]
struct GatheredSigner {
    keys: Keys,
    key: keys::SigningKey,
    name: SignatureScheme,
    scheme: Scheme<'static>,
}

impl Signer for GatheredSigner {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let shared = &*self.keys.0;
        let request = || Request {
            key: self.key.clone(),
            scheme: self.scheme,
            message: message.to_vec(),
        };
        let alone = || sign(&shared.algorithms, &[request()]).swap_remove(0);
        shared.gatherer.call(0, || Some(request()), alone)
    }

    fn scheme(&self) -> SignatureScheme {
        self.name
    }
}
