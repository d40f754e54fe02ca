//! The C library. What its functions do is said in their comments, which are the header's.
//!
//! The border to C is where unsafe code is allowed. Every function checks its pointers for null, and
//! turns panics into [`Status::Internal`]: nothing unwinds into C.

#![allow(unsafe_code)]
#![allow(
    clippy::missing_safety_doc,
    reason = "what callers must see to is said in the header's words"
)]
#![allow(
    clippy::doc_markdown,
    reason = "the comments are those of the header, where names need no quotes"
)]

mod batch;
mod blind;
mod bls;
mod buffers;
mod engine;
mod gather;
mod groups;
mod keys;
mod paillier;
mod partial;
mod powers;
mod primes;
mod raw;
mod status;

use mimalloc::MiMalloc;
use zeroizing_alloc::ZeroAlloc;

pub use blind::{
    BlindVariant, sunzi_blind, sunzi_blind_finalize, sunzi_blind_prepare, sunzi_blind_sign,
    sunzi_blind_verify,
};
pub use bls::{
    Bls, BlsScheme, BlsVariant, sunzi_bls_aggregate, sunzi_bls_aggregate_verify, sunzi_bls_child,
    sunzi_bls_fast_aggregate_verify, sunzi_bls_free, sunzi_bls_key_of_material,
    sunzi_bls_key_width, sunzi_bls_new, sunzi_bls_prove, sunzi_bls_public_keys, sunzi_bls_sign,
    sunzi_bls_signature_width, sunzi_bls_validate_keys, sunzi_bls_verify, sunzi_bls_verify_all,
    sunzi_bls_verify_proofs,
};
pub use buffers::{ByteOrder, Bytes, Numbers, Output};
pub use engine::{
    Engine, sunzi_engine_backend, sunzi_engine_free, sunzi_engine_new, sunzi_version,
};
pub use gather::{
    Completion, Gather, sunzi_gather_descriptor, sunzi_gather_free, sunzi_gather_new,
    sunzi_gather_sign, sunzi_gather_submit, sunzi_gather_take,
};
pub use groups::{
    BallotKey, Group, Statements, sunzi_ballot_key_free, sunzi_ballot_key_new, sunzi_ballot_width,
    sunzi_ballots_decrypt_sum, sunzi_ballots_encrypt, sunzi_ballots_sum, sunzi_ballots_verify,
    sunzi_equality_prove, sunzi_equality_verify, sunzi_group_element_width,
    sunzi_group_exponent_width, sunzi_group_free, sunzi_group_members, sunzi_group_named,
    sunzi_group_new, sunzi_group_numbers, sunzi_group_powers, sunzi_group_random_exponents,
};
pub use keys::{
    Nonces, Padding, PrivateKey, PublicKey, Scheme, SignatureOptions, sunzi_private_key_algorithm,
    sunzi_private_key_bits, sunzi_private_key_free, sunzi_private_key_generate,
    sunzi_private_key_load, sunzi_private_key_load_within, sunzi_private_key_public,
    sunzi_private_key_signature_size, sunzi_private_key_write, sunzi_public_key_algorithm,
    sunzi_public_key_bits, sunzi_public_key_free, sunzi_public_key_load,
    sunzi_public_key_signature_size, sunzi_public_key_write, sunzi_sign, sunzi_sign_with_nonces,
    sunzi_verify,
};
pub use paillier::{
    PaillierMethod, PaillierPrivateKey, PaillierPublicKey, sunzi_paillier_add,
    sunzi_paillier_add_plain, sunzi_paillier_decode, sunzi_paillier_decode_integers,
    sunzi_paillier_decrypt, sunzi_paillier_encode, sunzi_paillier_encode_integers,
    sunzi_paillier_encrypt, sunzi_paillier_lower_exponents, sunzi_paillier_modulus,
    sunzi_paillier_multiply, sunzi_paillier_plaintext_width, sunzi_paillier_private_key_free,
    sunzi_paillier_private_key_generate, sunzi_paillier_private_key_load,
    sunzi_paillier_private_key_public, sunzi_paillier_private_key_write,
    sunzi_paillier_public_key_free, sunzi_paillier_public_key_load,
    sunzi_paillier_public_key_write, sunzi_paillier_randomize, sunzi_paillier_sum,
};
pub use partial::{
    sunzi_partially_blind, sunzi_partially_blind_finalize, sunzi_partially_blind_sign,
    sunzi_partially_blind_verify, sunzi_private_key_generate_safe,
};
pub use powers::{
    Secrecy, Table, sunzi_powers, sunzi_products_of_powers, sunzi_table_free, sunzi_table_new,
    sunzi_table_powers,
};
pub use primes::{PrimeKind, Progress, Watcher, sunzi_are_primes, sunzi_primes};
pub use raw::{sunzi_rsa_private, sunzi_rsa_public};
pub use status::{Status, sunzi_error_message, sunzi_status_name};

/// As in the command: numbers are aligned to cache lines, which is fast in mimalloc, and what is freed
/// is wiped. Memory of C's `malloc` is not touched.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<MiMalloc> = ZeroAlloc(MiMalloc);
