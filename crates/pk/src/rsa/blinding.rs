//! The blinds of clients of blind signatures: random numbers r in 1..n with their inverses, which are found many at a
//! time by Montgomery's trick: one inversion and three products for each.

use core::ptr;
use std::collections::HashMap;

use super::private::NoRandomness;
use super::verify::VerifyingKey;
use crate::integer::random_below;
use crypto_bigint::BoxedUint;
use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use rand_core::TryCryptoRng;
use rayon::prelude::*;
use sunzi_engine::available_threads;
use zeroize::Zeroizing;

/// Number of inverses that share one inversion: enough that its cost is lost among their products, few enough
/// that a batch of one key keeps every thread busy.
const SHARED_INVERSION: usize = 128;

/// A blind. To be used once.
pub(super) struct Blind {
    /// Uniform in 1..n.
    pub(super) r: Zeroizing<BoxedUint>,
    /// `r^-1 mod n`. If r has no inverse (it shares a prime with n, which happens by chance less often than
    /// factoring n does), zero, with which no signature is valid.
    pub(super) inverse: Zeroizing<BoxedUint>,
}

/// A fresh blind for each of these keys, in order.
pub(super) fn draw<R: TryCryptoRng + ?Sized>(
    rng: &mut R,
    keys: &[&VerifyingKey],
) -> Result<Vec<Blind>, NoRandomness> {
    let draw = |key: &&VerifyingKey| random_below(rng, key.public_key().n()).ok_or(NoRandomness);
    let r: Vec<Zeroizing<BoxedUint>> = keys.iter().map(draw).collect::<Result<_, _>>()?;
    let mut places: HashMap<*const BoxedUint, Vec<usize>> = HashMap::new();
    for (place, key) in keys.iter().enumerate() {
        let id = ptr::from_ref(key.public_key().n());
        places.entry(id).or_default().push(place);
    }
    let groups: Vec<&[usize]> = (places.values())
        .flat_map(|places| places.chunks(SHARED_INVERSION))
        .collect();
    let invert = |places: &&[usize]| {
        let n = keys[places[0]].public_key().odd_n();
        let modulus = BoxedMontyParams::new_vartime(n.clone());
        let blinds: Vec<&BoxedUint> = places.iter().map(|&place| &*r[place]).collect();
        invert_together(&blinds, &modulus)
    };
    let on_one_thread = groups.len() == 1 || available_threads() == 1;
    let inverses: Vec<Vec<Zeroizing<BoxedUint>>> = if on_one_thread {
        groups.iter().map(invert).collect()
    } else {
        groups.par_iter().map(invert).collect()
    };
    let mut blinds: Vec<_> = (r.into_iter())
        .map(|r| Blind {
            r,
            inverse: Zeroizing::new(BoxedUint::zero()),
        })
        .collect();
    for (places, inverses) in groups.into_iter().zip(inverses) {
        for (&place, inverse) in places.iter().zip(inverses) {
            blinds[place].inverse = inverse;
        }
    }
    Ok(blinds)
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
    use super::super::private::tests::{big, engine, private_key};
    use super::*;
    use crate::integer::resized;
    use crate::system_rng;
    use num_bigint::BigUint;

    #[test]
    fn inverses_found_together() {
        let key = private_key();
        let n = key.public_key().odd_n();
        let modulus = BoxedMontyParams::new_vartime(n.clone());
        let mut rng = system_rng();
        let mut r: Vec<_> = (0..10)
            .map(|_| random_below(&mut rng, n).unwrap())
            .collect();
        r.push(resized(&BoxedUint::one(), n.bits_precision()));
        r.push(Zeroizing::new(n.wrapping_sub(BoxedUint::one())));
        let r: Vec<&BoxedUint> = r.iter().map(|r| &**r).collect();
        for count in [0, 1, 2, r.len()] {
            let inverses = invert_together(&r[..count], &modulus);
            assert_eq!(inverses.len(), count);
            for (r, inverse) in r.iter().zip(&inverses) {
                assert_eq!(big(r) * big(inverse) % big(n), BigUint::from(1u32));
            }
        }
    }

    /// Every blind is the inverse pair that it should be, and no blind comes twice, for keys in any order.
    #[test]
    fn blinds_are_fresh() {
        let engine = engine();
        let keys = [(); 2].map(|()| private_key().public_key().clone());
        let keys = keys.map(|key| VerifyingKey::new(&engine, &key).unwrap());
        let n = big(keys[0].public_key().n());
        let mut seen = Vec::new();
        for order in [&[][..], &[0], &[1, 0, 1, 0], &[1; 2 * SHARED_INVERSION + 3]] {
            let order: Vec<_> = order.iter().map(|&key: &usize| &keys[key]).collect();
            let blinds = draw(&mut system_rng(), &order).unwrap();
            assert_eq!(blinds.len(), order.len());
            for Blind { r, inverse } in blinds {
                assert_eq!(big(&r) * big(&inverse) % &n, BigUint::from(1u32));
                assert!(!seen.contains(&*r));
                seen.push((*r).clone());
            }
        }
    }
}
