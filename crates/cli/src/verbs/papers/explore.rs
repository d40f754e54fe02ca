//! `sunzi papers --explore DIR`: the explorer page, which the feature `explorer` builds in.

use crate::failure::Failure;
use std::path::{Path, PathBuf};

/// Writes the page into a folder, which is made if necessary, and returns its path.
#[cfg(feature = "explorer")]
pub(super) fn write(folder: &Path) -> Result<PathBuf, Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::new(format!("cannot make {}: {error}", folder.display())))?;
    let page = folder.join("index.html");
    crate::io::files::write_document(&page, sunzi_explorer_page::HTML)?;
    Ok(page)
}

/// Says how to get the page.
#[cfg(not(feature = "explorer"))]
pub(super) fn write(_: &Path) -> Result<PathBuf, Failure> {
    Err(Failure::new(
        "this sunzi was built without the explorer page: `make explorer` makes the page alone; to build \
         it in, `rustup target add wasm32-unknown-unknown`, then \
         `cargo install --path crates/cli --locked --features explorer`",
    ))
}
