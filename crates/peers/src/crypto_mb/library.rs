//! The library's functions, with checks of the lengths of their inputs and outputs.

#![expect(
    unsafe_code,
    reason = "functions of a C library that is loaded at run time"
)]

use super::width::WIDTH;
use crate::interface::PeerError;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr;
use libloading::Library;
use std::ffi::OsStr;

/// The status of eight operations: four bits for each, 0 if all is well.
type Status = u32;
/// The status of a signature that is wrong.
const WRONG_SIGNATURE: Status = 8;
/// RSA with 2048 bits, in the library's enumeration of a processor's abilities.
const RSA_2048: c_int = 1;

type In<T> = *const *const T;
type Out<T> = *const *mut T;
/// The parameters `from`, `to`, p, q, p's and q's exponents, 1/q mod p, bits, method, scratch space.
type RsaPrivate = unsafe extern "C" fn(
    In<u8>,
    Out<u8>,
    In<u64>,
    In<u64>,
    In<u64>,
    In<u64>,
    In<u64>,
    c_int,
    *const c_void,
    *mut u8,
) -> Status;
/// The parameters `from`, `to`, modulus, bits, method, scratch space.
type RsaPublic =
    unsafe extern "C" fn(In<u8>, Out<u8>, In<u64>, c_int, *const c_void, *mut u8) -> Status;
/// The parameters result, base, exponent and its bits, modulus and its bits, scratch space and its bytes.
type Power = unsafe extern "C" fn(
    Out<u64>,
    In<u64>,
    In<u64>,
    c_int,
    In<u64>,
    c_int,
    *mut u8,
    c_int,
) -> Status;
/// The parameters r, s, hash, nonce, key, scratch space (unused).
type EcdsaSign =
    unsafe extern "C" fn(Out<u8>, Out<u8>, In<u8>, In<u64>, In<u64>, *mut u8) -> Status;
/// The parameters r, s, hash, x, y, z (null: 1), scratch space (unused).
type EcdsaVerify =
    unsafe extern "C" fn(In<u8>, In<u8>, In<u8>, In<u64>, In<u64>, In<u64>, *mut u8) -> Status;
/// The parameters secret, key, x, y, z (null: 1), scratch space (unused).
type Ecdh = unsafe extern "C" fn(Out<u8>, In<u64>, In<u64>, In<u64>, In<u64>, *mut u8) -> Status;
/// The parameters R, S, messages and their lengths, key, public key.
type Ed25519Sign =
    unsafe extern "C" fn(Out<u8>, Out<u8>, In<u8>, *const u32, In<u8>, In<u8>) -> Status;
/// The parameters R, S, messages and their lengths, public key.
type Ed25519Verify = unsafe extern "C" fn(In<u8>, In<u8>, In<u8>, *const u32, In<u8>) -> Status;
/// The parameters secret, key, u.
type X25519 = unsafe extern "C" fn(Out<u8>, In<u8>, In<u8>) -> Status;

/// The library's record about its version.
#[repr(C)]
struct Version {
    numbers: [c_int; 3],
    processor: [c_char; 4],
    texts: [*const c_char; 3],
}

/// Eight arrays of one length, one for each operation.
#[derive(Clone)]
pub(super) struct Lanes<T> {
    rows: Vec<Vec<T>>,
    length: usize,
}

impl<T: Copy + Default> Lanes<T> {
    /// The arrays that `row` makes, each with `length` elements.
    ///
    /// # Errors
    /// [`PeerError::CryptoMb`] if one has another length.
    pub(super) fn new(
        length: usize,
        row: impl FnMut(usize) -> Result<Vec<T>, PeerError>,
    ) -> Result<Self, PeerError> {
        let rows = (0..WIDTH).map(row).collect::<Result<Vec<_>, _>>()?;
        if rows.iter().any(|row| row.len() != length) {
            return Err(PeerError::CryptoMb("a number of another length".to_owned()));
        }
        Ok(Self { rows, length })
    }

    pub(super) fn zeros(length: usize) -> Self {
        Self {
            rows: vec![vec![T::default(); length]; WIDTH],
            length,
        }
    }

    pub(super) fn row(&self, k: usize) -> &[T] {
        &self.rows[k]
    }

    /// The array of operation k, to write to.
    pub(super) fn row_mut(&mut self, k: usize) -> &mut [T] {
        &mut self.rows[k]
    }

    /// Fails if the arrays do not have `length` elements.
    fn expect(&self, length: usize) -> Result<(), PeerError> {
        if self.length == length {
            Ok(())
        } else {
            Err(PeerError::CryptoMb(format!(
                "numbers of {} elements, where {length} are needed",
                self.length
            )))
        }
    }

    fn pointers(&self) -> [*const T; WIDTH] {
        core::array::from_fn(|k| self.rows[k].as_ptr())
    }

    fn pointers_mut(&mut self) -> [*mut T; WIDTH] {
        let mut rows = self.rows.iter_mut();
        core::array::from_fn(|_| rows.next().map_or(ptr::null_mut(), Vec::as_mut_ptr))
    }
}

/// One of the curves P-256, P-384 and P-521.
#[derive(Clone, Copy)]
pub(super) struct NistCurve {
    bits: usize,
    sign: EcdsaSign,
    verify: EcdsaVerify,
    agree: Ecdh,
}

/// The private numbers of RSA keys: p, q, d mod p - 1, d mod q - 1, 1/q mod p.
pub(super) type RsaKeys = [Lanes<u64>; 5];

pub(super) struct Functions {
    version: String,
    rsa_private_method: unsafe extern "C" fn(c_int) -> *const c_void,
    rsa_public_method: unsafe extern "C" fn(c_int) -> *const c_void,
    rsa_buffer_bytes: unsafe extern "C" fn(*const c_void) -> c_int,
    rsa_private: RsaPrivate,
    rsa_public: RsaPublic,
    power_buffer_bytes: unsafe extern "C" fn(c_int) -> c_int,
    power: Power,
    nist: [NistCurve; 3],
    ed25519_sign: Ed25519Sign,
    ed25519_verify: Ed25519Verify,
    x25519: X25519,
}

/// The lengths of RSA moduli and of moduli of powers, in bits, that the library is used for.
pub(super) const SIZES: [usize; 4] = [1024, 2048, 3072, 4096];

/// Fails if an operation failed.
fn done(status: Status) -> Result<(), PeerError> {
    match status {
        0 => Ok(()),
        _ => Err(PeerError::CryptoMb(format!("status {status:#x}"))),
    }
}

/// The verdicts: whether each signature is right.
fn verdicts(status: Status) -> Result<[bool; WIDTH], PeerError> {
    let verdicts = core::array::from_fn(|k| status >> (4 * k) & 15);
    if verdicts
        .iter()
        .any(|&one| one != 0 && one != WRONG_SIGNATURE)
    {
        done(status)?;
    }
    Ok(verdicts.map(|one| one == 0))
}

/// A number of bits or bytes in C's type.
fn int(number: usize) -> Result<c_int, PeerError> {
    c_int::try_from(number).map_err(|_| PeerError::CryptoMb("a length beyond 2^31".to_owned()))
}

/// Scratch space of the number of bytes that the library asked for; 64-bit words, as the library aligns them itself.
fn scratch(bytes: c_int) -> Result<Vec<u64>, PeerError> {
    let bytes = usize::try_from(bytes);
    let bytes = bytes.map_err(|_| PeerError::CryptoMb("no length of scratch space".to_owned()))?;
    Ok(vec![0; bytes.div_ceil(8)])
}

/// A function of the library by its name.
///
/// # Safety
/// `F` must be its type.
unsafe fn find<F: Copy>(library: &'static Library, name: &str) -> Result<F, String> {
    // SAFETY: the caller vouches for the type.
    let symbol = unsafe { library.get::<F>(name.as_bytes()) };
    symbol
        .map(|symbol| *symbol)
        .map_err(|error| error.to_string())
}

impl Functions {
    /// Loads the library from a file, for the rest of the process's time.
    pub(super) fn load(path: &OsStr) -> Result<Self, String> {
        // SAFETY: the user who sets the variable vouches for the file, whose initialization is run; the initialization
        // of crypto_mb and of the libraries that it needs has no conditions.
        let library = unsafe { Library::new(path) }.map_err(|error| error.to_string())?;
        // Never unloaded, so that its functions may be called at any time.
        let library: &'static Library = Box::leak(Box::new(library));

        // SAFETY: for all functions below, the types are those of the library's headers (crypto_mb/*.h).
        unsafe {
            let algorithm: unsafe extern "C" fn(c_int) -> u64 = find(library, "mbx_get_algo_info")?;
            if algorithm(RSA_2048) == 0 {
                return Err("the processor has no AVX-512 IFMA, which crypto_mb needs".to_owned());
            }
            let version: unsafe extern "C" fn() -> *const Version =
                find(library, "mbx_getversion")?;
            // "crypto_mb (k1) (ver: 2.3.0 (13.3) build: Sep  8 2026)": the record and its texts are
            // constants of the library.
            let text = CStr::from_ptr((*version()).texts[2]).to_string_lossy();
            let version = text.split("ver: ").nth(1).unwrap_or(&text);
            let version = version.split(' ').next().unwrap_or_default().to_owned();
            let nist = |bits: usize| {
                Ok::<_, String>(NistCurve {
                    bits,
                    sign: find(library, &format!("mbx_nistp{bits}_ecdsa_sign_mb8"))?,
                    verify: find(library, &format!("mbx_nistp{bits}_ecdsa_verify_mb8"))?,
                    agree: find(library, &format!("mbx_nistp{bits}_ecdh_mb8"))?,
                })
            };
            Ok(Self {
                version,
                rsa_private_method: find(library, "mbx_RSA_private_crt_Method")?,
                rsa_public_method: find(library, "mbx_RSA_pub65537_Method")?,
                rsa_buffer_bytes: find(library, "mbx_RSA_Method_BufSize")?,
                rsa_private: find(library, "mbx_rsa_private_crt_mb8")?,
                rsa_public: find(library, "mbx_rsa_public_mb8")?,
                power_buffer_bytes: find(library, "mbx_exp_BufferSize")?,
                power: find(library, "mbx_exp_mb8")?,
                nist: [nist(256)?, nist(384)?, nist(521)?],
                ed25519_sign: find(library, "mbx_ed25519_sign_mb8")?,
                ed25519_verify: find(library, "mbx_ed25519_verify_mb8")?,
                x25519: find(library, "mbx_x25519_mb8")?,
            })
        }
    }

    /// The version, such as `2.3.0`.
    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// The curve of this length, if the library has it.
    pub(super) fn nist(&self, bits: usize) -> Option<NistCurve> {
        self.nist.into_iter().find(|curve| curve.bits == bits)
    }

    /// Scratch space for RSA with a modulus of `bits` bits, one of [`SIZES`], private or public.
    pub(super) fn rsa_scratch(&self, bits: usize, private: bool) -> Result<Vec<u64>, PeerError> {
        let method = self.rsa_method(bits, private)?;
        // SAFETY: the method is one that the library gave.
        scratch(unsafe { (self.rsa_buffer_bytes)(method) })
    }

    fn rsa_method(&self, bits: usize, private: bool) -> Result<*const c_void, PeerError> {
        let make = if private {
            self.rsa_private_method
        } else {
            self.rsa_public_method
        };
        // SAFETY: the function takes any number, and returns null for a size that it does not have.
        let method = unsafe { make(int(bits)?) };
        if method.is_null() {
            return Err(PeerError::CryptoMb(format!("no RSA with {bits} bits")));
        }
        Ok(method)
    }

    /// The private operation, by the Chinese remainder theorem, on big-endian numbers.
    pub(super) fn rsa_private(
        &self,
        bits: usize,
        from: &Lanes<u8>,
        to: &mut Lanes<u8>,
        keys: &RsaKeys,
        scratch: &mut [u64],
    ) -> Result<(), PeerError> {
        let method = self.rsa_method(bits, true)?;
        from.expect(bits / 8)?;
        to.expect(bits / 8)?;
        keys.iter().try_for_each(|key| key.expect(bits / 128))?;
        let [p, q, dp, dq, inverse] = keys.each_ref().map(Lanes::pointers);
        // SAFETY: each array has the length that the function reads or writes, as checked above; the
        // scratch space comes from `rsa_scratch` for the same size.
        done(unsafe {
            (self.rsa_private)(
                from.pointers().as_ptr(),
                to.pointers_mut().as_ptr(),
                p.as_ptr(),
                q.as_ptr(),
                dp.as_ptr(),
                dq.as_ptr(),
                inverse.as_ptr(),
                int(bits)?,
                method,
                scratch.as_mut_ptr().cast(),
            )
        })
    }

    /// The public operation with the exponent 65537, on big-endian numbers.
    pub(super) fn rsa_public(
        &self,
        bits: usize,
        from: &Lanes<u8>,
        to: &mut Lanes<u8>,
        modulus: &Lanes<u64>,
        scratch: &mut [u64],
    ) -> Result<(), PeerError> {
        let method = self.rsa_method(bits, false)?;
        from.expect(bits / 8)?;
        to.expect(bits / 8)?;
        modulus.expect(bits / 64)?;
        // SAFETY: as in `rsa_private`.
        done(unsafe {
            (self.rsa_public)(
                from.pointers().as_ptr(),
                to.pointers_mut().as_ptr(),
                modulus.pointers().as_ptr(),
                int(bits)?,
                method,
                scratch.as_mut_ptr().cast(),
            )
        })
    }

    /// Scratch space for powers with a modulus of `bits` bits, one of [`SIZES`].
    pub(super) fn power_scratch(&self, bits: usize) -> Result<Vec<u64>, PeerError> {
        // SAFETY: the function takes any number of bits.
        scratch(unsafe { (self.power_buffer_bytes)(int(bits)?) })
    }

    /// Powers with exponents of up to `bits` bits and odd moduli of `bits` bits.
    pub(super) fn power(
        &self,
        bits: usize,
        to: &mut Lanes<u64>,
        [base, exponent, modulus]: &[Lanes<u64>; 3],
        scratch: &mut [u64],
    ) -> Result<(), PeerError> {
        to.expect(bits / 64)?;
        for numbers in [base, exponent, modulus] {
            numbers.expect(bits / 64)?;
        }
        // SAFETY: each array has the length that the function reads or writes, as checked above; it
        // refuses scratch space that is too short.
        done(unsafe {
            (self.power)(
                to.pointers_mut().as_ptr(),
                base.pointers().as_ptr(),
                exponent.pointers().as_ptr(),
                int(bits)?,
                modulus.pointers().as_ptr(),
                int(bits)?,
                scratch.as_mut_ptr().cast(),
                int(8 * scratch.len())?,
            )
        })
    }

    /// R and S of Ed25519, from messages and keys in their encodings.
    pub(super) fn ed25519_sign(
        &self,
        [r, s]: &mut [Lanes<u8>; 2],
        messages: &[Vec<u8>; WIDTH],
        [key, public]: &[Lanes<u8>; 2],
    ) -> Result<(), PeerError> {
        for numbers in [&*r, &*s, key, public] {
            numbers.expect(32)?;
        }
        let (texts, lengths) = texts(messages)?;
        // SAFETY: keys and results have 32 bytes, and each message as many as its length says.
        done(unsafe {
            (self.ed25519_sign)(
                r.pointers_mut().as_ptr(),
                s.pointers_mut().as_ptr(),
                texts.as_ptr(),
                lengths.as_ptr(),
                key.pointers().as_ptr(),
                public.pointers().as_ptr(),
            )
        })
    }

    /// The verdicts on signatures (R, S) of Ed25519: whether each is right.
    pub(super) fn ed25519_verify(
        &self,
        [r, s]: &[Lanes<u8>; 2],
        messages: &[Vec<u8>; WIDTH],
        public: &Lanes<u8>,
    ) -> Result<[bool; WIDTH], PeerError> {
        for numbers in [r, s, public] {
            numbers.expect(32)?;
        }
        let (texts, lengths) = texts(messages)?;
        // SAFETY: as in `ed25519_sign`.
        verdicts(unsafe {
            (self.ed25519_verify)(
                r.pointers().as_ptr(),
                s.pointers().as_ptr(),
                texts.as_ptr(),
                lengths.as_ptr(),
                public.pointers().as_ptr(),
            )
        })
    }

    /// The secrets of X25519, from keys and encoded u.
    pub(super) fn x25519(
        &self,
        secret: &mut Lanes<u8>,
        [key, u]: &[Lanes<u8>; 2],
    ) -> Result<(), PeerError> {
        for numbers in [&*secret, key, u] {
            numbers.expect(32)?;
        }
        // SAFETY: each array has the 32 bytes that the function reads or writes.
        done(unsafe {
            (self.x25519)(
                secret.pointers_mut().as_ptr(),
                key.pointers().as_ptr(),
                u.pointers().as_ptr(),
            )
        })
    }
}

/// The pointers to messages, and their lengths.
fn texts(messages: &[Vec<u8>; WIDTH]) -> Result<([*const u8; WIDTH], [u32; WIDTH]), PeerError> {
    let mut lengths = [0; WIDTH];
    for (length, message) in lengths.iter_mut().zip(messages) {
        *length = u32::try_from(message.len())
            .map_err(|_| PeerError::CryptoMb("a message of 2^32 bytes".to_owned()))?;
    }
    Ok((messages.each_ref().map(Vec::as_ptr), lengths))
}

impl NistCurve {
    /// The length of a coordinate and of the order, in bytes.
    pub(super) fn bytes(self) -> usize {
        self.bits.div_ceil(8)
    }

    /// The length of a coordinate and of the order, in words.
    pub(super) fn words(self) -> usize {
        self.bits.div_ceil(64)
    }

    /// r and s of ECDSA, big-endian, from hashes as long as the order, nonces and keys.
    pub(super) fn sign(
        self,
        [r, s]: &mut [Lanes<u8>; 2],
        hash: &Lanes<u8>,
        [nonce, key]: &[Lanes<u64>; 2],
    ) -> Result<(), PeerError> {
        for numbers in [&*r, &*s, hash] {
            numbers.expect(self.bytes())?;
        }
        nonce.expect(self.words())?;
        key.expect(self.words())?;
        // SAFETY: each array has the length that the function reads or writes; it does not use scratch
        // space.
        done(unsafe {
            (self.sign)(
                r.pointers_mut().as_ptr(),
                s.pointers_mut().as_ptr(),
                hash.pointers().as_ptr(),
                nonce.pointers().as_ptr(),
                key.pointers().as_ptr(),
                ptr::null_mut(),
            )
        })
    }

    /// The verdicts on signatures (r, s): whether each is right, for hashes as long as the order and public
    /// keys (x, y).
    pub(super) fn verify(
        self,
        [r, s]: &[Lanes<u8>; 2],
        hash: &Lanes<u8>,
        [x, y]: &[Lanes<u64>; 2],
    ) -> Result<[bool; WIDTH], PeerError> {
        for numbers in [r, s, hash] {
            numbers.expect(self.bytes())?;
        }
        x.expect(self.words())?;
        y.expect(self.words())?;
        // SAFETY: as in `sign`; without z the points are affine.
        verdicts(unsafe {
            (self.verify)(
                r.pointers().as_ptr(),
                s.pointers().as_ptr(),
                hash.pointers().as_ptr(),
                x.pointers().as_ptr(),
                y.pointers().as_ptr(),
                ptr::null(),
                ptr::null_mut(),
            )
        })
    }

    /// The x coordinates, big-endian, of the products of points (x, y) with keys.
    pub(super) fn agree(
        self,
        secret: &mut Lanes<u8>,
        key: &Lanes<u64>,
        [x, y]: &[Lanes<u64>; 2],
    ) -> Result<(), PeerError> {
        secret.expect(self.bytes())?;
        for numbers in [key, x, y] {
            numbers.expect(self.words())?;
        }
        // SAFETY: as in `verify`.
        done(unsafe {
            (self.agree)(
                secret.pointers_mut().as_ptr(),
                key.pointers().as_ptr(),
                x.pointers().as_ptr(),
                y.pointers().as_ptr(),
                ptr::null(),
                ptr::null_mut(),
            )
        })
    }
}
