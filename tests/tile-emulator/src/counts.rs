//! Counters of emulated instructions.

use std::ops::Sub;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

macro_rules! counted {
    ($($name:ident)*) => {
        /// Numbers of instructions emulated in this process since its start, on all threads.
        ///
        /// The difference of two values gives the instructions in between. Instructions are
        /// counted after their execution. Those that the processor executes are not counted.
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

        /// The instructions emulated so far. All those that happened before the call, on this
        /// thread or on threads that were joined, are included.
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
