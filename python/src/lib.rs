//! The extension module of the Python package `sunzi`. The documentation of its public functions and classes is
//! that of Python's `help`; `sunzi/_sunzi.pyi` has the same words for editors.

#![allow(
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    reason = "Python's arguments are converted to values, and most have names and defaults"
)]

mod arguments;
mod batch;
mod blind;
mod bls;
mod elections;
mod engine;
mod gather;
mod integers;
mod jwt;
mod keys;
mod paillier;
mod partial;
mod powers;
mod primes;
mod raw;
mod rows;

use mimalloc::MiMalloc;
use pyo3::prelude::*;
use zeroizing_alloc::ZeroAlloc;

/// As in the command: numbers are aligned to cache lines, which is fast in mimalloc, and what is freed
/// is wiped.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<MiMalloc> = ZeroAlloc(MiMalloc);

#[pymodule]
fn _sunzi(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<engine::Engine>()?;
    module.add_class::<gather::Gatherer>()?;
    module.add_class::<keys::PrivateKey>()?;
    module.add_class::<keys::PublicKey>()?;
    module.add_class::<paillier::PaillierPrivateKey>()?;
    module.add_class::<paillier::PaillierPublicKey>()?;
    module.add_class::<elections::ElectionGroup>()?;
    module.add_class::<bls::BlsSuite>()?;
    module.add_class::<elections::ElectionFixedBase>()?;
    module.add_class::<elections::ElectionPublicKey>()?;
    module.add_class::<jwt::JwtKeys>()?;
    module.add_function(wrap_pyfunction!(jwt::jwt_verify, module)?)?;
    module.add_function(wrap_pyfunction!(jwt::jwt_sign, module)?)?;
    module.add_function(wrap_pyfunction!(engine::backends, module)?)?;
    module.add_function(wrap_pyfunction!(engine::limit_instructions, module)?)?;
    module.add_function(wrap_pyfunction!(powers::powmod, module)?)?;
    module.add_function(wrap_pyfunction!(rows::powmod_rows, module)?)?;
    module.add_function(wrap_pyfunction!(primes::random_primes, module)?)?;
    module.add_function(wrap_pyfunction!(primes::are_prime, module)?)?;
    module.add_function(wrap_pyfunction!(blind::blind_prepare, module)?)?;
    module.add_function(wrap_pyfunction!(blind::blind_messages, module)?)?;
    module.add_function(wrap_pyfunction!(blind::blind_sign, module)?)?;
    module.add_function(wrap_pyfunction!(blind::blind_finalize, module)?)?;
    module.add_function(wrap_pyfunction!(partial::partially_blind_messages, module)?)?;
    module.add_function(wrap_pyfunction!(partial::partially_blind_sign, module)?)?;
    module.add_function(wrap_pyfunction!(partial::partially_blind_finalize, module)?)?;
    module.add_function(wrap_pyfunction!(partial::partially_blind_verify, module)?)?;
    module.add_function(wrap_pyfunction!(bls::bls_key_of_material, module)?)?;
    module.add_function(wrap_pyfunction!(bls::bls_derived_key, module)?)?;
    module.add_function(wrap_pyfunction!(raw::rsa_private_many, module)?)?;
    module.add_function(wrap_pyfunction!(raw::rsa_public_many, module)?)?;
    module.add_function(wrap_pyfunction!(keys::sign_many, module)?)?;
    module.add_function(wrap_pyfunction!(keys::verify_many, module)?)?;
    module.add_function(wrap_pyfunction!(keys::encrypt_many, module)?)?;
    module.add_function(wrap_pyfunction!(keys::decrypt_many, module)?)?;
    module.add_function(wrap_pyfunction!(keys::agree_many, module)?)
}
