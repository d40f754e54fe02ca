//! Random choices that are the same in every run, and damage to bytes.

/// Random numbers (Steele, Lea and Flood: `SplitMix`, 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    pub(crate) fn choose<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next() as u8).collect()
    }

    /// Bytes that are random, or all zero or all one, or begin or end so.
    pub(crate) fn edge_bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = self.bytes(length);
        let fill = *self.choose(&[0, 0xff]);
        let cut = self.below(length + 1);
        match self.below(8) {
            0 => bytes.fill(fill),
            1 => bytes[..cut].fill(fill),
            2 => bytes[cut..].fill(fill),
            _ => {}
        }
        bytes
    }
}

/// Damages bytes in one to three places.
pub(crate) fn damage(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..=random.below(3) {
        let place = random.below(bytes.len());
        let end = (place + 1 + random.below(16)).min(bytes.len());
        match random.below(9) {
            _ if bytes.is_empty() => bytes.push(0),
            0 | 1 => bytes[place] ^= 1 << random.below(8),
            2 => bytes[place] = *random.choose(&[0, 1, 0x7f, 0x80, 0x81, 0x82, 0xff]),
            3 => bytes.truncate(place),
            4 => {
                let more = random.bytes(end - place);
                bytes.splice(place..place, more);
            }
            5 => drop(bytes.drain(place..end)),
            6 => {
                let copy = bytes[place..end].to_vec();
                bytes.splice(place..place, copy);
            }
            7 => {
                let other = random.below(bytes.len());
                bytes.swap(place, other);
            }
            _ => bytes[place] = bytes[place].wrapping_add(1),
        }
    }
}

/// The elements of DER in these bytes, inner ones too: the start of each, the start of its content, and its
/// end.
pub(crate) fn elements(der: &[u8], offset: usize, found: &mut Vec<(usize, usize, usize)>) {
    let mut place = offset;
    while let [tag, length, ..] = der[place - offset..] {
        let long = usize::from(length & 0x7f);
        let start = place + 2 + if length >= 0x80 { long } else { 0 };
        let Some(digits) = der.get(place + 2 - offset..start - offset) else {
            return;
        };
        let size = match length {
            0..0x80 => usize::from(length),
            _ if long > 3 => return,
            _ => digits.iter().fold(0, |size, &b| size << 8 | usize::from(b)),
        };
        let end = start + size;
        let Some(content) = der.get(start - offset..end - offset) else {
            return;
        };
        found.push((place, start, end));
        // Sequences, octet strings (with a key inside) and contexts.
        if matches!(tag, 0x30 | 0x04 | 0xa0) {
            elements(content, start, found);
        }
        place = end;
    }
}

/// An element of DER with this content.
pub(crate) fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let mut der = vec![tag];
    match length {
        0..0x80 => der.push(length as u8),
        0x80..0x100 => der.extend([0x81, length as u8]),
        _ => der.extend([0x82, (length >> 8) as u8, length as u8]),
    }
    der.extend_from_slice(content);
    der
}

/// An integer in DER, from big-endian bytes.
pub(crate) fn integer(big_endian: &[u8]) -> Vec<u8> {
    let zeros = big_endian.iter().take_while(|&&byte| byte == 0).count();
    let digits = &big_endian[zeros..];
    match digits.first() {
        Some(0..0x80) => element(2, digits),
        _ => element(2, &[&[0], digits].concat()),
    }
}
