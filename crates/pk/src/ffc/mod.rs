//! Groups of finite-field cryptography, as used in elections: powers of fixed bases, products of powers, membership,
//! `ElGamal` encryption, and proofs of knowledge, in batches.
//!
//! A [`Group`] is the subgroup of prime order q in the integers modulo a prime p: one of RFC 3526, RFC 7919 or
//! `ElectionGuard`, or your own. [`power_batch`] raises one base to secret exponents by tables,
//! [`product_of_powers_batch_vartime`] multiplies powers of public numbers, and [`is_member_batch`] tests membership of
//! the subgroup. Module [`elgamal`] encrypts ballots, adds them, and proves and verifies that each is a 0 or a 1;
//! module [`equality`] proves and verifies that two elements have one logarithm (Chaum-Pedersen), such as a tally and
//! its decryption.
//!
//! The example `verify_ballots` makes an election of 10,000 ballots and verifies it.

mod batch;
pub mod elgamal;
pub mod equality;
mod error;
mod group;
mod named;
mod powers;
mod sizes;
mod transcript;

pub use error::FfcError;
pub use group::{FixedBase, Group, PreparedGroup};
pub use powers::{is_member_batch, power_batch, product_of_powers_batch_vartime};
pub use sizes::{MAX_BITS, MIN_BITS};
