//! The keys that sign a zone, and what each signs.

use super::error::{EntryError, KeyError, SignError, ZoneError};
use super::keys::ZoneKey;
use super::public::PublicPart;
use super::zone::Zone;
use domain::base::iana::Rtype;
use std::collections::BTreeSet;
use sunzi_pk::keys::{Algorithms, SigningKey};

/// The keys that sign.
pub(super) struct Signers<'k> {
    list: Vec<Signer<'k>>,
}

/// A key that signs.
#[derive(Clone, Copy)]
pub(super) struct Signer<'k> {
    pub(super) public: &'k PublicPart,
    pub(super) key: &'k SigningKey,
    /// Whether it signs the keys.
    keys: bool,
    /// Whether it signs everything else.
    zone: bool,
}

impl<'k> Signers<'k> {
    /// The active ones of these keys, each with what it signs.
    pub(super) fn new(
        algorithms: &Algorithms,
        zone: &Zone,
        keys: &[&'k ZoneKey],
        now: u32,
    ) -> Result<Self, SignError> {
        let active = keys.iter().filter(|key| key.is_active(now));
        let active: Vec<_> = active
            .filter_map(|key| Some((key.public(), key.signing()?)))
            .collect();
        if active.is_empty() {
            return Err(KeyError::NoKeys(zone.name()).into());
        }
        let has = |algorithm, signs_keys| {
            let alike = |public: &PublicPart| {
                public.algorithm() == algorithm
                    && public.signs_keys() == signs_keys
                    && !public.is_revoked()
            };
            active.iter().any(|(public, _)| alike(public))
        };
        let published: BTreeSet<u8> = keys
            .iter()
            .map(|key| key.public().algorithm().number())
            .collect();
        for place in zone.records.find(&[], Rtype::DNSKEY) {
            let record = zone.records.get(*place);
            let number = record.data.get(3).copied().unwrap_or_default();
            let line = record.line;
            if active
                .iter()
                .any(|(key, _)| key.algorithm().number() == number)
            {
                let key = PublicPart::prepared(algorithms, &zone.apex, record.data);
                key.map_err(|error| ZoneError::Entry {
                    line,
                    reason: EntryError::Dnskey(error.into()),
                })?;
                continue;
            }
            return Err(if published.contains(&number) {
                KeyError::OnlyPublic(number).into()
            } else {
                let reason = EntryError::UnsignedAlgorithm(number);
                ZoneError::Entry { line, reason }.into()
            });
        }
        for key in keys.iter().map(|key| key.public()) {
            let algorithm = key.algorithm();
            if key.signs_keys() && !key.is_revoked() && !has(algorithm, true) {
                return Err(KeyError::NoPrivateKsk(algorithm.number()).into());
            }
        }
        let signers = active.iter().map(|&(public, key)| {
            let algorithm = public.algorithm();
            Signer {
                public,
                key,
                keys: public.signs_keys() || !has(algorithm, true),
                zone: !public.is_revoked() && (!public.signs_keys() || !has(algorithm, false)),
            }
        });
        Ok(Self {
            list: signers.collect(),
        })
    }

    /// The keys that sign records of a type.
    pub(super) fn of(&self, rtype: Rtype) -> impl Iterator<Item = &Signer<'k>> {
        let about_keys = matches!(rtype, Rtype::DNSKEY | Rtype::CDNSKEY | Rtype::CDS);
        let signs = move |signer: &Signer<'_>| if about_keys { signer.keys } else { signer.zone };
        let signers = self.list.iter();
        signers.filter(move |signer| signs(signer))
    }
}
