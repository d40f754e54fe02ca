//! The module as it is loaded: the gatherer, what was measured, and the saved functions of OpenSSL.

use core::ffi::c_int;

use once_cell::race::OnceBox;
use sunzi_gather::Gatherer;

use crate::measures::Measures;
use crate::methods::Functions;
use crate::signer::Signer;

/// What the hooks use.
pub(crate) struct Module {
    /// The state for statistics: "on", with what could not be understood.
    pub(crate) state: String,
    pub(crate) measures: &'static Measures,
    pub(crate) gatherer: Gatherer<Signer, Box<dyn Fn() -> Signer + Send + Sync>>,
    /// The largest number of paused jobs.
    pub(crate) jobs: usize,
    /// OpenSSL's own functions.
    pub(crate) own: Functions,
    /// Places of entries on keys.
    pub(crate) rsa_place: c_int,
    pub(crate) ec_place: c_int,
}

static MODULE: OnceBox<Module> = OnceBox::new();

impl Module {
    /// The module, once its hooks may be called.
    pub(crate) fn get() -> Option<&'static Self> {
        MODULE.get()
    }

    /// Keeps the module for the hooks. Whether it is the first.
    pub(crate) fn keep(self) -> bool {
        MODULE.set(Box::new(self)).is_ok()
    }
}
