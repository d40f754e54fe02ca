//! Loading: settings and versions are looked at, and the hooks are set.

use once_cell::race::OnceBox;
use sunzi_gather::{Gatherer, Limits};

use crate::ffi;
use crate::forks;
use crate::hooks;
use crate::keys;
use crate::kinds::KINDS;
use crate::measures::Measures;
use crate::methods::{Functions, Methods};
use crate::module::Module;
use crate::paused;
use crate::report;
use crate::settings::{Settings, Source};
use crate::signer::Signer;

static MEASURES: OnceBox<Measures> = OnceBox::new();

/// Sets the hooks, unless that was done before, or settings or versions forbid it. `major` is the major version of the
/// OpenSSL that loads the module.
pub(crate) fn load(source: &Source, major: Option<u64>) {
    static LOADED: OnceBox<()> = OnceBox::new();
    if LOADED.set(Box::new(())).is_err() {
        return;
    }
    let settings = Settings::read(source);
    report::begin(settings.statistics.as_deref());
    // SAFETY: the function takes nothing, and stays in memory, as the module does.
    unsafe {
        libc::atexit(at_exit);
    }
    forks::register();
    if let Err(reason) = hook(&settings, major) {
        report::off(reason);
    }
}

/// Sets the hooks, or says why not.
fn hook(settings: &Settings, major: Option<u64>) -> Result<(), String> {
    if !settings.enabled {
        return Err("off: so it is set".into());
    }
    // SAFETY: the function takes nothing.
    let version = unsafe { ffi::OpenSSL_version_num() };
    let own = version >> 28;
    if let Some(major) = major.filter(|&major| major != own) {
        return Err(format!(
            "off: this module is for OpenSSL {own}, and the program has OpenSSL {major}"
        ));
    }
    let openssl = format!("{own}.{}.{}", version >> 20 & 0xff, version >> 4 & 0xff);
    let measures = Box::new(Measures::load(settings.cache.as_deref(), &openssl));
    let measures = MEASURES.get_or_init(|| measures);
    let place = |class| keys::register(class).ok_or("off: OpenSSL has no place on its keys");
    let (rsa_place, ec_place) = (
        place(ffi::CRYPTO_EX_INDEX_RSA)?,
        place(ffi::CRYPTO_EX_INDEX_EC_KEY)?,
    );
    let own = Functions::get().ok_or("off: OpenSSL's methods lack the functions to replace")?;
    let (methods, refused) = Methods::open();
    if refused.len() == 2 {
        return Err("off: OpenSSL's methods cannot be written to".into());
    }
    let mut limits = Limits::default();
    limits.leaders = settings.processors.unwrap_or(limits.leaders);
    #[cfg(feature = "faults")]
    let every = settings.faults;
    #[cfg(feature = "faults")]
    if settings.forced {
        measures.force();
    }
    let signer = move || {
        Signer::new(
            measures,
            #[cfg(feature = "faults")]
            crate::faults::Faults::new(every),
        )
    };
    let refused = refused
        .iter()
        .map(|kind| format!("not for {kind}, as OpenSSL's method cannot be written to"));
    let unknown = match &settings.unknown[..] {
        [] => None,
        unknown => Some(format!("not understood: {}", unknown.join(", "))),
    };
    let notes: Vec<_> = refused.chain(unknown).collect();
    let state = match &notes[..] {
        [] => "on".into(),
        notes => format!("on, but {}", notes.join(", and ")),
    };
    let module = Module {
        state,
        measures,
        gatherer: Gatherer::new(limits, KINDS.len(), Box::new(signer)),
        jobs: settings.jobs,
        own,
        rsa_place,
        ec_place,
    };
    if module.keep() {
        methods.set(&Functions {
            mod_exp: hooks::mod_exp,
            private_encrypt: paused::private_encrypt,
            private_decrypt: paused::private_decrypt,
            sign_sig: hooks::sign_sig,
        });
    }
    Ok(())
}

/// Writes the statistics for the last time.
extern "C" fn at_exit() {
    report::write(Module::get());
}
