//! What computes batches: Sunzi's engine.

use crypto_bigint::BoxedUint;
use getrandom::SysRng;
use once_cell::race::OnceBox;
use sunzi_engine::{Backend, Engine, on_calling_thread};
use sunzi_gather::Compute;
use sunzi_pk::ec::ecdsa::{self, Encoding, NonceKind};
use sunzi_pk::keys::Algorithms;
use sunzi_pk::rsa;
use zeroize::Zeroizing;

use crate::forks::Computing;
use crate::keys::Prepared;
use crate::measures::{Measures, NEVER};
use crate::operation::{Answer, Input, Request};

/// The engine of a process, made when the first batch is there.
pub(crate) struct Signer {
    measures: &'static Measures,
    /// `None` if no engine can be made.
    algorithms: OnceBox<Option<Algorithms>>,
    #[cfg(feature = "faults")]
    faults: crate::faults::Faults,
}

impl Signer {
    pub(crate) fn new(
        measures: &'static Measures,
        #[cfg(feature = "faults")] faults: crate::faults::Faults,
    ) -> Self {
        Self {
            measures,
            algorithms: OnceBox::new(),
            #[cfg(feature = "faults")]
            faults,
        }
    }

    fn algorithms(&self) -> Option<&Algorithms> {
        let make = || {
            let engine = Engine::new(Backend::best()).ok();
            Box::new(engine.map(|engine| Algorithms::new(&engine)))
        };
        self.algorithms.get_or_init(make).as_ref()
    }

    /// The answers to requests of one kind, all of one algorithm; `None` for those that get none.
    fn answers(algorithms: &Algorithms, requests: &[Request]) -> Vec<Option<Answer>> {
        let mut answers: Vec<_> = requests.iter().map(|_| None).collect();
        let (mut powers, mut signatures) = (Vec::new(), Vec::new());
        for (place, request) in requests.iter().enumerate() {
            match (request.key.prepared(algorithms), &request.input) {
                (Some(Prepared::Rsa(key)), Input::Number(bytes)) => {
                    let bits = key.public_key().n().bits_precision();
                    if let Ok(number) = BoxedUint::from_be_slice(bytes, bits) {
                        powers.push((place, key, Zeroizing::new(number)));
                    }
                }
                (Some(Prepared::Ec(key)), &Input::Digest(digest)) => {
                    signatures.push((place, ecdsa::SignRequest { key, digest }));
                }
                _ => {}
            }
        }
        let engine = algorithms.engine();
        let requests: Vec<_> = powers
            .iter()
            .map(|(_, key, number)| rsa::raw::PrivateRequest { key, number })
            .collect();
        let computed = rsa::raw::private_batch(engine, &mut SysRng, &requests);
        for ((place, key, _), power) in powers.iter().zip(computed) {
            answers[*place] = power.ok().map(|power| {
                let bytes = Zeroizing::new(power.to_be_bytes());
                let size = key.public_key().size();
                let unused = bytes.len() - size;
                Answer::Number(Zeroizing::new(bytes[unused..].to_vec()))
            });
        }
        let requests: Vec<_> = signatures.iter().map(|(_, request)| *request).collect();
        // Hedged, as the program asked OpenSSL for a signature with a random nonce.
        let computed = ecdsa::sign_batch(engine, &mut SysRng, NonceKind::Hedged, &requests);
        for ((place, _), signature) in signatures.iter().zip(computed) {
            answers[*place] = signature
                .ok()
                .map(|signature| Answer::Signature(signature.to_bytes(Encoding::Raw)));
        }
        answers
    }
}

impl Compute for Signer {
    type Request = Request;
    type Answer = Answer;

    fn least(&self, kind: usize) -> usize {
        self.measures.least(kind)
    }

    fn compute(&self, kind: usize, requests: Vec<Request>) -> Option<Vec<Option<Answer>>> {
        let _computing = Computing::begin();
        // The program shares the processors out: no threads but its own.
        on_calling_thread(|| {
            let Some(algorithms) = self.algorithms() else {
                self.measures.set(kind, NEVER);
                return None;
            };
            self.measures.measure(kind, |size| {
                let copies: Vec<_> = requests.iter().cycle().take(size).cloned().collect();
                let answers = Self::answers(algorithms, &copies);
                answers.iter().all(Option::is_some)
            });
            if !self.measures.pays(kind, requests.len()) {
                return None;
            }
            let answers = Self::answers(algorithms, &requests);
            #[cfg(feature = "faults")]
            let answers = self.faults.strike(answers);
            Some(answers)
        })
    }
}
