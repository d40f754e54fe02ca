//! RNS Montgomery multiplication on a group of lanes, each lane with its own modulus.

use zeroize::{Zeroize, Zeroizing};

use super::{channel::multiply, modulus::PortableModulus, plan::Plan};

/// One number a lane: its stored residues, base A's channels, then base B's.
///
/// In channel `a_i` a residue of X is stored as itself, in channel `b_j` as `|X g_j|`;
/// each as any representative up to `Bounds::x_a` or `Bounds::x_b`.
#[derive(Clone)]
pub(super) struct Numbers<const L: usize> {
    pub(super) channels: Vec<[u64; L]>,
}

impl<const L: usize> Numbers<L> {
    pub(super) fn zero(plan: &Plan) -> Self {
        Self {
            channels: vec![[0; L]; plan.a.len() + plan.b.len()],
        }
    }
}

impl<const L: usize> Drop for Numbers<L> {
    fn drop(&mut self) {
        self.channels.zeroize();
    }
}

/// The constants of the moduli of a group, a lane each.
pub(super) struct LaneConstants<const L: usize> {
    /// [`PortableModulus::quotient`], per channel of A.
    quotient: Zeroizing<Vec<[u64; L]>>,
    /// [`PortableModulus::scaled_p`], per channel of B.
    scaled_p: Zeroizing<Vec<[u64; L]>>,
    /// `A^2 mod P`.
    pub(super) a_squared: Numbers<L>,
}

impl<const L: usize> LaneConstants<L> {
    pub(super) fn new(moduli: [&PortableModulus; L]) -> Self {
        let transpose = |constants: fn(&PortableModulus) -> &[u64]| {
            (0..constants(moduli[0]).len())
                .map(|channel| moduli.map(|modulus| constants(modulus)[channel]))
                .collect()
        };
        Self {
            quotient: Zeroizing::new(transpose(|modulus| &modulus.quotient)),
            scaled_p: Zeroizing::new(transpose(|modulus| &modulus.scaled_p)),
            a_squared: Numbers {
                channels: transpose(|modulus| &modulus.a_squared),
            },
        }
    }
}

/// What a product needs to write to on its way.
pub(super) struct Scratch<const L: usize> {
    /// `qh_i`.
    qh: Zeroizing<Vec<[u64; L]>>,
    /// `rh_j`, and behind them the Cox quotient h.
    pub(super) rh: Zeroizing<Vec<[u64; L]>>,
    /// Sums of a matrix product.
    sums: Zeroizing<Vec<[u64; L]>>,
}

impl<const L: usize> Scratch<L> {
    pub(super) fn new(plan: &Plan) -> Self {
        let lanes = |count| Zeroizing::new(vec![[0; L]; count]);
        Self {
            qh: lanes(plan.a.len()),
            rh: lanes(plan.b.len() + 1),
            sums: lanes(plan.a.len().max(plan.b.len())),
        }
    }
}

/// The other operand of a product.
#[derive(Clone, Copy)]
pub(super) enum Operand<'a, const L: usize> {
    /// The number itself: a square.
    Itself,
    /// Another number.
    Other(&'a Numbers<L>),
}

/// `x := x y A^-1` modulo P, lane by lane.
///
/// Operands are integers up to `2 c P`, stored within the plan's bounds. The result is
/// congruent, below `c P`, and stored within the bounds. The first extension is left
/// uncorrected: `q' = sum qh_i A/a_i` exceeds `q` by a multiple of A, which adds less than
/// `(c - 1) P` to the result. The second is exact (Kawamura's, with offset 1/2 and no
/// truncation). Leaves `rh` and `h` of the result in the scratch space.
#[inline(always)]
pub(super) fn montgomery<const L: usize>(
    plan: &Plan,
    constants: &LaneConstants<L>,
    x: &mut Numbers<L>,
    y: Operand<'_, L>,
    scratch: &mut Scratch<L>,
) {
    let (x_a, x_b) = x.channels.split_at_mut(plan.a.len());
    let other = match y {
        Operand::Itself => None,
        Operand::Other(y) => Some(y.channels.split_at(plan.a.len())),
    };
    let bounds = &plan.bounds;
    assert_below(x_a, bounds.x_a);
    assert_below(x_b, bounds.x_b);

    // qh_i = |x y (-P^-1) (A/a_i)^-1|_{a_i}
    for (i, (channel, qh)) in plan
        .channels_a
        .iter()
        .zip(scratch.qh.iter_mut())
        .enumerate()
    {
        let (x, quotient) = (&x_a[i], &constants.quotient[i]);
        let y = other.map_or(x, |(y_a, _)| &y_a[i]);
        for l in 0..L {
            let s = channel.redc(multiply(x[l], y[l]));
            qh[l] = channel.redc(multiply(s, quotient[l]));
        }
    }
    assert_below(&scratch.qh, bounds.qh);

    // t_j = q' in base B;  x_j = |(x y + q' P) A^-1|_{b_j};  rh_j = |x_j (B/b_j)^-1|_{b_j}
    let sums = &mut scratch.sums[..plan.b.len()];
    plan.a_to_b.multiply(&scratch.qh, sums);
    // Cox: h = floor(1/2 + sum rh_j / 2^w)
    let mut cox = [1 << (plan.w - 1); L];
    for (j, channel) in plan.channels_b.iter().enumerate() {
        let (x, sum, rh) = (&mut x_b[j], &sums[j], &mut scratch.rh[j]);
        let (scaled_p, to_rh) = (&constants.scaled_p[j], plan.to_rh[j]);
        let mut product = [0; L];
        let y = other.map_or(&*x, |(_, y_b)| &y_b[j]);
        for l in 0..L {
            product[l] = multiply(x[l], y[l]);
        }
        for l in 0..L {
            let t = channel.redc(sum[l]);
            debug_assert!(t <= bounds.t);
            x[l] = channel.redc(product[l] + multiply(t, scaled_p[l]));
            rh[l] = channel.redc(multiply(x[l], to_rh));
            cox[l] += rh[l];
        }
    }
    for l in 0..L {
        scratch.rh[plan.b.len()][l] = cox[l] >> plan.w;
    }
    assert_below(x_b, bounds.x_b);
    assert_below(&scratch.rh[..plan.b.len()], bounds.rh);
    assert_below(&scratch.rh[plan.b.len()..], bounds.h);

    // x_i = |sum rh_j B/b_j - h B|_{a_i}
    let sums = &mut scratch.sums[..plan.a.len()];
    plan.b_to_a.multiply(&scratch.rh, sums);
    for ((channel, x), sum) in plan.channels_a.iter().zip(x_a.iter_mut()).zip(sums.iter()) {
        for l in 0..L {
            x[l] = channel.redc(sum[l]);
        }
    }
    assert_below(x_a, bounds.x_a);
}

/// Asserts the bound of every lane in builds with debug assertions.
#[inline(always)]
fn assert_below<const L: usize>(values: &[[u64; L]], bound: u64) {
    debug_assert!(values.iter().flatten().all(|&value| value <= bound));
}
