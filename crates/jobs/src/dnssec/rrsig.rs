//! Signatures of sets of records: the bytes that are signed (RFC 4034, section 3.1.8.1), and the times.

use super::name::Apex;
use domain::base::iana::Rtype;
use domain::rdata::dnssec::Timestamp;

/// The class of everything here: IN.
const CLASS_IN: [u8; 2] = [0, 1];

/// Bytes before the name of the signer.
const NUMBERS: usize = 18;

/// The data of an RRSIG record but for signer and signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) covered: Rtype,
    pub(super) algorithm: u8,
    pub(super) labels: u8,
    pub(super) ttl: u32,
    pub(super) expiration: u32,
    pub(super) inception: u32,
    pub(super) tag: u16,
}

impl Head {
    fn write(&self, signer: &[u8], data: &mut Vec<u8>) {
        data.extend(self.covered.to_int().to_be_bytes());
        data.extend([self.algorithm, self.labels]);
        for number in [self.ttl, self.expiration, self.inception] {
            data.extend(number.to_be_bytes());
        }
        data.extend(self.tag.to_be_bytes());
        data.extend_from_slice(signer);
    }

    /// The bytes that are signed: the head, then the records of the set.
    pub(super) fn message<'a>(
        &self,
        apex: &Apex,
        key: &[u8],
        data: impl Iterator<Item = &'a [u8]>,
    ) -> Vec<u8> {
        let mut message = Vec::with_capacity(256);
        self.write(apex.wire(), &mut message);
        let mut fixed = Vec::with_capacity(64);
        apex.write_wire(key, &mut fixed);
        fixed.extend(self.covered.to_int().to_be_bytes());
        fixed.extend(CLASS_IN);
        fixed.extend(self.ttl.to_be_bytes());
        for data in data {
            message.extend_from_slice(&fixed);
            message.extend((data.len() as u16).to_be_bytes());
            message.extend_from_slice(data);
        }
        message
    }
}

/// The data of an RRSIG record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signature<'a> {
    pub(super) head: Head,
    /// In lower case.
    pub(super) signer: &'a [u8],
    pub(super) bytes: &'a [u8],
}

impl<'a> Signature<'a> {
    /// Reads the data of an RRSIG record. `None` if they are cut off.
    pub(super) fn read(data: &'a [u8]) -> Option<Self> {
        let (numbers, rest) = data.split_first_chunk::<NUMBERS>()?;
        let short = |at: usize| u16::from_be_bytes([numbers[at], numbers[at + 1]]);
        let long = |at: usize| u32::from(short(at)) << 16 | u32::from(short(at + 2));
        let mut end = 0;
        while *rest.get(end)? != 0 {
            end += 1 + usize::from(rest[end]);
        }
        let (signer, bytes) = rest.split_at(end + 1);
        Some(Self {
            head: Head {
                covered: Rtype::from_int(short(0)),
                algorithm: numbers[2],
                labels: numbers[3],
                ttl: long(4),
                expiration: long(8),
                inception: long(12),
                tag: short(16),
            },
            signer,
            bytes,
        })
    }
}

/// Whether a time is before another one, both in seconds since 1970 modulo 2^32 (RFC 1982).
pub(super) fn is_before(a: u32, b: u32) -> bool {
    a != b && b.wrapping_sub(a) < 1 << 31
}

/// Reads a time: `YYYYMMDDHHMMSS` in UTC, seconds since 1970, or seconds from now on with a sign.
pub fn read_time(text: &str, now: u32) -> Option<u32> {
    let seconds = |text: &str| text.parse::<u32>().ok();
    match text.as_bytes().first()? {
        b'+' => now.checked_add(seconds(&text[1..])?),
        b'-' => now.checked_sub(seconds(&text[1..])?),
        b'0'..=b'9' => text.parse::<Timestamp>().ok().map(Timestamp::into_int),
        _ => None,
    }
}

/// A time as `YYYYMMDDHHMMSS`, in UTC.
pub fn write_time(time: u32) -> String {
    let (days, second) = (time / 86_400, time % 86_400);
    // Years begin in March here, and eras of 400 years on 1 March 2000: 11,017 days after the beginning of 1970. One era
    // more keeps numbers positive.
    let days = days + 146_097 - 11_017;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    let year = 1600 + 400 * era + year + next;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (time, text) in [
            (0, "19700101000000"),
            (951_782_399, "20000228235959"),
            (951_782_400, "20000229000000"),
            (951_868_800, "20000301000000"),
            (1_764_115_200, "20251126000000"),
            (4_102_444_799, "20991231235959"),
            (4_107_542_400, "21000301000000"),
            (u32::MAX, "21060207062815"),
        ] {
            assert_eq!(write_time(time), text);
            assert_eq!(read_time(text, 5), Some(time));
            assert_eq!(read_time(&time.to_string(), 5), Some(time));
        }
        for time in (0..u32::MAX - 90_000).step_by(86_399) {
            assert_eq!(read_time(&write_time(time), 0), Some(time));
        }
        assert_eq!(read_time("+10", 5), Some(15));
        assert_eq!(read_time("-5", 5), Some(0));
        for wrong in [
            "",
            "-6",
            "+",
            "now",
            "2025112600000",
            "20251326000000",
            "+-1",
        ] {
            assert_eq!(read_time(wrong, 5), None, "{wrong}");
        }
        assert!(is_before(5, 6) && !is_before(6, 5) && !is_before(5, 5));
        assert!(is_before(u32::MAX, 3));
    }
}
