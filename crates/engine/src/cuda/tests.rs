//! Tests of the device without a card: emulated, or lost. Its results are compared in `tests/conformance.rs`.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use crypto_bigint::{BoxedUint, ConcatenatingMul};
use zeroize::Zeroizing;

use super::{
    Cuda,
    card::{Card, Kernel, Launch},
    launch::Spare,
    matrix::{OF_WARP, Plan},
    shape::{Form, Shape},
};
use crate::{
    Backend, DeviceError, Engine, Exponent, Layout, Task, device::Device, job::Candidate,
    schedule::split_with_cards, testing,
};

/// A card that is lost after some launches of another one.
struct Lost {
    card: Arc<dyn Card>,
    left: AtomicUsize,
}

impl Card for Lost {
    fn run(&self, launch: &Launch) -> Result<Zeroizing<Vec<u32>>, DeviceError> {
        let left = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(1)
            });
        match left {
            Ok(_) => self.card.run(launch),
            Err(_) => Err(DeviceError {
                reason: String::from("the card was lost"),
            }),
        }
    }
}

/// An engine with an emulated card that is lost after some launches, before the devices of the processor.
fn engine(launches: usize) -> Option<Engine> {
    let emulated = match super::narrow(true) {
        Ok(emulated) => emulated,
        Err(reason) => {
            println!("SKIPPED: {reason}");
            return None;
        }
    };
    let card = Cuda {
        card: Arc::new(Lost {
            card: emulated.card,
            left: AtomicUsize::new(launches),
        }),
        widths: emulated.widths,
        spare: Spare::default(),
    };
    let mut devices: Vec<Arc<dyn Device>> = vec![Arc::new(card)];
    devices.extend(Backend::RADIX64.devices().unwrap());
    let calibration = "cuda lanes3 256 1\ncuda lanes3 2048 1\n".parse().unwrap();
    Some(Engine::with(Backend::CUDA, devices, 1, calibration))
}

/// Work of a card that is lost is done by the processor, and the failure is noted.
#[test]
fn a_lost_card_gives_its_work_back() {
    for launches in [0, 1, 2] {
        let Some(engine) = engine(launches) else {
            return;
        };
        let reference = testing::reference();
        let p = BoxedUint::from((1u128 << 127) - 1);
        let exponent = BoxedUint::from(0xfedc_ba98_7654_3211u64);
        let bases: Vec<BoxedUint> = (3..10u64).map(BoxedUint::from).collect();
        let [found, expected] = [&engine, &reference].map(|engine| {
            let modulus = engine.modulus(&p).unwrap();
            let power = |base| Task::power(&modulus, base, Exponent::Secret(&exponent));
            engine.run(&bases.iter().map(power).collect::<Vec<_>>())
        });
        assert_eq!(found.unwrap(), expected.unwrap());
        let failures = engine.take_failures();
        assert_eq!(failures.is_empty(), launches > 2, "{failures:?}");
        assert!(failures.iter().all(|failure| failure.device == "cuda"));
    }
}

/// Large batches are shared so that card and processor end together; small ones go where they are faster.
#[test]
fn large_batches_are_shared() {
    let Some(engine) = engine(0) else {
        return;
    };
    let candidate = |device, layout, ns| Candidate { device, layout, ns };
    let split = |card_ns, numbers| {
        let candidates = [
            candidate(0, Layout::Lanes(3), card_ns),
            candidate(1, Layout::Single, 10.0),
        ];
        let parts = split_with_cards(&engine.shared, &candidates, numbers, 2);
        let shares = || parts.iter().flatten();
        let all: usize = shares().map(|share| share.numbers).sum();
        assert_eq!(all, numbers);
        assert!(shares().all(|share| share.numbers <= share.candidate.layout.width()));
        let of_card = shares().filter(|share| share.candidate.device == 0);
        of_card.map(|share| share.numbers).sum::<usize>()
    };
    // The card takes 5 a number, and so do two threads.
    assert_eq!(split(15.0, 1000), 500);
    // The share of the processor would be small.
    assert_eq!(split(4.0, 1000), 1000);
    // Few groups are not shared.
    assert_eq!(split(5.0, 9), 9);
    // One number is faster on the processor.
    assert_eq!(split(6.0, 1), 0);
    // A card that is half as fast as the threads still helps.
    assert_eq!(split(30.0, 1000), 334);
}

/// Shapes have room for their size class, and words in pairs; the primes of special forms are found.
#[test]
fn shapes() {
    for bits in (64..=16_384).step_by(64) {
        let shape = Shape::of_size(bits);
        assert!(shape.words() as u32 * 32 >= bits, "{bits}");
        assert!(shape.words_each.is_multiple_of(2) && 32 % shape.threads == 0);
        let Kernel::Limbs { numbers, .. } = Kernel::limbs(shape, 20) else {
            unreachable!("limbs are asked for")
        };
        assert!(numbers >= 20);
    }
    let form = |hex: &str| {
        let p = BoxedUint::from_str_radix_vartime(hex, 16).unwrap();
        Shape::of(p.as_words(), 256).form
    };
    let ones = "f".repeat(48);
    assert_eq!(form(&format!("{ones}fffffffefffffc2f")), Form::Secp256k1);
    assert_eq!(
        form(&format!("7{}ffffffffffffffed", &ones[1..])),
        Form::P25519
    );
    assert_eq!(form(&format!("{ones}ffffffffffffffed")), Form::General);
}

/// Size classes from 1024 to 4096 bits have a plan, whose bounds hold and which fits a block's memory; others have none.
#[test]
fn plans_of_residues() {
    for bits in (1024..=4096).step_by(512) {
        let class = crate::program::size_class(bits);
        let plan = Plan::new(class).unwrap();
        let geometry = plan.geometry;
        assert_eq!(geometry.channels % 8, 0);
        assert_eq!(plan.base_a.len(), geometry.channels - 1);
        assert!(plan.factor.bits_vartime() > class, "{bits}");
        assert!(plan.limits.operands > u64::from(geometry.lift) * u64::from(geometry.lift));
        assert!(geometry.shared_bytes() <= 227 << 10, "{bits}");
        assert!(geometry.warps * OF_WARP >= 128);
        // Moduli that share a prime with base A are left to other devices.
        let p = BoxedUint::from_words([u64::MAX; 16]);
        let q = BoxedUint::from(u64::from(plan.base_a[1]));
        let shared = p.concatenating_mul(&q);
        assert!(!plan.serves(shared.as_words()) && !plan.serves(q.as_words()));
        assert!(plan.serves(BoxedUint::from_words([3, 5, 7]).as_words()));
    }
    for bits in [64, 960, 5120, 8192] {
        assert!(Plan::new(bits).is_err());
    }
}
