//! `sunzi-explorer` compiled to WebAssembly, and one HTML file made of it and of the files in `page/`.
//!
//! Browsers do not load modules or WebAssembly files beside a page that is opened from a disk, so
//! everything is in the page itself: styles, scripts, and the WebAssembly module in base64. A content
//! security policy allows these, by their hashes, and nothing else.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};
use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use wasm_bindgen_cli_support::Bindgen;

const TARGET: &str = "wasm32-unknown-unknown";

/// The scripts of the page, in the order in which they use one another.
const SCRIPTS: [&str; 11] = [
    "dom.js",
    "stepper.js",
    "section.js",
    "residues.js",
    "extension.js",
    "product.js",
    "sum.js",
    "cube.js",
    "inversion.js",
    "network.js",
    "main.js",
];

/// Writes `index.html` into the folder `OUT_DIR`.
pub(super) fn make() -> Result<(), Box<dyn Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let workspace = here.join("../..");
    for input in [
        "crates/explorer",
        "crates/explorer-page/build",
        "crates/explorer-page/page",
        "crates/field",
        "crates/papers",
        "crates/rns",
        "Cargo.lock",
    ] {
        println!(
            "cargo::rerun-if-changed={}",
            workspace.join(input).display()
        );
    }
    let module = compile(&workspace, &out)?;
    let (glue, module) = bind(&module, &out)?;
    let page = assemble(&here.join("page"), &glue, &module)?;
    fs::write(out.join("index.html"), page)?;
    Ok(())
}

/// Compiles `sunzi-explorer` and returns the path of the module.
///
/// It gets a target folder of its own, since the cargo that runs this holds the lock of the usual one,
/// and none of the settings for the compiler that are meant for the machine that builds.
fn compile(workspace: &Path, out: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let target = out.join("target");
    let mut cargo = Command::new(env::var("CARGO")?);
    cargo
        .current_dir(workspace)
        .args(["build", "--locked", "--package", "sunzi-explorer", "--lib"])
        .args(["--target", TARGET, "--profile", "explorer"])
        .arg("--target-dir")
        .arg(&target);
    for setting in [
        "CARGO_ENCODED_RUSTFLAGS",
        "RUSTFLAGS",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "CARGO_BUILD_TARGET",
    ] {
        cargo.env_remove(setting);
    }
    let output = cargo.output()?;
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr);
        for line in messages.lines() {
            println!("cargo::warning={line}");
        }
        return Err(format!(
            "sunzi-explorer does not compile for {TARGET}; if the target is missing: rustup target \
             add {TARGET}"
        )
        .into());
    }
    Ok(target.join(TARGET).join("explorer/sunzi_explorer.wasm"))
}

/// The script and the module that wasm-bindgen makes of the compiled module.
fn bind(module: &Path, out: &Path) -> Result<(String, Vec<u8>), Box<dyn Error>> {
    let bound = out.join("bound");
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(module)
        .out_name("explorer")
        .no_modules(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true);
    bindgen
        .generate(&bound)
        .map_err(|error| format!("{error:?}"))?;
    let script = fs::read_to_string(bound.join("explorer.js"))?;
    Ok((script, fs::read(bound.join("explorer_bg.wasm"))?))
}

/// The page, with everything that it needs in place of `{{...}}`.
fn assemble(folder: &Path, glue: &str, module: &[u8]) -> Result<String, Box<dyn Error>> {
    let page = fs::read_to_string(folder.join("index.html"))?;
    let style = fs::read_to_string(folder.join("style.css"))?;
    let mut script = format!("\"use strict\";\n{glue}\n");
    for name in SCRIPTS {
        script.push_str(&fs::read_to_string(folder.join(name))?);
    }
    if script.contains("</script") || style.contains("</style") {
        return Err("a script or the style ends its own element".into());
    }
    let policy = format!(
        "default-src 'none'; script-src 'wasm-unsafe-eval' {}; style-src {}; base-uri 'none'; \
         form-action 'none'",
        hash(&script),
        hash(&style)
    );
    let parts = [
        ("{{policy}}", policy),
        ("{{version}}", env::var("CARGO_PKG_VERSION")?),
        ("{{style}}", style),
        ("{{script}}", script),
        ("{{module}}", BASE64_STANDARD.encode(module)),
    ];
    // Cut at the places first, so that nothing is replaced within a part.
    let mut pages = vec![page];
    for (place, part) in &parts {
        let count: usize = pages.iter().map(|text| text.matches(place).count()).sum();
        if count != 1 {
            return Err(format!("{place} must be in page/index.html exactly once").into());
        }
        pages = pages
            .into_iter()
            .flat_map(|text| match text.split_once(place) {
                Some((before, after)) => vec![before.to_owned(), part.clone(), after.to_owned()],
                None => vec![text],
            })
            .collect();
    }
    Ok(pages.concat())
}

/// The hash of an inline element, as a source of a content security policy.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}
