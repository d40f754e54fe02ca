//! Verification of SSHSIG by a key, or by the keys of an allowed signers file.

use super::allowed::{self, Line, Unfit};
use super::error::{KeyError, Refusal};
use super::keys::{CERTIFICATE, SignatureAlgorithm, blob_of, name_of};
use super::sign::{check_namespace, signed_data};
use super::signature::Signature;
use std::collections::HashMap;
use std::convert::Infallible;
use sunzi_pk::batch::answered;
use sunzi_pk::keys::{
    self, Algorithms, PublicKey, Scheme, VerifyError, VerifyRequest, VerifyingKey,
};
use sunzi_pk::{Digest, Hash};

/// Who may sign, and for what.
#[derive(Debug)]
pub struct Verifier {
    namespace: String,
    /// Whose signatures are accepted; anybody's in the file without it.
    identity: Option<String>,
    /// In seconds since 1970.
    now: u64,
    /// By the key as it stands in signatures.
    trusted: HashMap<Vec<u8>, Trusted>,
}

#[derive(Debug)]
struct Trusted {
    key: VerifyingKey,
    /// The lines with this key; none if it may sign without conditions.
    lines: Vec<Line>,
}

/// A signature whose key may have made it: what is left is to verify it with the digest of the message.
#[derive(Clone, Debug)]
pub struct Claim<'a> {
    key: &'a VerifyingKey,
    scheme: Scheme<'static>,
    namespace: &'a str,
    hash: Hash,
    raw: Vec<u8>,
}

impl Claim<'_> {
    /// The hash by which the message is wanted.
    pub fn hash(&self) -> Hash {
        self.hash
    }
}

impl Verifier {
    /// Accepts signatures by this key in a namespace.
    ///
    /// # Errors
    /// [`KeyError::Key`], [`KeyError::EmptyNamespace`].
    pub fn of_key(
        algorithms: &Algorithms,
        key: &PublicKey,
        namespace: &str,
    ) -> Result<Self, KeyError> {
        check_namespace(namespace)?;
        let mut trusted = HashMap::new();
        let (blob, key) = prepared(algorithms, key).map_err(KeyError::Key)?;
        let lines = Vec::new();
        trusted.insert(blob, Trusted { key, lines });
        Ok(Self {
            namespace: namespace.into(),
            identity: None,
            now: 0,
            trusted,
        })
    }

    /// Accepts signatures in a namespace that an allowed signers file allows at a time, in seconds since 1970: by
    /// `identity`, or by anybody in the file. Lines with the option cert-authority, and those about kinds of keys that
    /// SSHSIG is not verified for here (DSA, security keys), allow nothing.
    ///
    /// # Errors
    /// [`KeyError::Line`], also for times that are not in UTC; [`KeyError::EmptyNamespace`].
    pub fn of_allowed_signers(
        algorithms: &Algorithms,
        file: &[u8],
        namespace: &str,
        identity: Option<&str>,
        now: u64,
    ) -> Result<Self, KeyError> {
        check_namespace(namespace)?;
        let mut trusted: HashMap<Vec<u8>, Trusted> = HashMap::new();
        for (key, line) in allowed::read(file)? {
            let (blob, key) = prepared(algorithms, &key).map_err(KeyError::Key)?;
            let lines = Vec::new();
            let place = trusted.entry(blob).or_insert(Trusted { key, lines });
            place.lines.push(line);
        }
        Ok(Self {
            namespace: namespace.into(),
            identity: identity.map(Into::into),
            now,
            trusted,
        })
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.trusted.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.trusted.is_empty()
    }

    /// What a signature claims, if its key may make it.
    ///
    /// # Errors
    /// [`Refusal::Namespace`], [`Refusal::Certificate`], [`Refusal::UnknownKey`], [`Refusal::Identity`],
    /// [`Refusal::NotInNamespace`], [`Refusal::Time`], [`Refusal::Signature`].
    pub fn claim(&self, signature: &Signature) -> Result<Claim<'_>, Refusal> {
        if signature.namespace != self.namespace {
            return Err(Refusal::Namespace(signature.namespace.clone()));
        }
        let Some(Trusted { key, lines }) = self.trusted.get(&signature.key) else {
            let name = name_of(&signature.key);
            return Err(match name {
                Some(name) if name.ends_with(CERTIFICATE) => Refusal::Certificate,
                _ => Refusal::UnknownKey,
            });
        };
        let identity = self.identity.as_deref();
        let mut fit = Ok(());
        for line in lines {
            fit = line.check(identity, &self.namespace, self.now);
            if fit.is_ok() {
                break;
            }
        }
        fit.map_err(|unfit| match unfit {
            Unfit::Identity => Refusal::Identity(self.identity.clone().unwrap_or_default()),
            Unfit::Namespace => Refusal::NotInNamespace(self.namespace.clone()),
            Unfit::Time => Refusal::Time,
        })?;
        let decoded = SignatureAlgorithm::decode(key.public_key(), &signature.blob);
        let (scheme, raw) = decoded.map_err(Refusal::Signature)?;
        Ok(Claim {
            key,
            scheme,
            namespace: &self.namespace,
            hash: signature.hash,
            raw,
        })
    }
}

fn prepared(algorithms: &Algorithms, key: &PublicKey) -> Result<(Vec<u8>, VerifyingKey), String> {
    let blob = blob_of(key)?;
    let key = VerifyingKey::new(algorithms, key).map_err(|error| error.to_string())?;
    Ok((blob, key))
}

/// Whether each signature is one of the message with this digest, in the same order. A digest by another
/// [hash](Claim::hash) than the signature's makes it invalid.
pub fn verify_batch(
    algorithms: &Algorithms,
    claims: &[(Claim<'_>, Digest)],
) -> Vec<Result<(), Refusal>> {
    let texts = claims.iter().map(|(claim, digest)| {
        let data = signed_data(claim.namespace, digest).ok();
        let data = data.filter(|_| digest.hash() == claim.hash);
        Ok((claim, data.ok_or(Refusal::Invalid)?))
    });
    let verify = |texts: &[(&Claim<'_>, Vec<u8>)]| {
        let requests = texts.iter().map(|(claim, text)| VerifyRequest {
            key: claim.key,
            scheme: claim.scheme,
            content: text[..].into(),
            signature: &claim.raw,
        });
        let requests: Vec<_> = requests.collect();
        let verdicts = keys::verify_batch(algorithms, &requests).into_iter();
        let verdicts = verdicts.map(|verdict| verdict.map_err(refusal));
        Ok::<_, Infallible>(verdicts.collect())
    };
    let verdicts = answered(texts, verify, || Refusal::Invalid);
    verdicts.unwrap_or_else(|never| match never {})
}

fn refusal(error: VerifyError) -> Refusal {
    if error.is_undecided() {
        Refusal::Undecided(Box::new(error))
    } else {
        Refusal::Invalid
    }
}
