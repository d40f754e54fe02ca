//! Names the shared library's interface: programs ask for this name when they start.

fn main() {
    // Before version 1.0 the second number tells of incompatible changes.
    let version = |part| std::env::var(format!("CARGO_PKG_VERSION_{part}")).unwrap_or_default();
    let interface = match version("MAJOR").as_str() {
        "0" => format!("0.{}", version("MINOR")),
        major => major.to_string(),
    };
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libsunzi.so.{interface}");
    }
    println!("cargo:rerun-if-changed=build.rs");
}
