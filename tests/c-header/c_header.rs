//! Checks that `crates/capi/include/sunzi.h` is cbindgen's output for the sources, in the C of 1990. `make c-header`
//! writes it anew. The manual page `crates/capi/sunzi.3` names all functions.

use std::path::{Path, PathBuf};

fn library() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/capi")
}

/// The macros of the version. All packages have one version.
fn version_macros() -> String {
    let [major, minor, patch] = [
        env!("CARGO_PKG_VERSION_MAJOR"),
        env!("CARGO_PKG_VERSION_MINOR"),
        env!("CARGO_PKG_VERSION_PATCH"),
    ];
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "\n/* The version of this header. sunzi_version() is that of the library. */\n\
         #define SUNZI_VERSION_MAJOR {major}\n\
         #define SUNZI_VERSION_MINOR {minor}\n\
         #define SUNZI_VERSION_PATCH {patch}\n\
         #define SUNZI_VERSION \"{version}\""
    )
}

/// A header without features that C has had only since 1999: commas after the last constant, and comments after `//`.
fn in_c90(header: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in header.lines() {
        if line.starts_with('}')
            && let Some(last) = lines.last_mut().filter(|last| last.ends_with(','))
        {
            last.pop();
        }
        lines.push(match line.split_once("//") {
            Some((code, comment)) => format!("{}  /* {} */", code.trim_end(), comment.trim()),
            None => line.into(),
        });
    }
    lines.join("\n") + "\n"
}

#[test]
fn the_header_is_up_to_date() {
    let library = library();
    let mut config = cbindgen::Config::from_file(library.join("cbindgen.toml")).unwrap();
    config.after_includes = Some(version_macros());
    let mut builder = cbindgen::Builder::new().with_config(config);
    for source in [
        "status", "buffers", "engine", "powers", "primes", "keys", "blind", "partial", "paillier",
        "groups", "bls", "raw", "gather",
    ] {
        builder = builder.with_src(library.join(format!("src/{source}.rs")));
    }
    let mut made = Vec::new();
    builder.generate().unwrap().write(&mut made);
    let made = in_c90(&String::from_utf8(made).unwrap());
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

/// The functions that the header declares.
fn functions(header: &str) -> Vec<&str> {
    let declared = header
        .lines()
        .filter(|line| !line.starts_with([' ', '#', '/']));
    declared
        .filter_map(|line| {
            let before = line.split_once('(')?.0;
            let name = before.rsplit([' ', '*']).next()?;
            name.starts_with("sunzi_").then_some(name)
        })
        .collect()
}

#[test]
fn the_manual_page_names_all_functions() {
    let read = |name| std::fs::read_to_string(library().join(name)).unwrap();
    let (header, page) = (read("include/sunzi.h"), read("sunzi.3"));
    let functions = functions(&header);
    assert!(functions.len() > 60, "{functions:?}");
    let words: Vec<&str> = page
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .collect();
    for name in functions {
        assert!(words.contains(&name), "sunzi.3 does not name {name}");
    }
    for word in words.iter().filter(|word| word.starts_with("sunzi_")) {
        assert!(
            header.contains(word),
            "sunzi.3 names {word}, which is not there"
        );
    }
}
