//! Verification of a signed zone: every signature, and the chain of NSEC or NSEC3 records.

use super::batch::Prepared;
use super::defect::{Defect, Reason};
use super::denial::{self, HASH, Nsec3, Sort};
use super::public::PublicPart;
use super::rrsig::{Signature, is_before};
use super::store::{Node, Place};
use super::zone::{Standing, Zone};
use domain::base::iana::Rtype;
use rayon::prelude::*;
use std::collections::BTreeSet;
use sunzi_pk::keys::{self, Algorithms, VerifyRequest, VerifyingKey};

/// Signatures in a batch for each thread.
const BATCH_PER_THREAD: usize = 2048;

/// What was verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Records of the zone.
    pub records: u64,
    /// Valid signatures.
    pub signatures: u64,
    /// NSEC or NSEC3 records that are right.
    pub denials: u64,
    /// Defects that were reported.
    pub defects: u64,
}

/// Verifies a zone that was read with [`Zone::read_signed`]: each set of records that is the zone's own must have a valid
/// signature by each algorithm of its keys, the keys by one that signs keys, and no signature may be invalid or expired;
/// the chain of NSEC or NSEC3 records must be whole and right. Each defect is reported.
///
/// Whether the keys are the ones that the parent's zone names is not looked at.
pub fn verify_zone(
    algorithms: &Algorithms,
    zone: &Zone,
    now: u32,
    report: &mut dyn FnMut(Defect),
) -> Verified {
    let mut job = Job {
        algorithms,
        zone,
        now,
        keys: Vec::new(),
        numbers: BTreeSet::new(),
        sets: Vec::new(),
        signatures: 0,
        report,
        verified: Verified {
            records: zone.len() as u64,
            ..Verified::default()
        },
    };
    job.read_keys();
    let parameters = zone.records.find(&[], Rtype::NSEC3PARAM).first();
    let nsec3 = parameters.and_then(|place| Nsec3::read(zone.records.get(*place).data));
    job.walk(nsec3.is_some());
    job.flush();
    if let Some(nsec3) = nsec3 {
        job.check_nsec3(&nsec3);
    }
    job.verified
}

/// A set of records that must be signed.
struct Set<'z> {
    key: &'z [u8],
    rtype: Rtype,
    line: u32,
    ttl: u32,
    places: &'z [Place],
    signatures: Vec<(u32, Signature<'z>)>,
}

struct Job<'z, 'o> {
    algorithms: &'o Algorithms,
    zone: &'z Zone,
    now: u32,
    keys: Vec<(PublicPart, VerifyingKey)>,
    /// Numbers of the algorithms of the zone's keys.
    numbers: BTreeSet<u8>,
    sets: Vec<Set<'z>>,
    /// Signatures of the sets.
    signatures: usize,
    report: &'o mut dyn FnMut(Defect),
    verified: Verified,
}

impl<'z> Job<'z, '_> {
    fn defect(&mut self, line: u32, key: &[u8], rtype: Rtype, reason: Reason) {
        self.verified.defects += 1;
        (self.report)(Defect {
            line,
            name: self.zone.apex.text(key),
            rtype: rtype.to_string(),
            reason,
        });
    }

    fn read_keys(&mut self) {
        let zone = self.zone;
        for record in zone.records.of(zone.records.find(&[], Rtype::DNSKEY)) {
            match PublicPart::prepared(self.algorithms, &zone.apex, record.data) {
                Ok((part, key)) => {
                    self.numbers.insert(part.algorithm().number());
                    self.keys.push((part, key));
                }
                Err(error) => {
                    let reason = Reason::Key(error.to_string());
                    self.defect(record.line, &[], Rtype::DNSKEY, reason);
                }
            }
        }
        if self.keys.is_empty() {
            let soa = zone.records.of(zone.records.find(&[], Rtype::SOA)).next();
            let line = soa.map_or(0, |record| record.line);
            self.defect(line, &[], Rtype::DNSKEY, Reason::NoKeys);
        }
    }

    /// Whether a name is there for an NSEC3 record only.
    fn is_hash(zone: &Zone, node: &Node<'_>) -> bool {
        let types = || zone.records.of(node.places).map(|record| record.rtype);
        types().any(|rtype| rtype == Rtype::NSEC3)
            && types().all(|rtype| matches!(rtype, Rtype::NSEC3 | Rtype::RRSIG))
    }

    /// Looks at every name, and at its NSEC record unless there are NSEC3 records.
    fn walk(&mut self, has_nsec3: bool) {
        let zone = self.zone;
        let ours = |entry: &(Node<'_>, Standing)| {
            entry.1 != Standing::Below && !Self::is_hash(zone, &entry.0)
        };
        let mut after = zone.walk().filter(ours).skip(1);
        for entry in zone.walk() {
            self.check_signed(&entry.0, entry.1);
            let nsec = zone.records.find(entry.0.key, Rtype::NSEC);
            if has_nsec3 || !ours(&entry) {
                self.unexpected(nsec);
                continue;
            }
            let next = after.next().map_or(&[][..], |(node, _)| node.key);
            let (node, standing) = entry;
            let bitmap = denial::nsec_bitmap(&zone.records, &node, standing);
            let expected = denial::nsec(&zone.apex, next, &bitmap);
            let Some((first, rest)) = nsec.split_first() else {
                let line = node.places.first();
                let line = line.map_or(0, |place| zone.records.get(*place).line);
                self.defect(line, node.key, Rtype::NSEC, Reason::Missing);
                continue;
            };
            let record = zone.records.get(*first);
            if record.data == expected {
                self.verified.denials += 1;
            } else {
                self.defect(record.line, node.key, Rtype::NSEC, Reason::WrongDenial);
            }
            self.unexpected(rest);
        }
    }

    fn unexpected(&mut self, places: &[Place]) {
        let zone = self.zone;
        for record in zone.records.of(places) {
            self.defect(record.line, record.key, record.rtype, Reason::Unexpected);
        }
    }

    /// Takes the sets of a name that must be signed, and looks for signatures that must not be there.
    fn check_signed(&mut self, node: &Node<'z>, standing: Standing) {
        let zone = self.zone;
        let mut signatures = Vec::new();
        let rrsigs = zone.records.of(node.places);
        for record in rrsigs.filter(|record| record.rtype == Rtype::RRSIG) {
            match Signature::read(record.data) {
                Some(signature) => signatures.push((record.line, signature)),
                None => self.defect(record.line, node.key, Rtype::RRSIG, Reason::CutOff),
            }
        }
        for places in zone.records.sets(node.places) {
            let Some(first) = zone.records.of(places).next() else {
                continue;
            };
            let (rtype, line) = (first.rtype, first.line);
            if rtype == Rtype::RRSIG {
                continue;
            }
            let is_own = |entry: &mut (u32, Signature<'_>)| entry.1.head.covered == rtype;
            let own: Vec<_> = signatures.extract_if(.., is_own).collect();
            if standing.signs(rtype) {
                self.signatures += own.len();
                self.sets.push(Set {
                    key: node.key,
                    rtype,
                    line,
                    ttl: first.ttl,
                    places,
                    signatures: own,
                });
            } else if let Some((line, _)) = own.first() {
                self.defect(*line, node.key, rtype, Reason::NotOurs);
            }
        }
        for (line, signature) in signatures {
            self.defect(line, node.key, signature.head.covered, Reason::NoRecords);
        }
        if self.signatures >= BATCH_PER_THREAD * rayon::current_num_threads() {
            self.flush();
        }
    }

    /// Verifies the signatures of the sets that were taken.
    fn flush(&mut self) {
        self.signatures = 0;
        let sets = core::mem::take(&mut self.sets);
        // For each signature that may be valid, each key that it may be by.
        let mut open = Vec::new();
        for (place, set) in sets.iter().enumerate() {
            for (k, (line, signature)) in set.signatures.iter().enumerate() {
                match self.candidates(set, signature) {
                    Err(reason) => self.defect(*line, set.key, set.rtype, reason),
                    Ok(keys) => open.extend(keys.into_iter().map(|key| (place, k, key))),
                }
            }
        }
        let zone = self.zone;
        let contents: Vec<Prepared> = open
            .par_iter()
            .map(|&(place, k, key)| {
                let set = &sets[place];
                let data = zone.records.of(set.places).map(|record| record.data);
                let head = &set.signatures[k].1.head;
                let message = head.message(&zone.apex, set.key, data);
                let scheme = self.keys[key].0.algorithm().scheme();
                Prepared::new(message, scheme.hash())
            })
            .collect();
        let requests: Vec<VerifyRequest<'_>> = open
            .iter()
            .zip(&contents)
            .map(|(&(place, k, key), content)| VerifyRequest {
                key: &self.keys[key].1,
                scheme: self.keys[key].0.algorithm().scheme(),
                content: content.content(),
                signature: sets[place].signatures[k].1.bytes,
            })
            .collect();
        let verdicts = keys::verify_batch(self.algorithms, &requests);
        drop(requests);
        let mut verdicts = open.iter().zip(verdicts).peekable();
        for (place, set) in sets.iter().enumerate() {
            let mut by = Vec::new();
            for (k, (line, signature)) in set.signatures.iter().enumerate() {
                let (mut valid, mut reason) = (false, None);
                let mine =
                    |entry: &(&(usize, usize, usize), _)| (entry.0.0, entry.0.1) == (place, k);
                while let Some((&(_, _, key), verdict)) = verdicts.next_if(mine) {
                    let tag = signature.head.tag;
                    match verdict {
                        Ok(()) => {
                            valid = true;
                            by.push(key);
                        }
                        Err(error) if error.is_undecided() => {
                            reason = Some(Reason::Undecided(tag, error.to_string()));
                        }
                        Err(_) => reason = reason.or(Some(Reason::Invalid(tag))),
                    }
                }
                match reason {
                    _ if valid => self.verified.signatures += 1,
                    Some(reason) => self.defect(*line, set.key, set.rtype, reason),
                    // It has been reported.
                    None => {}
                }
            }
            self.check_algorithms(set, &by);
        }
    }

    /// The keys that a signature of a set may be by.
    fn candidates(&self, set: &Set<'_>, signature: &Signature<'_>) -> Result<Vec<usize>, Reason> {
        let head = &signature.head;
        let (tag, algorithm) = (head.tag, head.algorithm);
        if signature.signer != self.zone.wire_name() {
            return Err(Reason::OtherSigner);
        }
        let places = (0..self.keys.len()).filter(|&place| {
            let key = &self.keys[place].0;
            (key.tag(), key.algorithm().number()) == (tag, algorithm)
        });
        let places: Vec<usize> = places.collect();
        if places.is_empty() {
            return Err(Reason::UnknownKey { tag, algorithm });
        }
        if head.labels != self.zone.apex.signed_labels(set.key) || head.ttl != set.ttl {
            return Err(Reason::OtherSet(tag));
        }
        if is_before(head.expiration, self.now) {
            return Err(Reason::Expired(tag));
        }
        if is_before(self.now, head.inception) {
            return Err(Reason::NotYetValid(tag));
        }
        Ok(places)
    }

    /// Checks that a set has a valid signature by each algorithm. `by` are the places of the keys of its valid ones.
    fn check_algorithms(&mut self, set: &Set<'_>, by: &[usize]) {
        for number in self.numbers.clone() {
            let of_number = |place: &&usize| self.keys[**place].0.algorithm().number() == number;
            let mut keys = by
                .iter()
                .filter(of_number)
                .map(|place| &self.keys[*place].0);
            let is_entry =
                |key: &PublicPart| key.algorithm().number() == number && key.signs_keys();
            let reason =
                if set.rtype == Rtype::DNSKEY && self.keys.iter().any(|(key, _)| is_entry(key)) {
                    (!keys.any(is_entry)).then_some(Reason::NoEntryPoint(number))
                } else {
                    keys.next().is_none().then_some(Reason::Unsigned(number))
                };
            if let Some(reason) = reason {
                self.defect(set.line, set.key, set.rtype, reason);
            }
        }
    }

    /// Compares the NSEC3 records with those that the names ask for.
    fn check_nsec3(&mut self, nsec3: &Nsec3) {
        let zone = self.zone;
        let mut actual: Vec<([u8; HASH], Place)> = Vec::new();
        let mut opt_out = false;
        for node in zone.records.nodes_from(0) {
            let own = node.places.iter();
            let own = own.filter(|place| zone.records.get(**place).rtype == Rtype::NSEC3);
            for &place in own {
                let record = zone.records.get(place);
                let read = Nsec3::read(record.data);
                let same = read.as_ref().is_some_and(|read| {
                    (read.iterations, &read.salt) == (nsec3.iterations, &nsec3.salt)
                });
                match denial::hash_of(record.key) {
                    Some(hash) if same => {
                        opt_out |= read.is_some_and(|read| read.opt_out);
                        actual.push((hash, place));
                    }
                    _ => self.unexpected(&[place]),
                }
            }
        }
        let find = |hash: &[u8; HASH]| actual.binary_search_by_key(hash, |(hash, _)| *hash);
        let strict = Nsec3 {
            opt_out: false,
            ..nsec3.clone()
        };
        let mut names = denial::hashed(zone, &strict, &|node| Self::is_hash(zone, node));
        // Opt-out leaves out delegations without DS records, and the names above them.
        names.retain(|name| !opt_out || name.sort == Sort::Known || find(&name.hash).is_ok());
        let mut expected = vec![false; actual.len()];
        let mut wrong = Vec::new();
        let first = names.first().map_or([0; HASH], |name| name.hash);
        for (k, name) in names.iter().enumerate() {
            let key = name.key(&zone.records);
            let Ok(place) = find(&name.hash) else {
                let line = name.line(&zone.records);
                wrong.push((line, key, Reason::Missing));
                continue;
            };
            expected[place] = true;
            let record = zone.records.get(actual[place].1);
            let next = names.get(k + 1).map_or(first, |name| name.hash);
            let flags = Nsec3::read(record.data).is_some_and(|read| read.opt_out);
            let like = Nsec3 {
                opt_out: flags,
                ..nsec3.clone()
            };
            if record.data == like.record(&next, &name.bitmap(&zone.records)) {
                self.verified.denials += 1;
            } else {
                wrong.push((record.line, key, Reason::WrongDenial));
            }
        }
        for (line, key, reason) in wrong {
            self.defect(line, key, Rtype::NSEC3, reason);
        }
        let places = actual
            .iter()
            .zip(expected)
            .filter(|(_, expected)| !expected);
        let places: Vec<Place> = places.map(|((_, place), _)| *place).collect();
        self.unexpected(&places);
    }
}
