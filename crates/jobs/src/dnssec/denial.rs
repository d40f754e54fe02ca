//! Proofs that names and types are not there: chains of NSEC records (RFC 4034) and of NSEC3 records (RFC 5155).

use super::name::{Apex, lengths_between};
use super::store::{Node, Records};
use super::zone::{Standing, Zone, is_made};
use domain::base::iana::Rtype;
use domain::rdata::dnssec::RtypeBitmapBuilder;
use rayon::prelude::*;
use sha1::{Digest as _, Sha1};

/// Bytes of a hash: of SHA-1, the only one that there is.
pub(super) const HASH: usize = 20;

/// The number of SHA-1 among the hash algorithms.
const SHA_1: u8 = 1;

/// How NSEC3 records are made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nsec3 {
    /// Hashes after the first one: RFC 9276 asks for 0.
    pub iterations: u16,
    /// Bytes that are hashed with each name: RFC 9276 asks for none.
    pub salt: Vec<u8>,
    /// Whether delegations to zones without DS records are left out.
    pub opt_out: bool,
}

impl Nsec3 {
    /// The hash of a name that is written as messages have it, in lower case.
    fn hash(&self, wire: &[u8]) -> [u8; HASH] {
        let once = |bytes: &[u8]| Sha1::new().chain_update(bytes).chain_update(&self.salt);
        let mut hash: [u8; HASH] = once(wire).finalize().into();
        for _ in 0..self.iterations {
            hash = once(&hash).finalize().into();
        }
        hash
    }

    /// The data of the NSEC3PARAM record.
    pub(super) fn parameters(&self) -> Vec<u8> {
        let mut data = vec![SHA_1, 0];
        self.write_rest(&mut data);
        data
    }

    fn write_rest(&self, data: &mut Vec<u8>) {
        data.extend(self.iterations.to_be_bytes());
        data.push(self.salt.len() as u8);
        data.extend_from_slice(&self.salt);
    }

    /// Reads the data of an NSEC3PARAM record, or the beginning of those of an NSEC3 record.
    pub(super) fn read(data: &[u8]) -> Option<Self> {
        let (&[SHA_1, flags, high, low, length], rest) = data.split_first_chunk()? else {
            return None;
        };
        Some(Self {
            iterations: u16::from_be_bytes([high, low]),
            salt: rest.get(..length.into())?.to_vec(),
            opt_out: flags & 1 != 0,
        })
    }

    /// The data of an NSEC3 record.
    pub(super) fn record(&self, next: &[u8; HASH], bitmap: &[u8]) -> Vec<u8> {
        let mut data = vec![SHA_1, u8::from(self.opt_out)];
        self.write_rest(&mut data);
        data.push(HASH as u8);
        data.extend_from_slice(next);
        data.extend_from_slice(bitmap);
        data
    }
}

/// The data of an NSEC record.
pub(super) fn nsec(apex: &Apex, next: &[u8], bitmap: &[u8]) -> Vec<u8> {
    let mut data = Vec::new();
    apex.write_wire(next, &mut data);
    data.extend_from_slice(bitmap);
    data
}

/// The list of types in the NSEC record of a name.
pub(super) fn nsec_bitmap(records: &Records, node: &Node<'_>, standing: Standing) -> Vec<u8> {
    let own = types(records, node, standing);
    bitmap(own.chain([Rtype::RRSIG, Rtype::NSEC]))
}

/// The list of types in the NSEC3 record of a name.
fn nsec3_bitmap(records: &Records, node: &Node<'_>, standing: Standing) -> Vec<u8> {
    let own = types(records, node, standing);
    let signed = standing != Standing::Delegation { secure: false };
    bitmap(own.chain(signed.then_some(Rtype::RRSIG)))
}

/// The types of a name that the zone answers for, without those that signing makes.
fn types(records: &Records, node: &Node<'_>, standing: Standing) -> impl Iterator<Item = Rtype> {
    let mut types: Vec<Rtype> = records.of(node.places).map(|record| record.rtype).collect();
    types.dedup();
    types.retain(|&rtype| match standing {
        Standing::Authoritative => !is_made(rtype),
        _ => matches!(rtype, Rtype::NS | Rtype::DS),
    });
    types.into_iter()
}

fn bitmap(types: impl Iterator<Item = Rtype>) -> Vec<u8> {
    let mut bitmap = RtypeBitmapBuilder::new_vec();
    for rtype in types {
        let Ok(()) = bitmap.add(rtype);
    }
    bitmap.finalize().as_octets().clone()
}

/// The sort of a name in a chain of NSEC3 records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// A name with records that the zone answers for.
    Known,
    /// A delegation without a DS record, which opt-out leaves out.
    Insecure,
    /// A name that has no records, but is above some that have: an empty non-terminal.
    Empty,
}

/// A name with its hash. These take 28 bytes each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hashed {
    pub(super) hash: [u8; HASH],
    /// The place of the name's records, or of those of a name below it.
    start: u32,
    /// Length of its key: shorter than that of the records, if it has none itself.
    length: u16,
    pub(super) sort: Sort,
}

impl Hashed {
    /// The key of the name.
    pub(super) fn key<'z>(&self, records: &'z Records) -> &'z [u8] {
        let node = records.node_at(self.start as usize);
        node.map_or(&[], |node| &node.key[..self.length.into()])
    }

    /// The line of a record of the name, or of one below it.
    pub(super) fn line(&self, records: &Records) -> u32 {
        let node = records.node_at(self.start as usize);
        let first = node.and_then(|node| records.of(node.places).next());
        first.map_or(0, |record| record.line)
    }

    /// The list of types in the NSEC3 record.
    pub(super) fn bitmap(&self, records: &Records) -> Vec<u8> {
        let node = records.node_at(self.start as usize);
        match (self.sort, node) {
            (Sort::Empty, _) | (_, None) => Vec::new(),
            (Sort::Insecure, Some(node)) => {
                nsec3_bitmap(records, &node, Standing::Delegation { secure: false })
            }
            (Sort::Known, Some(node)) => {
                let has = |rtype| records.of(node.places).any(|record| record.rtype == rtype);
                let standing = if !node.key.is_empty() && has(Rtype::NS) {
                    Standing::Delegation { secure: true }
                } else {
                    Standing::Authoritative
                };
                nsec3_bitmap(records, &node, standing)
            }
        }
    }
}

/// The names of a zone that have NSEC3 records, by their hashes, and the first two names with one hash, if there are any.
/// A node that is `left_out` has none, and neither have delegations that opt-out leaves out.
pub(super) fn hashed(
    zone: &Zone,
    nsec3: &Nsec3,
    left_out: &(dyn Fn(&Node<'_>) -> bool + Sync),
) -> Vec<Hashed> {
    let mut names: Vec<Hashed> = Vec::new();
    let mut before: &[u8] = &[];
    for (node, standing) in zone.walk() {
        let sort = match standing {
            Standing::Below => continue,
            Standing::Delegation { secure: false } if nsec3.opt_out => continue,
            Standing::Delegation { secure: false } => Sort::Insecure,
            Standing::Delegation { secure: true } | Standing::Authoritative => Sort::Known,
        };
        if left_out(&node) {
            continue;
        }
        let mut add = |length: usize, sort| {
            names.push(Hashed {
                hash: [0; HASH],
                start: node.start as u32,
                length: length as u16,
                sort,
            });
        };
        // A name above this one that has records comes before it, followed by names below only.
        for length in lengths_between(node.key) {
            if !before.starts_with(&node.key[..length]) {
                add(length, Sort::Empty);
            }
        }
        add(node.key.len(), sort);
        before = node.key;
    }
    names.par_iter_mut().for_each_init(Vec::new, |wire, name| {
        wire.clear();
        zone.apex.write_wire(name.key(&zone.records), wire);
        name.hash = nsec3.hash(wire);
    });
    names.par_sort_unstable_by_key(|name| name.hash);
    names
}

/// The key of the owner of an NSEC3 record.
pub(super) fn owner(hash: &[u8; HASH]) -> Vec<u8> {
    let text = domain::utils::base32::encode_string_hex(hash);
    let mut key = text.to_ascii_lowercase().into_bytes();
    key.push(0);
    key
}

/// The hash that the owner of an NSEC3 record is.
pub(super) fn hash_of(key: &[u8]) -> Option<[u8; HASH]> {
    let label = core::str::from_utf8(super::name::only_label(key)?).ok()?;
    let hash: Vec<u8> = domain::utils::base32::decode_hex(label).ok()?;
    hash.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Appendix A of RFC 5155: salt aabbccdd, 12 iterations.
    #[test]
    fn hashes_of_rfc_5155() {
        let nsec3 = Nsec3 {
            iterations: 12,
            salt: vec![0xaa, 0xbb, 0xcc, 0xdd],
            opt_out: false,
        };
        for (wire, expected) in [
            (
                &b"\x07example\0"[..],
                &b"0p9mhaveqvm6t7vbl5lop2u3t2rp3tom\0"[..],
            ),
            (b"\x01a\x07example\0", b"35mthgpgcu1qg68fab165klnsnk3dpvl\0"),
            (
                b"\x02ai\x07example\0",
                b"gjeqe526plbf1g8mklp59enfd789njgi\0",
            ),
        ] {
            let hash = nsec3.hash(wire);
            assert_eq!(owner(&hash), expected);
            assert_eq!(hash_of(expected), Some(hash));
        }
        assert_eq!(hash_of(b"a\0"), None);
        assert_eq!(Nsec3::read(&nsec3.parameters()), Some(nsec3));
    }
}
