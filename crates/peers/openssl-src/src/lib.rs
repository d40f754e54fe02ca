//! OpenSSL 4.0 under the name of OpenSSL 3, compiled once for all profiles.
//!
//! The crate `openssl-sys` works with OpenSSL 4, but its feature `vendored` compiles the sources in
//! the crate `openssl-src` 300.x, which are OpenSSL 3. The workspace replaces that crate by this
//! one, which has the interface that `openssl-sys` uses, and compiles the sources of `openssl-src` 400.x.
//!
//! Two things differ from `openssl-src`. What no comparison uses is left out ([`WITHOUT`]). And the library is
//! kept in the target folder, beside the folders of the profiles, so that builds of several profiles share it.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options of OpenSSL's `Configure` for a static library alone, and without what is known to be weak, as in
/// `openssl-src`.
const STATIC: &[&str] = &[
    "no-shared",
    "no-module",
    "no-tests",
    "no-comp",
    "no-zlib",
    "no-zlib-dynamic",
    "no-md2",
    "no-rc5",
    "no-weak-ssl-ciphers",
    "no-camellia",
    "no-idea",
    "no-seed",
    "--libdir=lib",
];

/// Options of OpenSSL's `Configure` that leave out what no comparison uses: programs, pages, protocols,
/// and algorithms that Sunzi does not have.
const WITHOUT: &[&str] = &[
    "no-apps",
    "no-docs",
    "no-argon2",
    "no-aria",
    "no-cmp",
    "no-cms",
    "no-ct",
    "no-dtls",
    "no-ec2m",
    "no-gost",
    "no-http",
    "no-lms",
    "no-mdc2",
    "no-ml-dsa",
    "no-ml-kem",
    "no-quic",
    "no-rfc3779",
    "no-sctp",
    "no-siphash",
    "no-slh-dsa",
    "no-sm4",
    "no-srp",
    "no-srtp",
    "no-ssl-trace",
    "no-ts",
    "no-whirlpool",
];

/// How OpenSSL is compiled.
pub struct Build {
    openssl_dir: PathBuf,
}

/// The folder of the compiled library.
pub struct Artifacts {
    include_dir: PathBuf,
    lib_dir: PathBuf,
}

impl Default for Build {
    fn default() -> Self {
        Self::new()
    }
}

impl Build {
    /// OpenSSL as it is compiled by default.
    pub fn new() -> Self {
        Self {
            openssl_dir: PathBuf::from("/usr/local/ssl"),
        }
    }

    /// Sets the folder where the library looks for its configuration.
    pub fn openssl_dir<P: AsRef<Path>>(&mut self, path: P) -> &mut Self {
        self.openssl_dir = path.as_ref().to_path_buf();
        self
    }

    /// Compiles OpenSSL, unless an earlier build has done so with the same compiler and options. Ends the program
    /// with an error if that fails.
    pub fn build(&mut self) -> Artifacts {
        self.try_build().unwrap_or_else(|error| {
            println!("cargo:warning=OpenSSL was not compiled: {error}");
            eprintln!("OpenSSL was not compiled: {error}");
            std::process::exit(1);
        })
    }

    fn try_build(&self) -> Result<Artifacts, String> {
        let variable = |name: &str| env::var(name).map_err(|error| format!("{name}: {error}"));
        let (target, host) = (variable("TARGET")?, variable("HOST")?);
        if target != host {
            return Err(format!(
                "it is compiled for {host}, where it is compiled, not for {target}"
            ));
        }
        let out = PathBuf::from(variable("OUT_DIR")?);

        // Without what depends on the profile.
        let mut compiler = cc::Build::new();
        compiler.warnings(false).opt_level(2).debug(false);
        let compiler = compiler.get_compiler();
        let mut options: Vec<OsString> = STATIC.iter().chain(WITHOUT).map(OsString::from).collect();
        let mut folder = OsString::from("--openssldir=");
        folder.push(&self.openssl_dir);
        options.push(folder);
        options.extend(compiler.args().iter().cloned());

        // The name says everything on which the library depends.
        let mut hasher = DefaultHasher::new();
        (
            &target,
            &options,
            compiler.path(),
            version_of(compiler.path()),
        )
            .hash(&mut hasher);
        let name = format!("openssl-{}-{:016x}", newest::version(), hasher.finish());
        // OUT_DIR is target/PROFILE/build/PACKAGE/out.
        let kept = (out.ancestors().nth(4).unwrap_or(&out)).join(name);
        if !kept.is_dir() {
            let new = compile(&out, &kept, compiler.path(), &options)?;
            // Another build may have been faster, with the same result.
            if let Err(error) = fs::rename(&new, &kept)
                && !kept.is_dir()
            {
                return Err(format!("{}: {error}", kept.display()));
            }
        }
        Ok(Artifacts {
            include_dir: kept.join("include"),
            lib_dir: kept.join("lib"),
        })
    }
}

impl Artifacts {
    /// The folder with the header files.
    pub fn include_dir(&self) -> &Path {
        &self.include_dir
    }

    /// The folder with the libraries.
    pub fn lib_dir(&self) -> &Path {
        &self.lib_dir
    }
}

/// The compiler's name and version as it prints them; empty if it prints none.
fn version_of(compiler: &Path) -> Vec<u8> {
    (Command::new(compiler).arg("--version").output()).map_or_else(|_| Vec::new(), |out| out.stdout)
}

/// Compiles OpenSSL in a folder, for a place where it will be, and returns the folder with the result.
fn compile(
    folder: &Path,
    place: &Path,
    compiler: &Path,
    options: &[OsString],
) -> Result<PathBuf, String> {
    let (sources, staging) = (folder.join("openssl"), folder.join("staging"));
    for folder in [&sources, &staging] {
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
    }
    copy(&newest::source_dir(), &sources)
        .map_err(|error| format!("copying to {}: {error}", sources.display()))?;

    let in_sources = |program: &str| {
        let mut command = Command::new(program);
        command.current_dir(&sources);
        command
    };
    let perl = env::var("OPENSSL_SRC_PERL").or_else(|_| env::var("PERL"));
    let mut configure = in_sources(perl.as_deref().unwrap_or("perl"));
    configure.arg("./Configure").env("CC", compiler);
    configure
        .arg(format!("--prefix={}", place.display()))
        .args(options);
    run(configure)?;

    run_with(in_sources("make"), &["depend"])?;
    let mut build = in_sources("make");
    // Cargo says how many processes there may be.
    if let Some(flags) = env::var_os("CARGO_MAKEFLAGS") {
        build.env("MAKEFLAGS", flags);
    }
    run_with(build, &["build_libs"])?;
    let mut destination = OsString::from("DESTDIR=");
    destination.push(&staging);
    let mut install = in_sources("make");
    install.arg("install_dev").arg(destination);
    run(install)?;
    fs::remove_dir_all(&sources).map_err(|error| format!("{}: {error}", sources.display()))?;

    // The whole path of the place is below the staging folder.
    let relative = place.strip_prefix("/").unwrap_or(place);
    Ok(staging.join(relative))
}

fn run_with(mut command: Command, arguments: &[&str]) -> Result<(), String> {
    command.args(arguments);
    run(command)
}

/// Runs a command that has to succeed.
fn run(mut command: Command) -> Result<(), String> {
    println!("running {command:?}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?} reported failure with {status}")),
        Err(error) => Err(format!("{command:?} did not run: {error}")),
    }
}

/// Copies a folder with everything in it, links as the files that they name.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let (from, to) = {
            let entry = entry?;
            (entry.path(), to.join(entry.file_name()))
        };
        if from.is_dir() {
            copy(&from, &to)?;
        } else {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}
