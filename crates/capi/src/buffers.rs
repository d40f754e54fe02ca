//! The caller's buffers.

use core::slice;

use crypto_bigint::{BoxedUint, Word};
use zeroize::Zeroizing;

use crate::status::{Error, Status};

/// The order of the bytes of a number.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// The most significant byte first.
    BigEndian = 0,
    /// The least significant byte first.
    LittleEndian = 1,
}

impl ByteOrder {
    /// The error of a number from C.
    pub(crate) fn new(order: u32) -> Result<Self, Error> {
        match order {
            0 => Ok(Self::BigEndian),
            1 => Ok(Self::LittleEndian),
            other => Err(Error::argument(format_args!(
                "order is {other}: no sunzi_byte_order"
            ))),
        }
    }
}

/// Bytes to read.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Bytes {
    /// The first one. May be null if `length` is 0.
    pub data: *const u8,
    /// The number of bytes.
    pub length: usize,
}

/// Bytes to write.
#[repr(C)]
pub struct Output {
    /// The first one.
    pub data: *mut u8,
    /// The number of bytes that there is room for.
    pub capacity: usize,
    /// The number of bytes that were written; if there was too little room, the number that there would be.
    pub length: usize,
}

/// The numbers of a batch, each in `width` bytes: the k-th begins at `data + k * stride`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Numbers {
    /// The first one.
    pub data: *const u8,
    /// Bytes of a number.
    pub width: usize,
    /// Bytes from one number to the next; 0 if all items have the same number.
    pub stride: usize,
}

/// Bytes of a word.
const WORD: usize = size_of::<Word>();

/// The widest numbers in bytes: base numbers may be twice as long as the widest modulus.
const MAX_WIDTH: usize = 4096;

/// A copy of a caller's elements, which the allocator wipes when it is freed.
///
/// # Safety
/// `data` points to `count` readable elements, which take no more bytes than an object can.
pub(crate) unsafe fn copied<T: Copy>(
    data: *const T,
    count: usize,
    what: &str,
) -> Result<Vec<T>, Error> {
    let mut copy = Vec::new();
    let room = copy.try_reserve_exact(count);
    room.map_err(|_| {
        let words = format_args!("{what}: there is no memory for a copy");
        Error::new(Status::Failed, words)
    })?;
    // SAFETY: by this function's condition; the copy has room, and what was copied is initialized.
    unsafe {
        core::ptr::copy_nonoverlapping(data, copy.as_mut_ptr(), count);
        copy.set_len(count);
    }
    Ok(copy)
}

impl Bytes {
    /// A copy of these bytes. All that is hashed, signed or parsed is such a copy: another thread of the caller
    /// may change the original meanwhile, and a signature of which one half is of one message and the other half
    /// of another gives the key away.
    ///
    /// # Safety
    /// `data` points to `length` readable bytes.
    pub(crate) unsafe fn copied(self, what: &str) -> Result<Vec<u8>, Error> {
        if self.length == 0 {
            return Ok(Vec::new());
        }
        if self.data.is_null() || isize::try_from(self.length).is_err() {
            return Err(Error::argument(format_args!("{what} has no bytes")));
        }
        // SAFETY: by this function's condition; not null, and no longer than an object can be.
        unsafe { copied(self.data, self.length, what) }
    }

    /// These bytes as a number.
    ///
    /// # Safety
    /// As for [`copied`](Self::copied).
    pub(crate) unsafe fn number(
        self,
        order: ByteOrder,
        what: &str,
    ) -> Result<Zeroizing<BoxedUint>, Error> {
        let numbers = Numbers {
            data: self.data,
            width: self.length,
            stride: 0,
        };
        numbers.check(1, what)?;
        // SAFETY: by this function's condition.
        Ok(unsafe { numbers.get(0, order) })
    }
}

impl Numbers {
    /// The k-th number.
    ///
    /// # Safety
    /// `data + k * stride` points to `width` readable bytes.
    pub(crate) unsafe fn get(self, k: usize, order: ByteOrder) -> Zeroizing<BoxedUint> {
        // SAFETY: by this function's condition.
        let bytes = unsafe { slice::from_raw_parts(self.data.add(k * self.stride), self.width) };
        integer(bytes, order)
    }

    /// Checks that there is a number for each of `count` items, as far as this can be seen.
    pub(crate) fn check(self, count: usize, what: &str) -> Result<(), Error> {
        if self.data.is_null() {
            return Err(Error::argument(format_args!("{what}: data is null")));
        }
        if !(1..=MAX_WIDTH).contains(&self.width) {
            return Err(Error::argument(format_args!(
                "{what}: width is {}, and must be 1 to {MAX_WIDTH}",
                self.width
            )));
        }
        let bytes = count.checked_mul(self.stride.max(1));
        if bytes.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
            return Err(Error::argument(format_args!("{what}: there are too many")));
        }
        Ok(())
    }
}

/// The number in these bytes.
pub(crate) fn integer(bytes: &[u8], order: ByteOrder) -> Zeroizing<BoxedUint> {
    let word = |chunk: &[u8]| {
        let mut word = [0; WORD];
        match order {
            ByteOrder::LittleEndian => word[..chunk.len()].copy_from_slice(chunk),
            ByteOrder::BigEndian => word[WORD - chunk.len()..].copy_from_slice(chunk),
        }
        match order {
            ByteOrder::LittleEndian => Word::from_le_bytes(word),
            ByteOrder::BigEndian => Word::from_be_bytes(word),
        }
    };
    Zeroizing::new(match order {
        ByteOrder::LittleEndian => BoxedUint::from_words(bytes.chunks(WORD).map(word)),
        ByteOrder::BigEndian => BoxedUint::from_words(bytes.rchunks(WORD).map(word)),
    })
}

impl Output {
    /// Writes these bytes, if there is room for them. The length is set in any case.
    ///
    /// # Safety
    /// `data` points to `capacity` writable bytes, which overlap with nothing else that is used.
    pub(crate) unsafe fn write(&mut self, bytes: &[u8]) -> bool {
        self.length = bytes.len();
        if bytes.len() > self.capacity || self.data.is_null() {
            return bytes.is_empty();
        }
        // SAFETY: by this function's condition, and there is room.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), self.data, bytes.len()) };
        true
    }
}

/// Writes bytes into a caller's buffer, or says how many are needed.
///
/// # Safety
/// `output` is null, or points to an `Output` that is as its comments say.
pub(crate) unsafe fn write(output: *mut Output, what: &str, bytes: &[u8]) -> Result<(), Error> {
    // SAFETY: by this function's condition.
    let output = unsafe { output.as_mut() };
    let output = output.ok_or_else(|| Error::argument(format_args!("{what} is null")))?;
    // SAFETY: likewise.
    if unsafe { output.write(bytes) } {
        return Ok(());
    }
    let words = format_args!("{what}: {} bytes are needed", bytes.len());
    Err(Error::new(Status::BufferTooSmall, words))
}
