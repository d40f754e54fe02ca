//! Blinds: random numbers r in 1..n with their inverses, each used for one private operation.
//!
//! The inverses are what a blind costs. They are found many at a time by Montgomery's trick: one
//! inversion and three products for each. A large batch fills whole groups by itself; for small
//! ones each key keeps a stock, which grows with its use: a key's first operation makes one
//! blind, the next ones two, four, and so on up to a whole group.
//!
//! After a fork parent and child have the same stock. A blind that both used would tie their
//! operations together, so a process uses only what it has made itself: the stock carries the
//! number of its process, and the child throws its copy away.

use core::ptr;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::private::NoRandomness;
use crate::integer::random_below;
use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{BoxedUint, Odd};
use rand_core::TryCryptoRng;
use rayon::prelude::*;
use sunzi_engine::available_threads;
use zeroize::Zeroizing;

/// How many inverses share one inversion: enough that its cost is lost among their products,
/// few enough that a batch of one key keeps every thread busy.
const SHARED_INVERSION: usize = 128;

/// A blind. To be used once.
pub(super) struct Blind {
    /// Uniform in 1..n.
    pub(super) r: Zeroizing<BoxedUint>,
    /// `r^-1 mod n`. Where r has none (it shares a prime with n, which happens by chance less
    /// often than factoring n does), zero, which the final check of a private operation refuses.
    pub(super) inverse: Zeroizing<BoxedUint>,
}

/// Where the blinds of one key come from.
pub(super) struct Blinding {
    monty: BoxedMontyParams,
    stock: Mutex<Stock>,
}

struct Stock {
    /// The process that made the blinds.
    process: u32,
    ready: Vec<Blind>,
    used: usize,
}

impl Stock {
    fn empty(process: u32) -> Self {
        Self {
            process,
            ready: Vec::new(),
            used: 0,
        }
    }
}

/// The number of this process. Asking the system at every use takes some hundred nanoseconds, less
/// than a hundredth of a private operation, and sees forks that no handler is told of.
fn process() -> u32 {
    if cfg!(unix) {
        std::process::id()
    } else {
        // Elsewhere processes do not fork.
        0
    }
}

impl Blinding {
    /// With an empty stock.
    pub(super) fn new(n: &Odd<BoxedUint>) -> Self {
        Self {
            monty: BoxedMontyParams::new_vartime(n.clone()),
            stock: Mutex::new(Stock::empty(process())),
        }
    }

    /// Runs `f` on the stock of this process. A panic while it was locked leaves whole blinds
    /// behind.
    fn with_stock<T>(&self, f: impl FnOnce(&mut Stock) -> T) -> T {
        let mut stock = self.stock.lock().unwrap_or_else(PoisonError::into_inner);
        let process = process();
        if stock.process != process {
            *stock = Stock::empty(process);
        }
        f(&mut stock)
    }
}

/// A fresh blind from each of these keys, in order.
pub(super) fn draw<R: TryCryptoRng + ?Sized>(
    rng: &mut R,
    keys: &[&Blinding],
) -> Result<Vec<Blind>, NoRandomness> {
    let mut places: HashMap<*const Blinding, (&Blinding, usize)> = HashMap::new();
    for &key in keys {
        places.entry(ptr::from_ref(key)).or_insert((key, 0)).1 += 1;
    }
    let mut drawn: HashMap<*const Blinding, Vec<Blind>> = HashMap::new();
    let mut new = Vec::new();
    for (&id, &(key, wanted)) in &places {
        let (ready, used) = key.with_stock(|stock| {
            let taken = wanted.min(stock.ready.len());
            let used = stock.used;
            stock.used += wanted;
            (stock.ready.split_off(stock.ready.len() - taken), used)
        });
        if ready.len() < wanted {
            let make = (wanted - ready.len()).max(used.min(SHARED_INVERSION));
            for _ in 0..make {
                let r = random_below(rng, key.monty.modulus()).ok_or(NoRandomness)?;
                new.push((key, r));
            }
        }
        drawn.insert(id, ready);
    }

    let groups: Vec<_> = new
        .chunk_by(|(key, _), (other, _)| ptr::eq(*key, *other))
        .flat_map(|of_key| of_key.chunks(SHARED_INVERSION))
        .collect();
    let invert = |group: &&[(&Blinding, Zeroizing<BoxedUint>)]| {
        let blinds: Vec<&BoxedUint> = group.iter().map(|(_, r)| &**r).collect();
        invert_together(&blinds, &group[0].0.monty)
    };
    let inverses: Vec<Zeroizing<BoxedUint>> = match groups.as_slice() {
        [] => Vec::new(),
        [group] => invert(group),
        groups if available_threads() == 1 => groups.iter().flat_map(invert).collect(),
        groups => groups.par_iter().flat_map_iter(invert).collect(),
    };
    for ((key, r), inverse) in new.into_iter().zip(inverses) {
        let id = ptr::from_ref(key);
        let blind = Blind { r, inverse };
        match drawn.get_mut(&id) {
            Some(drawn) if drawn.len() < places[&id].1 => drawn.push(blind),
            _ => key.with_stock(|stock| stock.ready.push(blind)),
        }
    }
    Ok(keys
        .iter()
        .map(|&key| {
            let drawn = drawn.get_mut(&ptr::from_ref(key)).and_then(Vec::pop);
            drawn.expect("as many blinds as places were drawn for every key")
        })
        .collect())
}

/// The inverses of numbers below the odd modulus, in constant time. With the products
/// `t_i = s_0 ... s_(i-1)`, each `s_i^-1 = t_i t_(i+1)^-1` and `t_i^-1 = s_i t_(i+1)^-1`: from the
/// inverse of the last product, all follow backwards.
///
/// Here `s_i = r_i R^-1`, the number whose Montgomery form is `r_i`. The inverse of the last product
/// is multiplied by `R^-2`, which all that follow carry on, so that each
/// `s_i^-1 R^-2 = r_i^-1 R^-1` has `r_i^-1` as its Montgomery form: nothing is converted.
fn invert_together(r: &[&BoxedUint], modulus: &BoxedMontyParams) -> Vec<Zeroizing<BoxedUint>> {
    let form = |x: &BoxedUint| Zeroizing::new(BoxedMontyForm::from_montgomery(x.clone(), modulus));
    let s: Vec<_> = r.iter().map(|r| form(r)).collect();
    let mut product = Zeroizing::new(BoxedMontyForm::one(modulus));
    let mut products = Vec::with_capacity(s.len());
    for s in &s {
        products.push(product.clone());
        product = Zeroizing::new(product.mul(s));
    }
    let zero = BoxedMontyForm::zero(modulus);
    let inverse = Zeroizing::new(product.invert().unwrap_or(zero));
    let one = BoxedUint::one_with_precision(modulus.modulus().bits_precision());
    let mut inverse = Zeroizing::new(inverse.mul(&form(&one).square()));
    let mut inverses: Vec<_> = s
        .iter()
        .zip(&products)
        .rev()
        .map(|(s, product)| {
            let this = Zeroizing::new(inverse.mul(product));
            inverse = Zeroizing::new(inverse.mul(s));
            Zeroizing::new(this.as_montgomery().clone())
        })
        .collect();
    inverses.reverse();
    inverses
}

#[cfg(test)]
mod tests {
    use super::super::private::tests::{big, private_key};
    use super::*;
    use crate::integer::resized;
    use crate::system_rng;
    use num_bigint::BigUint;

    fn blinding() -> Blinding {
        Blinding::new(private_key().public_key().odd_n())
    }

    #[test]
    fn inverses_found_together() {
        let key = blinding();
        let n = key.monty.modulus();
        let mut rng = system_rng();
        let mut r: Vec<_> = (0..10)
            .map(|_| random_below(&mut rng, n).unwrap())
            .collect();
        r.push(resized(&BoxedUint::one(), n.bits_precision()));
        r.push(Zeroizing::new(n.wrapping_sub(BoxedUint::one())));
        let r: Vec<&BoxedUint> = r.iter().map(|r| &**r).collect();
        for count in [0, 1, 2, r.len()] {
            let inverses = invert_together(&r[..count], &key.monty);
            assert_eq!(inverses.len(), count);
            for (r, inverse) in r.iter().zip(&inverses) {
                assert_eq!(big(r) * big(inverse) % big(n), BigUint::from(1u32));
            }
        }
    }

    /// Every blind is the inverse pair that it should be, no blind comes twice, and the stock
    /// grows with the use.
    #[test]
    fn blinds_are_fresh_and_the_stock_is_bounded() {
        let keys = [blinding(), blinding()];
        let n = big(keys[0].monty.modulus());
        let mut rng = system_rng();
        let mut seen = Vec::new();
        let mut batch = |places: &[&Blinding]| {
            let blinds = draw(&mut rng, places).unwrap();
            assert_eq!(blinds.len(), places.len());
            for blind in blinds {
                assert_eq!(
                    big(&blind.r) * big(&blind.inverse) % &n,
                    BigUint::from(1u32)
                );
                assert!(!seen.contains(&*blind.r));
                seen.push((*blind.r).clone());
            }
        };
        batch(&[]);
        for _ in 0..40 {
            batch(&[&keys[0]]);
        }
        batch(&[&keys[1], &keys[0], &keys[1], &keys[0]]);
        batch(&[&keys[1]; 2 * SHARED_INVERSION + 3]);
        for _ in 0..SHARED_INVERSION {
            batch(&[&keys[1]]);
        }
        for key in &keys {
            assert!(key.with_stock(|stock| stock.ready.len()) <= SHARED_INVERSION);
        }
    }
}
