//! The residues modulo 3 and 4 of a quotient, from those of the dividend.
//!
//! ```text
//! X' = (X + f_D(X) P) / D
//! update4:    |X'|_4 = |3 (|X|_4 + f_3(X) P)|_4      D = 3
//! update3_2:  |X'|_3 = |2 (|X|_3 + f_2(X) P)|_3      D = 2
//! update3_4:  |X'|_3 = |    |X|_3 + f_4(X) P|_3      D = 4
//! ```
//!
//! In hardware these rules save a sum modulo 3 after a division by 2 or 4, and a sum modulo 4 after
//! a division by 3. Here one sum gives the residue modulo 12, and these rules only check it.
//!
//! Source: K. Bigou and A. Tisserand, "Binary-Ternary Plus-Minus Modular Inversion in RNS",
//! IEEE Transactions on Computers 65 (2016), section IV.D. `update3_4` is corrected: the
//! printed `|(t_X + (|P|_4 - 2) b_X P)|_3` adds `-2P` for `P = 1 mod 4` and `|X|_4 = 2`, where
//! the division adds `f_4(X) P = +2P`.

/// `|X'|_4` of `X' = (X + f P) / 3`, from `|X|_4`, `f = f_3(X)` and `P` modulo 4 (or 12).
pub fn update4(x_mod_4: u32, f: i32, p: u32) -> u32 {
    quotient(x_mod_4, f, p, 3, 4)
}

/// `|X'|_3` of `X' = (X + f P) / 2`, from `|X|_3`, `f = f_2(X)` and `P` modulo 3 (or 12).
pub fn update3_2(x_mod_3: u32, f: i32, p: u32) -> u32 {
    quotient(x_mod_3, f, p, 2, 3)
}

/// `|X'|_3` of `X' = (X + f P) / 4`, from `|X|_3`, `f = f_4(X)` and `P` modulo 3 (or 12).
pub fn update3_4(x_mod_3: u32, f: i32, p: u32) -> u32 {
    quotient(x_mod_3, f, p, 1, 3)
}

/// `|(x + f p) inverse|_k`.
fn quotient(x: u32, f: i32, p: u32, inverse: u32, k: u32) -> u32 {
    let sum = x.cast_signed() + f * p.cast_signed();
    (sum * inverse.cast_signed())
        .rem_euclid(k.cast_signed())
        .cast_unsigned()
}
