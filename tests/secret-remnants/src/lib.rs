//! Searches the memory of a process for remnants of secrets: any 16 bytes in a row of a number (in
//! either byte order), of a text, or of its Base64 or hexadecimal form.
//!
//! The process that makes [`Patterns`] has the secrets in plain form, and must not be the one that is
//! searched. Patterns are handed over masked, so that a search does not find itself.

#![cfg(target_os = "linux")]

use base64ct::{Base64Unpadded, Encoding};
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use zeroize::Zeroizing;

/// The length of the pieces that are searched for.
const PIECE: usize = 16;
/// Number of bytes that are read at a time.
const CHUNK: usize = 1 << 20;
/// Number of pieces that are passed over together where all bytes are zero, as they are in most memory.
const BLOCK: usize = 4096;
/// The logarithm of the number of bits of the filter.
const FILTER_BITS: u32 = 22;
/// An odd number for multiplicative hashing.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// A mask, repeated over a secret.
pub type Mask = [u8; PIECE];

/// The bytes, masked; masked again, they are plain.
pub fn masked(bytes: &[u8], mask: Mask) -> Zeroizing<Vec<u8>> {
    let masked = bytes
        .iter()
        .zip(mask.iter().cycle())
        .map(|(byte, mask)| byte ^ mask);
    Zeroizing::new(masked.collect())
}

/// Named secrets as the masked pieces of their forms.
pub struct Patterns {
    mask: Mask,
    names: Vec<String>,
    /// The second half of a piece and the index of its name, by the first half.
    pieces: HashMap<u64, Vec<(u64, usize)>>,
    /// A bit for each hash of a first half.
    filter: Vec<u64>,
}

/// A piece of a secret in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remnant {
    /// The secret's name and form.
    pub name: String,
    /// The number of pieces in a row.
    pub pieces: usize,
    /// The address of the first piece.
    pub address: u64,
    /// The owner of the memory, as the kernel names it; empty for most memory of the allocator.
    pub mapping: String,
}

fn halves(piece: &[u8]) -> (u64, u64) {
    let half = |bytes: &[u8]| {
        bytes
            .iter()
            .rfold(0, |word, &byte| word << 8 | u64::from(byte))
    };
    (half(&piece[..8]), half(&piece[8..]))
}

fn filter_bit(first: u64) -> (usize, u64) {
    let hash = first.wrapping_mul(SPREAD) >> (u64::BITS - FILTER_BITS);
    ((hash >> 6) as usize, 1 << (hash & 63))
}

impl Patterns {
    /// Empty patterns with this mask.
    pub fn new(mask: Mask) -> Self {
        Self {
            mask,
            names: Vec::new(),
            pieces: HashMap::new(),
            filter: vec![0; 1 << (FILTER_BITS - 6)],
        }
    }

    /// Adds a number, given in big-endian bytes, and its forms in files.
    pub fn number(&mut self, name: &str, big_endian: &[u8]) {
        let leading = big_endian.iter().take_while(|&&byte| byte == 0).count();
        let digits = &big_endian[leading..];
        let reversed: Zeroizing<Vec<u8>> = Zeroizing::new(digits.iter().rev().copied().collect());
        self.text(name, digits);
        self.bytes(&format!("{name}, little-endian"), &reversed);
        let hexadecimal = |byte: &u8| format!("{byte:02x}");
        let text: Zeroizing<String> = Zeroizing::new(digits.iter().map(hexadecimal).collect());
        self.bytes(&format!("{name}, hexadecimal"), text.as_bytes());
    }

    /// Adds a text, and its Base64 form at every offset.
    pub fn text(&mut self, name: &str, text: &[u8]) {
        self.bytes(name, text);
        for start in 0..3.min(text.len()) {
            let whole = (text.len() - start) / 3 * 3;
            let base64 = Base64Unpadded::encode_string(&text[start..start + whole]);
            self.bytes(
                &format!("{name}, Base64"),
                Zeroizing::new(base64).as_bytes(),
            );
        }
    }

    /// Adds bytes.
    fn bytes(&mut self, name: &str, bytes: &[u8]) {
        let index = self.names.len();
        self.names.push(name.into());
        for piece in bytes.windows(PIECE) {
            let masked = masked(piece, self.mask);
            self.insert(halves(&masked), index);
        }
    }

    fn insert(&mut self, (first, second): (u64, u64), index: usize) {
        self.pieces.entry(first).or_default().push((second, index));
        let (word, bit) = filter_bit(first);
        self.filter[word] |= bit;
    }

    /// The patterns as text, for another process.
    pub fn to_text(&self) -> String {
        let mask: Vec<String> = self.mask.iter().map(u8::to_string).collect();
        let mut lines = vec![mask.join(" "), self.names.join(";")];
        for (first, rest) in &self.pieces {
            let line = |(second, index): &(u64, usize)| format!("{first} {second} {index}");
            lines.extend(rest.iter().map(line));
        }
        lines.join("\n")
    }

    /// The patterns that [`to_text`](Self::to_text) wrote.
    pub fn from_text(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let mask: Vec<u8> = lines.next()?.split(' ').flat_map(str::parse).collect();
        let mut patterns = Self::new(mask.try_into().ok()?);
        patterns.names = lines.next()?.split(';').map(String::from).collect();
        for line in lines {
            let mut words = line.split(' ');
            let mut half = || words.next()?.parse::<u64>().ok();
            let (first, second, index) = (half()?, half()?, half()?);
            patterns.insert((first, second), index as usize);
        }
        Some(patterns)
    }

    /// The mask.
    pub fn mask(&self) -> Mask {
        self.mask
    }

    /// Searches all memory that a process can write to. `process` is its number, or `self`.
    ///
    /// # Errors
    /// The system's, if it does not let the memory be read.
    pub fn search(&self, process: &str) -> io::Result<Vec<Remnant>> {
        let maps = std::fs::read_to_string(format!("/proc/{process}/maps"))?;
        let memory = File::open(format!("/proc/{process}/mem"))?;
        let mut buffer = vec![0; CHUNK + PIECE];
        let mut found: Vec<Remnant> = Vec::new();
        for (range, mapping) in maps.lines().filter_map(writable) {
            for start in range.clone().step_by(CHUNK) {
                // Chunks overlap, so that each piece is in one of them.
                let length = (range.end - start).min(buffer.len() as u64) as usize;
                // Wiped before, as the buffer is itself memory that is searched.
                buffer.fill(0);
                if memory.read_exact_at(&mut buffer[..length], start).is_ok() {
                    self.search_chunk(&buffer[..length], start, mapping, &mut found);
                }
            }
        }
        buffer.fill(0);
        std::hint::black_box(&buffer);
        Ok(found)
    }

    /// Whether zeros are a piece of a secret.
    fn has_zeros(&self) -> bool {
        let (first, second) = halves(&self.mask);
        let rest = self.pieces.get(&first);
        rest.is_some_and(|rest| rest.iter().any(|(half, _)| *half == second))
    }

    fn search_chunk(&self, bytes: &[u8], start: u64, mapping: &str, found: &mut Vec<Remnant>) {
        const ZEROS: [u8; BLOCK + PIECE - 1] = [0; BLOCK + PIECE - 1];
        let has_zeros = self.has_zeros();
        for first in (0..bytes.len()).step_by(BLOCK) {
            // Blocks overlap, so that each piece is in one of them.
            let block = &bytes[first..(first + ZEROS.len()).min(bytes.len())];
            if has_zeros || *block != ZEROS[..block.len()] {
                self.search_block(block, start + first as u64, mapping, found);
            }
        }
    }

    fn search_block(&self, bytes: &[u8], start: u64, mapping: &str, found: &mut Vec<Remnant>) {
        let (mask, second_mask) = halves(&self.mask);
        for (offset, piece) in bytes.windows(PIECE).enumerate() {
            let first = u64::from_le_bytes(piece[..8].try_into().unwrap_or_default()) ^ mask;
            let (word, bit) = filter_bit(first);
            if self.filter[word] & bit == 0 {
                continue;
            }
            let Some(rest) = self.pieces.get(&first) else {
                continue;
            };
            let second = u64::from_le_bytes(piece[8..].try_into().unwrap_or_default());
            let second = second ^ second_mask;
            let Some((_, index)) = rest.iter().find(|(half, _)| *half == second) else {
                continue;
            };
            let (name, address) = (&self.names[*index], start + offset as u64);
            match found.last_mut() {
                Some(last)
                    if last.name == *name && last.address + last.pieces as u64 == address =>
                {
                    last.pieces += 1;
                }
                Some(last) if last.name == *name && address < last.address + last.pieces as u64 => {
                }
                _ => found.push(Remnant {
                    name: name.clone(),
                    pieces: 1,
                    address,
                    mapping: mapping.into(),
                }),
            }
        }
    }
}

/// The addresses and the name of a mapping that can be written to, from a line of `maps`.
fn writable(line: &str) -> Option<(Range<u64>, &str)> {
    let (range, rest) = line.split_once(' ')?;
    let (start, end) = range.split_once('-')?;
    let address = |text| u64::from_str_radix(text, 16).ok();
    let mapping = rest.split_whitespace().nth(4).unwrap_or_default();
    let is_writable = rest.as_bytes().get(1) == Some(&b'w');
    is_writable.then_some((address(start)?..address(end)?, mapping))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A secret in zeros is found as a whole at the borders of blocks, and wherever it begins before them.
    #[test]
    fn secrets_at_the_borders_of_blocks() {
        let secret = b"a secret of more than sixteen bytes";
        let mut patterns = Patterns::new(*b"0123456789abcdef");
        patterns.text("secret", secret);
        for place in BLOCK - secret.len() - 1..=BLOCK + 1 {
            let mut bytes = vec![0; 3 * BLOCK + 5];
            bytes[place..][..secret.len()].copy_from_slice(secret);
            let mut found = Vec::new();
            patterns.search_chunk(&bytes, 1 << 20, "", &mut found);
            let expected = Remnant {
                name: "secret".into(),
                pieces: secret.len() - PIECE + 1,
                address: (1 << 20) + place as u64,
                mapping: String::new(),
            };
            assert_eq!(found, [expected], "{place}");
        }
    }
}
