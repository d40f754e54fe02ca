//! Zones of the domain name system, signed and verified (RFC 4033 to 4035, 5155, 9276).
//!
//! [`sign_zone`] signs a [`Zone`] with the [`ZoneKey`]s of BIND's or Knot's files, [`verify_zone`] verifies a signed one.
//! Zone files are read, and data written, by the crate `domain`; signatures are made and verified by `sunzi-pk`, in
//! batches.
//!
//! ```
//! use sunzi_engine::{Backend, Engine};
//! use sunzi_jobs::dnssec::{
//!     Algorithm, Purpose, Serial, SignOptions, Zone, ZoneKey, generate, sign_zone, verify_zone,
//! };
//! use sunzi_pk::keys::Algorithms;
//! use sunzi_pk::system_rng;
//!
//! let algorithms = Algorithms::new(&Engine::new(Backend::best())?);
//! let rng = &mut system_rng();
//! let now = 1_764_115_200;
//! let (public, private) =
//!     generate(&algorithms, "example.", Algorithm::EcdsaP256Sha256, 0, Purpose::Keys, now, rng)?;
//! let key = ZoneKey::new(&algorithms, public, private.as_bytes())?;
//!
//! let file = "example. 3600 IN SOA ns hostmaster 1 7200 3600 1209600 3600
//! example. 3600 IN NS ns.example.
//! ns.example. 3600 IN A 192.0.2.1
//! ";
//! let zone = Zone::read(file.as_bytes(), Some("example."), &mut |_| {})?;
//! let options = SignOptions {
//!     now,
//!     inception: now - 3600,
//!     expiration: now + 30 * 86_400,
//!     serial: Serial::Increment,
//!     nsec3: None,
//!     old: &[],
//!     refresh: 0,
//! };
//! let mut output = Vec::new();
//! let signed = sign_zone(&algorithms, rng, zone, &[key], &options, &mut output, &mut |_| {})?;
//! // SOA, NS, DNSKEY, A, and two NSEC records.
//! assert_eq!((signed.signatures, signed.serial), (6, 2));
//!
//! let zone = Zone::read_signed(&output[..], None, &mut |_| {})?;
//! let verified = verify_zone(&algorithms, &zone, now, &mut |defect| panic!("{defect}"));
//! assert_eq!((verified.signatures, verified.defects), (6, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod algorithm;
mod batch;
mod defect;
mod denial;
mod entries;
mod error;
mod generate;
mod keys;
mod name;
mod options;
mod public;
mod resign;
mod rrsig;
mod sign;
mod signers;
mod store;
mod text;
mod verify;
mod zone;

pub use algorithm::Algorithm;
pub use defect::{Defect, Reason};
pub use denial::Nsec3;
pub use error::{EntryError, KeyError, SignError, ZoneError};
pub use generate::{Purpose, generate};
pub use keys::ZoneKey;
pub use options::{Serial, SignOptions};
pub use public::PublicPart;
pub use resign::Signatures;
pub use rrsig::{read_time, write_time};
pub use sign::{Signed, sign_zone};
pub use verify::{Verified, verify_zone};
pub use zone::Zone;
