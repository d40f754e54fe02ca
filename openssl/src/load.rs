//! Loading: settings and versions are looked at, and the hooks are set.

use once_cell::race::OnceBox;
use sunzi_gather::{Gatherer, Limits};

use crate::ffi;
use crate::forks;
use crate::hooks;
use crate::keys;
use crate::kinds::KINDS;
use crate::measures::Measures;
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
    // SAFETY: the methods are copies of OpenSSL's default ones, which are set as defaults once they are whole. They
    // are never freed.
    let (rsa, ec, own) = unsafe {
        let usual = ffi::RSA_get_default_method();
        let mod_exp = ffi::RSA_meth_get_mod_exp(usual);
        let private_encrypt = ffi::RSA_meth_get_priv_enc(usual);
        let private_decrypt = ffi::RSA_meth_get_priv_dec(usual);
        let rsa = ffi::RSA_meth_dup(usual);
        let usual = ffi::EC_KEY_get_default_method();
        let (mut sign, mut setup, mut sign_sig) = (None, None, None);
        ffi::EC_KEY_METHOD_get_sign(usual, &raw mut sign, &raw mut setup, &raw mut sign_sig);
        let ec = ffi::EC_KEY_METHOD_new(usual);
        if !rsa.is_null() && !ec.is_null() {
            ffi::RSA_meth_set_mod_exp(rsa, hooks::mod_exp);
            ffi::RSA_meth_set_priv_enc(rsa, paused::private_encrypt);
            ffi::RSA_meth_set_priv_dec(rsa, paused::private_decrypt);
            ffi::EC_KEY_METHOD_set_sign(ec, sign, setup, Some(hooks::sign_sig));
        }
        (
            rsa,
            ec,
            (mod_exp, private_encrypt, private_decrypt, sign_sig),
        )
    };
    let (Some(mod_exp), Some(private_encrypt), Some(private_decrypt), Some(sign_sig)) = own else {
        return Err("off: OpenSSL's methods lack the functions to replace".into());
    };
    if rsa.is_null() || ec.is_null() {
        return Err("off: OpenSSL has no memory for its methods".into());
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
    let state = match &settings.unknown[..] {
        [] => "on".into(),
        unknown => format!("on, but not understood: {}", unknown.join(", ")),
    };
    let module = Module {
        state,
        measures,
        gatherer: Gatherer::new(limits, KINDS.len(), Box::new(signer)),
        jobs: settings.jobs,
        mod_exp,
        private_encrypt,
        private_decrypt,
        sign_sig,
        rsa_place,
        ec_place,
    };
    if module.keep() {
        // SAFETY: the methods are whole, and are never freed.
        unsafe {
            ffi::RSA_set_default_method(rsa);
            ffi::EC_KEY_set_default_method(ec);
        }
    }
    Ok(())
}

/// Writes the statistics for the last time.
extern "C" fn at_exit() {
    report::write(Module::get());
}
