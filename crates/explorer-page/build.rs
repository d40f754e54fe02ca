//! Makes the explorer page if the feature `page` asks for it.

#[cfg(feature = "page")]
#[path = "build/page.rs"]
mod page;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "page")]
    if let Err(error) = page::make() {
        println!("cargo::error={error}");
    }
}
