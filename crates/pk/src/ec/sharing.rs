//! Work on one curve with shared inversions.

use crate::verdict::public;
use crypto_bigint::BoxedUint;
use std::collections::HashMap;
use sunzi_engine::Outcome;
use zeroize::Zeroizing;

/// The largest number of numbers of one curve that share an inversion.
pub(super) const MOST: usize = 16;

/// The largest number of multiples of the base point that one member of a group checks: they share no inversion, but
/// take their digits from a table while it is in the nearest cache. Longer programs displace the tables from the next
/// one.
pub(super) const CHECKED_TOGETHER: usize = 4;

/// The number of numbers that share an inversion, of `count` numbers of a curve: a power of two, and small
/// enough that groups are full.
fn sharing(count: usize) -> usize {
    /// Number of members that fill the widest group.
    const MEMBERS: usize = 32;
    1 << (count / MEMBERS).clamp(1, MOST).ilog2()
}

/// A curve prepared on an engine.
pub(super) trait Identity {
    /// The identity: the same number for clones only.
    fn id(&self) -> usize;
}

/// Numbers of one curve that share an inversion.
pub(super) struct Share<'a, C> {
    pub(super) curve: &'a C,
    /// Their indices in the batch. The last one is repeated if there are too few to share.
    pub(super) places: Vec<usize>,
    /// Number of indices that are not repeated.
    count: usize,
}

/// Divides a batch in which each number belongs to a curve.
pub(super) fn shares<'a, C: Identity>(curves: &[&'a C]) -> Vec<Share<'a, C>> {
    shares_of_at_most(MOST, curves)
}

/// [`shares`] of at most `most` numbers: a power of two.
pub(super) fn shares_of_at_most<'a, C: Identity>(
    most: usize,
    curves: &[&'a C],
) -> Vec<Share<'a, C>> {
    let mut known = HashMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    // Most often the same as the previous curve.
    let mut before = None;
    for (place, curve) in curves.iter().enumerate() {
        let id = curve.id();
        let group = match before {
            Some((known, group)) if known == id => group,
            _ => *known.entry(id).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            }),
        };
        before = Some((id, group));
        groups[group].push(place);
    }
    let divide = |group: Vec<usize>| {
        let sharing = sharing(group.len()).min(most);
        let share = move |places: &[usize]| {
            let count = places.len();
            let repeated = core::iter::repeat(places[count - 1]);
            Share {
                curve: curves[places[0]],
                places: places
                    .iter()
                    .copied()
                    .chain(repeated)
                    .take(sharing)
                    .collect(),
                count,
            }
        };
        group.chunks(sharing).map(share).collect::<Vec<_>>()
    };
    groups.into_iter().flat_map(divide).collect()
}

/// The result of each number of a batch.
pub(super) fn scatter<C>(
    shares: &[Share<'_, C>],
    outcomes: Vec<Outcome>,
    numbers: usize,
) -> Vec<Vec<Zeroizing<BoxedUint>>> {
    let mut results: Vec<_> = (0..numbers).map(|_| Vec::new()).collect();
    for (share, outcome) in shares.iter().zip(outcomes) {
        let each = outcome.integers.len() / share.places.len();
        let mut integers = outcome.integers.into_iter();
        for &place in &share.places[..share.count] {
            results[place] = integers.by_ref().take(each).collect();
        }
    }
    results
}

/// Whether each number of a batch passed a check with these flags: whether a number is 0 that must not be, and then
/// conditions that must be true.
pub(super) fn verdicts<C>(
    shares: &[Share<'_, C>],
    outcomes: &[Outcome],
    numbers: usize,
) -> Vec<bool> {
    let mut verdicts = vec![false; numbers];
    for (share, outcome) in shares.iter().zip(outcomes) {
        // A program without flags, as a fault may leave one, confirms nothing.
        let each = (outcome.flags.len() / share.places.len()).max(1);
        for (&place, flags) in share.places.iter().zip(outcome.flags.chunks_exact(each)) {
            let mut flags = flags.iter().map(|&flag| public(flag));
            verdicts[place] = flags.next() == Some(false) && flags.all(|flag| flag);
        }
    }
    verdicts
}
