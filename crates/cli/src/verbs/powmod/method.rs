//! The options of `sunzi powmod` that select how a power is computed.

use crate::failure::Failure;
use crate::options::DEFAULT_CUBES;
use clap::ValueEnum;
use crypto_bigint::BoxedUint;
use sunzi_papers::cube_rsa::arithmetic::IntegerMontgomery;
use sunzi_papers::cube_rsa::hypercube::{Exponent, Form, Hypercube};

/// A method to compute powers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Method {
    /// In batches, in residue number systems
    Engine,
    /// One by one, spread over processing elements that are threads: to study, not to be fast
    Hypercube,
}

/// The options for the method.
#[derive(Debug, clap::Args)]
pub(crate) struct MethodOptions {
    /// How to compute
    #[arg(long, value_enum, default_value_t = Method::Engine)]
    method: Method,
    /// Number of cubes of the hypercube, 1 to 16 [default: 2]
    #[arg(long, value_name = "N")]
    cubes: Option<usize>,
}

impl MethodOptions {
    /// The hypercube, if that is the method.
    ///
    /// # Errors
    /// For 0 cubes or too many, and for --cubes with another method.
    pub(crate) fn hypercube(&self) -> Result<Option<Hypercube>, Failure> {
        match (self.method, self.cubes) {
            (Method::Engine, None) => Ok(None),
            (Method::Engine, Some(_)) => {
                Err(Failure::new("--cubes is for --method hypercube: give both"))
            }
            (Method::Hypercube, cubes) => {
                let hypercube = Hypercube::new(cubes.unwrap_or(DEFAULT_CUBES), Form::Optimized);
                hypercube.map(Some).map_err(Failure::from_error)
            }
        }
    }
}

/// `base^exponent mod modulus`. The time depends on the exponent's value if it is `public`.
///
/// # Errors
/// The text of the error, for an even modulus or 1, or a base that is not below the modulus.
pub(crate) fn hypercube_power(
    hypercube: &Hypercube,
    base: &BoxedUint,
    exponent: &BoxedUint,
    public: bool,
    modulus: &BoxedUint,
) -> Result<BoxedUint, String> {
    let exponent = if public {
        Exponent::Public(exponent)
    } else {
        Exponent::Secret(exponent)
    };
    let power = || {
        let arithmetic = IntegerMontgomery::new(modulus)?;
        hypercube
            .plan(exponent)?
            .powers(&arithmetic, std::slice::from_ref(base))
    };
    let powers = power().map_err(|error| error.to_string())?;
    let power = powers.into_iter().next();
    power.ok_or_else(|| String::from("no result was computed"))
}
