//! What the engine would do with a batch, and why.

use crate::{Backend, Engine, EngineError, Layout, program::Recoding, schedule, size::size_class};

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
    /// Width of a channel in bits: the widest for which every intermediate value fits. On tiles,
    /// of all channels but the last few.
    pub channel_bits: u32,
    /// Moduli of base A.
    pub channels_a: usize,
    /// Moduli of base B.
    pub channels_b: usize,
    /// Products stay below this many times the modulus until the last step.
    pub overshoot: u64,
    /// Multiplications in one modular product (`docs/engine.md`): of residues,
    /// `2 a b + 9 a + 9 b` for a and b channels; on tiles, of bytes in the matrices.
    pub multiplications: usize,
    /// Bits of a secret exponent taken at a time.
    pub window: u32,
    /// The groups that the batch falls into.
    pub groups: Vec<Groups>,
}

/// Groups that are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    /// Number of groups.
    pub count: usize,
    /// Numbers per group.
    pub numbers: usize,
    /// The device that computes them.
    pub device: &'static str,
    /// How they lie in registers.
    pub layout: Layout,
    /// The predicted time of a group's exponentiation, in microseconds.
    pub predicted_us: f64,
    /// Reason for this device and layout.
    pub reason: String,
}

impl Engine {
    /// What would be done with this many numbers of `bits` bits on this many threads, each with a
    /// secret exponent as long as its modulus.
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
        let shares = schedule::split_for_threads(&candidates, numbers, threads);
        let first = shares
            .first()
            .map_or(candidates.first().copied(), |share| Some(share.candidate));
        let device = first.map_or(self.shared.devices.len() - 1, |candidate| candidate.device);
        let summary = self.shared.devices[device].summary(class)?;
        let program = programs.of_device(device);
        let window = program.and_then(|program| program.streams.first());
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
            channel_bits: summary.channel_bits,
            channels_a: summary.channels_a,
            channels_b: summary.channels_b,
            overshoot: summary.overshoot,
            multiplications: summary.multiplications,
            window: match window.map(|stream| stream.recoding) {
                Some(Recoding::Windows { width }) => width,
                _ => 1,
            },
            groups,
        })
    }
}

/// Why numbers are computed in this layout: what the next best one would take.
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
            let Ok(engine) = Engine::new(backend) else {
                println!("SKIPPED: {backend} cannot run here");
                continue;
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
}
