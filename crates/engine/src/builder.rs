//! The builder of engines, with all their choices.

use std::sync::Arc;

use crate::{
    Backend, Calibration, Engine, EngineError,
    choices::{Choices, MOST_REDUNDANT, MOST_SPLITS, Split},
    device::Device,
};

/// The choices for an engine: [`Engine::builder`] begins with the fastest backend of this processor, its built-in
/// times, and fixed bases.
#[derive(Clone, Debug)]
#[must_use]
pub struct EngineBuilder {
    backend: Backend,
    calibration: Calibration,
    /// The number of plans per modulus, if their bases are drawn at random.
    random_bases: Option<usize>,
    /// The number of redundant channels.
    redundancy: usize,
}

impl Engine {
    /// Further choices for an engine, such as random bases.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::new()
    }
}

impl EngineBuilder {
    pub(crate) fn new() -> Self {
        Self {
            backend: Backend::best(),
            calibration: Calibration::default(),
            random_bases: None,
            redundancy: 0,
        }
    }

    /// Computes with this backend.
    pub fn backend(self, backend: Backend) -> Self {
        Self { backend, ..self }
    }

    /// Chooses devices and layouts by measured times.
    pub fn calibration(self, calibration: Calibration) -> Self {
        Self {
            calibration,
            ..self
        }
    }

    /// Computes in random bases (leak-resistant arithmetic: Bajard, Imbert, Liardet and Teglia,
    /// 2004). For each size there are `plans` plans, 2 to 32: the same primes, dealt out to the two
    /// bases at random, anew for each engine. Every group of numbers draws one of them with fresh
    /// randomness of the operating system. Results are the same.
    ///
    /// The residues then change from one computation to the next, although the numbers do not: a side channel
    /// that watches residues has to average over the plans. Random bases do not replace constant time and
    /// blinding, and do not find faults.
    ///
    /// Devices without bases are left out: batches that [`Backend::RADIX52`] would compute stay in residues, and take
    /// longer. A modulus that a prime of a drawn base divides is computed in limbs for that plan alone. Plans and the
    /// constants of moduli are made when they are first drawn, and take `plans` times the memory.
    pub fn random_bases(self, plans: usize) -> Self {
        Self {
            random_bases: Some(plans),
            ..self
        }
    }

    /// Finds faults during the computation (Bajard, Eynard and Gandino, 2013). Every number has residues in
    /// `channels` redundant channels, 0 to 4. They are compared with each product, and with each integer that
    /// leaves.
    ///
    /// A wrong residue, weight, constant or table entry of one channel is always found, before it can reach a result,
    /// if it stays within the bounds of its kind; of other faults in them, one in about `2^(28 channels)` is missed, or
    /// fewer. Not covered are digits of scalars, integers on their way in and after they have left the channels, and
    /// the choice of operations.
    ///
    /// The job whose number was wrong is computed again, by itself, with plans and constants that are made anew; the
    /// others of its group keep their results. If it is wrong again, it has an error of its own
    /// ([`Engine::execute_each`]). [`Engine::take_faults`] reports the fault's place: job, operation, and with two
    /// channels or more the channel, if it was one.
    ///
    /// Devices without redundant channels are left out: batches that [`Backend::RADIX52`] would compute stay in lanes,
    /// as do single numbers, and take longer. Results are the same. Together with [`random_bases`](Self::random_bases)
    /// each plan has redundant channels of its own.
    pub fn redundancy(self, channels: usize) -> Self {
        Self {
            redundancy: channels,
            ..self
        }
    }

    /// Builds the engine.
    ///
    /// # Errors
    /// [`EngineError::BackendUnavailable`] if this processor cannot run the backend,
    /// [`EngineError::UnknownLayout`] if it has no such layout; with random bases,
    /// [`EngineError::NoBases`] if the backend is `radix52`, `radix64`, or a layout of `fused52`, [`EngineError::RandomBases`] for
    /// fewer plans than 2 or more than 32, and [`EngineError::Random`] if the system has no random
    /// numbers; [`EngineError::Redundancy`] for more than 4 redundant channels, and
    /// [`EngineError::NoRedundancy`] if the backend, or the layout that it forces, has none.
    pub fn build(self) -> Result<Engine, EngineError> {
        let redundancy = self.redundancy;
        if redundancy > MOST_REDUNDANT {
            return Err(EngineError::Redundancy(redundancy));
        }
        let choices = |split| Choices { split, redundancy };
        let Some(plans) = self.random_bases else {
            let devices = self.backend.devices_with(choices(Split::Fixed))?;
            return Ok(Engine::with(self.backend, devices, 1, self.calibration));
        };
        if !(2..=MOST_SPLITS).contains(&plans) {
            return Err(EngineError::RandomBases(plans));
        }
        // Without random numbers an engine would fail at its first group.
        crate::random::draw(plans)?;
        let choices = choices(Split::Random { of: plans });
        let sets = (0..plans).map(|_| self.backend.devices_with(choices));
        let sets: Vec<Vec<Arc<dyn Device>>> = sets.collect::<Result<_, _>>()?;
        let kinds = sets[0].len();
        let devices =
            (0..kinds).flat_map(|kind| sets.iter().map(move |set| Arc::clone(&set[kind])));
        let devices = devices.collect();
        Ok(Engine::with(self.backend, devices, plans, self.calibration))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crypto_bigint::BoxedUint;

    use super::*;
    use crate::{Exponent, Task, testing};

    /// Every group draws a plan, all plans are drawn, and no two are the same.
    #[test]
    fn groups_draw_their_plans() {
        let engine = Engine::builder().backend(Backend::PORTABLE).random_bases(4);
        let engine = engine.build().unwrap();
        assert_eq!(engine.shared.devices.len(), 4);
        let modulus = engine
            .modulus(&BoxedUint::from((1u128 << 127) - 1))
            .unwrap();
        let base = BoxedUint::from(3u64);
        let exponent = BoxedUint::from(65_537u64);
        let task = Task::power(&modulus, &base, Exponent::Secret(&exponent));
        let first = engine.run(&[task]).unwrap();
        for _ in 0..100 {
            assert_eq!(engine.run(&[task]).unwrap(), first);
        }
        let keys: BTreeSet<usize> = (0..4)
            .map(|device| {
                let prepared = modulus.prepared[device].get();
                let prepared = prepared.expect("it is drawn in 100 runs").as_ref().unwrap();
                engine.shared.devices[device].group_key(&*prepared.prepared)
            })
            .collect();
        assert_eq!(keys.len(), 4);
    }

    /// The conformance suite in random bases, on every layout of every device that has bases.
    #[test]
    fn random_bases_conform() {
        let (layouts, missing) = testing::layouts();
        for error in missing {
            println!("SKIPPED: {error}");
        }
        for layout in layouts {
            let engine = Engine::builder().backend(layout).random_bases(3).build();
            let without = ["radix52", "fused52", "radix64"];
            if let Some(backend) = without.into_iter().find(|&name| name == layout.name()) {
                let error = EngineError::NoBases { backend };
                assert_eq!(engine.err(), Some(error));
                continue;
            }
            let effort = testing::Effort {
                sizes: vec![64, 512, 1088],
                random_programs: 6,
                exponent_bits: 40,
                seed: 11,
            };
            let report = testing::conforms(engine.unwrap(), &effort);
            report.unwrap_or_else(|error| panic!("{layout}: {error}"));
        }
    }

    /// The conformance suite with redundant channels, in every layout that has them, alone and in random
    /// bases. No check ever fails.
    #[test]
    fn redundancy_conforms() {
        let (layouts, missing) = testing::layouts();
        for error in missing {
            println!("SKIPPED: {error}");
        }
        for layout in layouts {
            for (redundancy, random_bases) in [(1, None), (2, None), (4, None), (2, Some(2))] {
                let mut builder = Engine::builder().backend(layout).redundancy(redundancy);
                if let Some(plans) = random_bases {
                    builder = builder.random_bases(plans);
                }
                let engine = match builder.build() {
                    Ok(engine) => engine,
                    Err(error) => {
                        let has_none = matches!(
                            error,
                            EngineError::NoRedundancy { .. }
                                | EngineError::UnknownLayout { .. }
                                | EngineError::NoBases { .. }
                        );
                        assert!(has_none, "{layout}: {error}");
                        continue;
                    }
                };
                let effort = testing::Effort {
                    sizes: vec![64, 512, 1088],
                    random_programs: 6,
                    exponent_bits: 40,
                    seed: 12,
                };
                let report = testing::conforms(engine.clone(), &effort);
                report.unwrap_or_else(|error| panic!("{layout}: {error}"));
                assert_eq!(engine.faults_found(), 0, "{layout}");
            }
        }
    }

    /// Backends leave out devices without redundant channels; backends that have no other device are refused.
    #[test]
    fn where_there_is_no_redundancy() {
        for channels in [MOST_REDUNDANT + 1, usize::MAX] {
            let error = Engine::builder().redundancy(channels).build().unwrap_err();
            assert_eq!(error, EngineError::Redundancy(channels));
            assert!(error.to_string().contains("0 to 4"), "{error}");
        }
        let refused = [
            "radix52",
            "radix52:lanes8",
            "fused52:lanes8",
            "float:spread",
            "avx512:spread",
        ];
        for backend in refused {
            let backend: Backend = backend.parse().unwrap();
            if let Err(error) = backend.check() {
                println!("SKIPPED: {error}");
                continue;
            }
            let error = Engine::builder().backend(backend).redundancy(2).build();
            let error = error.unwrap_err().to_string();
            assert!(
                error.contains("in lanes") || error.contains("lanes16"),
                "{error}"
            );
            let engine = Engine::builder().backend(backend).redundancy(0).build();
            assert!(engine.is_ok());
        }
        for &backend in Backend::ALL {
            let Ok(engine) = Engine::builder().backend(backend).redundancy(2).build() else {
                continue;
            };
            let mut names = engine.devices();
            assert!(names.all(|name| ["avx512", "portable"].contains(&name)));
        }
    }

    #[test]
    fn what_is_refused() {
        for plans in [0, 1, MOST_SPLITS + 1, usize::MAX] {
            let error = Engine::builder().random_bases(plans).build().unwrap_err();
            assert_eq!(error, EngineError::RandomBases(plans));
            assert!(error.to_string().contains("2 to 32"), "{error}");
        }
        let layouts = ["radix52:lanes8", "fused52:lanes8"];
        let [radix52, fused52] = layouts.map(|name| name.parse().unwrap());
        for backend in [Backend::RADIX52, radix52, fused52] {
            if let Err(error) = backend.check() {
                println!("SKIPPED: {error}");
                continue;
            }
            let engine = Engine::builder().backend(backend).random_bases(8).build();
            let error = engine.unwrap_err();
            assert!(error.to_string().contains("limbs"), "{error}");
        }
    }

    /// Backends that compute batches in limbs compute them in residues.
    #[test]
    fn limbs_are_left_out() {
        for &backend in Backend::ALL {
            let Ok(engine) = Engine::builder().backend(backend).random_bases(2).build() else {
                continue;
            };
            let devices = &engine.shared.devices;
            let limbs = ["radix52", "fused52", "radix64"];
            assert!(devices.iter().all(|device| !limbs.contains(&device.name())));
        }
    }
}
