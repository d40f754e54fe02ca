//! Products, reductions and carries of long numbers as functions of their own.

use super::{prime::Prime, word::Word};

/// A word whose products, reductions and carries segments can call. Those of long numbers do, lest they exceed the
/// instruction cache.
pub(in crate::limbs) trait Calls: Word {
    /// [`columns::add_product`](super::columns::add_product).
    fn call_add_product<const N: usize, const D: usize>(
        columns: &mut [Self; D],
        x: &[Self; N],
        y: &[Self; N],
    );

    /// The columns of the sum of the products of some pairs.
    fn call_sum_of_products<const N: usize, const D: usize>(terms: &[[&[Self; N]; 2]])
    -> [Self; D];

    /// [`columns::plus_products`](super::columns::plus_products).
    fn call_plus_products<const N: usize, const D: usize>(
        start: &[Self; D],
        terms: &[[&[Self; N]; 2]],
    ) -> [Self; D];

    /// [`columns::square`](super::columns::square).
    fn call_square<const N: usize, const D: usize>(x: &[Self; N]) -> [Self; D];

    /// `x y` modulo F, in loose columns.
    fn call_product<F: Prime<N, D>, const N: usize, const D: usize>(
        x: &[Self; N],
        y: &[Self; N],
    ) -> [Self; N];

    /// `x^2` modulo F, in loose columns.
    fn call_reduced_square<F: Prime<N, D>, const N: usize, const D: usize>(
        x: &[Self; N],
    ) -> [Self; N];

    /// [`Prime::reduce`].
    fn call_reduce<F: Prime<N, D>, const N: usize, const D: usize>(
        columns: &[Self; D],
    ) -> [Self; N];

    /// [`Prime::carry_lifted`].
    fn call_carry<F: Prime<N, D>, const N: usize, const D: usize>(columns: &[Self; N])
    -> [Self; N];
}

/// Implements [`Calls`] for a word, with target features that the callers of segments have detected.
macro_rules! calls {
    ($features:literal $(,)?) => {
        fn call_add_product<const N: usize, const D: usize>(
            columns: &mut [Self; D],
            x: &[Self; N],
            y: &[Self; N],
        ) {
            #[target_feature(enable = $features)]
            #[inline(never)]
            fn compiled<W: Word, const N: usize, const D: usize>(
                columns: &mut [W; D],
                x: &[W; N],
                y: &[W; N],
            ) {
                $crate::limbs::segments::columns::add_product(columns, x, y);
            }
            // SAFETY: segments run only after detection of these features.
            unsafe { compiled(columns, x, y) };
        }

        fn call_sum_of_products<const N: usize, const D: usize>(
            terms: &[[&[Self; N]; 2]],
        ) -> [Self; D] {
            #[target_feature(enable = $features)]
            #[inline(never)]
            fn compiled<W: Word, const N: usize, const D: usize>(terms: &[[&[W; N]; 2]]) -> [W; D] {
                let zero = $crate::limbs::segments::columns::zero();
                $crate::limbs::segments::columns::plus_products(zero, terms)
            }
            // SAFETY: as above.
            unsafe { compiled(terms) }
        }

        fn call_plus_products<const N: usize, const D: usize>(
            start: &[Self; D],
            terms: &[[&[Self; N]; 2]],
        ) -> [Self; D] {
            #[target_feature(enable = $features)]
            #[inline(never)]
            fn compiled<W: Word, const N: usize, const D: usize>(
                start: &[W; D],
                terms: &[[&[W; N]; 2]],
            ) -> [W; D] {
                $crate::limbs::segments::columns::plus_products(*start, terms)
            }
            // SAFETY: as above.
            unsafe { compiled(start, terms) }
        }

        fn call_square<const N: usize, const D: usize>(x: &[Self; N]) -> [Self; D] {
            #[target_feature(enable = $features)]
            #[inline(never)]
            fn compiled<W: Word, const N: usize, const D: usize>(x: &[W; N]) -> [W; D] {
                $crate::limbs::segments::columns::square(x)
            }
            // SAFETY: as above.
            unsafe { compiled(x) }
        }

        fn call_product<F: Prime<N, D>, const N: usize, const D: usize>(
            x: &[Self; N],
            y: &[Self; N],
        ) -> [Self; N] {
            #[target_feature(enable = $features)]
            #[inline(never)]
            fn compiled<W: Word, F: Prime<N, D>, const N: usize, const D: usize>(
                x: &[W; N],
                y: &[W; N],
            ) -> [W; N] {
                let mut columns: [W; D] = $crate::limbs::segments::columns::zero();
                $crate::limbs::segments::columns::add_product(&mut columns, x, y);
                F::reduce(columns)
            }
            // SAFETY: as above.
            unsafe { compiled::<Self, F, N, D>(x, y) }
        }

        fn call_reduced_square<F: Prime<N, D>, const N: usize, const D: usize>(
            x: &[Self; N],
        ) -> [Self; N] {
            #[target_feature(enable = $features)]
            #[inline(never)]
            fn compiled<W: Word, F: Prime<N, D>, const N: usize, const D: usize>(
                x: &[W; N],
            ) -> [W; N] {
                F::reduce($crate::limbs::segments::columns::square(x))
            }
            // SAFETY: as above.
            unsafe { compiled::<Self, F, N, D>(x) }
        }

        fn call_reduce<F: Prime<N, D>, const N: usize, const D: usize>(
            columns: &[Self; D],
        ) -> [Self; N] {
            #[target_feature(enable = $features)]
            #[inline(never)]
            fn compiled<W: Word, F: Prime<N, D>, const N: usize, const D: usize>(
                columns: &[W; D],
            ) -> [W; N] {
                F::reduce(*columns)
            }
            // SAFETY: as above.
            unsafe { compiled::<Self, F, N, D>(columns) }
        }

        fn call_carry<F: Prime<N, D>, const N: usize, const D: usize>(
            columns: &[Self; N],
        ) -> [Self; N] {
            #[target_feature(enable = $features)]
            #[inline(never)]
            fn compiled<W: Word, F: Prime<N, D>, const N: usize, const D: usize>(
                columns: &[W; N],
            ) -> [W; N] {
                F::carry_lifted(*columns)
            }
            // SAFETY: as above.
            unsafe { compiled::<Self, F, N, D>(columns) }
        }
    };
}
pub(super) use calls;
