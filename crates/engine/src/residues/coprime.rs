//! Whether a modulus is coprime to a base. Plans serve no others; that may be known of a secret modulus.

use core::hint::black_box;

/// Whether none of a modulus' residues is 0. The only branch is on the answer, which therefore does not depend on the
/// residues any more; tools that follow secrets through memory see that, too.
#[inline(never)]
pub(crate) fn is_coprime<T: Copy + PartialEq + Default>(residues: &[T]) -> bool {
    let mut zeros = 0;
    for &residue in residues {
        zeros |= u8::from(residue == T::default());
    }
    let mut coprime = true;
    if black_box(zeros) != 0 {
        coprime = black_box(false);
    }
    coprime
}
