//! The explorer page: residue number systems to try out, in one HTML file that needs no network.
//!
//! The page is made by the build script, if the feature `page` asks for it: it compiles
//! `sunzi-explorer` to WebAssembly, and puts that and the files of `page/` together.
#![forbid(unsafe_code)]

/// The page, a complete HTML document.
#[cfg(feature = "page")]
pub const HTML: &str = include_str!(concat!(env!("OUT_DIR"), "/index.html"));
