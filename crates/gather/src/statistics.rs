//! Counts of what a gatherer did.

use core::fmt::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of size classes of batches: 1, 2 to 3, 4 to 7, and so on; the last one has all from 1,024 on.
pub const SIZES: usize = 11;

/// The class of a batch of this size, from 1.
fn class(size: usize) -> usize {
    (size.max(1).ilog2() as usize).min(SIZES - 1)
}

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)+) => {
        /// Counters of one kind of request, which any thread raises.
        #[derive(Default)]
        pub(crate) struct Counters {
            $(pub(crate) $name: AtomicU64,)+
            sizes: [AtomicU64; SIZES],
        }

        /// Counts of one kind of request.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct KindStatistics {
            $($(#[$doc])* pub $name: u64,)+
            /// Number of batches by size, in classes: 1, 2 to 3, 4 to 7 ([`SIZES`]). A batch is what a leader took
            /// of this kind, also if it was computed call by call; an operation without a queue is one of size 1.
            pub sizes: [u64; SIZES],
        }

        impl Counters {
            /// The counts at this moment. Other threads may be counting.
            pub(crate) fn read(&self) -> KindStatistics {
                let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
                KindStatistics {
                    $($name: read(&self.$name),)+
                    sizes: self.sizes.each_ref().map(read),
                }
            }
        }

        impl KindStatistics {
            /// The counters by name, without the sizes.
            fn named(&self) -> impl Iterator<Item = (&'static str, u64)> {
                [$((stringify!($name), self.$name),)+].into_iter()
            }
        }
    };
}

counters! {
    /// Operations that were answered in batches.
    together,
    /// Operations computed alone because fewer than L leaders were there: nobody else was waiting.
    lone,
    /// Operations computed alone because their kind does not pay in any batch that forms here.
    unpaid,
    /// Operations computed alone because their batch was smaller than what pays.
    few,
    /// Operations computed alone because no request could be made: a key that is not taken, for instance.
    refused,
    /// Operations computed alone because the queue was full.
    full,
    /// Operations computed alone because the batch had no answer for them: a fault, or a failed device.
    faults,
    /// Panics of computations of batches, whose operations are among the faults.
    panics,
    /// Batches that were computed together.
    batches,
    /// Microseconds that these batches took.
    batch_microseconds,
}

impl Counters {
    /// Counts a batch of this size.
    pub(crate) fn batch(&self, size: usize) {
        add(&self.sizes[class(size)], 1);
    }
}

/// Raises a counter.
pub(crate) fn add(counter: &AtomicU64, by: u64) {
    counter.fetch_add(by, Ordering::Relaxed);
}

impl KindStatistics {
    /// Number of operations that have been answered.
    pub fn operations(&self) -> u64 {
        self.together + self.alone()
    }

    /// Number of operations that their callers computed alone.
    pub fn alone(&self) -> u64 {
        self.lone + self.unpaid + self.few + self.refused + self.full + self.faults
    }
}

/// Counts of all kinds of requests of one process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// The number of the process.
    pub process: u32,
    /// The counts of each kind.
    pub kinds: Vec<KindStatistics>,
}

impl Statistics {
    /// The counts as Prometheus text, of the kinds that had operations. Every line has the labels `process` and
    /// `kind`, the latter by `names`.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn prometheus(&self, names: &[&str], writer: &mut impl Write) -> fmt::Result {
        writeln!(writer, "# TYPE sunzi_gather_total counter")?;
        let kinds = || {
            let named = names.iter().zip(&self.kinds);
            named.filter(|(_, kind)| kind.operations() > 0)
        };
        let process = self.process;
        for (kind, counts) in kinds() {
            for (count, number) in counts.named() {
                writeln!(
                    writer,
                    "sunzi_gather_total{{process=\"{process}\",kind=\"{kind}\",count=\"{count}\"}} {number}"
                )?;
            }
        }
        writeln!(writer, "# TYPE sunzi_gather_batches_total counter")?;
        for (kind, counts) in kinds() {
            for (class, number) in counts.sizes.iter().enumerate() {
                writeln!(
                    writer,
                    "sunzi_gather_batches_total{{process=\"{process}\",kind=\"{kind}\",size=\"{}\"}} {number}",
                    1u64 << class
                )?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_sizes() {
        let classes = [1, 2, 3, 4, 7, 8, 1023, 1024, 1 << 20].map(class);
        assert_eq!(classes, [0, 1, 1, 2, 2, 3, 9, 10, 10]);
    }

    #[test]
    fn text() {
        let counters = Counters::default();
        add(&counters.together, 5);
        counters.batch(5);
        let statistics = Statistics {
            process: 7,
            kinds: vec![KindStatistics::default(), counters.read()],
        };
        let mut text = String::new();
        statistics.prometheus(&["x", "y"], &mut text).unwrap();
        assert!(!text.contains("\"x\""));
        let lines = [
            "sunzi_gather_total{process=\"7\",kind=\"y\",count=\"together\"} 5\n",
            "sunzi_gather_batches_total{process=\"7\",kind=\"y\",size=\"4\"} 1\n",
            "sunzi_gather_batches_total{process=\"7\",kind=\"y\",size=\"1024\"} 0\n",
        ];
        for line in lines {
            assert!(text.contains(line), "{text}");
        }
    }
}
