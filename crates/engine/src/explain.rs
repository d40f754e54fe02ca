//! What the engine would do with a batch, and why.

use crate::{Backend, Engine, EngineError, Layout, engine::size_class};

/// The plan for a size of modulus, and how a batch of full-size exponentiations of that size
/// is spread over threads and registers.
#[derive(Clone, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    /// How many.
    pub count: usize,
    /// Numbers in each.
    pub numbers: usize,
    /// How they lie in registers.
    pub layout: Layout,
    /// Why so.
    pub reason: String,
}

impl Engine {
    /// What would be done with so many numbers of `bits` bits on so many threads.
    ///
    /// # Errors
    /// [`EngineError::ModulusSize`].
    pub fn explain(
        &self,
        bits: u32,
        numbers: usize,
        threads: usize,
    ) -> Result<Explanation, EngineError> {
        if !(crate::MIN_BITS..=crate::MAX_BITS).contains(&bits) {
            return Err(EngineError::ModulusSize(bits));
        }
        let runner = self.runner();
        let class = size_class(bits);
        let size = runner.group_size(numbers.div_ceil(threads.max(1)), class);
        let layout = runner.layout(size, class);
        let shape = runner.shape(class, bits, layout)?;
        let groups = |count, numbers| Groups {
            count,
            numbers,
            layout: runner.layout(numbers, class),
            reason: runner.reason(numbers, class),
        };
        Ok(Explanation {
            backend: self.backend(),
            bits,
            plan_bits: shape.bits,
            channel_bits: shape.channel_bits,
            channels_a: shape.channels_a,
            channels_b: shape.channels_b,
            overshoot: shape.overshoot,
            multiplications: shape.multiplications,
            window: shape.window,
            groups: [groups(numbers / size, size), groups(1, numbers % size)]
                .into_iter()
                .filter(|groups| groups.count > 0 && groups.numbers > 0)
                .collect(),
        })
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
