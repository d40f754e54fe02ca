//! A batch of sets of records: their bytes hashed, their signatures made or kept, their lines written.

use super::error::SignError;
use super::options::SignOptions;
use super::rrsig::{Head, write_time};
use super::signers::{Signer, Signers};
use super::store::Place;
use super::text::{write_record, write_rrsig};
use super::zone::Zone;
use domain::base::iana::Rtype;
use rand_core::TryCryptoRng;
use rayon::prelude::*;
use std::borrow::Cow;
use sunzi_pk::keys::{self, Algorithms, Content, NonceKind, Scheme, SignRequest, SigningKey};
use sunzi_pk::{Digest, Hash};

/// A set of records.
pub(super) struct Set<'z> {
    pub(super) key: Cow<'z, [u8]>,
    pub(super) rtype: Rtype,
    pub(super) ttl: u32,
    pub(super) data: Data<'z>,
    pub(super) is_signed: bool,
}

/// The data of a set.
pub(super) enum Data<'z> {
    /// Records of the zone.
    Stored(&'z [Place]),
    /// A record that is made here.
    Made(Vec<u8>),
}

impl Set<'_> {
    pub(super) fn data<'a>(&'a self, zone: &'a Zone) -> impl Iterator<Item = &'a [u8]> {
        let (stored, made) = match &self.data {
            Data::Stored(places) => (*places, None),
            Data::Made(data) => (&[][..], Some(&data[..])),
        };
        let stored = zone.records.of(stored).map(|record| record.data);
        stored.chain(made)
    }
}

/// The content of a signature.
pub(super) enum Prepared {
    Digest(Digest),
    Message(Vec<u8>),
}

impl Prepared {
    pub(super) fn new(message: Vec<u8>, hash: Option<Hash>) -> Self {
        match hash {
            Some(hash) => Self::Digest(hash.digest(&message)),
            None => Self::Message(message),
        }
    }

    pub(super) fn content(&self) -> Content<'_> {
        match self {
            Self::Digest(digest) => (*digest).into(),
            Self::Message(message) => message[..].into(),
        }
    }
}

/// A signature that is asked for.
struct Request<'k> {
    /// The place of the set in the batch.
    set: usize,
    key: &'k SigningKey,
    scheme: Scheme<'static>,
    head: Head,
}

/// A batch that has been signed.
pub(super) struct SignedBatch {
    /// The lines of each set, with its signatures.
    pub(super) lines: Vec<String>,
    /// Records, without the signatures.
    pub(super) records: u64,
    pub(super) signatures: u64,
    /// Signatures that were kept.
    pub(super) kept: u64,
}

/// All that batches of a zone have in common.
pub(super) struct Signing<'z> {
    pub(super) algorithms: &'z Algorithms,
    pub(super) zone: &'z Zone,
    pub(super) signers: Signers<'z>,
    pub(super) options: &'z SignOptions<'z>,
    /// Expiration and inception, as files have them.
    pub(super) times: [String; 2],
    /// The name of the zone, as files have it.
    pub(super) name: String,
}

impl Signing<'_> {
    /// Signs the sets of a batch.
    pub(super) fn sign<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        batch: &[Set<'_>],
    ) -> Result<SignedBatch, SignError> {
        let mut requests = self.requests(batch);
        let mut signatures = self.kept(batch, &mut requests);
        let kept = signatures.iter().flatten().count() as u64;
        let places = (0..requests.len()).filter(|&k| signatures[k].is_none());
        let open: Vec<usize> = places.collect();
        let contents: Vec<Prepared> = open
            .par_iter()
            .map(|&k| self.prepare(batch, &requests[k]))
            .collect();
        let asked: Vec<SignRequest<'_>> = open
            .iter()
            .zip(&contents)
            .map(|(&k, content)| SignRequest {
                key: requests[k].key,
                scheme: requests[k].scheme,
                content: content.content(),
            })
            .collect();
        let made = keys::sign_batch(self.algorithms, rng, NonceKind::Deterministic, &asked);
        for (&k, signature) in open.iter().zip(made) {
            let signature = signature.map_err(|error| {
                let set = &batch[requests[k].set];
                SignError::Signature {
                    name: self.zone.apex.text(&set.key),
                    rtype: set.rtype.to_string(),
                    error: error.into(),
                }
            })?;
            signatures[k] = Some(signature);
        }
        let sets = batch.par_iter().enumerate();
        let lines = sets.map(|(place, set)| {
            let start = requests.partition_point(|request| request.set < place);
            let own = requests[start..].iter().zip(&signatures[start..]);
            let own = own.take_while(|(request, _)| request.set == place);
            self.lines(set, own)
        });
        let (lines, records): (Vec<String>, Vec<u64>) = lines.unzip();
        Ok(SignedBatch {
            lines,
            records: records.iter().sum(),
            signatures: requests.len() as u64,
            kept,
        })
    }

    /// The signatures that the sets of a batch need, in the order of the sets.
    fn requests(&self, batch: &[Set<'_>]) -> Vec<Request<'_>> {
        let mut requests = Vec::new();
        let SignOptions {
            expiration,
            inception,
            ..
        } = *self.options;
        for (place, set) in batch.iter().enumerate().filter(|(_, set)| set.is_signed) {
            let labels = self.zone.apex.signed_labels(&set.key);
            for Signer { public, key, .. } in self.signers.of(set.rtype) {
                requests.push(Request {
                    set: place,
                    key,
                    scheme: public.algorithm().scheme(),
                    head: Head {
                        covered: set.rtype,
                        algorithm: public.algorithm().number(),
                        labels,
                        ttl: set.ttl,
                        expiration,
                        inception,
                        tag: public.tag(),
                    },
                });
            }
        }
        requests
    }

    fn prepare(&self, batch: &[Set<'_>], request: &Request<'_>) -> Prepared {
        let set = &batch[request.set];
        let data = set.data(self.zone);
        let message = request.head.message(&self.zone.apex, &set.key, data);
        Prepared::new(message, request.scheme.hash())
    }

    /// The old signatures that are kept: those that are fresh enough and valid. Their requests get their times.
    fn kept(&self, batch: &[Set<'_>], requests: &mut [Request<'_>]) -> Vec<Option<Vec<u8>>> {
        let mut kept = vec![None; requests.len()];
        let SignOptions {
            old, now, refresh, ..
        } = *self.options;
        if old.is_empty() {
            return kept;
        }
        let fresh = requests.par_iter().enumerate().filter_map(|(k, request)| {
            let key = &batch[request.set].key;
            let mut fresh = old
                .iter()
                .filter_map(|old| old.fresh(&self.zone.apex, key, &request.head, now, refresh));
            let signature = fresh.next()?;
            let request = Request {
                head: signature.head,
                ..*request
            };
            let content = self.prepare(batch, &request);
            Some((k, request, content, signature.bytes))
        });
        let fresh: Vec<_> = fresh.collect();
        let keys: Vec<_> = fresh
            .iter()
            .map(|(_, request, ..)| request.key.verifying_key())
            .collect();
        let asked: Vec<keys::VerifyRequest<'_>> = fresh
            .iter()
            .zip(&keys)
            .map(
                |((_, request, content, signature), key)| keys::VerifyRequest {
                    key,
                    scheme: request.scheme,
                    content: content.content(),
                    signature,
                },
            )
            .collect();
        let verdicts = keys::verify_batch(self.algorithms, &asked);
        for ((k, request, _, signature), verdict) in fresh.iter().zip(verdicts) {
            if verdict.is_ok() {
                requests[*k].head = request.head;
                kept[*k] = Some(signature.to_vec());
            }
        }
        kept
    }

    /// The lines of a set with its signatures, and the number of its records.
    fn lines<'a>(
        &self,
        set: &Set<'_>,
        signatures: impl Iterator<Item = (&'a Request<'a>, &'a Option<Vec<u8>>)>,
    ) -> (String, u64) {
        let owner = self.zone.apex.text(&set.key);
        let (mut text, mut records) = (String::new(), 0);
        for data in set.data(self.zone) {
            write_record(&owner, set.rtype, set.ttl, data, &mut text);
            records += 1;
        }
        for (Request { head, .. }, signature) in signatures {
            let signature = signature.as_deref().unwrap_or_default();
            let of = |time, ours, text: &String| -> String {
                if time == ours {
                    text.clone()
                } else {
                    write_time(time)
                }
            };
            let SignOptions {
                expiration,
                inception,
                ..
            } = *self.options;
            let times = [
                of(head.expiration, expiration, &self.times[0]),
                of(head.inception, inception, &self.times[1]),
            ];
            let times = [&times[0][..], &times[1]];
            write_rrsig(
                &owner, set.ttl, head, times, &self.name, signature, &mut text,
            );
        }
        (text, records)
    }
}
