//! Names of a zone as keys whose order as bytes is the canonical order of names (RFC 4034, section 6.1).
//!
//! A key has the labels of a name below the zone's apex, the one next to the apex first, in lower case, each closed by a
//! zero. A zero within a label is written as 1, 1, and a 1 as 1, 2. So the apex is the empty key, a name is above another
//! one if its key is the beginning of the other's, and keys compare as names do.

use domain::base::name::ToLabelIter;

/// The longest name, in bytes, as messages have it.
pub(super) const MAX_NAME: usize = 255;

const CLOSE: u8 = 0;
const ESCAPE: u8 = 1;

/// The apex of a zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Apex {
    /// The name in lower case, as messages have it.
    wire: Vec<u8>,
    labels: u8,
    /// The name with a dot before it, as files have it; nothing for the root.
    suffix: String,
}

impl Apex {
    pub(super) fn new(name: &impl ToLabelIter) -> Self {
        let (mut wire, mut suffix, mut labels) = (Vec::new(), String::new(), 0);
        for label in name.iter_labels().filter(|label| !label.is_root()) {
            wire.push(label.len() as u8);
            wire.extend(label.as_ref().to_ascii_lowercase());
            suffix.push('.');
            write_label(&label.as_ref().to_ascii_lowercase(), &mut suffix);
            labels += 1;
        }
        wire.push(0);
        Self {
            wire,
            labels,
            suffix,
        }
    }

    /// The name in lower case, as messages have it.
    pub(super) fn wire(&self) -> &[u8] {
        &self.wire
    }

    /// Writes the key of a name into an empty buffer, and returns whether the name is in the zone.
    pub(super) fn key_of(&self, name: &impl ToLabelIter, key: &mut Vec<u8>) -> bool {
        let mut labels = name.iter_labels().rev().filter(|label| !label.is_root());
        let mut own = [0; MAX_NAME];
        // The apex's labels, from the last to the first.
        let (mut count, mut place) = (0, 0);
        while self.wire[place] != 0 {
            own[count] = place;
            count += 1;
            place += 1 + usize::from(self.wire[place]);
        }
        for &place in own[..count].iter().rev() {
            let (length, rest) = (self.wire[place], &self.wire[place + 1..]);
            match labels.next() {
                Some(label) if label.as_ref().eq_ignore_ascii_case(&rest[..length.into()]) => {}
                _ => return false,
            }
        }
        for label in labels {
            push_label(key, label.as_ref());
        }
        true
    }

    /// Appends the name of a key as messages have it.
    pub(super) fn write_wire(&self, key: &[u8], wire: &mut Vec<u8>) {
        for label in labels(key).rev() {
            let start = wire.len();
            wire.push(0);
            unescape(label, |byte| wire.push(byte));
            wire[start] = (wire.len() - start - 1) as u8;
        }
        wire.extend_from_slice(&self.wire);
    }

    /// Appends the name of a key as files have it.
    pub(super) fn write_text(&self, key: &[u8], text: &mut String) {
        if key.is_empty() && self.suffix.is_empty() {
            text.push('.');
            return;
        }
        let mut bytes = Vec::new();
        for (k, label) in labels(key).rev().enumerate() {
            if k > 0 {
                text.push('.');
            }
            bytes.clear();
            unescape(label, |byte| bytes.push(byte));
            write_label(&bytes, text);
        }
        let suffix = if key.is_empty() {
            &self.suffix[1..]
        } else {
            &self.suffix
        };
        text.push_str(suffix);
        text.push('.');
    }

    /// The name of a key as files have it.
    pub(super) fn text(&self, key: &[u8]) -> String {
        let mut text = String::new();
        self.write_text(key, &mut text);
        text
    }

    /// The number of labels that a signature names: all but the root and a leading asterisk (RFC 4034, section 3.1.3).
    pub(super) fn signed_labels(&self, key: &[u8]) -> u8 {
        let own = labels(key).count() as u8;
        self.labels + own - u8::from(is_wildcard(key))
    }
}

/// Appends a label to a key.
pub(super) fn push_label(key: &mut Vec<u8>, label: &[u8]) {
    for byte in label {
        match byte.to_ascii_lowercase() {
            byte @ (CLOSE | ESCAPE) => key.extend([ESCAPE, byte + 1]),
            byte => key.push(byte),
        }
    }
    key.push(CLOSE);
}

/// The labels of a key, still escaped.
fn labels(key: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    let closed = key.strip_suffix(&[CLOSE]);
    closed
        .into_iter()
        .flat_map(|key| key.split(|&byte| byte == CLOSE))
}

/// The only label of a key, if it has just one without escapes.
pub(super) fn only_label(key: &[u8]) -> Option<&[u8]> {
    let label = key.strip_suffix(&[CLOSE])?;
    (!label.contains(&CLOSE) && !label.contains(&ESCAPE)).then_some(label)
}

fn unescape(label: &[u8], mut push: impl FnMut(u8)) {
    let mut bytes = label.iter();
    while let Some(&byte) = bytes.next() {
        push(match byte {
            ESCAPE => bytes.next().map_or(ESCAPE, |next| next.wrapping_sub(1)),
            byte => byte,
        });
    }
}

fn is_wildcard(key: &[u8]) -> bool {
    key == b"*\0" || key.ends_with(b"\0*\0")
}

/// The lengths of the keys of the names between the apex and this name, the shortest first.
pub(super) fn lengths_between(key: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let last = key.len();
    let places = key.iter().enumerate();
    places
        .filter(|(_, byte)| **byte == CLOSE)
        .map(|(place, _)| place + 1)
        .filter(move |&length| length < last)
}

/// Writes a label so that every reader of zone files takes it for that.
fn write_label(label: &[u8], text: &mut String) {
    use core::fmt::Write as _;
    for &byte in label {
        match byte {
            b'"' | b'$' | b'(' | b')' | b'.' | b';' | b'@' | b'\\' => {
                text.push('\\');
                text.push(byte.into());
            }
            0x21..=0x7e => text.push(byte.into()),
            _ => {
                // Writing to a text does not fail.
                let _ = write!(text, "\\{byte:03}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::base::Name;

    fn name(text: &str) -> Name<Vec<u8>> {
        Name::vec_from_str(text).unwrap()
    }

    #[test]
    fn order_of_rfc_4034() {
        let apex = Apex::new(&name("Example."));
        let names = [
            "example.",
            "a.example.",
            "yljkjljk.a.example.",
            "Z.a.example.",
            "zABC.a.EXAMPLE.",
            "z.example.",
            "\\001.z.example.",
            "*.z.example.",
            "\\200.z.example.",
        ];
        let keys = names.map(|text| {
            let mut key = Vec::new();
            assert!(apex.key_of(&name(text), &mut key));
            key
        });
        assert!(keys.is_sorted());
        assert_eq!(keys[0], b"");
        for (key, text) in keys.iter().zip(names) {
            let mut wire = Vec::new();
            apex.write_wire(key, &mut wire);
            let read = Name::from_octets(wire).unwrap();
            assert_eq!(read, name(text));
            assert_eq!(name(&apex.text(key)), name(text));
        }
        assert_eq!(apex.signed_labels(&keys[7]), 2);
        assert_eq!(apex.signed_labels(&keys[3]), 3);
        assert_eq!(lengths_between(b"a\0b\0c\0").collect::<Vec<_>>(), [2, 4]);
    }

    #[test]
    fn zeros_ones_and_other_zones() {
        let apex = Apex::new(&name("e."));
        let sorted = ["\\000.e.", "\\000a.e.", "\\001.e.", "\\002.e."];
        let keys = sorted.map(|text| {
            let mut key = Vec::new();
            assert!(apex.key_of(&name(text), &mut key));
            assert_eq!(name(&apex.text(&key)), name(text));
            key
        });
        assert!(keys.is_sorted());
        assert!(!apex.key_of(&name("f."), &mut Vec::new()));
        assert!(!apex.key_of(&name("."), &mut Vec::new()));
        assert_eq!(apex.text(b"$(a@;\0"), "\\$\\(a\\@\\;.e.");
        let root = Apex::new(&name("."));
        assert_eq!(
            (root.text(b""), root.text(b"a\0")),
            (".".into(), "a.".into())
        );
        assert_eq!(root.signed_labels(b""), 0);
    }
}
