//! Spans while a program is built: from the values of formulas to the registers of operations.

use core::hash::{Hash, Hasher};
use core::ops::Range;

use smallvec::SmallVec;

use crate::{
    Register, Span, Step, Stream,
    formulas::Segment,
    seal::{Checksum, Content},
};

impl Content for Span {
    /// Adds as few words as it can: large programs are checked after every batch.
    #[inline]
    fn add_to(&self, sum: &mut Checksum) {
        let Self {
            segment,
            times,
            steps,
            digit,
            inputs,
            outputs,
        } = self;
        let pair = |high: u64, low: u64| high << 32 ^ low;
        let digit = digit.map_or(0, |(stream, position)| {
            pair(u64::from(stream.0) + 1, position.into())
        });
        // Two registers are a word.
        let output =
            |output: Option<Register>| output.map_or(0, |register| u64::from(register.0) + 1);
        let (pairs, last) = inputs.as_chunks::<2>();
        let last = last.first().map_or(0, |register| u64::from(register.0) + 1);
        let own = [packed(*segment), digit];
        sum.part(own, pairs, |[x, y]| pair(x.0.into(), y.0.into()));
        let (pairs, last_output) = outputs.as_chunks::<2>();
        let last_output = last_output.first().map_or(0, |last| output(*last));
        let lengths = pair(inputs.len() as u64, outputs.len() as u64) ^ u64::from(*times) << 16;
        let steps = pair(steps.start as u64, steps.end as u64);
        // Their numbers are small: a changed bit of either changes one bit.
        let own = [lengths ^ steps.rotate_left(16), pair(last, last_output)];
        sum.part(own, pairs, |&[x, y]| pair(output(x), output(y)));
    }

    fn add_all(list: &[Self], sum: &mut Checksum) {
        sum.word(list.len() as u64);
        sum.apart(|sum| {
            for span in list {
                span.add_to(sum);
            }
        });
    }
}

/// A word for a segment, which differs if any one of its fields differs.
fn packed(segment: Segment) -> u64 {
    let mut packed = Packed(0);
    segment.hash(&mut packed);
    packed.finish()
}

/// A hasher that packs what it is given, which is a few small numbers, into a word.
struct Packed(u64);

impl Hasher for Packed {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(byte.into());
        }
    }

    fn write_u32(&mut self, number: u32) {
        /// More bits than numbers other than the last one have. Any bits are kept, whatever the last one is.
        const BITS: u32 = 20;
        self.0 = self.0.rotate_left(BITS) ^ u64::from(number);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u32(number as u32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Content for Range<usize> {
    fn add_to(&self, sum: &mut Checksum) {
        sum.word(self.start as u64);
        sum.word(self.end as u64);
    }
}

/// A span while a program is built: the values are those of the builder.
pub(crate) struct OpenSpan {
    pub(crate) segment: Segment,
    pub(crate) times: u8,
    pub(crate) digit: Option<(Stream, u32)>,
    pub(crate) inputs: SmallVec<[Register; 8]>,
    pub(crate) outputs: Vec<Register>,
}

/// The spans of a program, where `spans[k]` has the steps with the number k, and steps are still in terms of values. A
/// span with other values that are read outside, or without operations, is left out.
pub(crate) fn close(open: Vec<OpenSpan>, steps: &[Step], values: usize) -> Vec<Span> {
    /// No step writes the value, or none reads it.
    const NONE: usize = usize::MAX;
    let mut ranges: Vec<Range<usize>> = vec![0..0; open.len()];
    let (mut written_by, mut last_read) = (vec![NONE; values], vec![NONE; values]);
    for (index, step) in steps.iter().enumerate() {
        if let Some(span) = step.span {
            let range = &mut ranges[span as usize];
            if range.start == range.end {
                range.start = index;
            }
            range.end = index + 1;
        }
        if let Some(out) = step.operation.out() {
            written_by[out.index()] = index;
        }
        for read in step.operation.reads() {
            last_read[read.index()] = index;
        }
    }
    let is_read_after = |value: Register, end: usize| {
        let last = last_read[value.index()];
        last != NONE && last >= end
    };
    let spans = open.into_iter().zip(ranges);
    let spans = spans.filter_map(|(open, range)| {
        let written = steps[range.clone()]
            .iter()
            .filter_map(|step| step.operation.out());
        let leaves = |value: &Register| is_read_after(*value, range.end);
        let is_closed = written
            .filter(leaves)
            .all(|value| open.outputs.contains(&value));
        let OpenSpan {
            segment,
            times,
            digit,
            inputs,
            outputs,
        } = open;
        let is_own = |value: Register| {
            let index = written_by[value.index()];
            index != NONE && range.contains(&index)
        };
        // An output that is one of the inputs stays where it is.
        let mut kept = SmallVec::<[Option<Register>; 4]>::new();
        for value in outputs {
            let is_kept = leaves(&value) && is_own(value) && !kept.contains(&Some(value));
            kept.push(is_kept.then_some(value));
        }
        (is_closed && range.start < range.end).then_some(Span {
            segment,
            times,
            steps: range,
            digit,
            inputs,
            outputs: kept,
        })
    });
    spans.collect()
}
