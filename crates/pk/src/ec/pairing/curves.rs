//! The parameters of pairing-friendly curves: BLS12-381 (draft-irtf-cfrg-pairing-friendly-curves-11,
//! section 4.2.1) and BN254 as Ethereum has it, also called `alt_bn128` (EIP-196).

use crate::ec::named::Named;

/// The construction of a pairing-friendly curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ec) enum Family {
    /// Barreto and Naehrig, 2005: the number of points is the prime order n.
    BarretoNaehrig,
    /// Barreto, Lynn and Scott, 2002, of embedding degree 12: there are other points than the multiples of
    /// the base point.
    BarretoLynnScott {
        /// `|x|`, for the x in which p and the order `n = x^4 - x^2 + 1` are polynomials.
        seed: u64,
        /// The cube root of unity modulo p, in hexadecimal, with `(beta X, Y) = -x^2 (X, Y)` for the base
        /// point (X, Y) and its multiples.
        beta: &'static str,
    },
}

/// All pairing-friendly curves.
pub(in crate::ec) const PAIRING_CURVES: &[(Named, Family)] = &[
    (
        Named {
            name: "BLS12-381-G1",
            other_names: &["BLS12-381"],
            oid: None,
            p: "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153\
                ffffb9feffffffffaaab",
            a: "0",
            b: "4",
            x: "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a\
                1aeffb3af00adb22c6bb",
            y: "08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a288\
                8ae40caa232946c5e7e1",
            order: "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001",
        },
        Family::BarretoLynnScott {
            seed: 0xd201_0000_0001_0000,
            beta: "5f19672fdf76ce51ba69c6076a0f77eaddb3a93be6f89688de17d813620a00022e01fffffffe\
                   fffe",
        },
    ),
    (
        Named {
            name: "BN254-G1",
            other_names: &["BN254", "alt_bn128"],
            oid: None,
            p: "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47",
            a: "0",
            b: "3",
            x: "1",
            y: "2",
            order: "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001",
        },
        Family::BarretoNaehrig,
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ec::Curve;
    use crypto_bigint::{BoxedUint, Resize};
    use crypto_primes::{Flavor, is_prime};

    /// p and n are primes and the polynomials of the seed, the base point has the order n, and beta is the
    /// root whose multiple is `-x^2`.
    #[test]
    fn parameters() {
        let big = |x: u64| BoxedUint::from(x).resize(512);
        for (named, family) in PAIRING_CURVES {
            let curve: Curve = named.name.parse().unwrap();
            let (p, n) = (curve.field().p(), curve.order().as_ref());
            assert!(is_prime(Flavor::Any, p) && is_prime(Flavor::Any, n));
            let generator = curve.generator();
            assert_eq!(curve.multiply_vartime(n, generator), None);
            let [p, n] = [p, n].map(|x| x.resize(512));
            let one = big(1);
            match family {
                Family::BarretoLynnScott { seed, beta } => {
                    let square = big(*seed).wrapping_mul(big(*seed));
                    let order = square.wrapping_mul(&square).wrapping_sub(&square);
                    let order = order.wrapping_add(&one);
                    assert_eq!(order, n);
                    // p = (x - 1)^2 n / 3 + x with x = -seed.
                    let more = big(seed + 1);
                    let third = more.wrapping_mul(&more).wrapping_mul(&n);
                    assert_eq!(third, p.wrapping_add(big(*seed)).wrapping_mul(big(3)));
                    let image = curve.multiply_vartime(&square, generator).unwrap();
                    let beta = BoxedUint::from_str_radix_vartime(beta, 16).unwrap();
                    let beta = curve.field().element(&beta).unwrap();
                    assert_eq!(image.x, generator.x.mul(&beta));
                    assert_eq!(image.y, generator.y.neg());
                }
                Family::BarretoNaehrig => {
                    // p - n = 6 t^2 with p = 36 t^4 + 36 t^3 + 24 t^2 + 6 t + 1.
                    let t = big(4_965_661_367_192_848_881);
                    let square = t.wrapping_mul(&t);
                    assert_eq!(p.wrapping_sub(&n), square.wrapping_mul(big(6)));
                    let cube = square.wrapping_mul(&t).wrapping_mul(big(36));
                    let sum = cube.wrapping_mul(&t).wrapping_add(&cube);
                    let sum = sum.wrapping_add(square.wrapping_mul(big(24)));
                    let sum = sum.wrapping_add(t.wrapping_mul(big(6)));
                    assert_eq!(sum.wrapping_add(&one), p);
                }
            }
        }
    }
}
