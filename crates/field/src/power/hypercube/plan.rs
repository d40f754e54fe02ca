//! An exponent, laid out for a hypercube.

use super::HypercubeError;
use super::arithmetic::Exponents;
use super::cube_rsa::{self, Form};
use super::network::Network;
use super::program::Program;
use super::schedule;
use super::topology::Cubes;
use alloc::vec::Vec;
use crypto_bigint::{BoxedUint, Limb, NonZero};
use zeroize::Zeroizing;

/// An exponent, and whether it is a secret.
#[derive(Clone, Copy)]
pub enum Exponent<'a> {
    /// The coordinator multiplies where a digit is 1: the time tells the exponent.
    Public(&'a BoxedUint),
    /// The coordinator multiplies for every digit, by 1 where it is 0: the time depends on the
    /// exponent's precision only.
    Secret(&'a BoxedUint),
}

/// A hypercube of processing elements and its coordinators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hypercube {
    cubes: Cubes,
    form: Form,
    coordinators: usize,
}

impl Hypercube {
    /// A hypercube of `cubes` cubes with one coordinator.
    ///
    /// # Errors
    /// [`HypercubeError::NoCubes`] or [`HypercubeError::TooManyCubes`].
    pub fn new(cubes: usize, form: Form) -> Result<Self, HypercubeError> {
        Ok(Self {
            cubes: Cubes::new(cubes)?,
            form,
            coordinators: 1,
        })
    }

    /// The same with a path of coordinators that share the work.
    #[must_use]
    pub fn with_coordinators(self, coordinators: usize) -> Self {
        Self {
            coordinators,
            ..self
        }
    }

    /// The number of cubes.
    pub fn cubes(&self) -> Cubes {
        self.cubes
    }

    /// The cubes alone, from `A` and `B` to `A^D B`.
    ///
    /// # Errors
    /// None for any hypercube; the graph is checked like any other.
    pub fn network_of_cubes(&self) -> Result<Network, HypercubeError> {
        cube_rsa::cubes(self.form, self.cubes)
    }

    /// The exponents of `A` and `B` in what the cubes compute, `(D, 1)`, read off the graph.
    ///
    /// # Errors
    /// None for any hypercube.
    pub fn exponents(&self) -> Result<[u64; 2], HypercubeError> {
        let network = self.network_of_cubes()?;
        let powers = network.evaluate(&Exponents, &[], &[[1, 0], [0, 1]])?;
        debug_assert_eq!(powers.len(), 1);
        Ok(powers[0])
    }

    /// Splits the exponent, `e = D q + r` with `0 <= r < D`, and lays out its network.
    ///
    /// # Errors
    /// [`HypercubeError::Stages`] if the coordinator's work cannot be shared by so many.
    pub fn plan(&self, exponent: Exponent<'_>) -> Result<Plan, HypercubeError> {
        let [d, one] = self.exponents()?;
        debug_assert_eq!(one, 1, "the cubes multiply B in once");
        let (coordinator, digits) = match exponent {
            Exponent::Public(e) => {
                let (q, r) = split(e, d);
                let program = schedule::right_to_left_pair_vartime(&q, &r);
                (program, Zeroizing::default())
            }
            Exponent::Secret(e) => secret_coordinator(e, d),
        };
        let network = cube_rsa::network(self.form, self.cubes, &coordinator, self.coordinators)?;
        Ok(Plan {
            network,
            coordinator,
            digits,
        })
    }
}

/// `(floor(e / d), e mod d)` for `0 < d < 2^32`, in a time that depends on the precision of `e`.
fn split(e: &BoxedUint, d: u64) -> (BoxedUint, BoxedUint) {
    debug_assert!(0 < d && d >> 32 == 0);
    let divisor = NonZero::new(Limb::from_u32(d as u32)).into_option();
    let (q, r) = e.div_rem_limb(divisor.expect("D is positive"));
    (q, BoxedUint::from(r))
}

/// The coordinator for a secret exponent, and the digits of `q` and `r`.
fn secret_coordinator(e: &BoxedUint, d: u64) -> (Program, Zeroizing<Vec<u8>>) {
    let (q, r) = split(e, d);
    let (q, r) = (Zeroizing::new(q), Zeroizing::new(r));
    let precision = e.bits_precision();
    // q <= e / D < 2^precision / 2^floor(log2 D), and r < D.
    let q_bits = precision.saturating_sub(d.ilog2());
    let r_bits = precision.min(d.ilog2() + 1);
    let bit = |number: &BoxedUint, bit| number.bit(bit).to_u8();
    let digits = (0..q_bits).map(|index| bit(&q, index));
    let digits = digits.chain((0..r_bits).map(|index| bit(&r, index)));
    let program = schedule::right_to_left_pair_secret(q_bits as usize, r_bits as usize);
    (program, Zeroizing::new(digits.collect()))
}

/// An exponent laid out: ready to raise any number of bases to it. The digits of a secret one
/// are wiped when it is dropped.
#[derive(Clone)]
pub struct Plan {
    network: Network,
    coordinator: Program,
    digits: Zeroizing<Vec<u8>>,
}

impl Plan {
    /// The data-flow graph, from `m` to `m^e`.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The coordinators' work as one program, from `m` to `A` and `B`.
    pub fn coordinator(&self) -> &Program {
        &self.coordinator
    }

    /// The digits of a secret exponent's `q` and `r`; none for a public one.
    pub fn digits(&self) -> &[u8] {
        &self.digits
    }

    /// The powers of the bases, each element a thread.
    ///
    /// # Errors
    /// [`HypercubeError::BaseTooLarge`] unless every base is below the modulus;
    /// [`HypercubeError::Run`] if the run fails. There are either all powers or none.
    #[cfg(feature = "std")]
    pub fn powers<A: super::ModularArithmetic>(
        &self,
        arithmetic: &A,
        bases: &[BoxedUint],
    ) -> Result<Vec<BoxedUint>, HypercubeError> {
        let enter = |base| arithmetic.enter(base).map(|residue| Vec::from([residue]));
        let inputs: Vec<_> = bases.iter().map(enter).collect::<Result<_, _>>()?;
        let executor = super::Executor::new(&self.network, arithmetic, &self.digits)?;
        let outcome = executor.run(&inputs)?;
        let results = outcome.results.iter().flatten();
        Ok(results.map(|residue| arithmetic.leave(residue)).collect())
    }
}
