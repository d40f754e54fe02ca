//! SHA-2 over lanes, for words of any vector.
#![expect(
    clippy::inline_always,
    reason = "a compression must be compiled whole for each instruction set"
)]

/// A word of the state of several messages, one a lane.
pub(super) trait Lanes: Copy {
    type Word: Copy + Default;

    /// Number of rounds.
    const ROUNDS: usize;

    /// The words of all lanes; there are as many as lanes.
    fn load(words: &[Self::Word]) -> Self;

    /// Stores the words of all lanes.
    fn store(self, words: &mut [Self::Word]);

    /// Constant `round` in all lanes.
    fn constant(round: usize) -> Self;

    /// The word of a message with these big-endian bytes.
    fn word(bytes: &[u8]) -> Self::Word;

    fn add(self, y: Self) -> Self;

    /// `Ch(x, y, z)` (FIPS 180-4, section 4.1): y where x has ones, z where it has zeros.
    fn choose(self, y: Self, z: Self) -> Self;

    /// `Maj(x, y, z)`.
    fn majority(self, y: Self, z: Self) -> Self;

    /// The functions with upper-case sigmas, 0 and 1.
    fn upper_sigma_0(self) -> Self;
    fn upper_sigma_1(self) -> Self;

    /// The functions with lower-case sigmas, 0 and 1.
    fn lower_sigma_0(self) -> Self;
    fn lower_sigma_1(self) -> Self;
}

/// Compresses a block into each of the first L states, or all if they are fewer, and returns how many these are (FIPS
/// 180-4, section 6). Blocks lie one after the other. There is at least one state.
#[inline(always)]
pub(super) fn compress<V: Lanes, const L: usize>(
    states: &mut [[V::Word; 8]],
    blocks: &[u8],
) -> usize {
    let size = size_of::<V::Word>();
    let count = states.len().min(L);
    let (states, blocks) = (&mut states[..count], blocks.chunks_exact(16 * size));
    let mut rows = [[V::Word::default(); L]; 16];
    for (lane, block) in blocks.take(count).enumerate() {
        for (row, bytes) in rows.iter_mut().zip(block.chunks_exact(size)) {
            row[lane] = V::word(bytes);
        }
    }
    let mut schedule = [V::load(&rows[0]); 16];
    for k in 1..16 {
        schedule[k] = V::load(&rows[k]);
    }
    for (lane, state) in states.iter().enumerate() {
        for k in 0..8 {
            rows[k][lane] = state[k];
        }
    }
    let mut start = [V::load(&rows[0]); 8];
    for k in 1..8 {
        start[k] = V::load(&rows[k]);
    }
    let mut state = start;
    for first in (0..V::ROUNDS - 16).step_by(16) {
        rounds::<V, true>(&mut state, &mut schedule, first);
    }
    rounds::<V, false>(&mut state, &mut schedule, V::ROUNDS - 16);
    for k in 0..8 {
        start[k].add(state[k]).store(&mut rows[k]);
    }
    for (lane, state) in states.iter_mut().enumerate() {
        for k in 0..8 {
            state[k] = rows[k][lane];
        }
    }
    count
}

/// Sixteen rounds from `first` on. With `NEXT` each word of the schedule is followed by the one sixteen rounds later as soon as it
/// has been used.
#[inline(always)]
fn rounds<V: Lanes, const NEXT: bool>(state: &mut [V; 8], schedule: &mut [V; 16], first: usize) {
    /// A round for each index, which the compiler knows: state and schedule are registers then.
    macro_rules! rounds {
        ($($k:literal)*) => {$({
            let [a, b, c, d, e, f, g, h] = *state;
            let known = h.add(V::constant(first + $k)).add(schedule[$k]);
            let t1 = known.add(e.upper_sigma_1()).add(e.choose(f, g));
            let t2 = a.upper_sigma_0().add(a.majority(b, c));
            *state = [t1.add(t2), a, b, c, d.add(t1), e, f, g];
            if NEXT {
                let sum = schedule[$k].add(schedule[($k + 1) % 16].lower_sigma_0());
                let sum = sum.add(schedule[($k + 9) % 16]);
                schedule[$k] = sum.add(schedule[($k + 14) % 16].lower_sigma_1());
            }
        })*};
    }
    rounds!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
}
