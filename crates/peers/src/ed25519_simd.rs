//! ed25519-simd: verification of Ed25519 signatures, eight in the lanes of AVX-512 IFMA.
//!
//! It is loaded at run time, from the file that the environment variable `SUNZI_ED25519_SIMD` names, as it must be
//! compiled for such processors as a whole (`make bench-ed25519-simd` does it, from `ed25519-simd/`). It decodes the
//! public key of each signature anew.

#![expect(
    unsafe_code,
    reason = "functions of a library that is loaded at run time"
)]

use crate::interface::{CurveName, Group, Groups, MaybeGroup, Operands, Peer, PeerError};
use crate::loaded::{Loaded, named};
use libloading::Library;
use openssl::pkey::PKey;
use std::ffi::{CStr, OsStr, c_char};

/// The environment variable that names the library's file.
const VARIABLE: &str = "SUNZI_ED25519_SIMD";

/// The largest number of signatures of a call.
const TOGETHER: usize = 1024;

/// A signature to verify, as `ed25519-simd/src/lib.rs` takes it.
#[repr(C)]
struct Request {
    public_key: [u8; 32],
    signature: [u8; 64],
    message: *const u8,
    message_bytes: usize,
}

struct Functions {
    version: String,
    verify: unsafe extern "C" fn(*const Request, usize, *mut u8),
}

impl Functions {
    /// Loads the library from a file, for the rest of the process's time.
    fn load(path: &OsStr) -> Result<Self, String> {
        if !std::is_x86_feature_detected!("avx512ifma") {
            return Err("the processor has no AVX-512 IFMA, which ed25519-simd needs".to_owned());
        }
        // SAFETY: the user who sets the variable vouches for the file, whose initialization is run; that of the library
        // has no conditions.
        let library = unsafe { Library::new(path) }.map_err(|error| error.to_string())?;
        // Never unloaded, so that its functions may be called at any time.
        let library: &'static Library = Box::leak(Box::new(library));
        // SAFETY: the types are those of `ed25519-simd/src/lib.rs`, and the version is a constant text.
        unsafe {
            let version =
                library.get::<unsafe extern "C" fn() -> *const c_char>(b"ed25519_simd_version");
            let version = version.map_err(|error| error.to_string())?;
            let verify = library.get(b"ed25519_simd_verify");
            Ok(Self {
                version: CStr::from_ptr(version()).to_string_lossy().into_owned(),
                verify: *verify.map_err(|error| error.to_string())?,
            })
        }
    }
}

/// The library, if [`VARIABLE`] names it.
///
/// # Errors
/// [`PeerError::Ed25519Simd`] if it cannot be loaded, or cannot run here.
pub(crate) fn peer() -> Result<Option<Peer>, PeerError> {
    Ok(functions()?.map(|functions| Peer {
        name: format!("ed25519-simd {}", functions.version),
        short: "ed-simd",
        signer: None,
        verifier: None,
        power: None,
        curves: None,
        pairing_group: None,
        pairing: None,
        bls: None,
        groups: Some(Groups {
            size: TOGETHER,
            signing: |_| Ok(None),
            verifying: |_| Ok(None),
            powers: |_| Ok(None),
            signing_on_curve: |_, _| Ok(None),
            verifying_on_curve,
            agreeing: |_, _| Ok(None),
        }),
    }))
}

fn functions() -> Result<Option<&'static Functions>, PeerError> {
    static FUNCTIONS: Loaded<Functions> = Loaded::new();
    named(&FUNCTIONS, VARIABLE, Functions::load).map_err(PeerError::Ed25519Simd)
}

struct Verifying {
    functions: &'static Functions,
    // Keys, signatures and messages.
    operations: Vec<([u8; 32], [u8; 64], Vec<u8>)>,
    verdicts: Vec<u8>,
}

fn verifying_on_curve(curve: CurveName<'_>, operations: &[Operands<'_, 3>]) -> MaybeGroup {
    let (Some(functions), "Ed25519") = (functions()?, curve.name) else {
        return Ok(None);
    };
    let operation = |&[spki, message, signature]: &Operands<'_, 3>| {
        let key = PKey::public_key_from_der(spki)?.raw_public_key()?;
        let wrong = |what: &str| PeerError::Ed25519Simd(format!("the length of a {what}"));
        Ok::<_, PeerError>((
            key.try_into().map_err(|_| wrong("key"))?,
            signature.try_into().map_err(|_| wrong("signature"))?,
            message.to_vec(),
        ))
    };
    let operations = operations
        .iter()
        .map(operation)
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Some(Box::new(Verifying {
        functions,
        verdicts: vec![0; operations.len()],
        operations,
    })))
}

impl Group for Verifying {
    fn run(&mut self) -> Result<(), PeerError> {
        let requests: Vec<Request> = self
            .operations
            .iter()
            .map(|(public_key, signature, message)| Request {
                public_key: *public_key,
                signature: *signature,
                message: message.as_ptr(),
                message_bytes: message.len(),
            })
            .collect();
        // SAFETY: there are as many verdicts as requests, whose messages live as long as `self`.
        unsafe {
            (self.functions.verify)(
                requests.as_ptr(),
                requests.len(),
                self.verdicts.as_mut_ptr(),
            );
        }
        Ok(())
    }

    fn result(&self, k: usize) -> Vec<u8> {
        vec![self.verdicts[k]]
    }
}
