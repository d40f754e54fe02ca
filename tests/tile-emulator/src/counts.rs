//! How many instructions were emulated.

use std::ops::Sub;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

macro_rules! counted {
    ($($name:ident)*) => {
        /// Instructions emulated in this process, on all threads, since it began.
        ///
        /// The difference of two gives what ran in between. An instruction counts when
        /// it has been executed; what the processor executes itself is not seen.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Counts {
            $(#[doc = concat!("`", stringify!($name), "`")] pub $name: u64,)*
        }

        /// The live counters behind [`Counts`].
        pub(crate) struct Counters {
            $(pub(crate) $name: AtomicU64,)*
        }

        pub(crate) static COUNTERS: Counters = Counters {
            $($name: AtomicU64::new(0),)*
        };

        /// Instructions emulated so far. Exact for what has happened before the call
        /// (on this thread, or on threads joined since).
        pub fn counts() -> Counts {
            Counts {
                $($name: COUNTERS.$name.load(Relaxed),)*
            }
        }

        impl Sub for Counts {
            type Output = Self;

            fn sub(self, earlier: Self) -> Self {
                Self {
                    $($name: self.$name - earlier.$name,)*
                }
            }
        }
    };
}

counted! {
    ldtilecfg
    sttilecfg
    tilerelease
    tilezero
    tileloadd
    tileloaddt1
    tilestored
    tdpbssd
    tdpbsud
    tdpbusd
    tdpbuud
}
