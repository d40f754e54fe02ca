//! Signing a zone: its sets of records in order, by the batch.

use super::batch::{Data, Set, Signing};
use super::denial::{self, HASH, Hashed, Nsec3};
use super::error::SignError;
use super::keys::ZoneKey;
use super::options::{Serial, SignOptions};
use super::rrsig::{is_before, write_time};
use super::signers::Signers;
use super::store::{Node, Record};
use super::zone::{Standing, Zone};
use domain::base::iana::Rtype;
use rand_core::TryCryptoRng;
use std::borrow::Cow;
use std::io::Write;
use sunzi_pk::keys::Algorithms;

/// Signatures in a batch for each thread.
const BATCH_PER_THREAD: usize = 2048;
/// Bytes of data in a batch.
const BATCH_BYTES: usize = 1 << 25;
/// The longest time between inception and expiration, in seconds: times are compared modulo 2^32.
const MAX_VALIDITY: u32 = 1 << 31;
/// The longest salt, in bytes.
const MAX_SALT: usize = 255;

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signed {
    /// Records of the signed zone.
    pub records: u64,
    /// Signatures, with those that were kept.
    pub signatures: u64,
    /// Signatures that were kept.
    pub kept: u64,
    /// NSEC or NSEC3 records.
    pub denials: u64,
    /// The serial number.
    pub serial: u32,
}

/// Signs a zone and writes it, SOA record first, in canonical order.
///
/// DNSKEY, CDS and CDNSKEY records are signed by the active keys that sign keys, all others by the other active keys; if
/// an algorithm has keys of one sort only, they sign everything. Public halves that are published are added to the zone.
/// ECDSA and EdDSA have deterministic nonces, so that the same zone, keys and times give the same bytes.
///
/// Besides the zone only a batch is in memory: its records, signatures and lines. `watch` is told after each batch how
/// many records of the zone have been written.
///
/// # Errors
/// [`SignError`]; what has been written until then is to be thrown away.
pub fn sign_zone<R: TryCryptoRng + ?Sized>(
    algorithms: &Algorithms,
    rng: &mut R,
    mut zone: Zone,
    keys: &[ZoneKey],
    options: &SignOptions<'_>,
    output: &mut dyn Write,
    watch: &mut dyn FnMut(u64),
) -> Result<Signed, SignError> {
    let validity = options.expiration.wrapping_sub(options.inception);
    if validity == 0 || validity >= MAX_VALIDITY {
        return Err(SignError::Times);
    }
    let nsec3 = options.nsec3.as_ref();
    if nsec3.is_some_and(|nsec3| nsec3.salt.len() > MAX_SALT) {
        return Err(SignError::Salt);
    }
    let keys: Vec<&ZoneKey> = keys
        .iter()
        .filter(|key| {
            key.public().wire_owner() == zone.wire_name() && key.is_published(options.now)
        })
        .collect();
    publish(&mut zone, &keys);
    let signers = Signers::new(algorithms, &zone, &keys, options.now)?;
    let serial = zone.serial();
    match options.serial {
        Serial::Keep => {}
        Serial::Unixtime if is_before(serial, options.now) => zone.set_serial(options.now),
        Serial::Increment | Serial::Unixtime => zone.set_serial(serial.wrapping_add(1)),
    }
    if let Some(nsec3) = nsec3 {
        zone.insert(&Record {
            key: &[],
            rtype: Rtype::NSEC3PARAM,
            ttl: 0,
            line: 0,
            data: &nsec3.parameters(),
        });
    }
    let mut job = Job {
        rng,
        signing: Signing {
            algorithms,
            zone: &zone,
            signers,
            options,
            times: [options.expiration, options.inception].map(write_time),
            name: zone.name(),
        },
        batch: Vec::new(),
        requests: 0,
        bytes: 0,
        signed: Signed {
            serial: zone.serial(),
            ..Signed::default()
        },
        output,
        watch,
    };
    job.sign_stored(nsec3.is_none())?;
    if let Some(nsec3) = nsec3 {
        job.sign_nsec3(nsec3)?;
    }
    job.flush()?;
    Ok(job.signed)
}

/// Adds the public halves of the keys to the zone.
fn publish(zone: &mut Zone, keys: &[&ZoneKey]) {
    let there = zone.records.find(&[], Rtype::DNSKEY).first().copied();
    let ttl = there.map_or(zone.soa.ttl, |place| zone.records.get(place).ttl);
    for key in keys {
        zone.insert(&Record {
            key: &[],
            rtype: Rtype::DNSKEY,
            ttl,
            line: 0,
            data: key.public().data(),
        });
    }
}

struct Job<'z, 'o, R: ?Sized> {
    rng: &'o mut R,
    signing: Signing<'z>,
    batch: Vec<Set<'z>>,
    /// Signatures of the batch.
    requests: usize,
    /// Bytes of data in the batch.
    bytes: usize,
    signed: Signed,
    output: &'o mut dyn Write,
    watch: &'o mut dyn FnMut(u64),
}

impl<'z, R: TryCryptoRng + ?Sized> Job<'z, '_, R> {
    /// Signs the records of the zone, and their NSEC records if these are asked for.
    fn sign_stored(&mut self, nsec: bool) -> Result<(), SignError> {
        let zone = self.signing.zone;
        let ours = |entry: &(Node<'_>, Standing)| entry.1 != Standing::Below;
        let mut after = zone.walk().filter(ours).skip(1);
        for (node, standing) in zone.walk() {
            for places in zone.records.sets(node.places) {
                let Some(&first) = places.first() else {
                    continue;
                };
                let Record { rtype, ttl, .. } = zone.records.get(first);
                self.push(Set {
                    key: node.key.into(),
                    rtype,
                    ttl,
                    data: Data::Stored(places),
                    is_signed: standing.signs(rtype),
                })?;
            }
            if nsec && standing != Standing::Below {
                let next = after.next().map_or(&[][..], |(node, _)| node.key);
                let bitmap = denial::nsec_bitmap(&zone.records, &node, standing);
                let data = denial::nsec(&zone.apex, next, &bitmap);
                self.push_denial(node.key.into(), Rtype::NSEC, data)?;
            }
        }
        Ok(())
    }

    /// Makes the NSEC3 records, and signs them.
    fn sign_nsec3(&mut self, nsec3: &Nsec3) -> Result<(), SignError> {
        let zone = self.signing.zone;
        let names: Vec<Hashed> = denial::hashed(zone, nsec3, &|_| false);
        if let Some([a, b]) = names.array_windows().find(|[a, b]| a.hash == b.hash) {
            let [a, b] = [a, b].map(|name| zone.apex.text(name.key(&zone.records)));
            return Err(SignError::Collision(a, b));
        }
        let first = names.first().map_or([0; HASH], |name| name.hash);
        for (k, name) in names.iter().enumerate() {
            let next = names.get(k + 1).map_or(first, |name| name.hash);
            let data = nsec3.record(&next, &name.bitmap(&zone.records));
            self.push_denial(denial::owner(&name.hash).into(), Rtype::NSEC3, data)?;
        }
        Ok(())
    }

    fn push_denial(
        &mut self,
        key: Cow<'z, [u8]>,
        rtype: Rtype,
        data: Vec<u8>,
    ) -> Result<(), SignError> {
        self.signed.denials += 1;
        self.push(Set {
            key,
            rtype,
            ttl: self.signing.zone.soa.negative_ttl(),
            data: Data::Made(data),
            is_signed: true,
        })
    }

    /// Adds a set to the batch, which is signed when it is full.
    fn push(&mut self, set: Set<'z>) -> Result<(), SignError> {
        if set.is_signed {
            self.requests += self.signing.signers.of(set.rtype).count();
        }
        self.bytes += set.data(self.signing.zone).map(<[u8]>::len).sum::<usize>();
        self.batch.push(set);
        let most = BATCH_PER_THREAD * rayon::current_num_threads();
        // Sets that are not signed have lines, too.
        let full =
            self.requests >= most || self.batch.len() >= 4 * most || self.bytes >= BATCH_BYTES;
        if full { self.flush() } else { Ok(()) }
    }

    /// Signs the sets of the batch, and writes them.
    fn flush(&mut self) -> Result<(), SignError> {
        let batch = core::mem::take(&mut self.batch);
        (self.requests, self.bytes) = (0, 0);
        let signed = self.signing.sign(self.rng, &batch)?;
        for lines in &signed.lines {
            let written = self.output.write_all(lines.as_bytes());
            written.map_err(SignError::Output)?;
        }
        self.signed.records += signed.records + signed.signatures;
        self.signed.signatures += signed.signatures;
        self.signed.kept += signed.kept;
        (self.watch)(signed.records);
        Ok(())
    }
}
