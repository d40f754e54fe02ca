//! The interface of a provider: it has a name and a version, and offers no algorithms.

use core::ffi::{c_char, c_int, c_uint, c_void};
use core::mem;
use core::ptr;
use std::ffi::CStr;
use std::panic::catch_unwind;

use crate::ffi::{self, CoreGetParams, OSSL_CORE_HANDLE, OSSL_DISPATCH, OSSL_PARAM};
use crate::load::load;
use crate::module::Module;
use crate::settings::Source;

/// A list of parameters, whose last entry has no key.
struct Params([OSSL_PARAM; 4]);

// SAFETY: the entries hold addresses of constants, and nobody writes them.
unsafe impl Sync for Params {}

const fn param(key: &'static CStr, data_type: c_uint) -> OSSL_PARAM {
    OSSL_PARAM {
        key: key.as_ptr(),
        data_type,
        data: ptr::null_mut(),
        data_size: 0,
        return_size: 0,
    }
}

const END: OSSL_PARAM = OSSL_PARAM {
    key: ptr::null(),
    ..param(c"", 0)
};

static GETTABLE: Params = Params([
    param(c"name", ffi::OSSL_PARAM_UTF8_PTR),
    param(c"version", ffi::OSSL_PARAM_UTF8_PTR),
    param(c"status", ffi::OSSL_PARAM_INTEGER),
    END,
]);

static FUNCTIONS: [OSSL_DISPATCH; 5] = [
    OSSL_DISPATCH {
        function_id: ffi::OSSL_FUNC_PROVIDER_TEARDOWN,
        function: teardown as *const c_void,
    },
    OSSL_DISPATCH {
        function_id: ffi::OSSL_FUNC_PROVIDER_GETTABLE_PARAMS,
        function: gettable_params as *const c_void,
    },
    OSSL_DISPATCH {
        function_id: ffi::OSSL_FUNC_PROVIDER_GET_PARAMS,
        function: get_params as *const c_void,
    },
    OSSL_DISPATCH {
        function_id: ffi::OSSL_FUNC_PROVIDER_QUERY_OPERATION,
        function: query_operation as *const c_void,
    },
    OSSL_DISPATCH {
        function_id: 0,
        function: ptr::null(),
    },
];

extern "C" fn teardown(_: *mut c_void) {}

extern "C" fn gettable_params(_: *mut c_void) -> *const OSSL_PARAM {
    GETTABLE.0.as_ptr()
}

/// Answers what is asked: name, version, status.
extern "C" fn get_params(_: *mut c_void, mut params: *mut OSSL_PARAM) -> c_int {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => c"",
        };
    // SAFETY: OpenSSL calls with a list that ends with an entry without a key, whose other entries have places for data
    // of their types.
    unsafe {
        while let Some(param) = params.as_mut().filter(|param| !param.key.is_null()) {
            let text = match CStr::from_ptr(param.key).to_bytes() {
                b"name" => Some(c"Sunzi: batches for many threads"),
                b"version" => Some(VERSION),
                _ => None,
            };
            if let Some(text) = text
                && param.data_type == ffi::OSSL_PARAM_UTF8_PTR
                && !param.data.is_null()
            {
                *param.data.cast::<*const c_char>() = text.as_ptr();
                param.return_size = text.count_bytes();
            } else if CStr::from_ptr(param.key).to_bytes() == b"status"
                && param.data_type == ffi::OSSL_PARAM_INTEGER
                && param.data_size == size_of::<c_int>()
                && !param.data.is_null()
            {
                *param.data.cast::<c_int>() = c_int::from(Module::get().is_some());
                param.return_size = size_of::<c_int>();
            }
            params = params.add(1);
        }
    }
    1
}

extern "C" fn query_operation(_: *mut c_void, _: c_int, no_store: *mut c_int) -> *const c_void {
    if !no_store.is_null() {
        // SAFETY: OpenSSL gives a place for a number.
        unsafe { *no_store = 0 };
    }
    ptr::null()
}

/// The major version of the OpenSSL that loads the module.
fn loader_major(source: &Source) -> Option<u64> {
    let text = source.text(c"openssl-version")?;
    let (major, _) = text.to_str()?.split_once('.')?;
    major.parse().ok()
}

/// Loads the module; OpenSSL calls it. A module that cannot work says so in its statistics, and lets the program start.
///
/// # Safety
/// As OpenSSL's `provider-base(7)` says.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn OSSL_provider_init(
    handle: *const OSSL_CORE_HANDLE,
    mut functions: *const OSSL_DISPATCH,
    out: *mut *const OSSL_DISPATCH,
    context: *mut *mut c_void,
) -> c_int {
    let mut get_params: Option<CoreGetParams> = None;
    // SAFETY: OpenSSL calls with a table that ends with the number 0, whose function of this number has this type, and
    // with places for two pointers.
    unsafe {
        while let Some(entry) = functions.as_ref().filter(|entry| entry.function_id != 0) {
            if entry.function_id == ffi::OSSL_FUNC_CORE_GET_PARAMS {
                get_params = Some(mem::transmute::<*const c_void, CoreGetParams>(
                    entry.function,
                ));
            }
            functions = functions.add(1);
        }
        *out = FUNCTIONS.as_ptr();
        *context = handle.cast_mut().cast();
    }
    let _ = catch_unwind(|| {
        let source = Source { handle, get_params };
        load(&source, loader_major(&source));
    });
    1
}
