//! A zone: its records in canonical order, checked as far as signing depends on it.

use super::entries::Entries;
use super::error::{EntryError, ZoneError};
use super::name::Apex;
use super::store::{Node, Place, Record, Records};
use domain::base::iana::Rtype;
use domain::base::name::{ParsedName, ToLabelIter};
use domain::base::rdata::{ComposeRecordData, ParseRecordData};
use domain::base::{Name, ToName};
use domain::dep::octseq::Parser;
use domain::rdata::ZoneRecordData;
use domain::zonefile::inplace::ScannedRecordData;
use std::io::BufRead;

/// Records between two calls of a watcher.
const WATCHED: usize = 1 << 12;

/// A zone, read from a file. Names and data are kept in canonical form, which is in lower case (RFC 4034, section 6).
#[derive(Debug)]
pub struct Zone {
    pub(super) apex: Apex,
    pub(super) records: Records,
    pub(super) soa: Soa,
}

/// The numbers of the SOA record that signing needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Soa {
    place: Place,
    pub(super) ttl: u32,
    pub(super) serial: u32,
    minimum: u32,
}

impl Soa {
    /// The time to live of NSEC and NSEC3 records (RFC 9077).
    pub(super) fn negative_ttl(&self) -> u32 {
        self.ttl.min(self.minimum)
    }
}

impl Zone {
    /// Reads a zone that is to be signed. Its signatures, NSEC, NSEC3 and NSEC3PARAM records, if any, are left out.
    ///
    /// `origin` is the name of the zone; without it, the first record must be the SOA record. `watch` is told now and
    /// then how many bytes have been read.
    ///
    /// # Errors
    /// The first defect, with its line.
    pub fn read(
        file: impl BufRead,
        origin: Option<&str>,
        watch: &mut dyn FnMut(u64),
    ) -> Result<Self, ZoneError> {
        let plain = |rtype| !is_made(rtype) && rtype != Rtype::NSEC3PARAM;
        let (apex, records) = read_records(file, origin, &plain, watch)?;
        Self::new(apex, records)
    }

    /// Reads a signed zone, with everything in it: for verification.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    pub fn read_signed(
        file: impl BufRead,
        origin: Option<&str>,
        watch: &mut dyn FnMut(u64),
    ) -> Result<Self, ZoneError> {
        let (apex, records) = read_records(file, origin, &|_| true, watch)?;
        Self::new(apex, records)
    }

    fn new(apex: Apex, mut records: Records) -> Result<Self, ZoneError> {
        records.sort();
        let first = records.places().first().copied();
        let first = first.map(|place| (place, records.get(place)));
        let soa = match first {
            Some((place, record)) if record.key.is_empty() && record.rtype == Rtype::SOA => {
                soa(place, &record)
            }
            _ => None,
        };
        let soa = soa.ok_or_else(|| ZoneError::NoSoa(apex.text(b"")))?;
        let zone = Self { apex, records, soa };
        if zone.records.find(b"", Rtype::NS).is_empty() {
            return Err(ZoneError::NoNs(zone.name()));
        }
        for node in zone.records.nodes_from(0) {
            zone.check(&node)?;
        }
        Ok(zone)
    }

    /// Checks the records of a name.
    fn check(&self, node: &Node<'_>) -> Result<(), ZoneError> {
        let name = || self.apex.text(node.key);
        let refused = |line, reason| Err(ZoneError::Entry { line, reason });
        let (mut alias, mut others) = (false, false);
        for set in self.records.sets(node.places) {
            let mut records = self.records.of(set);
            let Some(first) = records.next() else {
                continue;
            };
            let rtype = first.rtype;
            match rtype {
                Rtype::RRSIG | Rtype::NSEC => {}
                Rtype::CNAME => alias = true,
                _ => others = true,
            }
            let second = match rtype {
                Rtype::SOA if !node.key.is_empty() => {
                    return refused(first.line, EntryError::SecondSoa);
                }
                Rtype::CNAME => Some("CNAME"),
                Rtype::DNAME => Some("DNAME"),
                Rtype::SOA => Some("SOA"),
                _ => None,
            };
            for record in records {
                // The line of the file's later record.
                let later = record.line.max(first.line);
                match second {
                    Some("SOA") => return refused(later, EntryError::SecondSoa),
                    Some(rtype) => return refused(later, EntryError::Second(name(), rtype)),
                    None => {}
                }
                if record.ttl != first.ttl && rtype != Rtype::RRSIG {
                    let (later, other) = if record.line > first.line {
                        (record, first)
                    } else {
                        (first, record)
                    };
                    let reason = EntryError::Ttl {
                        name: name(),
                        rtype: rtype.to_string(),
                        ttl: later.ttl,
                        other: other.ttl,
                    };
                    return refused(later.line, reason);
                }
            }
        }
        if alias && others {
            let last = self.records.of(node.places).map(|record| record.line).max();
            let reason = EntryError::CnameAndOthers(name());
            return refused(last.unwrap_or_default(), reason);
        }
        Ok(())
    }

    /// The name of the zone, with a dot at the end.
    pub fn name(&self) -> String {
        self.apex.text(b"")
    }

    /// The name of the zone in lower case, as messages have it.
    pub fn wire_name(&self) -> &[u8] {
        self.apex.wire()
    }

    /// The serial number.
    pub fn serial(&self) -> u32 {
        self.soa.serial
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there are no records, which is never so.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sets the serial number.
    pub(super) fn set_serial(&mut self, serial: u32) {
        self.soa.serial = serial;
        self.records
            .patch_end(self.soa.place, SERIAL_BEFORE_END, serial.to_be_bytes());
    }

    /// Adds a record, unless it is there, and returns whether it was added.
    pub(super) fn insert(&mut self, record: &Record<'_>) -> bool {
        self.records.insert(record)
    }

    /// The names in order, each with its standing.
    pub(super) fn walk(&self) -> Walk<'_> {
        Walk {
            records: &self.records,
            next: 0,
            cut: None,
        }
    }
}

/// Where the serial number is: the five numbers are the end of the data of a SOA record.
const SERIAL_BEFORE_END: usize = 20;

fn soa(place: Place, record: &Record<'_>) -> Option<Soa> {
    let numbers = record.data.len().checked_sub(SERIAL_BEFORE_END)?;
    let number = |k: usize| {
        let bytes = record.data[numbers + 4 * k..].first_chunk()?;
        Some(u32::from_be_bytes(*bytes))
    };
    Some(Soa {
        place,
        ttl: record.ttl,
        serial: number(0)?,
        minimum: number(4)?,
    })
}

/// Whether records of this type are made by signing, at any name.
pub(super) fn is_made(rtype: Rtype) -> bool {
    matches!(rtype, Rtype::RRSIG | Rtype::NSEC | Rtype::NSEC3)
}

/// The standing of a name in its zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// All of its records are the zone's.
    Authoritative,
    /// Another zone begins here, whose keys are known if it is secure.
    Delegation {
        /// Whether there is a DS record.
        secure: bool,
    },
    /// It is in another zone, or below a DNAME record: its records are not signed.
    Below,
}

impl Standing {
    /// Whether records of a type are signed.
    pub(super) fn signs(self, rtype: Rtype) -> bool {
        match self {
            Self::Authoritative => rtype != Rtype::RRSIG,
            Self::Delegation { .. } => matches!(rtype, Rtype::DS | Rtype::NSEC),
            Self::Below => false,
        }
    }
}

/// The names of a zone in order, each with its standing.
#[derive(Clone, Debug)]
pub(super) struct Walk<'z> {
    records: &'z Records,
    next: usize,
    /// The key of the delegation or of the DNAME record that the next names may be below.
    cut: Option<&'z [u8]>,
}

impl<'z> Iterator for Walk<'z> {
    type Item = (Node<'z>, Standing);

    fn next(&mut self) -> Option<Self::Item> {
        let node = self.records.node_at(self.next)?;
        self.next += node.places.len();
        if self.cut.is_some_and(|cut| node.key.starts_with(cut)) {
            return Some((node, Standing::Below));
        }
        let has = |rtype| {
            let mut records = self.records.of(node.places);
            records.any(|record| record.rtype == rtype)
        };
        let standing = if !node.key.is_empty() && has(Rtype::NS) {
            Standing::Delegation {
                secure: has(Rtype::DS),
            }
        } else {
            Standing::Authoritative
        };
        if standing != Standing::Authoritative || has(Rtype::DNAME) {
            self.cut = Some(node.key);
        }
        Some((node, standing))
    }
}

/// Reads the records of a file whose type is to be kept, unsorted.
pub(super) fn read_records(
    file: impl BufRead,
    origin: Option<&str>,
    keep: &dyn Fn(Rtype) -> bool,
    watch: &mut dyn FnMut(u64),
) -> Result<(Apex, Records), ZoneError> {
    let named = |text: &str| {
        let name = Name::bytes_from_str(text);
        name.map_err(|_| ZoneError::Origin(text.into()))
    };
    let origin = origin.map(named).transpose()?;
    let mut apex = origin.as_ref().map(Apex::new);
    let mut entries = Entries::new(file, origin);
    let mut records = Records::default();
    let (mut key, mut data) = (Vec::new(), Vec::new());
    let mut count = 0_usize;
    while let Some((line, record)) = entries.next()? {
        count += 1;
        if count.is_multiple_of(WATCHED) {
            watch(entries.bytes());
        }
        let refused = |reason| ZoneError::Entry { line, reason };
        let rtype = record.rtype();
        let apex = match &apex {
            Some(apex) => apex,
            None if rtype == Rtype::SOA => apex.insert(Apex::new(record.owner())),
            None => return Err(refused(EntryError::NoApex)),
        };
        key.clear();
        if !apex.key_of(record.owner(), &mut key) {
            let name = written(record.owner());
            return Err(refused(EntryError::OutOfZone(name)));
        }
        if !keep(rtype) {
            continue;
        }
        data.clear();
        canonical(rtype, record.data(), &mut data).map_err(refused)?;
        records.push(&Record {
            key: &key,
            rtype,
            ttl: record.ttl().as_secs(),
            line,
            data: &data,
        });
    }
    watch(entries.bytes());
    match apex {
        Some(apex) if count > 0 => Ok((apex, records)),
        _ => Err(ZoneError::Empty),
    }
}

/// A name as files have it.
fn written(name: &impl ToLabelIter) -> String {
    Apex::new(name).text(b"")
}

/// Writes data in canonical form into an empty buffer.
fn canonical(
    rtype: Rtype,
    data: &ScannedRecordData,
    canonical: &mut Vec<u8>,
) -> Result<(), EntryError> {
    let wrong = || EntryError::Syntax(format!("the data are none of type {rtype}"));
    match data {
        // A type that is known, written as one that is not (RFC 3597), has names in lower case all the same.
        ZoneRecordData::Unknown(unknown) => {
            let mut parser = Parser::from_ref(unknown.data().as_ref());
            let parsed = Parsed::parse_rdata(rtype, &mut parser).map_err(|_| wrong())?;
            if parser.remaining() != 0 {
                return Err(wrong());
            }
            compose(&parsed.ok_or_else(wrong)?, canonical);
        }
        known => compose(known, canonical),
    }
    if canonical.len() > usize::from(u16::MAX) {
        return Err(EntryError::Syntax("more than 65,535 bytes of data".into()));
    }
    Ok(())
}

/// Data of a record, in bytes that are elsewhere.
pub(super) type Parsed<'a> = ZoneRecordData<&'a [u8], ParsedName<&'a [u8]>>;

fn compose<Octets: AsRef<[u8]>, N: ToName>(
    data: &ZoneRecordData<Octets, N>,
    canonical: &mut Vec<u8>,
) {
    // Memory to write to does not run out otherwise than by a panic of the allocator.
    let Ok(()) = data.compose_canonical_rdata(canonical);
}
