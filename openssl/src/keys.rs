//! What hangs on each of OpenSSL's keys: its numbers, and the key prepared for the engine.

use core::ffi::{c_int, c_long, c_void};
use core::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crypto_bigint::BoxedUint;
use once_cell::race::OnceBox;
use sunzi_gather::PerProcess;
use sunzi_pk::ec::{self, ecdsa};
use sunzi_pk::keys::Algorithms;
use sunzi_pk::rsa;
use zeroize::Zeroizing;

use crate::ffi;
use crate::kinds::KINDS;

/// The number of operations that a key has alone: a key that is used once is not worth preparing.
const ALONE_AT_FIRST: u32 = 3;

/// What hangs on a key of OpenSSL's. OpenSSL makes one for each key, also for those that never sign.
#[derive(Default)]
pub(crate) struct Entry {
    uses: AtomicU32,
    key: OnceBox<Arc<Key>>,
}

/// A private key that takes part.
pub(crate) struct Key {
    numbers: Numbers,
    /// `None` for a key that is refused.
    prepared: PerProcess<OnceBox<Option<Prepared>>>,
}

/// The numbers of a key, big-endian.
pub(crate) enum Numbers {
    /// An RSA key of two primes.
    Rsa {
        n: Vec<u8>,
        e: u64,
        d: Zeroizing<Vec<u8>>,
        p: Zeroizing<Vec<u8>>,
        q: Zeroizing<Vec<u8>>,
    },
    /// A key of the curve of this kind.
    Ec { kind: usize, d: Zeroizing<Vec<u8>> },
}

/// A key on the engine of a process.
pub(crate) enum Prepared {
    Rsa(rsa::SigningKey),
    Ec(ecdsa::SigningKey),
}

/// The bytes of a number that is not negative and has at most this many bytes.
pub(crate) fn bytes_of(number: *const ffi::BIGNUM, length: usize) -> Option<Zeroizing<Vec<u8>>> {
    if number.is_null() {
        return None;
    }
    let count = c_int::try_from(length).ok()?;
    let mut bytes = Zeroizing::new(vec![0; length]);
    // SAFETY: the number is one of OpenSSL's, which the caller of the hook keeps; the buffer has `length` bytes.
    let written = unsafe {
        if ffi::BN_is_negative(number) != 0 {
            return None;
        }
        ffi::BN_bn2binpad(number, bytes.as_mut_ptr(), count)
    };
    (written == count).then_some(bytes)
}

/// The number of these big-endian bytes, in `place` or, if that is null, in a new one; null if there is no memory.
///
/// # Safety
/// `place` is null, or a number of OpenSSL's that nobody else uses meanwhile.
pub(crate) unsafe fn number(bytes: &[u8], place: *mut ffi::BIGNUM) -> *mut ffi::BIGNUM {
    let Ok(count) = c_int::try_from(bytes.len()) else {
        return ptr::null_mut();
    };
    // SAFETY: the bytes are as many as said, and the place is as above.
    unsafe { ffi::BN_bin2bn(bytes.as_ptr(), count, place) }
}

/// The length of a number in bytes; 0 for none.
pub(crate) fn length_of(number: *const ffi::BIGNUM) -> usize {
    if number.is_null() {
        return 0;
    }
    // SAFETY: the number is one of OpenSSL's, which the caller of the hook keeps.
    (unsafe { ffi::BN_num_bits(number) }.max(0) as usize).div_ceil(8)
}

impl Numbers {
    /// The numbers of an RSA key; `None` if it has not two primes, or if they are not there.
    pub(crate) fn of_rsa(key: *const ffi::RSA) -> Option<Self> {
        // SAFETY: the key is the one that OpenSSL called the hook with. Its numbers live as long.
        let ([n, e, d, p, q], extra) = unsafe {
            let numbers = [
                ffi::RSA_get0_n(key),
                ffi::RSA_get0_e(key),
                ffi::RSA_get0_d(key),
                ffi::RSA_get0_p(key),
                ffi::RSA_get0_q(key),
            ];
            (numbers, ffi::RSA_get_multi_prime_extra_count(key))
        };
        if extra != 0 {
            return None;
        }
        let e = bytes_of(e, size_of::<u64>())?;
        let own = |number| bytes_of(number, length_of(number));
        Some(Self::Rsa {
            n: own(n)?.to_vec(),
            e: u64::from_be_bytes(e[..].try_into().ok()?),
            d: own(d)?,
            p: own(p)?,
            q: own(q)?,
        })
    }

    /// The number of a key of a curve of this kind.
    pub(crate) fn of_ec(key: *const ffi::EC_KEY, kind: usize) -> Option<Self> {
        let curve: ec::Curve = KINDS[kind].name.parse().ok()?;
        // SAFETY: the key is the one that OpenSSL called the hook with. Its number lives as long.
        let d = unsafe { ffi::EC_KEY_get0_private_key(key) };
        let d = bytes_of(d, curve.order_bytes())?;
        Some(Self::Ec { kind, d })
    }

    /// Whether these are still the numbers of an RSA key, judged by its modulus.
    fn are_of_rsa(&self, key: *const ffi::RSA) -> bool {
        // SAFETY: as in `of_rsa`.
        let given = unsafe { ffi::RSA_get0_n(key) };
        match self {
            Self::Rsa { n, .. } => bytes_of(given, n.len()).is_some_and(|given| *given == *n),
            Self::Ec { .. } => false,
        }
    }

    /// Whether this is still the number of a key of this curve. Constant time.
    fn are_of_ec(&self, key: *const ffi::EC_KEY, of: usize) -> bool {
        // SAFETY: as in `of_ec`.
        let given = unsafe { ffi::EC_KEY_get0_private_key(key) };
        match self {
            Self::Ec { kind, d } if *kind == of => bytes_of(given, d.len()).is_some_and(|given| {
                let differences = given.iter().zip(&**d).map(|(x, y)| x ^ y);
                differences.fold(0, |all, one| core::hint::black_box(all | one)) == 0
            }),
            _ => false,
        }
    }

    /// The key on an engine; `None` if it is refused.
    fn prepare(&self, algorithms: &Algorithms) -> Option<Prepared> {
        let engine = algorithms.engine();
        match self {
            Self::Rsa { n, e, d, p, q } => {
                let number = |bytes: &[u8]| {
                    let bits = (8 * bytes.len() as u32).next_multiple_of(64);
                    let number = BoxedUint::from_be_slice(bytes, bits).ok();
                    number.map(Zeroizing::new)
                };
                let [d, p, q] = [number(d)?, number(p)?, number(q)?];
                let key = rsa::PrivateKey::from_components(&*number(n)?, *e, &d, &p, &q).ok()?;
                // OpenSSL decides which lengths may be used.
                let key = rsa::SigningKey::new(engine, &key.permit_1024()).ok()?;
                Some(Prepared::Rsa(key))
            }
            Self::Ec { kind, d } => {
                let curve = KINDS[*kind].name.parse().ok()?;
                let curve = algorithms.curves().get(&curve).ok()?;
                let key = ec::PrivateKey::from_bytes(&curve, d).ok()?;
                Some(Prepared::Ec(ecdsa::SigningKey::new(&curve, &key).ok()?))
            }
        }
    }
}

impl Key {
    fn new(numbers: Numbers) -> Arc<Self> {
        let prepared = PerProcess::new(OnceBox::new());
        Arc::new(Self { numbers, prepared })
    }

    /// The key on the engine of this process; `None` if it is refused.
    pub(crate) fn prepared(&self, algorithms: &Algorithms) -> Option<&Prepared> {
        let (_, prepared) = self.prepared.get(OnceBox::new);
        // Two leaders may prepare it at a time: the first one stays.
        let prepare = || Box::new(self.numbers.prepare(algorithms));
        prepared.get_or_init(prepare).as_ref()
    }
}

impl Entry {
    /// Counts a use. Whether the key may take part in batches.
    pub(crate) fn is_used_again(&self) -> bool {
        #[cfg(feature = "faults")]
        if crate::measures::is_forced() {
            return true;
        }
        let uses = self.uses.load(Ordering::Relaxed);
        if uses < ALONE_AT_FIRST {
            self.uses.fetch_add(1, Ordering::Relaxed);
        }
        uses >= ALONE_AT_FIRST
    }

    /// The RSA key that this hangs on; `None` if it has no numbers that are known, or has others than before.
    pub(crate) fn rsa(&self, key: *const ffi::RSA) -> Option<Arc<Key>> {
        let own = self.key(|| Numbers::of_rsa(key))?;
        own.numbers.are_of_rsa(key).then(|| Arc::clone(own))
    }

    /// The same of a key of a curve.
    pub(crate) fn ec(&self, key: *const ffi::EC_KEY, kind: usize) -> Option<Arc<Key>> {
        let own = self.key(|| Numbers::of_ec(key, kind))?;
        own.numbers.are_of_ec(key, kind).then(|| Arc::clone(own))
    }

    fn key(&self, numbers: impl FnOnce() -> Option<Numbers>) -> Option<&Arc<Key>> {
        if self.key.get().is_none() {
            let _ = self.key.set(Box::new(Key::new(numbers()?)));
        }
        self.key.get()
    }
}

/// Has OpenSSL hang an [`Entry`] on each new key of this class, and returns the entry's place.
pub(crate) fn register(class: c_int) -> Option<c_int> {
    // SAFETY: the functions have the types that OpenSSL asks for, and stay in memory, as the module does.
    let place = unsafe {
        ffi::CRYPTO_get_ex_new_index(
            class,
            0,
            ptr::null_mut(),
            Some(new_entry),
            Some(duplicate_entry),
            Some(free_entry),
        )
    };
    (place >= 0).then_some(place)
}

/// The entry at this place of a key; `None` for keys that are older than the module.
///
/// # Safety
/// `found` is what OpenSSL has at a place that [`register`] returned, and its key lives for `'a`.
pub(crate) unsafe fn entry<'a>(found: *mut c_void) -> Option<&'a Entry> {
    // SAFETY: at this place there is nothing, or what `new_entry` put there, which `free_entry` takes away with the
    // key. Nobody has it mutably.
    unsafe { found.cast::<Entry>().as_ref() }
}

extern "C" fn new_entry(
    _: *mut c_void,
    _: *mut c_void,
    data: *mut ffi::CRYPTO_EX_DATA,
    place: c_int,
    _: c_long,
    _: *mut c_void,
) {
    let entry = Box::into_raw(Box::<Entry>::default());
    // SAFETY: OpenSSL calls this while it makes a key, with the key's data. An entry that could not be put there is
    // taken back: nobody else has it.
    unsafe {
        if ffi::CRYPTO_set_ex_data(data, place, entry.cast()) == 0 {
            drop(Box::from_raw(entry));
        }
    }
}

extern "C" fn duplicate_entry(
    to: *mut ffi::CRYPTO_EX_DATA,
    _: *const ffi::CRYPTO_EX_DATA,
    from: *mut *mut c_void,
    place: c_int,
    _: c_long,
    _: *mut c_void,
) -> c_int {
    // A copied key keeps the entry that it was made with, or gets a new one.
    // SAFETY: OpenSSL calls this with the data of the copy, and with the place of the pointer that it copies.
    unsafe {
        let own = ffi::CRYPTO_get_ex_data(to, place);
        *from = if own.is_null() {
            Box::into_raw(Box::<Entry>::default()).cast()
        } else {
            own
        };
    }
    1
}

extern "C" fn free_entry(
    _: *mut c_void,
    entry: *mut c_void,
    _: *mut ffi::CRYPTO_EX_DATA,
    _: c_int,
    _: c_long,
    _: *mut c_void,
) {
    if !entry.is_null() {
        // SAFETY: it is the entry of a key that is being freed, made by `new_entry` or `duplicate_entry`.
        drop(unsafe { Box::from_raw(entry.cast::<Entry>()) });
    }
}
