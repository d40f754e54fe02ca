//! JSON Web Tokens (RFC 7519) and compact JSON Web Signatures (RFC 7515), many at a time, by the advice of RFC 8725.
//!
//! A token is verified by the one key that its `kid` names in a JSON Web Key Set, and by no algorithm but that key's.
//! What is refused gets a [`Refusal`] in its place, never an acceptance: `alg` none, an algorithm that is not the
//! key's, any `crit` (no extension is known), an identifier that is missing, unknown or double, double members in JSON,
//! whitespace or padding in base64url.
//!
//! ```
//! use sunzi_engine::{Backend, Engine};
//! use sunzi_jobs::jwt::{Keys, Rules, Signer, sign_batch, verify_batch};
//! use sunzi_pk::keys::{Algorithms, NonceKind, PrivateKey};
//! use sunzi_pk::system_rng;
//!
//! let algorithms = Algorithms::new(&Engine::new(Backend::best())?);
//! let private = PrivateKey::generate(&algorithms, "P-256", &mut system_rng())?;
//! let signer = Signer::new(&algorithms, &private, Some("ES256"), Some("key 1"), Some("JWT"))?;
//! let claims: [&[u8]; 2] = [br#"{"sub":"a","exp":2000}"#, br#"{"sub":"b","exp":1000}"#];
//! let nonces = NonceKind::Deterministic;
//! let tokens = sign_batch(&algorithms, &mut system_rng(), nonces, &signer, &claims);
//! let tokens: Vec<String> = tokens.into_iter().collect::<Result<_, _>>()?;
//!
//! let jwk = private.public_key().to_jwk()?.replacen('{', r#"{"kid":"key 1","#, 1);
//! let keys = Keys::from_json(&algorithms, format!(r#"{{"keys":[{jwk}]}}"#).as_bytes())?;
//! let tokens: Vec<&[u8]> = tokens.iter().map(String::as_bytes).collect();
//! let verdicts = verify_batch(&algorithms, &keys, &Rules::at(1500), &tokens);
//! assert_eq!(verdicts[0].as_ref().unwrap().payload, claims[0]);
//! assert_eq!(verdicts[1].as_ref().unwrap_err().to_string(), "it expired 500 seconds ago");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod claims;
mod error;
mod header;
mod jwk;
mod keys;
mod method;
mod sign;
mod verify;

pub use claims::Rules;
pub use error::{KeysError, MAX_TOKEN_BYTES, Refusal, SignError};
pub use keys::Keys;
pub use sign::{Signer, sign_batch};
pub use verify::{Verified, verify_batch};
