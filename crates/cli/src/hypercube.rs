//! `sunzi powmod --method hypercube`: a power on a hypercube of threads.

use crate::failure::Failure;
use clap::ValueEnum;
use crypto_bigint::BoxedUint;
use sunzi_papers::cube_rsa::arithmetic::IntegerMontgomery;
use sunzi_papers::cube_rsa::hypercube::{Exponent, Form, Hypercube};

/// How to compute a power.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Method {
    /// In batches, in residue number systems
    Engine,
    /// One by one, spread over processing elements that are threads: to study, not to be fast
    Hypercube,
}

/// The method, and what it needs.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// How to compute
    #[arg(long, value_enum, default_value_t = Method::Engine)]
    method: Method,
    /// The cubes of the hypercube, 1 to 16 [default: 2]
    #[arg(long, value_name = "N")]
    cubes: Option<usize>,
}

impl Options {
    /// The hypercube, if that is the method.
    ///
    /// # Errors
    /// For no cubes or too many, and for cubes with another method.
    pub(crate) fn hypercube(&self) -> Result<Option<Hypercube>, Failure> {
        match (self.method, self.cubes) {
            (Method::Engine, None) => Ok(None),
            (Method::Engine, Some(_)) => {
                Err(Failure::new("--cubes is for --method hypercube: give both"))
            }
            (Method::Hypercube, cubes) => {
                let hypercube = Hypercube::new(cubes.unwrap_or(DEFAULT_CUBES), Form::Optimized);
                let hypercube = hypercube.map_err(|error| Failure::new(error.to_string()))?;
                Ok(Some(hypercube))
            }
        }
    }
}

/// How many cubes there are unless told.
pub(crate) const DEFAULT_CUBES: usize = 2;

/// `base^exponent mod modulus`; the time tells the exponent if it is `public`.
///
/// # Errors
/// In words, for an even modulus or 1, or a base that is not below the modulus.
pub(crate) fn power(
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
