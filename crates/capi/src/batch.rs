//! Arrays, answers and results, as the functions on batches have them.

use crypto_bigint::BoxedUint;
use sunzi_pk::batch;
use sunzi_pk::keys::Algorithms;
use zeroize::Zeroizing;

use crate::buffers::{ByteOrder, Bytes, Numbers, copied};
use crate::engine::Engine;
use crate::status::{Error, Status};

/// The outcome of an item.
pub(crate) type Answer<T> = Result<T, Error>;

/// The answers of a batch, which `compute` gives on the engine's threads for the entries without an error.
pub(crate) fn answers<T: Send + Sync, U: Send, E: Send>(
    engine: &Engine,
    entries: Vec<Answer<T>>,
    compute: impl FnOnce(&Algorithms, &[T]) -> Vec<Result<U, E>> + Send,
    failure: impl Fn(E) -> Error,
) -> Result<Vec<Answer<U>>, Error> {
    let compute = |valid: &[T]| {
        let made = engine.install(|| compute(&engine.algorithms, valid))?;
        Ok(made
            .into_iter()
            .map(|made| made.map_err(&failure))
            .collect())
    };
    batch::answered(entries, compute, Error::internal)
}

/// Writes the statuses of the items, and sums them up. What is `Invalid` is an answer, no failure.
///
/// # Safety
/// `statuses` is null or has room for all items.
pub(crate) unsafe fn sum_up(answers: &[Answer<()>], statuses: *mut Status) -> Result<(), Error> {
    let mut first = None;
    let mut invalid = None;
    for (k, answer) in answers.iter().enumerate() {
        let status = answer
            .as_ref()
            .map_or_else(|error| error.0, |()| Status::Ok);
        if let Err(Error(status, words)) = answer {
            let words = format!("item {k}: {words}");
            if *status == Status::Invalid {
                invalid.get_or_insert(Error(Status::Invalid, words));
            } else {
                first.get_or_insert(Error(Status::SomeFailed, words));
            }
        }
        if !statuses.is_null() {
            // SAFETY: by this function's condition.
            unsafe { *statuses.add(k) = status };
        }
    }
    first.or(invalid).map_or(Ok(()), Err)
}

/// A copy of a caller's array.
///
/// # Safety
/// `data` is null or points to `count` readable elements.
pub(crate) unsafe fn array<T: Copy>(
    data: *const T,
    count: usize,
    what: &str,
) -> Result<Vec<T>, Error> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let bytes = count.checked_mul(size_of::<T>());
    if data.is_null() || bytes.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        return Err(Error::argument(format_args!("{what}: null, or too many")));
    }
    // SAFETY: by this function's condition; not null, and no longer than an object can be.
    unsafe { copied(data, count, what) }
}

/// Copies of the messages, signatures or the like of a batch, or what is wrong with an item.
pub(crate) type Copies = Vec<Answer<Vec<u8>>>;

/// Copies of a batch's messages, signatures or the like, of `count` items: those of an array, `what`, each called
/// `item` in its error.
///
/// # Safety
/// `data` is null or points to `count` elements, each with readable bytes.
pub(crate) unsafe fn messages(
    data: *const Bytes,
    count: usize,
    what: &str,
    item: &str,
) -> Result<Copies, Error> {
    // SAFETY: by this function's condition.
    let all = unsafe { array(data, count, what) }?;
    // SAFETY: likewise.
    let copied = |bytes: Bytes| unsafe { bytes.copied(item) };
    Ok(all.into_iter().map(copied).collect())
}

/// The bytes of an item, or its error.
pub(crate) fn of_item(copied: &Answer<Vec<u8>>) -> Answer<&[u8]> {
    copied.as_ref().map(Vec::as_slice).map_err(Error::clone)
}

/// Where the results of a batch of numbers go: a row of bytes and a status for each item.
pub(crate) struct Rows {
    data: *mut u8,
    width: usize,
    count: usize,
    order: ByteOrder,
    statuses: *mut Status,
}

impl Rows {
    /// Rows of this width, which must suffice for numbers of `least` bytes.
    pub(crate) fn new(
        data: *mut u8,
        width: usize,
        least: usize,
        count: usize,
        order: ByteOrder,
        statuses: *mut Status,
    ) -> Result<Self, Error> {
        let bytes = count.checked_mul(width);
        if bytes.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
            return Err(Error::argument("results: there are too many"));
        }
        if data.is_null() {
            return Err(Error::argument("results is null"));
        }
        if width < least {
            let words = format_args!("result_width is {width}: {least} bytes are needed");
            return Err(Error::new(Status::BufferTooSmall, words));
        }
        Ok(Self {
            data,
            width,
            count,
            order,
            statuses,
        })
    }

    /// Writes the results, zeros for items that failed, and sums up the statuses.
    ///
    /// # Safety
    /// `data` points to `count` rows of writable bytes, and `statuses` is null or has room for `count`
    /// statuses; nothing else that is used overlaps with them.
    pub(crate) unsafe fn write(
        self,
        results: impl IntoIterator<Item = Answer<Zeroizing<BoxedUint>>>,
    ) -> Result<(), Error> {
        // SAFETY: by this function's condition; `new` has checked the size.
        let rows = unsafe { core::slice::from_raw_parts_mut(self.data, self.count * self.width) };
        rows.fill(0);
        let mut results = results.into_iter();
        let mut answers = Vec::with_capacity(self.count);
        for k in 0..self.count {
            let result = results.next().unwrap_or_else(|| Err(Error::internal()));
            let row = &mut rows[k * self.width..][..self.width];
            answers.push(result.map(|number| write_number(&number, row, self.order)));
        }
        // SAFETY: by this function's condition.
        unsafe { sum_up(&answers, self.statuses) }
    }
}

/// A copy of the rows of a caller's buffer.
///
/// # Safety
/// `data` points to `count * width` readable bytes.
pub(crate) unsafe fn rows(
    data: *const u8,
    count: usize,
    width: usize,
    what: &str,
) -> Result<Vec<u8>, Error> {
    let length = count.checked_mul(width);
    let length = length.ok_or_else(|| Error::argument(format_args!("{what}: too many")))?;
    // SAFETY: by this function's condition.
    unsafe { Bytes { data, length }.copied(what) }
}

/// The rows of a caller's buffer to write to.
///
/// # Safety
/// `data` points to `count * width` writable bytes, and nothing else that is used overlaps with them.
pub(crate) unsafe fn rows_mut<'a>(
    data: *mut u8,
    count: usize,
    width: usize,
    what: &str,
) -> Result<core::slice::ChunksExactMut<'a, u8>, Error> {
    let length = count.checked_mul(width);
    let length = length.filter(|&length| isize::try_from(length).is_ok());
    match length {
        Some(0) => Ok([].chunks_exact_mut(width)),
        Some(length) if !data.is_null() => {
            // SAFETY: by this function's condition.
            Ok(unsafe { core::slice::from_raw_parts_mut(data, length) }.chunks_exact_mut(width))
        }
        _ => Err(Error::argument(format_args!("{what}: null, or too many"))),
    }
}

/// Writes a number into a row of zeros that has room for it.
pub(crate) fn write_number(number: &BoxedUint, row: &mut [u8], order: ByteOrder) {
    let bytes = Zeroizing::new(number.to_le_bytes());
    for (to, from) in row.iter_mut().zip(bytes.iter()) {
        *to = *from;
    }
    if order == ByteOrder::BigEndian {
        row.reverse();
    }
}

/// The numbers of a batch, one for all items or one for each.
pub(crate) struct Operand(Vec<Zeroizing<BoxedUint>>);

impl Operand {
    /// Reads them. One number for all items is read once.
    ///
    /// # Safety
    /// The caller's buffer has a number for each of `count` items.
    pub(crate) unsafe fn read(
        numbers: Numbers,
        count: usize,
        order: ByteOrder,
        what: &str,
    ) -> Result<Self, Error> {
        numbers.check(count, what)?;
        let read = if numbers.stride == 0 {
            count.min(1)
        } else {
            count
        };
        // SAFETY: by this function's condition.
        let number = |k| unsafe { numbers.get(k, order) };
        Ok(Self((0..read).map(number).collect()))
    }

    /// The number of an item.
    pub(crate) fn of(&self, item: usize) -> &BoxedUint {
        of::<Zeroizing<_>>(&self.0, item)
    }

    /// The different numbers that were read.
    pub(crate) fn numbers(&self) -> &[Zeroizing<BoxedUint>] {
        &self.0
    }

    /// One number for each of `count` items, for functions that take plain ones. They are wiped by the
    /// allocator.
    pub(crate) fn plain(&self, count: usize) -> Vec<BoxedUint> {
        (0..count).map(|k| self.of(k).clone()).collect()
    }
}

/// The item of an operand that has one for all, or one for each.
pub(crate) fn of<T>(operand: &[T], item: usize) -> &T {
    if operand.len() == 1 {
        &operand[0]
    } else {
        &operand[item]
    }
}
