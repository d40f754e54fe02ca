//! Calls of the C library with buffers of any bytes, widths, strides and counts: each call ends in a status
//! other than that of an internal error, writes nothing beyond the buffers, and powers are num-bigint's.

#![no_main]

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use num_bigint::BigUint;
use std::ptr::{null, null_mut};
use std::sync::LazyLock;
use sunzi_fuzz_capi as capi;
use sunzi_fuzz_capi::{Bytes, Numbers, Output, Status};

/// What stands before and after a buffer that is written to.
const GUARD: usize = 64;
const MARK: u8 = 0xa5;

struct Engine(*mut capi::Engine);

// SAFETY: an engine of the C library may be used by several threads.
unsafe impl Send for Engine {}
// SAFETY: likewise.
unsafe impl Sync for Engine {}

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let mut engine = null_mut();
    // SAFETY: the place is writable, and null is the fastest backend.
    let status = unsafe { capi::sunzi_engine_new(null(), 1, &raw mut engine) };
    assert_eq!(status, Status::Ok);
    Engine(engine)
});

fuzz_target!(|input: &[u8]| {
    let _ = run(&mut Unstructured::new(input));
});

fn run(random: &mut Unstructured<'_>) -> Result<()> {
    match random.int_in_range(0..=6)? {
        0 => powers(random),
        1 => products(random),
        2 => primes(random),
        3 => group(random),
        4 => verify(random),
        _ => files(random),
    }
}

/// A buffer to write to, between two guards.
struct Guarded(Vec<u8>);

impl Guarded {
    fn new(length: usize) -> Self {
        Self(vec![MARK; length + 2 * GUARD])
    }

    fn start(&mut self) -> *mut u8 {
        self.0[GUARD..].as_mut_ptr()
    }

    /// What has been written; the guards must be as they were.
    fn written(&self) -> &[u8] {
        let (before, rest) = self.0.split_at(GUARD);
        let (written, after) = rest.split_at(rest.len() - GUARD);
        let marks = before.iter().chain(after);
        assert!(marks.copied().all(|byte| byte == MARK), "beyond the buffer");
        written
    }
}

/// The numbers of a batch in a buffer of their own, which ends where the last one does.
struct Operand {
    buffer: Box<[u8]>,
    width: usize,
    stride: usize,
}

impl Operand {
    fn new(random: &mut Unstructured<'_>, count: usize) -> Result<Self> {
        let width = random.int_in_range(0..=80)?;
        let stride = *random.choose(&[0, width, width + 3, 1])?;
        let length = count.saturating_sub(1) * stride + width;
        let mut buffer = vec![0; length];
        random.fill_buffer(&mut buffer)?;
        Ok(Self {
            buffer: buffer.into(),
            width,
            stride,
        })
    }

    fn numbers(&self) -> Numbers {
        let (width, stride) = (self.width, self.stride);
        Numbers {
            data: self.buffer.as_ptr(),
            width,
            stride,
        }
    }

    fn get(&self, k: usize, order: u32) -> BigUint {
        integer(&self.buffer[k * self.stride..][..self.width], order)
    }
}

fn integer(bytes: &[u8], order: u32) -> BigUint {
    match order {
        0 => BigUint::from_bytes_be(bytes),
        _ => BigUint::from_bytes_le(bytes),
    }
}

/// A byte order, or what is none.
fn order(random: &mut Unstructured<'_>) -> Result<u32> {
    Ok(*random.choose(&[0, 0, 0, 1, 1, 1, 2, u32::MAX])?)
}

fn powers(random: &mut Unstructured<'_>) -> Result<()> {
    let (count, order) = (random.int_in_range(0..=3)?, order(random)?);
    let secrecy = *random.choose(&[0, 1, 2])?;
    let operands = [(); 3].map(|()| Operand::new(random, count));
    let [bases, exponents, moduli] = operands;
    let (bases, exponents, moduli) = (bases?, exponents?, moduli?);
    let width = random.int_in_range(0..=100)?;
    let mut results = Guarded::new(count * width);
    let mut statuses = [Status::Cancelled; 4];
    // SAFETY: all buffers have a number, a row or a status for each item.
    let status = unsafe {
        capi::sunzi_powers(
            ENGINE.0,
            count,
            bases.numbers(),
            exponents.numbers(),
            moduli.numbers(),
            order,
            secrecy,
            results.start(),
            width,
            statuses.as_mut_ptr(),
        )
    };
    let written = results.written();
    check(status);
    assert_eq!(statuses[count], Status::Cancelled, "beyond the statuses");
    if !matches!(status, Status::Ok | Status::SomeFailed) {
        return Ok(());
    }
    let failed = |status: &Status| *status != Status::Ok;
    assert_eq!(
        status == Status::SomeFailed,
        statuses[..count].iter().any(failed)
    );
    for (k, status) in statuses[..count].iter().enumerate() {
        let result = integer(&written[k * width..][..width], order);
        let modulus = moduli.get(k, order);
        let expected = match status {
            Status::Ok => bases
                .get(k, order)
                .modpow(&exponents.get(k, order), &modulus),
            _ => BigUint::ZERO,
        };
        assert_eq!(result, expected);
        let is_served = modulus.bits() >= 64 && modulus.bit(0);
        let has_room = modulus.bits().div_ceil(8) <= width as u64;
        assert_eq!(*status == Status::Ok, is_served && has_room, "{modulus:x}");
    }
    Ok(())
}

fn products(random: &mut Unstructured<'_>) -> Result<()> {
    let (count, terms) = (random.int_in_range(0..=2)?, random.int_in_range(0..=3)?);
    let order = order(random)?;
    let bases = Operand::new(random, count * terms)?;
    let exponents = Operand::new(random, count * terms)?;
    let moduli = Operand::new(random, count)?;
    let width = random.int_in_range(0..=100)?;
    let mut results = Guarded::new(count * width);
    // SAFETY: all buffers have a number or a row for each item.
    let status = unsafe {
        capi::sunzi_products_of_powers(
            ENGINE.0,
            count,
            terms,
            bases.numbers(),
            exponents.numbers(),
            moduli.numbers(),
            order,
            results.start(),
            width,
            null_mut(),
        )
    };
    let written = results.written();
    check(status);
    if status == Status::Ok {
        for k in 0..count {
            let modulus = moduli.get(k, order);
            let factors = (k * terms..(k + 1) * terms).map(|place| {
                let (base, exponent) = (bases.get(place, order), exponents.get(place, order));
                base.modpow(&exponent, &modulus)
            });
            let one = BigUint::from(1u32) % &modulus;
            let expected = factors.fold(one, |product, factor| product * factor % &modulus);
            assert_eq!(integer(&written[k * width..][..width], order), expected);
        }
    }
    Ok(())
}

fn primes(random: &mut Unstructured<'_>) -> Result<()> {
    let (count, order) = (random.int_in_range(0..=3)?, order(random)?);
    let numbers = Operand::new(random, count)?;
    let mut statuses = [Status::Cancelled; 4];
    // SAFETY: the buffers have a number and a status for each item.
    let status = unsafe {
        capi::sunzi_are_primes(
            ENGINE.0,
            count,
            numbers.numbers(),
            order,
            statuses.as_mut_ptr(),
        )
    };
    check(status);
    assert_eq!(statuses[count], Status::Cancelled, "beyond the statuses");
    if matches!(status, Status::Ok | Status::Invalid) {
        for (k, status) in statuses[..count].iter().enumerate() {
            let number = numbers.get(k, order);
            let is_even = !number.bit(0) && number != BigUint::from(2u32);
            assert!(!is_even || *status == Status::Invalid);
        }
    }
    Ok(())
}

fn group(random: &mut Unstructured<'_>) -> Result<()> {
    let order = order(random)?;
    let numbers = [bytes(random)?, bytes(random)?, bytes(random)?];
    let [p, q, g] = numbers.each_ref().map(|bytes| view(bytes));
    let mut group = null_mut();
    // SAFETY: the bytes are readable, and the place is writable.
    let status = unsafe { capi::sunzi_group_new(ENGINE.0, p, q, g, order, &raw mut group) };
    check(status);
    assert_eq!(status == Status::Ok, !group.is_null());
    // SAFETY: it is null, or comes from the library.
    unsafe { capi::sunzi_group_free(group) };
    Ok(())
}

/// A message, a signature and a file that may be a public key.
fn verify(random: &mut Unstructured<'_>) -> Result<()> {
    let (message, signature) = (bytes(random)?, bytes(random)?);
    let file = random.bytes(random.len())?;
    let mut key = null_mut();
    // SAFETY: the bytes are readable, and the place is writable.
    let status = unsafe { capi::sunzi_public_key_load(ENGINE.0, view(file), &raw mut key) };
    check(status);
    assert_eq!(status == Status::Ok, !key.is_null());
    let (message, signature) = (view(&message), view(&signature));
    let keys = [key.cast_const()];
    // SAFETY: the arrays have one item, and the key may be null.
    let status = unsafe {
        capi::sunzi_verify(
            ENGINE.0,
            1,
            keys.as_ptr(),
            &raw const message,
            &raw const signature,
            null(),
            null_mut(),
        )
    };
    check(status);
    assert!(status != Status::Ok, "nobody has signed it");
    if !key.is_null() {
        let write = |output| {
            // SAFETY: the key is one, and the output is as its comments say.
            unsafe { capi::sunzi_public_key_write(key, output) }
        };
        written(random.ratio(1, 2)?, write);
        // SAFETY: it comes from the library, and is used no more.
        unsafe { capi::sunzi_public_key_free(key) };
    }
    Ok(())
}

/// Files that may be private keys, or keys of Paillier's system.
fn files(random: &mut Unstructured<'_>) -> Result<()> {
    let (kind, small) = (random.int_in_range(0..=2)?, random.ratio(1, 2)?);
    let passphrase = bytes(random)?;
    let file = view(random.bytes(random.len())?);
    // SAFETY: of all calls, the bytes are readable and the places writable; what comes from the library is
    // written and freed once.
    unsafe {
        match kind {
            0 => {
                let mut key = null_mut();
                let passphrase = view(&passphrase);
                check(capi::sunzi_private_key_load(
                    ENGINE.0,
                    file,
                    passphrase,
                    &raw mut key,
                ));
                if !key.is_null() {
                    written(small, |output| capi::sunzi_private_key_write(key, output));
                }
                capi::sunzi_private_key_free(key);
            }
            1 => {
                let mut key = null_mut();
                check(capi::sunzi_paillier_public_key_load(
                    ENGINE.0,
                    file,
                    &raw mut key,
                ));
                if !key.is_null() {
                    written(small, |output| {
                        capi::sunzi_paillier_public_key_write(key, output)
                    });
                }
                capi::sunzi_paillier_public_key_free(key);
            }
            _ => {
                let mut key = null_mut();
                check(capi::sunzi_paillier_private_key_load(
                    ENGINE.0,
                    file,
                    &raw mut key,
                ));
                if !key.is_null() {
                    written(small, |output| {
                        capi::sunzi_paillier_private_key_write(key, output)
                    });
                }
                capi::sunzi_paillier_private_key_free(key);
            }
        }
    }
    Ok(())
}

/// Has something written, into too small a buffer or one that suffices.
fn written(small: bool, write: impl FnOnce(*mut Output) -> Status) {
    let capacity = if small { 20 } else { 1 << 15 };
    let mut buffer = Guarded::new(capacity);
    let mut output = Output {
        data: buffer.start(),
        capacity,
        length: 0,
    };
    let status = write(&raw mut output);
    check(status);
    let room = buffer.written().len();
    assert_eq!(status == Status::BufferTooSmall, output.length > room);
}

fn bytes(random: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let length = random.int_in_range(0..=300)?.min(random.len());
    Ok(random.bytes(length)?.to_vec())
}

fn view(bytes: &[u8]) -> Bytes {
    Bytes {
        data: bytes.as_ptr(),
        length: bytes.len(),
    }
}

fn check(status: Status) {
    assert!(
        !matches!(status, Status::Internal | Status::Failed),
        "{status:?}"
    );
}
