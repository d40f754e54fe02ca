//! Plans: the network of a hypercube for one exponent.

use super::data_flow::{self, Form};
use super::error::HypercubeError;
use super::methods;
use super::network::Network;
use super::program::Program;
use super::topology::Cubes;
use crate::cube_rsa::arithmetic::{ExponentArithmetic, ModularArithmetic};
use crypto_bigint::{BoxedUint, Limb, NonZero};
use zeroize::Zeroizing;

/// An exponent, and whether it is secret.
#[derive(Clone, Copy)]
pub enum Exponent<'a> {
    /// The coordinator multiplies only where a digit is 1, so the time depends on the exponent.
    Public(&'a BoxedUint),
    /// The coordinator multiplies for every digit (by 1 where the digit is 0), so the time depends
    /// on the exponent's precision only.
    Secret(&'a BoxedUint),
}

/// A hypercube of processing elements with its coordinators.
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

    /// The same hypercube with a chain of coordinators that share the coordinator's work.
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

    /// The network of the cubes alone, from `A` and `B` to `A^D B`.
    ///
    /// # Errors
    /// None is expected for any hypercube; the graph is checked like any other.
    pub fn network_of_cubes(&self) -> Result<Network, HypercubeError> {
        data_flow::cubes(self.form, self.cubes)
    }

    /// The exponents `[D, 1]` of `A` and `B` in the product that the cubes compute, read off the
    /// graph.
    ///
    /// # Errors
    /// None is expected for any hypercube.
    pub fn exponents(&self) -> Result<[u64; 2], HypercubeError> {
        let network = self.network_of_cubes()?;
        let powers = network.evaluate(&ExponentArithmetic, &[], &[[1, 0], [0, 1]])?;
        debug_assert_eq!(powers.len(), 1);
        Ok(powers[0])
    }

    /// The plan for an exponent: the exponent split as `e = D q + r` with `0 <= r < D`, and the
    /// network from `m` to `m^e`.
    ///
    /// # Errors
    /// [`HypercubeError::Stages`] if there are more coordinators than steps to share.
    pub fn plan(&self, exponent: Exponent<'_>) -> Result<Plan, HypercubeError> {
        let [d, one] = self.exponents()?;
        debug_assert_eq!(one, 1, "the cubes multiply by B once");
        let (coordinator, digits) = match exponent {
            Exponent::Public(e) => {
                let (q, r) = split(e, d);
                let program = methods::right_to_left_pair_vartime(&q, &r);
                (program, Zeroizing::default())
            }
            Exponent::Secret(e) => secret_coordinator(e, d),
        };
        let network = data_flow::network(self.form, self.cubes, &coordinator, self.coordinators)?;
        Ok(Plan {
            network,
            coordinator,
            digits,
        })
    }
}

/// `(floor(e / d), e mod d)` for `0 < d < 2^32`, in a time that depends on the precision of `e`
/// only.
fn split(e: &BoxedUint, d: u64) -> (BoxedUint, BoxedUint) {
    debug_assert!(0 < d && d >> 32 == 0);
    let divisor = NonZero::new(Limb::from_u32(d as u32)).into_option();
    let (q, r) = e.div_rem_limb(divisor.expect("D is positive"));
    (q, BoxedUint::from(r))
}

/// The coordinator's program for a secret exponent, and the digits of `q` and `r`.
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
    let program = methods::right_to_left_pair_secret(q_bits as usize, r_bits as usize);
    (program, Zeroizing::new(digits.collect()))
}

/// The network for one exponent, ready to raise any number of bases to it. The digits of a secret
/// exponent are wiped when the plan is dropped.
#[derive(Clone)]
pub struct Plan {
    network: Network,
    coordinator: Program,
    digits: Zeroizing<Vec<u8>>,
}

impl Plan {
    /// The data-flow graph from `m` to `m^e`.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The work of all coordinators as one program, from `m` to `A` and `B`.
    pub fn coordinator(&self) -> &Program {
        &self.coordinator
    }

    /// The binary digits of `q` and `r` of a secret exponent; empty for a public one.
    pub fn digits(&self) -> &[u8] {
        &self.digits
    }

    /// The powers of the bases, computed on threads, one for each processing element.
    ///
    /// # Errors
    /// [`HypercubeError::BaseTooLarge`] unless every base is below the modulus;
    /// [`HypercubeError::Run`] if the run fails. Either all powers are returned or none.
    pub fn powers<A: ModularArithmetic>(
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
