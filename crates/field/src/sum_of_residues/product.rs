//! Products in the base of a reduction.

use super::base66::Base66;
use sunzi_rns::channel::Operation;
use sunzi_rns::{Base, Channel, Residues};

/// The residues of `X Y`. Cost: `N` EMM.
pub(super) fn product(
    channel: &impl Channel,
    inner: &Base66,
    x: &Residues,
    y: &Residues,
) -> Residues {
    assert!(
        x.base() == &inner.base && y.base() == &inner.base,
        "the factors are not in the base of this reduction"
    );
    let factors = inner.channels.iter().zip(x.values()).zip(y.values());
    let values = factors.map(|((m, &x), &y)| {
        channel.tally(Operation::Multiplication, 1);
        m.mul(x, y)
    });
    reduced(&inner.base, values.collect())
}

/// The residues with these values, which must be below their moduli.
pub(super) fn reduced(base: &Base, values: alloc::vec::Vec<u128>) -> Residues {
    Residues::new(base, values).expect("channel operations return values below the modulus")
}
