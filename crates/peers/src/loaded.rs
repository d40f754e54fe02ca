//! Libraries that are loaded when the program runs.

use std::ffi::OsStr;
use std::sync::OnceLock;

/// A library's functions once they have been asked for: why they cannot be used, or none if no file was named.
pub(crate) type Loaded<T> = OnceLock<Result<Option<T>, String>>;

/// The functions of the library whose file an environment variable names, loaded at the first call; none if it names
/// none.
///
/// # Errors
/// Why the library cannot be used, with the variable's name.
pub(crate) fn named<T>(
    loaded: &'static Loaded<T>,
    variable: &str,
    load: fn(&OsStr) -> Result<T, String>,
) -> Result<Option<&'static T>, String> {
    let load = || {
        let path = std::env::var_os(variable).filter(|path| !path.is_empty());
        path.map(|path| load(&path)).transpose()
    };
    let functions = loaded.get_or_init(load).as_ref();
    functions
        .map(Option::as_ref)
        .map_err(|why| format!("{variable} names no library that can be used: {why}"))
}
