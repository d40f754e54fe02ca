//! `crates/capi/include/sunzi.h` is what cbindgen makes of the sources. `make c-header` writes it anew.

use std::path::Path;

#[test]
fn the_header_is_up_to_date() {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/capi");
    let config = cbindgen::Config::from_file(library.join("cbindgen.toml")).unwrap();
    let mut builder = cbindgen::Builder::new().with_config(config);
    for source in [
        "status", "buffers", "engine", "powers", "primes", "keys", "blind", "partial", "paillier",
        "groups", "raw",
    ] {
        builder = builder.with_src(library.join(format!("src/{source}.rs")));
    }
    let mut made = Vec::new();
    builder.generate().unwrap().write(&mut made);
    let made = String::from_utf8(made).unwrap();
    let header = library.join("include/sunzi.h");
    if std::env::var_os("SUNZI_WRITE_HEADER").is_some() {
        std::fs::write(header, made).unwrap();
        return;
    }
    let written = std::fs::read_to_string(header).unwrap_or_default();
    assert!(
        written == made,
        "the header differs from the sources: `make c-header` writes it anew"
    );
}
