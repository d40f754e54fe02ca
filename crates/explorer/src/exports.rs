//! The function that the page calls.

use wasm_bindgen::prelude::wasm_bindgen;

/// As [`crate::view`].
#[wasm_bindgen]
pub fn view(name: &str, fields: &str) -> String {
    crate::view(name, fields)
}
