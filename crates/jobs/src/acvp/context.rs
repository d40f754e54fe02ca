//! The context of all tests, and what their computations share.

use super::error::{AcvpError, Defect};
use super::set::Members;
use rand_core::CryptoRng;
use sunzi_engine::Engine;
use sunzi_pk::keys::Algorithms;

/// The algorithms, a source of random numbers, and whether answers are to be compared.
pub(super) struct Context<'c> {
    pub(super) algorithms: &'c Algorithms,
    pub(super) rng: &'c mut dyn CryptoRng,
    /// Whether the answers will be compared with others, so that keys must be given.
    pub(super) compared: bool,
}

impl<'c> Context<'c> {
    /// The engine.
    pub(super) fn engine(&self) -> &'c Engine {
        self.algorithms.engine()
    }

    /// The private key that the file gives, if it does. Public test vectors have them where answers are to be compared.
    ///
    /// # Errors
    /// [`Defect::NoKey`] if it is needed and not there.
    pub(super) fn given_key(
        &self,
        members: &Members<'_>,
        member: &'static str,
    ) -> Result<Option<Vec<u8>>, AcvpError> {
        if members.has(member) {
            return members.hex(member).map(Some);
        }
        if self.compared {
            return Err(members.wrong(member, Defect::NoKey));
        }
        Ok(None)
    }
}

/// The bytes as a number of exactly so many bytes, if it has no more.
pub(super) fn padded(bytes: &[u8], length: usize) -> Option<Vec<u8>> {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    let digits = &bytes[zeros..];
    let missing = length.checked_sub(digits.len())?;
    Some([&vec![0; missing], digits].concat())
}

/// Whether each signature is valid, in the same order. What is `None` cannot be: a key that is none, a number that is too
/// long. The others are a batch. `unknown` are errors after which nothing is known.
pub(super) fn verdicts<'m, A, E: ToString>(
    asked: &[(&'m Members<'m>, Option<A>)],
    verify: impl FnOnce(&[&A]) -> Vec<Result<(), E>>,
    unknown: impl Fn(&E) -> bool,
) -> Result<Vec<bool>, AcvpError> {
    let possible: Vec<&A> = asked
        .iter()
        .filter_map(|(_, asked)| asked.as_ref())
        .collect();
    let mut answers = verify(&possible).into_iter();
    let verdict = |(members, asked): &(&Members<'_>, Option<A>)| match asked {
        None => Ok(false),
        Some(_) => match answers.next() {
            Some(Ok(())) => Ok(true),
            Some(Err(error)) if unknown(&error) => Err(members.failed(&error)),
            Some(Err(_)) => Ok(false),
            None => Err(members.failed("it is missing")),
        },
    };
    asked.iter().map(verdict).collect()
}
