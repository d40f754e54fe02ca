//! The arithmetic of formulas.

/// Field operations on numbers of two kinds: *tight* ones, which may be multiplied, and *loose* ones, which are sums and
/// differences that have not been carried yet. All are modulo one prime P; a product may carry the inverse of a
/// Montgomery factor, as in programs.
///
/// To the builder of programs both kinds are values. In compiled code a tight number has limbs, a loose one signed
/// columns.
pub trait Arith {
    /// A number that may be multiplied.
    type Tight: Copy;
    /// A number that must be carried first.
    type Loose: Copy;

    /// `x y`.
    fn multiply(&mut self, x: Self::Tight, y: Self::Tight) -> Self::Loose;

    /// `x^2`.
    fn square(&mut self, x: Self::Tight) -> Self::Loose;

    /// The sum of the products `x y`, or `-x y` where the first component is true.
    fn sum_of_products<const N: usize>(
        &mut self,
        terms: [(bool, Self::Tight, Self::Tight); N],
    ) -> Self::Loose;

    /// The product of the factors less `factor z^2`, for a factor of at most 32.
    fn multiply_less_square(
        &mut self,
        factors: [Self::Tight; 2],
        z: Self::Tight,
        factor: u32,
    ) -> Self::Loose;

    /// `factor x`, for a factor below `2^17`.
    fn multiply_small(&mut self, x: Self::Tight, factor: u32) -> Self::Loose;

    /// The same number as a term of a sum.
    fn loosen(&mut self, x: Self::Tight) -> Self::Loose;

    /// `x + y`.
    fn add(&mut self, x: Self::Loose, y: Self::Loose) -> Self::Loose;

    /// `x - y`.
    fn subtract(&mut self, x: Self::Loose, y: Self::Loose) -> Self::Loose;

    /// `factor x`, for a factor of at most 32.
    fn scale(&mut self, x: Self::Loose, factor: u32) -> Self::Loose;

    /// The same number modulo P, tight. It must not be negative: a sum of products and their multiples.
    fn carry(&mut self, x: Self::Loose) -> Self::Tight;

    /// The same number modulo P, tight, also for differences.
    fn carry_signed(&mut self, x: Self::Loose) -> Self::Tight;

    /// `[y, x]` where the digit of the formula is 1, and else `[x, y]`.
    fn swap_by_digit(&mut self, x: Self::Tight, y: Self::Tight) -> [Self::Tight; 2];

    /// `-x` where the digit of the formula is 1, and else x.
    fn negate_by_digit(&mut self, x: Self::Tight) -> Self::Tight;

    /// Goes on to the digit of the next time that the formula is applied.
    fn next_digit(&mut self);

    /// The same number as an input of a formula that is applied to its own outputs.
    #[inline(always)]
    fn as_input(&mut self, x: Self::Tight) -> Self::Tight {
        x
    }

    /// `x y`, tight.
    #[inline(always)]
    fn product(&mut self, x: Self::Tight, y: Self::Tight) -> Self::Tight {
        let product = self.multiply(x, y);
        self.carry(product)
    }
}
