//! Settings: from the module's section of OpenSSL's configuration, or else from the environment, which some servers
//! clear.

use core::ffi::{CStr, c_char, c_void};
use core::ptr;
use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use crate::ffi;

unsafe extern "C" {
    fn secure_getenv(name: *const c_char) -> *mut c_char;
}

/// What an operator may set.
#[derive(Debug)]
pub(crate) struct Settings {
    /// Whether the module does anything.
    pub(crate) enabled: bool,
    /// Folder for the statistics of each process; none are written without it.
    pub(crate) statistics: Option<PathBuf>,
    /// Folder where measured times are kept.
    pub(crate) cache: Option<PathBuf>,
    /// Number of threads that compute batches at a time; `None`: as many as there are processors.
    pub(crate) processors: Option<usize>,
    /// The largest number of asynchronous jobs that may be paused.
    pub(crate) jobs: usize,
    /// For tests: every n-th operation of a batch has no answer, every 10 n-th batch panics. 0: none.
    #[cfg(feature = "faults")]
    pub(crate) faults: u64,
    /// Whether the module computes every operation.
    #[cfg(feature = "faults")]
    pub(crate) forced: bool,
    /// Settings that could not be understood.
    pub(crate) unknown: Vec<&'static str>,
}

/// The largest number of processors and of paused jobs that may be set.
const MOST: usize = 1 << 16;
/// The number of jobs that may be paused, unless it is set. Each takes some 50 KiB.
const JOBS: usize = 1024;

/// Where settings come from.
pub(crate) struct Source {
    pub(crate) handle: *const ffi::OSSL_CORE_HANDLE,
    pub(crate) get_params: Option<ffi::CoreGetParams>,
}

impl Source {
    /// A text from the module's section, or one that OpenSSL says of itself.
    pub(crate) fn text(&self, name: &CStr) -> Option<OsString> {
        let mut text: *mut c_char = ptr::null_mut();
        let data = (&raw mut text).cast::<c_void>();
        let mut params = [
            ffi::OSSL_PARAM {
                key: name.as_ptr(),
                data_type: ffi::OSSL_PARAM_UTF8_PTR,
                data,
                data_size: 0,
                return_size: usize::MAX,
            },
            ffi::OSSL_PARAM {
                key: ptr::null(),
                data_type: 0,
                data: ptr::null_mut(),
                data_size: 0,
                return_size: 0,
            },
        ];
        // SAFETY: the handle and the function are those that OpenSSL gave this module; the list ends with an entry
        // without a key, and its data is a place for a pointer.
        let found = unsafe { self.get_params?(self.handle, params.as_mut_ptr()) };
        if found == 0 || text.is_null() {
            return None;
        }
        // SAFETY: OpenSSL has put the address of a text there, which ends with a zero and lives as long as the
        // module is loaded.
        let text = unsafe { CStr::from_ptr(text) };
        Some(OsString::from_vec(text.to_bytes().to_vec()))
    }

    /// A setting by its name in the section, or by that in the environment.
    fn get(&self, name: &CStr, variable: &str) -> Option<OsString> {
        self.text(name)
            .or_else(|| environment(variable))
            .filter(|text| !text.is_empty())
    }
}

/// A variable of the environment; none in programs that run with the rights of another user.
fn environment(name: &str) -> Option<OsString> {
    let name = CString::new(name).ok()?;
    // SAFETY: the name ends with a zero.
    let text = unsafe { secure_getenv(name.as_ptr()) };
    if text.is_null() {
        return None;
    }
    // SAFETY: a text of the environment ends with a zero. The program may change its environment in another thread
    // only after it has made sure that nobody reads it, as for `getenv` anywhere.
    let text = unsafe { CStr::from_ptr(text) };
    Some(OsString::from_vec(text.to_bytes().to_vec()))
}

impl Settings {
    /// Reads the settings. Those that cannot be understood are as if they were not there, and are listed.
    pub(crate) fn read(source: &Source) -> Self {
        let mut unknown = Vec::new();
        let mut number = |name: &'static str, key: &CStr, variable| {
            let text = source.get(key, variable)?;
            let number = text.to_str().and_then(|text| text.parse().ok());
            let number = number.filter(|number: &usize| *number <= MOST);
            if number.is_none() {
                unknown.push(name);
            }
            number
        };
        let processors = number("processors", c"processors", "SUNZI_OPENSSL_PROCESSORS");
        let jobs = number("jobs", c"jobs", "SUNZI_OPENSSL_JOBS");
        #[cfg(feature = "faults")]
        let faults = number("faults", c"faults", "SUNZI_OPENSSL_FAULTS").unwrap_or(0) as u64;
        #[cfg(feature = "faults")]
        let forced = number("forced", c"forced", "SUNZI_OPENSSL_FORCED").is_some_and(|n| n > 0);
        let switch = source.get(c"enabled", "SUNZI_OPENSSL");
        let switch = switch.map(|text| text.to_string_lossy().to_ascii_lowercase());
        let enabled = match switch.as_deref() {
            None | Some("on" | "yes" | "true" | "1") => true,
            Some("off" | "no" | "false" | "0") => false,
            Some(_) => {
                unknown.push("enabled");
                true
            }
        };
        let folder = |key, variable| source.get(key, variable).map(PathBuf::from);
        let caches = || {
            let base = environment("XDG_CACHE_HOME").map(PathBuf::from);
            let base = base.or_else(|| Some(PathBuf::from(environment("HOME")?).join(".cache")));
            Some(base?.join("sunzi"))
        };
        Self {
            enabled,
            statistics: folder(c"statistics", "SUNZI_OPENSSL_STATISTICS"),
            cache: folder(c"cache", "SUNZI_OPENSSL_CACHE").or_else(caches),
            processors: processors.filter(|&number| number > 0),
            jobs: jobs.unwrap_or(JOBS),
            #[cfg(feature = "faults")]
            faults,
            #[cfg(feature = "faults")]
            forced,
            unknown,
        }
    }
}
