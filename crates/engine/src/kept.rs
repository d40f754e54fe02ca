//! Data that devices keep between batches: the constants of moduli, and constants of programs.

use core::any::Any;

use sunzi_program::seal::{Checksum, Seal};

use crate::program::Part;

/// A device's prepared form of a modulus, or of constants.
pub(crate) type Prepared = Box<dyn Kept>;

/// Data that a device keeps of a modulus, or of constants. The engine seals it; the plan that it rests on has a seal of
/// its own.
pub(crate) trait Kept: Any + Send + Sync {
    /// Adds to a checksum the part that programs read in one way. Data kept in one form for all ways is
    /// [`Part::Single`].
    fn add_part(&self, part: Part, sum: &mut Checksum);

    /// Whether the plan that it rests on is unchanged since it was made.
    fn plan_is_whole(&self) -> bool {
        true
    }
}

/// A device's kept data, with the seals of its parts.
pub(crate) struct Sealed {
    pub(crate) prepared: Prepared,
    seals: [Seal; Part::ALL.len()],
}

impl Sealed {
    pub(crate) fn new(prepared: Prepared) -> Self {
        let seals = Part::ALL.map(|part| Seal::made(|sum| prepared.add_part(part, sum)));
        Self { prepared, seals }
    }

    /// Whether these parts are unchanged since they were made.
    pub(crate) fn are_whole(&self, parts: &[Part]) -> bool {
        parts.iter().all(|&part| {
            let seal = Seal::made(|sum| self.prepared.add_part(part, sum));
            self.seals[part as usize].is(&seal)
        })
    }
}

/// The device's own type of data that it prepared.
///
/// # Panics
/// If another device prepared it, which the engine rules out.
pub(crate) fn own<T: 'static>(prepared: &(dyn Any + Send + Sync)) -> &T {
    prepared
        .downcast_ref()
        .expect("the engine hands a device what that device has prepared")
}

/// Implements [`Kept`] for data in one form for all ways to read it.
macro_rules! kept {
    ($type:ty $(, $plan_is_whole:expr)?) => {
        impl $crate::kept::Kept for $type {
            fn add_part(&self, part: $crate::program::Part, sum: &mut ::sunzi_program::seal::Checksum) {
                if part == $crate::program::Part::Single {
                    ::sunzi_program::seal::Content::add_to(self, sum);
                }
            }
            $(
                fn plan_is_whole(&self) -> bool {
                    let is_whole: fn(&Self) -> bool = $plan_is_whole;
                    is_whole(self)
                }
            )?
        }
    };
}

pub(crate) use kept;
