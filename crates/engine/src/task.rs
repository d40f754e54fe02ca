//! Powers as tasks of the engine, and the programs that compute them.

use core::fmt;
use std::{collections::BTreeMap, sync::Arc};

use crypto_bigint::{BoxedUint, Word};
use rayon::prelude::*;
use zeroize::Zeroizing;

use crate::{
    Engine, EngineError, Modulus,
    job::{Job, ProgramKey, Programs},
    kept_programs::BYTES_KEPT,
    program::{Builder, piece_bits, power},
    threads::available_threads,
};

/// An exponent, and whether the time may depend on it.
#[derive(Clone, Copy)]
pub enum Exponent<'a> {
    /// A secret exponent: the time depends on the precision (`bits_precision`) of the number only. A long one is
    /// processed as if it had up to a 32nd part more bits, so that few lengths, each of which is a program, are in use.
    Secret(&'a BoxedUint),
    /// A public exponent: the time may depend on its value.
    Public(&'a BoxedUint),
}

impl<'a> Exponent<'a> {
    fn value(&self) -> &'a BoxedUint {
        match self {
            Self::Secret(value) | Self::Public(value) => value,
        }
    }

    /// Number of bits that the exponentiation processes.
    fn length(&self) -> u32 {
        match self {
            Self::Secret(value) => shared_length(value.bits_precision()),
            Self::Public(value) => shared_length(value.bits_vartime()),
        }
    }
}

/// The length that exponents of about this length share. Random exponents of 2,048 bits have many lengths, and secret
/// ones any precision, and each length is a program, whose groups are not full. A long one is therefore rounded up by
/// at most its 32nd part.
pub(crate) fn shared_length(bits: u32) -> u32 {
    if bits <= SHORT_EXPONENT {
        return bits;
    }
    bits.next_multiple_of(1 << (bits / 32).ilog2())
}

impl fmt::Debug for Exponent<'_> {
    /// Shows public exponents only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Secret(_) => f.debug_tuple("Secret").finish_non_exhaustive(),
            Self::Public(value) => f.debug_tuple("Public").field(value).finish(),
        }
    }
}

/// One number's task: `factor * base^exponent mod modulus`.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The modulus, prepared by [`Engine::modulus`](crate::Engine::modulus).
    pub modulus: &'a Arc<Modulus>,
    /// Any non-negative integer, also one larger than the modulus.
    pub base: &'a BoxedUint,
    /// The exponent.
    pub exponent: Exponent<'a>,
    /// The factor multiplied in at the end, if there is one: any non-negative integer.
    pub factor: Option<&'a BoxedUint>,
}

impl fmt::Debug for Task<'_> {
    /// Shows the modulus' size only: the numbers may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task")
            .field("modulus", &self.modulus)
            .field("exponent", &self.exponent)
            .finish_non_exhaustive()
    }
}

impl<'a> Task<'a> {
    /// `base^exponent mod modulus`.
    pub fn power(modulus: &'a Arc<Modulus>, base: &'a BoxedUint, exponent: Exponent<'a>) -> Self {
        Self {
            modulus,
            base,
            exponent,
            factor: None,
        }
    }

    /// This task, with a `factor` multiplied in.
    #[must_use]
    pub fn times(self, factor: &'a BoxedUint) -> Self {
        Self {
            factor: Some(factor),
            ..self
        }
    }

    /// The kind of task: tasks of one kind can run one program.
    fn kind(&self) -> Kind<'a> {
        let length = self.exponent.length();
        Kind {
            class: self.modulus.class(),
            secret: matches!(self.exponent, Exponent::Secret(_)),
            length,
            value: match self.exponent {
                Exponent::Public(value) if length <= SHORT_EXPONENT => trimmed(value.as_words()),
                _ => &[],
            },
        }
    }
}

/// The common properties of tasks that run one program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Kind<'a> {
    class: u32,
    secret: bool,
    length: u32,
    /// The value of a short public exponent.
    value: &'a [Word],
}

/// The largest number of bits of a public exponent that has a program of its own; longer ones have one only
/// if all of a batch are the same.
const SHORT_EXPONENT: u32 = 64;

/// The words up to the last that is not zero.
fn trimmed(words: &[Word]) -> &[Word] {
    let length = words.iter().rposition(|&word| word != 0);
    &words[..length.map_or(0, |last| last + 1)]
}

/// The exponent of a power program.
enum ProgramExponent<'a> {
    /// A digit stream of each member's own, of this many bits; whether it is secret.
    Digits(u32, bool),
    /// The same exponent for all members.
    Fixed(&'a BoxedUint),
}

/// The shape of a power: everything that its program depends on.
struct PowerShape<'a> {
    class: u32,
    exponent: ProgramExponent<'a>,
    /// Number of pieces of the base.
    base_pieces: u32,
    /// Number of pieces of the factor, 0 if there is no factor.
    factor_pieces: u32,
}

impl PowerShape<'_> {
    fn key(&self) -> ProgramKey {
        let (kind, exponent): (_, &[Word]) = match self.exponent {
            ProgramExponent::Digits(length, true) => ("power-secret", &[Word::from(length)]),
            ProgramExponent::Digits(length, false) => ("power-public", &[Word::from(length)]),
            ProgramExponent::Fixed(value) => ("power-fixed", trimmed(value.as_words())),
        };
        let pieces = [self.base_pieces, self.factor_pieces].map(u64::from);
        #[allow(
            clippy::useless_conversion,
            reason = "a word has 32 bits on some processors"
        )]
        let words = exponent.iter().map(|&word| u64::from(word));
        ProgramKey {
            bits: self.class,
            kind,
            parameters: pieces.into_iter().chain(words).collect(),
        }
    }

    fn build(&self, builder: &mut Builder) {
        let bits = piece_bits(builder.bits());
        let (x, unreduced) = if self.base_pieces == 1 {
            let base = builder.input_unreduced(bits);
            let square = builder.montgomery_square();
            (builder.multiply(base, square), base)
        } else {
            let base = builder.input(self.base_pieces * bits);
            (base, base)
        };
        let last = if self.factor_pieces == 0 {
            unreduced
        } else {
            x
        };
        let power = match self.exponent {
            ProgramExponent::Digits(length, secret) => {
                let exponent = builder.scalar("exponent", length, secret);
                power::fixed_window(builder, x, exponent)
            }
            ProgramExponent::Fixed(value) => power::public(builder, x, last, value),
        };
        // The last product, with the factor or with 1, takes the result out of Montgomery form.
        let result = match self.factor_pieces {
            0 => power,
            1 => {
                let factor = builder.input_unreduced(bits);
                builder.multiply(power, factor)
            }
            pieces => {
                let factor = builder.input(pieces * bits);
                builder.multiply(power, factor)
            }
        };
        builder.output(result);
    }
}

impl Engine {
    /// Computes every task, in order, on the threads of the current rayon pool, or on the calling thread if
    /// they make a single group. Each result is below its modulus, has the modulus' size rounded up to whole
    /// words, and is wiped when it is dropped. Any mix of moduli and sizes may be in one batch; numbers of
    /// one size share their matrix products.
    ///
    /// # Errors
    /// [`EngineError::ForeignModulus`] if another engine prepared a modulus, [`EngineError::DeviceFailed`] if
    /// a device fails and there is no other, and [`EngineError::Fault`] if redundant channels found a number
    /// wrong twice.
    pub fn run(&self, tasks: &[Task<'_>]) -> Result<Vec<Zeroizing<BoxedUint>>, EngineError> {
        /// Number of a card's groups in a part: enough for the processor to have a share in them.
        const GROUPS: usize = 4;
        let most = GROUPS * self.width_of_card();
        if most == 0 || tasks.len() <= most || available_threads() == 1 {
            return self.run_part(tasks);
        }
        // A card computes one part while threads prepare others.
        let parts = tasks.par_chunks(most).enumerate();
        let results = parts.map(|(number, part)| {
            let results = self.run_part(part);
            results.map_err(|error| error.of_part(number * most))
        });
        let results: Vec<Vec<_>> = results.collect::<Result<_, _>>()?;
        Ok(results.into_iter().flatten().collect())
    }

    /// [`run`](Self::run) for tasks that are computed together.
    fn run_part(&self, tasks: &[Task<'_>]) -> Result<Vec<Zeroizing<BoxedUint>>, EngineError> {
        let mut alike: BTreeMap<Kind<'_>, Vec<usize>> = BTreeMap::new();
        for (index, task) in tasks.iter().enumerate() {
            if !self.owns(task.modulus) {
                return Err(EngineError::ForeignModulus { index });
            }
            alike.entry(task.kind()).or_default().push(index);
        }
        let mut results: Vec<Option<Zeroizing<BoxedUint>>> = vec![None; tasks.len()];
        let mut kinds = alike.into_iter();
        // All tasks at once, unless they need more programs than an engine keeps.
        loop {
            let mut programs = Vec::new();
            let mut bytes = 0;
            while bytes < BYTES_KEPT
                && let Some((kind, indices)) = kinds.next()
            {
                let program = self.power_program(kind, tasks, &indices)?;
                bytes += program.bytes();
                programs.push((program, indices));
            }
            if programs.is_empty() {
                break;
            }
            self.run_programs(tasks, &programs, &mut results)?;
        }
        Ok(results.into_iter().flatten().collect())
    }

    /// Computes some of the tasks, each program with its tasks' numbers, and stores the results at their indices.
    fn run_programs(
        &self,
        tasks: &[Task<'_>],
        programs: &[(Arc<Programs>, Vec<usize>)],
        results: &mut [Option<Zeroizing<BoxedUint>>],
    ) -> Result<(), EngineError> {
        let one = BoxedUint::one();
        let mut jobs: Vec<(usize, Job<'_>)> = Vec::new();
        for (programs, indices) in programs {
            for &index in indices {
                let task = &tasks[index];
                let mut inputs = vec![task.base];
                if programs.takes_inputs() > 1 {
                    inputs.push(task.factor.unwrap_or(&one));
                }
                let mut scalars = Vec::new();
                if programs.takes_scalars() > 0 {
                    scalars.push(task.exponent.value());
                }
                let job = Job {
                    programs,
                    modulus: task.modulus,
                    constants: None,
                    inputs,
                    scalars,
                };
                jobs.push((index, job));
            }
        }
        // Sorted in the order of the tasks.
        jobs.sort_unstable_by_key(|&(index, _)| index);
        let (indices, jobs): (Vec<usize>, Vec<Job<'_>>) = jobs.into_iter().unzip();
        for (index, mut outcome) in indices.into_iter().zip(self.execute(&jobs)?) {
            results[index] = Some(outcome.integers.swap_remove(0));
        }
        Ok(())
    }

    /// The program for tasks of one kind.
    fn power_program(
        &self,
        kind: Kind<'_>,
        tasks: &[Task<'_>],
        indices: &[usize],
    ) -> Result<Arc<Programs>, EngineError> {
        let pieces = |integer: &BoxedUint| {
            integer
                .bits_precision()
                .div_ceil(piece_bits(kind.class))
                .max(1)
        };
        let members = || indices.iter().map(|&index| &tasks[index]);
        let first = tasks[indices[0]].exponent.value();
        let fixed = !kind.secret
            && (kind.length <= SHORT_EXPONENT || {
                let words = trimmed(first.as_words());
                members().all(|task| trimmed(task.exponent.value().as_words()) == words)
            });
        let shape = PowerShape {
            class: kind.class,
            exponent: if fixed {
                ProgramExponent::Fixed(first)
            } else {
                ProgramExponent::Digits(kind.length, kind.secret)
            },
            base_pieces: members().map(|task| pieces(task.base)).max().unwrap_or(1),
            factor_pieces: members()
                .map(|task| task.factor.map_or(0, pieces))
                .max()
                .unwrap_or(0),
        };
        self.programs(shape.key(), |builder| shape.build(builder))
    }

    /// The program for the power of a number below the modulus to a secret exponent of `bits` bits, for
    /// moduli of a size class: the program that [`run`](Self::run) uses for tasks of this kind.
    ///
    /// # Errors
    /// [`EngineError::NoPlan`].
    pub fn secret_power_programs(
        &self,
        class: u32,
        bits: u32,
    ) -> Result<Arc<Programs>, EngineError> {
        let shape = PowerShape {
            class,
            exponent: ProgramExponent::Digits(bits, true),
            base_pieces: 1,
            factor_pieces: 0,
        };
        self.programs(shape.key(), |builder| shape.build(builder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Short exponents keep their lengths; long ones grow by a 32nd part at most, and random ones of a
    /// common size come together.
    #[test]
    fn long_exponents_share_their_lengths() {
        for bits in 0..=SHORT_EXPONENT {
            assert_eq!(shared_length(bits), bits);
        }
        for bits in SHORT_EXPONENT + 1..=crate::MAX_BITS {
            let shared = shared_length(bits);
            assert!(
                (bits..=bits + bits / 32).contains(&shared),
                "{bits}: {shared}"
            );
            assert_eq!(shared_length(shared), shared);
        }
        for size in [256, 512, 1024, 2048, 3072, 4096] {
            assert_eq!(shared_length(size), size);
            assert_eq!(shared_length(size - 1), size);
        }
    }
}
