//! A program that forks between private operations. No randomness drawn before a fork is used after it, and both sides
//! compute right results.

#[cfg(not(unix))]
fn main() {
    println!("SKIPPED: processes do not fork here");
}

#[cfg(unix)]
fn main() {
    unix::every_signature_draws_its_blind();
    unix::both_sides_draw_for_themselves();
    unix::batches_run_in_the_child_of_a_process_with_threads();
    unix::a_gatherer_of_a_forked_child_is_new();
    println!("forks: 4 tests passed");
}

#[cfg(unix)]
mod unix {
    use core::convert::Infallible;
    use rand_core::{Rng, TryCryptoRng, TryRng};
    use std::io::{Read, Write, pipe};
    use std::process::exit;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;
    use sunzi_engine::{Backend, Engine};
    use sunzi_gather::{Compute, Gatherer, Limits};
    use sunzi_pk::rsa::{
        DecryptRequest, DecryptionKey, EncryptRequest, EncryptionKey, EncryptionScheme, PrivateKey,
        Scheme, SignRequest, SigningKey, decrypt_batch, encrypt_batch, sign_batch,
    };
    use sunzi_pk::{Hash, system_rng};

    /// The longest time for a child. A child that hangs fails.
    const CHILD_TAKES: Duration = Duration::from_mins(2);

    /// Runs `f` in a forked child, and returns what it returned there.
    #[allow(unsafe_code)]
    fn in_child(f: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
        let (mut reader, mut writer) = pipe().unwrap();
        // SAFETY: the call takes no pointers. The threads that the child lacks are those of rayon's pool, which are
        // idle, so that none of them holds a lock or changes memory just now, and those inside a gatherer, whose locks
        // the child does not touch. (The memory allocator's locks are right in a child: the C library sees to it.)
        match unsafe { libc::fork() } {
            -1 => panic!("cannot fork: {}", std::io::Error::last_os_error()),
            0 => {
                std::thread::spawn(|| {
                    std::thread::sleep(CHILD_TAKES);
                    exit(1);
                });
                let written = writer.write_all(&f());
                exit(i32::from(written.is_err()));
            }
            _ => {
                drop(writer);
                let mut result = Vec::new();
                reader.read_to_end(&mut result).unwrap();
                assert!(!result.is_empty(), "the child failed, or took too long");
                result
            }
        }
    }

    /// The system's generator, with the number of bytes that it has given.
    #[derive(Default)]
    struct Counting {
        bytes: usize,
    }

    impl TryRng for Counting {
        type Error = Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Infallible> {
            self.bytes += size_of::<u32>();
            Ok(system_rng().next_u32())
        }
        fn try_next_u64(&mut self) -> Result<u64, Infallible> {
            self.bytes += size_of::<u64>();
            Ok(system_rng().next_u64())
        }
        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
            self.bytes += bytes.len();
            system_rng().fill_bytes(bytes);
            Ok(())
        }
    }

    impl TryCryptoRng for Counting {}

    struct Signer {
        engine: Engine,
        private: PrivateKey,
        key: SigningKey,
    }

    impl Signer {
        fn new() -> Self {
            let engine = Engine::new(Backend::best()).unwrap();
            let private = PrivateKey::generate(1024, &mut system_rng()).unwrap();
            let private = private.permit_1024();
            let key = SigningKey::new(&engine, &private).unwrap();
            Self {
                engine,
                private,
                key,
            }
        }

        /// The signatures of `count` equal messages, all in a row, and the number of random bytes drawn for
        /// them.
        fn sign(&self, scheme: Scheme, count: usize) -> (Vec<u8>, usize) {
            let digest = Hash::Sha256.digest(b"message");
            let key = &self.key;
            let request = SignRequest {
                key,
                scheme,
                digest,
            };
            let mut rng = Counting::default();
            let signatures = sign_batch(&self.engine, &mut rng, &vec![request; count]);
            let signatures: Vec<Vec<u8>> = signatures.into_iter().map(Result::unwrap).collect();
            (signatures.concat(), rng.bytes)
        }
    }

    /// Every signature draws its blind anew, on both sides of a fork: no randomness is kept.
    pub(super) fn every_signature_draws_its_blind() {
        let signer = Signer::new();
        let blind = signer.private.public_key().size();
        let draws = || signer.sign(Scheme::Pkcs1v15, 1).1 >= blind;
        assert!((0..3).all(|_| draws()));
        let drawn = in_child(|| {
            let grandchild = in_child(|| vec![u8::from(draws())]);
            vec![draws().into(), grandchild[0], draws().into()]
        });
        assert_eq!(drawn, [1; 3], "the child draws, its child, the child again");
        assert!(draws());
    }

    /// Salts, seeds of OAEP and the randomness of ciphertexts differ on both sides; signatures without a salt
    /// are the same, and messages decrypt.
    pub(super) fn both_sides_draw_for_themselves() {
        let signer = Signer::new();
        let engine = &signer.engine;
        let public = signer.private.public_key();
        let encryption = EncryptionKey::new(engine, public).unwrap();
        let decryption = DecryptionKey::new(engine, &signer.private).unwrap();
        let encrypt = |scheme| {
            let request = EncryptRequest {
                key: &encryption,
                scheme,
                message: b"message",
            };
            let ciphertext = encrypt_batch(engine, &mut system_rng(), &[request]).remove(0);
            let ciphertext = ciphertext.unwrap();
            let request = DecryptRequest {
                key: &decryption,
                scheme,
                ciphertext: &ciphertext,
            };
            let message = decrypt_batch(engine, &mut system_rng(), &[request]).remove(0);
            assert_eq!(**message.unwrap(), b"message"[..]);
            ciphertext
        };
        let fixed = || signer.sign(Scheme::Pkcs1v15, 1).0;
        let salted = || signer.sign(Scheme::PSS, 1).0;
        let oaep = || encrypt(EncryptionScheme::oaep(Hash::Sha256));
        let pkcs1 = || encrypt(EncryptionScheme::Pkcs1v15);
        // All data kept between operations exists before the fork.
        let before = [fixed(), salted(), oaep(), pkcs1()];
        let child = in_child(|| [fixed(), salted(), oaep(), pkcs1()].concat());
        let parent = [fixed(), salted(), oaep(), pkcs1()];
        assert_eq!(parent[0], before[0]);
        let child: Vec<&[u8]> = child.chunks_exact(parent[0].len()).collect();
        assert_eq!(child.len(), parent.len());
        assert_eq!(child[0], parent[0]);
        for which in 1..parent.len() {
            assert_ne!(child[which], parent[which]);
            assert_ne!(child[which], before[which]);
        }
    }

    /// A child has none of the threads that its parent's batches were computed on.
    pub(super) fn batches_run_in_the_child_of_a_process_with_threads() {
        const BATCH: usize = 600;
        let signer = Signer::new();
        let (expected, _) = signer.sign(Scheme::Pkcs1v15, BATCH);
        let child = in_child(|| signer.sign(Scheme::Pkcs1v15, BATCH).0);
        assert!(child == expected, "the child's signatures differ");
    }

    /// Doubles numbers, in batches of any size, and takes a moment for each.
    struct Doubles;

    impl Compute for Doubles {
        type Request = u64;
        type Answer = u64;

        fn least(&self, _: usize) -> usize {
            1
        }

        fn compute(&self, _: usize, requests: Vec<u64>) -> Option<Vec<Option<u64>>> {
            std::thread::sleep(Duration::from_micros(50));
            Some(requests.iter().map(|x| Some(2 * x)).collect())
        }
    }

    /// A process forks while its other threads are anywhere inside the gatherer. In the child, and in the child's
    /// child, calls are answered, from several threads, and counts begin at 0.
    pub(super) fn a_gatherer_of_a_forked_child_is_new() {
        /// Number of threads that call beside those that fork.
        const OTHERS: usize = 3;
        let limits = Limits {
            leaders: 1,
            ..Limits::default()
        };
        let gatherer = Gatherer::new(limits, 1, || Doubles);
        let calls = || {
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    let gatherer = &gatherer;
                    scope.spawn(move || {
                        for x in thread..thread + 25 {
                            assert_eq!(gatherer.call(0, || Some(x), || 2 * x), 2 * x);
                        }
                    });
                }
            });
            gatherer.statistics().kinds[0].operations()
        };
        // Other threads neither start nor end while the process forks: Rust's library holds a lock then, without which a child
        // cannot start threads.
        let (started, ended) = (Barrier::new(OTHERS + 1), AtomicBool::new(false));
        std::thread::scope(|scope| {
            for _ in 0..OTHERS {
                scope.spawn(|| {
                    started.wait();
                    while !ended.load(Ordering::Relaxed) {
                        assert_eq!(gatherer.call(0, || Some(1), || 2), 2);
                    }
                });
            }
            started.wait();
            let end = End(&ended);
            for _ in 0..100 {
                let counted = in_child(|| {
                    let own = calls();
                    let grandchild = in_child(|| vec![calls() as u8]);
                    vec![own as u8, grandchild[0]]
                });
                assert_eq!(counted, [100, 100]);
            }
            drop(end);
        });
    }

    /// Ends other threads when it is dropped, also by a failure.
    struct End<'a>(&'a AtomicBool);

    impl Drop for End<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}
