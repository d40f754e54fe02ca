//! The views of the explorer page: everything that it shows, computed by `sunzi-rns`,
//! `sunzi-field` and `sunzi-papers`.
//!
//! | module | section of the page |
//! |---|---|
//! | [`residues`] | numbers as residues, and back |
//! | [`extension`] | base extension: the matrix and the Cox sum |
//! | [`product`] | a Montgomery product, step by step |
//! | [`sum`] | the sum of residues, as published and exact |
//! | [`cube`] | the hypercube at work |
//! | [`inversion`] | an inversion by the plus-minus algorithms, step by step |
//! | [`network`] | a product as a network of fixed weights |
//!
//! The page sends typed inputs as text to [`view`], and draws the result; it computes nothing itself. Input that cannot
//! be used leads to a [`Refusal`], which names the input and the violated condition. Sizes are limited so that every
//! view takes milliseconds.
#![forbid(unsafe_code)]

pub mod cube;
pub mod extension;
pub mod input;
mod integer;
pub mod inversion;
pub mod network;
pub mod product;
pub mod residues;
pub mod sum;

#[cfg(target_arch = "wasm32")]
pub mod exports;

pub use input::{Reason, Refusal};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The answer to a request of the page, as JSON: an object with the view in `view`, or with a
/// [`Refusal`] in `refused`.
///
/// `name` is the name of the view, and `fields` a JSON object with the texts of the inputs.
pub fn view(name: &str, fields: &str) -> String {
    match name {
        "residues" => answer(fields, residues::Residues::new),
        "count" => answer(fields, residues::Count::new),
        "riddle" => answer(fields, residues::Riddle::new),
        "extension" => answer(fields, extension::Extension::new),
        "product" => answer(fields, product::Product::new),
        "cube" => answer(fields, cube::Cube::new),
        "inversion" => answer(fields, inversion::Inversion::new),
        "network" => answer(fields, network::Network::new),
        "published" => answer(fields, network::Published::new),
        "sum" => answer(fields, sum::Sum::new),
        "sample" => answer(fields, sum::Sample::new),
        _ => refuse(Refusal::new("", Reason::View(name.into()))),
    }
}

fn answer<I: DeserializeOwned, V: Serialize>(
    fields: &str,
    compute: impl Fn(&I) -> Result<V, Refusal>,
) -> String {
    let input = match serde_json::from_str(fields) {
        Ok(input) => input,
        Err(error) => return refuse(Refusal::new("", Reason::Fields(error.to_string()))),
    };
    match compute(&input) {
        Ok(view) => serde_json::json!({ "view": view }).to_string(),
        Err(refusal) => refuse(refusal),
    }
}

fn refuse(refusal: Refusal) -> String {
    let Refusal { input, reason } = refusal;
    let message = reason.to_string();
    serde_json::json!({ "refused": { "input": input, "message": message } }).to_string()
}
