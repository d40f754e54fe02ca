//! Signatures of an older version of a zone.

use super::error::ZoneError;
use super::name::Apex;
use super::rrsig::{Head, Signature, is_before};
use super::store::Records;
use super::zone::{Zone, read_records};
use domain::base::iana::Rtype;
use std::io::BufRead;

/// The signatures of a signed zone, which may be kept where they are valid for what is to be signed.
#[derive(Debug, Default)]
pub struct Signatures(Records);

impl Signatures {
    /// Reads the signatures of an older version of this zone.
    ///
    /// # Errors
    /// The first defect of the file, with its line.
    pub fn read(
        file: impl BufRead,
        zone: &Zone,
        watch: &mut dyn FnMut(u64),
    ) -> Result<Self, ZoneError> {
        let signature = |rtype| rtype == Rtype::RRSIG;
        let (_, mut records) = read_records(file, Some(&zone.name()), &signature, watch)?;
        records.sort();
        Ok(Self(records))
    }

    /// Number of signatures.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A signature by the same key of a set of this name as `asked`, but for its times, if it is valid now and for long
    /// enough. Whether it is that of these records is not known then.
    pub(super) fn fresh(
        &self,
        apex: &Apex,
        key: &[u8],
        asked: &Head,
        now: u32,
        refresh: u32,
    ) -> Option<Signature<'_>> {
        let until = now.checked_add(refresh)?;
        let records = self.0.of(self.0.find(key, Rtype::RRSIG));
        let signatures = records.filter_map(|record| Signature::read(record.data));
        let mut usable = signatures.filter(|Signature { head, signer, .. }| {
            let alike = Head {
                expiration: asked.expiration,
                inception: asked.inception,
                ..*head
            };
            alike == *asked
                && *signer == apex.wire()
                && !is_before(now, head.inception)
                && is_before(until, head.expiration)
        });
        usable.next()
    }
}
