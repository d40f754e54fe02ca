//! Explanations: the engine's choices for a batch, and the reasons.

use crate::{
    Backend, Engine, EngineError, Layout,
    program::{Recoding, size_class},
    schedule, times,
};

/// The plan for a size of modulus, and how a batch of full-size exponentiations of that size
/// is spread over threads and registers.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The backend in use.
    pub backend: Backend,
    /// Bits of the moduli asked about.
    pub bits: u32,
    /// The plan's size: `bits` rounded up, so that a few plans serve all sizes.
    pub plan_bits: u32,
    /// Name of the words that a number consists of: `limbs` or `residues`.
    pub unit: &'static str,
    /// Width of such a word in bits: the widest for which every intermediate value fits.
    pub word_bits: u32,
    /// Number of words in each part of a number: of its limbs, or of the residues in each of the two bases.
    pub parts: Vec<usize>,
    /// The representation of numbers, for a person to read.
    pub representation: String,
    /// Products stay below this many times the modulus until the last step.
    pub overshoot: u64,
    /// Multiplications in one modular product (`docs/engine/residues.md`): of limbs, or of residues,
    /// `2 a b + 9 a + 9 b` for a and b channels, and `a + b + 18` for each redundant one.
    pub multiplications: usize,
    /// The primes of this size for which the formulas of curves' points are compiled on that device
    /// (`docs/engine/segments.md`, `docs/engine/radix64.md`).
    pub compiled_primes: Vec<&'static str>,
    /// Number of bits of a secret exponent taken at a time.
    pub window: u32,
    /// The groups that the batch falls into.
    pub groups: Vec<Groups>,
    /// The predicted time of the batch, in microseconds: the time of the thread with the most to do, or of all groups
    /// together if the batch is so small that it stays on one thread.
    pub predicted_us: f64,
}

/// Groups of one device, layout and number of members.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    /// Number of groups.
    pub count: usize,
    /// Numbers per group.
    pub numbers: usize,
    /// The device that computes them.
    pub device: &'static str,
    /// The layout of their numbers in registers.
    pub layout: Layout,
    /// The predicted time of a group's exponentiation, in microseconds.
    pub predicted_us: f64,
    /// Reason for this device and layout.
    pub reason: String,
}

impl Engine {
    /// Explains the choices for this many numbers of `bits` bits on this many threads, each with a secret
    /// exponent as long as its modulus.
    ///
    /// # Errors
    /// [`EngineError::ModulusSize`], [`EngineError::NoPlan`].
    pub fn explain(
        &self,
        bits: u32,
        numbers: usize,
        threads: usize,
    ) -> Result<Explanation, EngineError> {
        if !(crate::MIN_BITS..=crate::MAX_BITS).contains(&bits) {
            return Err(EngineError::ModulusSize(bits));
        }
        let class = size_class(bits);
        let programs = self.secret_power_programs(class, bits)?;
        let candidates = schedule::candidates(&programs, &self.shared);
        let parts = schedule::split_with_cards(&self.shared, &candidates, numbers, threads);
        let predicted_us = schedule::predicted_ns(&self.shared, &parts) / 1e3;
        let shares: Vec<_> = parts.into_iter().flatten().collect();
        let first = shares
            .first()
            .map_or(candidates.first().copied(), |share| Some(share.candidate));
        let device = first.map_or(self.shared.devices.len() - 1, |candidate| candidate.device);
        let summary = self.shared.devices[device].summary(class)?;
        let program = programs.of_device(device);
        let window = program.and_then(|program| program.streams().first());
        let mut groups: Vec<Groups> = Vec::new();
        for share in &shares {
            let (device, layout) = (share.candidate.device, share.candidate.layout);
            let name = self.shared.devices[device].name();
            let alike = groups.iter_mut().find(|groups| {
                groups.device == name && groups.layout == layout && groups.numbers == share.numbers
            });
            match alike {
                Some(groups) => groups.count += 1,
                None => groups.push(Groups {
                    count: 1,
                    numbers: share.numbers,
                    device: name,
                    layout,
                    predicted_us: share.candidate.ns / 1e3,
                    reason: reason(&candidates, share),
                }),
            }
        }
        Ok(Explanation {
            backend: self.backend(),
            bits,
            plan_bits: summary.bits,
            unit: self.shared.devices[device].unit(),
            word_bits: summary.word_bits,
            parts: summary.parts,
            representation: summary.text,
            overshoot: summary.overshoot,
            multiplications: summary.multiplications,
            compiled_primes: self.shared.devices[device].compiled_primes(class),
            window: match window.map(|stream| stream.recoding) {
                Some(Recoding::Windows { width }) => width,
                _ => 1,
            },
            groups,
            predicted_us,
        })
    }

    /// Whether this many secret powers modulo numbers of `bits` bits, on one thread, are predicted to take less time
    /// here than one after the other in a conventional library.
    ///
    /// The library is OpenSSL 4.0.3, as measured on one processor with AVX-512 (`BENCHMARKS/break-even.md`), so that
    /// the answer is right where the times differ by a third or more. `sunzi bench` measures both.
    ///
    /// # Errors
    /// As [`explain`](Self::explain).
    pub fn pays(&self, bits: u32, numbers: usize) -> Result<bool, EngineError> {
        let explanation = self.explain(bits, numbers, 1)?;
        Ok(explanation.predicted_us < numbers as f64 * conventional_us(bits))
    }
}

/// The time of a secret power with OpenSSL 4.0.3, exponent as long as the modulus, in microseconds, at sizes in bits:
/// medians on one thread of an Intel Xeon (Sapphire Rapids).
const CONVENTIONAL_US: [(u32, f64); 11] = [
    (128, 4.8),
    (256, 12.4),
    (384, 26.0),
    (512, 34.9),
    (768, 132.0),
    (1024, 221.0),
    (1536, 688.0),
    (2048, 1_624.0),
    (3072, 5_371.0),
    (4096, 12_620.0),
    (8192, 100_459.0),
];

/// The time of a power with a conventional library in microseconds, interpolated between the measured sizes. Beyond the
/// last one it grows with the third power of the size.
fn conventional_us(bits: u32) -> f64 {
    let (last, us) = CONVENTIONAL_US[CONVENTIONAL_US.len() - 1];
    if bits > last {
        return us * (f64::from(bits) / f64::from(last)).powi(3);
    }
    times::interpolate(&CONVENTIONAL_US, bits)
}

/// The reason why numbers are computed in this layout: the time that the next best one would take.
fn reason(candidates: &[crate::job::Candidate], share: &schedule::Share) -> String {
    let others: Vec<_> = candidates
        .iter()
        .filter(|candidate| **candidate != share.candidate)
        .copied()
        .collect();
    let instead = schedule::split(&others, share.numbers);
    let time: f64 = instead.iter().map(|share| share.candidate.ns).sum();
    match instead.first() {
        None => String::from("the only layout"),
        Some(first) => format!(
            "predicted {:.0} us for {}; {} would take {:.0} us",
            share.candidate.ns / 1e3,
            share.numbers,
            first.candidate.layout,
            time / 1e3
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_add_up_to_the_batch() {
        for &backend in Backend::ALL {
            let engine = match Engine::new(backend) {
                Ok(engine) => engine,
                Err(error) => {
                    println!("SKIPPED: {error}");
                    continue;
                }
            };
            for numbers in [0, 1, 2, 3, 13, 14, 31, 33, 1000] {
                for threads in [1, 2, 7] {
                    let explanation = engine.explain(1000, numbers, threads).unwrap();
                    let groups = explanation.groups.iter();
                    let sum: usize = groups.map(|group| group.count * group.numbers).sum();
                    assert_eq!(sum, numbers);
                    assert_eq!(explanation.plan_bits, 1024);
                }
            }
            assert_eq!(engine.explain(63, 1, 1), Err(EngineError::ModulusSize(63)));
        }
    }

    /// Half of a batch on each of two threads takes as long as that half on one.
    #[test]
    fn the_longest_part_is_the_batch() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        let [one, two] = [(64, 1), (128, 2)]
            .map(|(numbers, threads)| engine.explain(1024, numbers, threads).unwrap());
        assert!((one.predicted_us - two.predicted_us).abs() < 1e-9);
        assert!(one.predicted_us > 0.0);
        assert!(engine.explain(1024, 0, 1).unwrap().predicted_us.abs() < 1e-9);
    }

    /// More numbers never pay less, and a product that takes no time always pays.
    #[test]
    fn pays_by_predicted_times() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        assert_eq!(engine.pays(63, 1), Err(EngineError::ModulusSize(63)));
        let with = |times: &str| {
            let engine = Engine::new(Backend::PORTABLE).unwrap();
            engine.with_calibration(times.parse().unwrap())
        };
        let fast = with("portable lanes4 1024 1.0\n");
        let slow = with(
            "portable lanes4 1024 1e9\nportable lanes8 1024 1e9\nportable lanes32 1024 1e9\n\
             radix64 single1 1024 1e9\n",
        );
        for bits in [64, 1000, 16_384] {
            assert!(fast.pays(bits, 4).unwrap());
            assert!(!slow.pays(bits, 1000).unwrap());
        }
    }

    #[test]
    fn conventional_times_grow() {
        let sizes = [64, 128, 200, 256, 1024, 3000, 8192, 16_384];
        let times = sizes.map(conventional_us);
        assert!(times.is_sorted());
        assert!((times[7] / times[6] - 8.0).abs() < 1e-9);
    }
}
