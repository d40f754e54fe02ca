/* The C library of Sunzi: public-key operations and modular powers in batches.
 *
 * Functions return a sunzi_status, and sunzi_error_message tells the rest in words; those that free an
 * object return nothing, and those that tell a name, a width or a message return that. No function unwinds
 * or exits. Objects may be used by several threads at a time, but for the functions that free them. After a
 * fork the child may use its parent's objects, if no other thread of the parent was inside this library.
 *
 * A pointer to a new object is null from the start of the call until the object is there. Messages, signatures
 * and numbers are copied before anything is computed from them.
 *
 * Numbers are unsigned, in buffers of fixed width. Arguments that are marked as secret are handled in
 * constant time, and wiped.
 *
 * This file is made from the sources: `make c-header`.
 */

#ifndef SUNZI_H
#define SUNZI_H

#include <stddef.h>
#include <stdint.h>

/* The version of this header. sunzi_version() is that of the library. */
#define SUNZI_VERSION_MAJOR 0
#define SUNZI_VERSION_MINOR 2
#define SUNZI_VERSION_PATCH 0
#define SUNZI_VERSION "0.2.0"

/*
 Outcome of a function, or of an item of a batch.
 */
typedef enum {
  /*
   Success. Of a verification or a test: the signature or the proof is valid, the number is prime, or
   is a member.
   */
  SUNZI_STATUS_OK = 0,
  /*
   The signature or the proof is not valid, the number is not prime, or is no member.
   */
  SUNZI_STATUS_INVALID = 1,
  /*
   An argument is wrong: sunzi_error_message says which condition it violates.
   */
  SUNZI_STATUS_BAD_ARGUMENT = 2,
  /*
   An item of the batch failed: the statuses of the items tell which. The others have their results.
   */
  SUNZI_STATUS_SOME_FAILED = 3,
  /*
   A buffer is too small for its result.
   */
  SUNZI_STATUS_BUFFER_TOO_SMALL = 4,
  /*
   A key or a file with a key is refused.
   */
  SUNZI_STATUS_BAD_KEY = 5,
  /*
   Nothing is known about the result: no device of the engine could compute it, or there were no
   random numbers.
   */
  SUNZI_STATUS_FAILED = 6,
  /*
   An error within the library, which is to be reported.
   */
  SUNZI_STATUS_INTERNAL = 7,
  /*
   The caller's watcher ended the search.
   */
  SUNZI_STATUS_CANCELLED = 8
} sunzi_status;

/*
 The order of the bytes of a number.
 */
typedef enum {
  /*
   The most significant byte first.
   */
  SUNZI_BYTE_ORDER_BIG_ENDIAN = 0,
  /*
   The least significant byte first.
   */
  SUNZI_BYTE_ORDER_LITTLE_ENDIAN = 1
} sunzi_byte_order;

/*
 Whether exponents are secret.
 */
typedef enum {
  /*
   The time depends on the width of the exponents, and not on their values.
   */
  SUNZI_SECRECY_SECRET = 0,
  /*
   The time may depend on the exponents.
   */
  SUNZI_SECRECY_PUBLIC = 1
} sunzi_secrecy;

/*
 The padding of RSA signatures.
 */
typedef enum {
  /*
   PKCS#1 v1.5.
   */
  SUNZI_PADDING_PKCS1V15 = 0,
  /*
   PSS, with a salt as long as the hash, and MGF1 over the same hash.
   */
  SUNZI_PADDING_PSS = 1
} sunzi_padding;

/*
 A kind of primes.
 */
typedef enum {
  /*
   Any odd prime.
   */
  SUNZI_PRIME_KIND_ANY = 0,
  /*
   A prime that is 3 modulo 4. The product of two is a Blum integer.
   */
  SUNZI_PRIME_KIND_BLUM = 1,
  /*
   A prime p for which (p - 1) / 2 is prime, too.
   */
  SUNZI_PRIME_KIND_SAFE = 2
} sunzi_prime_kind;

/*
 A variant of RFC 9474, section 5: PSS with SHA-384, with a salt of 48 bytes or (PSSZERO) none, over
 messages with 32 random bytes before them or (deterministic) as they are.
 */
typedef enum {
  /*
   RSABSSA-SHA384-PSS-Randomized, recommended.
   */
  SUNZI_BLIND_VARIANT_PSS_RANDOMIZED = 0,
  /*
   RSABSSA-SHA384-PSSZERO-Randomized, recommended.
   */
  SUNZI_BLIND_VARIANT_PSS_ZERO_RANDOMIZED = 1,
  /*
   RSABSSA-SHA384-PSS-Deterministic, for messages that nobody can guess.
   */
  SUNZI_BLIND_VARIANT_PSS_DETERMINISTIC = 2,
  /*
   RSABSSA-SHA384-PSSZERO-Deterministic, for messages that nobody can guess.
   */
  SUNZI_BLIND_VARIANT_PSS_ZERO_DETERMINISTIC = 3
} sunzi_blind_variant;

/*
 The groups of keys and signatures.
 */
typedef enum {
  /*
   Keys of 48 bytes in G1, signatures of 96 bytes in G2: Ethereum's.
   */
  SUNZI_BLS_VARIANT_MIN_PK = 0,
  /*
   Signatures of 48 bytes in G1, keys of 96 bytes in G2: drand's quicknet.
   */
  SUNZI_BLS_VARIANT_MIN_SIG = 1
} sunzi_bls_variant;

/*
 The scheme of the draft: its defence against keys that are chosen to cancel others in an aggregate.
 */
typedef enum {
  /*
   The messages of an aggregate differ.
   */
  SUNZI_BLS_SCHEME_BASIC = 0,
  /*
   The signer's key is put before the message.
   */
  SUNZI_BLS_SCHEME_MESSAGE_AUGMENTATION = 1,
  /*
   Each key comes with a proof that its owner knows the secret key.
   */
  SUNZI_BLS_SCHEME_PROOF_OF_POSSESSION = 2
} sunzi_bls_scheme;

/*
 Where the random factors of ciphertexts come from.
 */
typedef enum {
  /*
   r^n for a random r below n (Paillier, 1999).
   */
  SUNZI_PAILLIER_METHOD_FULL = 0,
  /*
   A short random power of a base in the public key, by tables (Damgard, Jurik and Nielsen, 2010), which
   takes a tenth of the time or less, and rests on one more assumption. Keys made here have such a base.
   */
  SUNZI_PAILLIER_METHOD_SHORT = 1
} sunzi_paillier_method;

/*
 The signatures of keys of secp256k1, and the rules by which those of Ed25519 are accepted.
 */
typedef enum {
  /*
   As keys of other curves: ECDSA.
   */
  SUNZI_SCHEME_USUAL = 0,
  /*
   Schnorr signatures of BIP 340, over messages as they are. Keys of other algorithms are refused.
   */
  SUNZI_SCHEME_BIP340 = 1,
  /*
   Ed25519, accepted by the strict reading of RFC 8032: canonical encodings, the equation without cofactor. Keys of
   other algorithms are refused, here and below; signatures are made as usual.
   */
  SUNZI_SCHEME_ED25519_RFC8032 = 2,
  /*
   Ed25519: canonical encodings, the equation with cofactor.
   */
  SUNZI_SCHEME_ED25519_COFACTORED = 3,
  /*
   Ed25519: ZIP 215, for consensus.
   */
  SUNZI_SCHEME_ED25519_ZIP215 = 4,
  /*
   Ed25519: verify_strict of ed25519-dalek, which refuses points of small order.
   */
  SUNZI_SCHEME_ED25519_DALEK_STRICT = 5
} sunzi_scheme;

/*
 Source of the nonces of signatures on curves.
 */
typedef enum {
  /*
   From key and message alone: a message always gets the same signature.
   */
  SUNZI_NONCES_DETERMINISTIC = 0,
  /*
   From key, message and fresh randomness, of BIP 340 unless the options have auxiliary bytes: attacks that compare
   computations of one message do not apply.
   */
  SUNZI_NONCES_HEDGED = 1
} sunzi_nonces;

/*
 An ElGamal public key for ballots, with tables of its powers.
 */
typedef struct sunzi_ballot_key sunzi_ballot_key;

/*
 A suite of BLS signatures on BLS12-381 (draft-irtf-cfrg-bls-signature-05), prepared on an engine.
 */
typedef struct sunzi_bls sunzi_bls;

/*
 An engine: what computes batches, and the threads that it uses.
 */
typedef struct sunzi_engine sunzi_engine;

/*
 A gatherer: makes batches of single signatures.
 */
typedef struct sunzi_gather sunzi_gather;

/*
 The subgroup of prime order q in the integers modulo a prime p, with a generator g and tables of its
 powers.
 */
typedef struct sunzi_group sunzi_group;

/*
 A Paillier private key: two primes.
 */
typedef struct sunzi_paillier_private_key sunzi_paillier_private_key;

/*
 A Paillier public key: a modulus n, with g = n + 1.
 */
typedef struct sunzi_paillier_public_key sunzi_paillier_public_key;

/*
 A private key: RSA, a curve for ECDSA and ECDH, Ed25519, Ed448, X25519, X448.
 */
typedef struct sunzi_private_key sunzi_private_key;

/*
 A public key.
 */
typedef struct sunzi_public_key sunzi_public_key;

/*
 A base with tables of its powers modulo one number.
 */
typedef struct sunzi_table sunzi_table;

/*
 The numbers of a batch, each in `width` bytes: the k-th begins at `data + k * stride`.
 */
typedef struct {
  /*
   The first one.
   */
  const uint8_t *data;
  /*
   Bytes of a number.
   */
  size_t width;
  /*
   Bytes from one number to the next; 0 if all items have the same number.
   */
  size_t stride;
} sunzi_numbers;

/*
 Bytes to read.
 */
typedef struct {
  /*
   The first one. May be null if `length` is 0.
   */
  const uint8_t *data;
  /*
   The number of bytes.
   */
  size_t length;
} sunzi_bytes;

/*
 Progress of a search for primes.
 */
typedef struct {
  /*
   Primes found.
   */
  size_t found;
  /*
   Primes wanted.
   */
  size_t wanted;
  /*
   Numbers drawn at random.
   */
  uint64_t drawn;
  /*
   Exponentiations done.
   */
  uint64_t tested;
} sunzi_progress;

/*
 Is told how far a search is, some times a second, and ends it by returning anything but 0. It is called on
 one of the engine's threads, one call at a time, while the caller waits, and must not unwind. Null: nobody
 is told.
 */
typedef int32_t (*sunzi_watcher)(void *context, const sunzi_progress *progress);

/*
 Bytes to write.
 */
typedef struct {
  /*
   The first one.
   */
  uint8_t *data;
  /*
   The number of bytes that there is room for.
   */
  size_t capacity;
  /*
   The number of bytes that were written; if there was too little room, the number that there would be.
   */
  size_t length;
} sunzi_output;

/*
 Options of signatures. All zero: the usual scheme of the key.
 */
typedef struct {
  /*
   The hash of the messages, such as "SHA-384", of RSA and ECDSA; null for SHA-256, with curves of
   more than 256 bits SHA-384, and of more than 384 bits SHA-512.
   */
  const char *hash;
  /*
   RSA: a sunzi_padding.
   */
  uint32_t padding;
  /*
   ECDSA: 0 for signatures in DER, 1 for r and s one after the other.
   */
  uint32_t raw;
  /*
   ECDSA: 1 if s is at most half the order of the curve, as Bitcoin asks for.
   */
  uint32_t low_s;
  /*
   A sunzi_scheme.
   */
  uint32_t scheme;
  /*
   BIP 340: 32 random bytes for all signatures of the call, or null for zeros, with which a message always
   gets the same signature, and with hedged nonces for fresh ones.
   */
  const uint8_t *auxiliary;
} sunzi_signature_options;

/*
 Statements of a batch: that the logarithm of a to the base g is that of b to the base h, all elements of
 the group. `context` is what the proofs belong to, such as the election: a proof of one context is none in
 another.
 */
typedef struct {
  /*
   The first bases; the caller makes sure that they are in the group.
   */
  sunzi_numbers g;
  /*
   Their powers.
   */
  sunzi_numbers a;
  /*
   The second bases; the caller makes sure that they are in the group.
   */
  sunzi_numbers h;
  /*
   Their powers.
   */
  sunzi_numbers b;
  /*
   The context of all of them.
   */
  sunzi_bytes context;
} sunzi_statements;

/*
 A signature that was submitted and is finished.
 */
typedef struct {
  /*
   What it was submitted with.
   */
  void *tag;
  /*
   Its status, which sunzi_sign would give.
   */
  sunzi_status status;
} sunzi_completion;

#ifdef __cplusplus
extern "C" {
#endif  /* __cplusplus */

/*
 The name of a status as in this header, "SUNZI_STATUS_BAD_ARGUMENT"; "unknown" for a number that is none.
 */
const char *sunzi_status_name(int32_t status);

/*
 Writes the message of this thread's last failed call into `buffer`, which has `size` bytes, with a
 terminating zero, cut if it is too long. Returns the bytes that the whole message takes, with the
 zero.
 */
size_t sunzi_error_message(char *buffer, size_t size);

/*
 The version of this library: "0.2.0".
 */
const char *sunzi_version(void);

/*
 Makes an engine. `backend` is the name of a backend ("avx512", "float"), or null for the fastest that
 this processor can run. `threads` is the number of threads for batches, or 0 for one for each
 processor that this process may use. The engine is to be freed by sunzi_engine_free.
 */
sunzi_status sunzi_engine_new(const char *backend,
                              uint32_t threads,
                              sunzi_engine **engine);

/*
 The name of the engine's backend, which lives as long as the engine. Null for null.
 */
const char *sunzi_engine_backend(const sunzi_engine *engine);

/*
 Frees an engine and ends its threads. Keys that were made with it stay usable. Null is allowed.
 */
void sunzi_engine_free(sunzi_engine *engine);

/*
 Computes `count` powers: result k = base k to the exponent k, modulo modulus k. Moduli are odd and have
 64 to 16,384 bits. `order` is a sunzi_byte_order, `secrecy` a sunzi_secrecy.

 Result k is written to `results + k * result_width`, in `result_width` bytes, which must suffice for the
 modulus. `statuses`, if it is not null, has room for `count` statuses, one for each item. If an item
 fails, its result is zero, and the function returns SUNZI_STATUS_SOME_FAILED; the message is that of
 the first such item. Results may overlap with the arguments.
 */
sunzi_status sunzi_powers(const sunzi_engine *engine,
                          size_t count,
                          sunzi_numbers bases,
                          sunzi_numbers exponents,
                          sunzi_numbers moduli,
                          uint32_t order,
                          uint32_t secrecy,
                          uint8_t *results,
                          size_t result_width,
                          sunzi_status *statuses);

/*
 Computes `count` products of powers: result k = base (k, 0) to the exponent (k, 0), times base (k, 1) to
 the exponent (k, 1) and so on, `terms` of them, modulo modulus k. All numbers are public. Bases and
 exponents have `count * terms` numbers, those of a product one after the other: number (k, j) begins at
 `data + (k * terms + j) * stride`. The rest is as in sunzi_powers. The squarings of a product are shared,
 which takes less time than the powers one by one.
 */
sunzi_status sunzi_products_of_powers(const sunzi_engine *engine,
                                      size_t count,
                                      size_t terms,
                                      sunzi_numbers bases,
                                      sunzi_numbers exponents,
                                      sunzi_numbers moduli,
                                      uint32_t order,
                                      uint8_t *results,
                                      size_t result_width,
                                      sunzi_status *statuses);

/*
 Makes tables of the powers of a base, for exponents of `exponent_width` bytes, at most 2048. The base is
 below the modulus, which is odd and has 64 to 16,384 bits. The tables hold a thousand numbers of the
 modulus' length, and are made in the time of some powers without them. They are to be freed by
 sunzi_table_free.
 */
sunzi_status sunzi_table_new(const sunzi_engine *engine,
                             sunzi_bytes base,
                             sunzi_bytes modulus,
                             size_t exponent_width,
                             uint32_t order,
                             sunzi_table **table);

/*
 Wipes and frees tables. Null is allowed.
 */
void sunzi_table_free(sunzi_table *table);

/*
 Computes `count` powers of a base with tables: result k = base to the exponent k, several times faster
 than sunzi_powers. Exponents are secrets: the time depends on the size of the tables only. They have at
 most the width that the tables were made for. `engine` is the one that made the tables. Results and
 statuses are as in sunzi_powers.
 */
sunzi_status sunzi_table_powers(const sunzi_engine *engine,
                                const sunzi_table *table,
                                size_t count,
                                sunzi_numbers exponents,
                                uint32_t order,
                                uint8_t *results,
                                size_t result_width,
                                sunzi_status *statuses);

/*
 Makes `count` random primes of exactly `bits` bits, 128 to 8,192, independent of each other: prime k is
 written to `results + k * result_width`. `kind` is a sunzi_prime_kind. A number is composite with a
 probability below 2^-128. `context` is handed to `watcher`.
 */
sunzi_status sunzi_primes(const sunzi_engine *engine,
                          uint32_t kind,
                          uint32_t bits,
                          size_t count,
                          uint32_t order,
                          uint8_t *results,
                          size_t result_width,
                          sunzi_watcher watcher,
                          void *context);

/*
 Tests `count` numbers, of up to 16,384 bits, whoever chose them: status k is SUNZI_STATUS_OK for a prime,
 and SUNZI_STATUS_INVALID for a number that is not prime. A composite is called prime with a probability of
 at most 2^-130. Returns SUNZI_STATUS_OK if all are prime, SUNZI_STATUS_INVALID if one is not, and
 SUNZI_STATUS_SOME_FAILED if nothing is known about one.
 */
sunzi_status sunzi_are_primes(const sunzi_engine *engine,
                              size_t count,
                              sunzi_numbers numbers,
                              uint32_t order,
                              sunzi_status *statuses);

/*
 Reads a private key from PEM, DER or JSON (JWK). `passphrase` is for encrypted PKCS#8, and empty for
 other files. A file that costs more to open than 10,000,000 rounds of PBKDF2 or 64 MiB of memory for scrypt, or
 has an RSA modulus of more than 8,192 bits, is refused; sunzi_private_key_load_within permits more. The key is to
 be freed by sunzi_private_key_free.
 */
sunzi_status sunzi_private_key_load(const sunzi_engine *engine,
                                    sunzi_bytes file,
                                    sunzi_bytes passphrase,
                                    sunzi_private_key **key);

/*
 The same for a key whose file may cost `kdf_limit` times as much as usual, at least once; RSA moduli may have
 16,384 bits for any factor above 1.
 */
sunzi_status sunzi_private_key_load_within(const sunzi_engine *engine,
                                           sunzi_bytes file,
                                           sunzi_bytes passphrase,
                                           uint32_t kdf_limit,
                                           sunzi_private_key **key);

/*
 Makes a key: `algorithm` is "RSA-2048", or the name of a curve, such as "P-256" or "Ed25519". The key is
 to be freed by sunzi_private_key_free.
 */
sunzi_status sunzi_private_key_generate(const sunzi_engine *engine,
                                        const char *algorithm,
                                        sunzi_private_key **key);

/*
 Writes a key as PKCS#8 in DER, without encryption. If `file` has too little room, its length is set to
 what is needed.
 */
sunzi_status sunzi_private_key_write(const sunzi_private_key *key,
                                     sunzi_output *file);

/*
 The public half of a key. It is to be freed by sunzi_public_key_free.
 */
sunzi_status sunzi_private_key_public(const sunzi_private_key *key, sunzi_public_key **public_key);

/*
 The algorithm of a key and its size, "RSA-2048", or the name of its curve, "P-256" or "Ed25519". It lives as long
 as the key. Null for null.
 */
const char *sunzi_private_key_algorithm(const sunzi_private_key *key);

/*
 The length in bits of a key: that of RSA's modulus, or of the prime of the curve, 256 for P-256, 255 for Ed25519.
 0 for null.
 */
uint32_t sunzi_private_key_bits(const sunzi_private_key *key);

/*
 The bytes of the longest signatures by a key with these options, which may be null: room enough for an output of
 sunzi_sign. All signatures are as long, but those of ECDSA in DER. 0 for null, for keys that do not sign, and for
 options that are wrong or another algorithm's; sunzi_error_message then says why.
 */
size_t sunzi_private_key_signature_size(const sunzi_private_key *key,
                                        const sunzi_signature_options *options);

/*
 Wipes and frees a key. Null is allowed.
 */
void sunzi_private_key_free(sunzi_private_key *key);

/*
 Reads a public key from PEM, DER or JSON (JWK). It is to be freed by sunzi_public_key_free.
 */
sunzi_status sunzi_public_key_load(const sunzi_engine *engine,
                                   sunzi_bytes file,
                                   sunzi_public_key **key);

/*
 Writes a key as SubjectPublicKeyInfo in DER. If `file` has too little room, its length is set to what
 is needed.
 */
sunzi_status sunzi_public_key_write(const sunzi_public_key *key,
                                    sunzi_output *file);

/*
 The algorithm of a key and its size, "RSA-2048", or the name of its curve, "P-256" or "Ed25519". It lives as long
 as the key. Null for null.
 */
const char *sunzi_public_key_algorithm(const sunzi_public_key *key);

/*
 The length in bits of a key: that of RSA's modulus, or of the prime of the curve, 256 for P-256, 255 for Ed25519.
 0 for null.
 */
uint32_t sunzi_public_key_bits(const sunzi_public_key *key);

/*
 The same for the signatures that a public key verifies.
 */
size_t sunzi_public_key_signature_size(const sunzi_public_key *key,
                                       const sunzi_signature_options *options);

/*
 Frees a key. Null is allowed.
 */
void sunzi_public_key_free(sunzi_public_key *key);

/*
 Signs `count` messages, message k with `keys[k]`, of any mix of algorithms. Signature k is written to
 `signatures[k]`. `options` may be null. `statuses`, if it is not null, has room for `count` statuses. If
 an item fails, the function returns SUNZI_STATUS_SOME_FAILED; the message is that of the first such
 item. Each signature is checked before it leaves. Nonces are deterministic.
 */
sunzi_status sunzi_sign(const sunzi_engine *engine,
                        size_t count,
                        const sunzi_private_key *const *keys,
                        const sunzi_bytes *messages,
                        const sunzi_signature_options *options,
                        sunzi_output *signatures,
                        sunzi_status *statuses);

/*
 The same with a choice of nonces for keys of curves: `nonces` is a sunzi_nonces.
 */
sunzi_status sunzi_sign_with_nonces(const sunzi_engine *engine,
                                    size_t count,
                                    const sunzi_private_key *const *keys,
                                    const sunzi_bytes *messages,
                                    const sunzi_signature_options *options,
                                    uint32_t nonces,
                                    sunzi_output *signatures,
                                    sunzi_status *statuses);

/*
 Verifies `count` signatures, signature k of message k with `keys[k]`, of any mix of algorithms. Returns
 SUNZI_STATUS_OK if all are valid, SUNZI_STATUS_INVALID if one is not, and SUNZI_STATUS_SOME_FAILED if
 nothing is known about one. `options` and `statuses` are as in sunzi_sign.
 */
sunzi_status sunzi_verify(const sunzi_engine *engine,
                          size_t count,
                          const sunzi_public_key *const *keys,
                          const sunzi_bytes *messages,
                          const sunzi_bytes *signatures,
                          const sunzi_signature_options *options,
                          sunzi_status *statuses);

/*
 Prepares a message for a signature without seeing it (RFC 9474, section 4.1): with 32 random bytes before
 it, or as it is. The prepared message is what is signed and verified. `variant` is a sunzi_blind_variant.
 */
sunzi_status sunzi_blind_prepare(uint32_t variant,
                                 sunzi_bytes message,
                                 sunzi_output *prepared);

/*
 Blinds `count` prepared messages, message k for the signer with `keys[k]`, RSA keys (RFC 9474, section
 4.2). `blinded[k]` is for the signer, and `inverses[k]` stays secret until sunzi_blind_finalize: each is as
 long as the modulus. `statuses` is as in sunzi_sign.
 */
sunzi_status sunzi_blind(const sunzi_engine *engine,
                         size_t count,
                         const sunzi_public_key *const *keys,
                         uint32_t variant,
                         const sunzi_bytes *prepared,
                         sunzi_output *blinded,
                         sunzi_output *inverses,
                         sunzi_status *statuses);

/*
 Signs `count` blinded messages, as long as the modulus each, message k with `keys[k]`, RSA keys (RFC 9474,
 section 4.3). Each signature is checked before it leaves. Such a key signs what it is given: use it for
 nothing else.
 */
sunzi_status sunzi_blind_sign(const sunzi_engine *engine,
                              size_t count,
                              const sunzi_private_key *const *keys,
                              const sunzi_bytes *blinded,
                              sunzi_output *blind_signatures,
                              sunzi_status *statuses);

/*
 Makes signatures of `count` prepared messages from the signer's answers: takes off the blinds, and verifies
 each (RFC 9474, section 4.4). Status k is SUNZI_STATUS_INVALID if the answer is no signature of the
 message.
 */
sunzi_status sunzi_blind_finalize(const sunzi_engine *engine,
                                  size_t count,
                                  const sunzi_public_key *const *keys,
                                  uint32_t variant,
                                  const sunzi_bytes *prepared,
                                  const sunzi_bytes *inverses,
                                  const sunzi_bytes *blind_signatures,
                                  sunzi_output *signatures,
                                  sunzi_status *statuses);

/*
 Verifies `count` signatures of prepared messages (RFC 9474, section 4.5), as sunzi_verify does.
 */
sunzi_status sunzi_blind_verify(const sunzi_engine *engine,
                                size_t count,
                                const sunzi_public_key *const *keys,
                                uint32_t variant,
                                const sunzi_bytes *prepared,
                                const sunzi_bytes *signatures,
                                sunzi_status *statuses);

/*
 Makes an RSA key of two safe primes, with a modulus of `bits` bits, for partially blind signatures and
 nothing else. It is to be freed by sunzi_private_key_free. `watcher` and `context` are as in sunzi_primes.
 */
sunzi_status sunzi_private_key_generate_safe(const sunzi_engine *engine,
                                             uint32_t bits,
                                             sunzi_watcher watcher,
                                             void *context,
                                             sunzi_private_key **key);

/*
 Blinds `count` prepared messages for partially blind signatures (draft-irtf-cfrg-partially-blind-rsa): message k
 with the metadata `infos[k]`, for the signer with `keys[k]`, an RSA key of safe primes. Messages are prepared by
 sunzi_blind_prepare; all else is as in sunzi_blind.
 */
sunzi_status sunzi_partially_blind(const sunzi_engine *engine,
                                   size_t count,
                                   const sunzi_public_key *const *keys,
                                   uint32_t variant,
                                   const sunzi_bytes *infos,
                                   const sunzi_bytes *prepared,
                                   sunzi_output *blinded,
                                   sunzi_output *inverses,
                                   sunzi_status *statuses);

/*
 Signs `count` blinded messages, message k with `keys[k]`, an RSA key of safe primes, and with the metadata
 `infos[k]`. All else is as in sunzi_blind_sign.
 */
sunzi_status sunzi_partially_blind_sign(const sunzi_engine *engine,
                                        size_t count,
                                        const sunzi_private_key *const *keys,
                                        const sunzi_bytes *infos,
                                        const sunzi_bytes *blinded,
                                        sunzi_output *blind_signatures,
                                        sunzi_status *statuses);

/*
 Makes signatures of `count` prepared messages with the metadata `infos` from the signer's answers, as
 sunzi_blind_finalize does.
 */
sunzi_status sunzi_partially_blind_finalize(const sunzi_engine *engine,
                                            size_t count,
                                            const sunzi_public_key *const *keys,
                                            uint32_t variant,
                                            const sunzi_bytes *infos,
                                            const sunzi_bytes *prepared,
                                            const sunzi_bytes *inverses,
                                            const sunzi_bytes *blind_signatures,
                                            sunzi_output *signatures,
                                            sunzi_status *statuses);

/*
 Verifies `count` signatures of prepared messages with the metadata `infos`, as sunzi_verify does.
 */
sunzi_status sunzi_partially_blind_verify(const sunzi_engine *engine,
                                          size_t count,
                                          const sunzi_public_key *const *keys,
                                          uint32_t variant,
                                          const sunzi_bytes *infos,
                                          const sunzi_bytes *prepared,
                                          const sunzi_bytes *signatures,
                                          sunzi_status *statuses);

/*
 Makes a Paillier key with a modulus n of `bits` bits, an even number from 2,048 to 4,096. It is to be freed
 by sunzi_paillier_private_key_free. `watcher` and `context` are as in sunzi_primes.
 */
sunzi_status sunzi_paillier_private_key_generate(const sunzi_engine *engine,
                                                 uint32_t bits,
                                                 sunzi_watcher watcher,
                                                 void *context,
                                                 sunzi_paillier_private_key **key);

/*
 Reads a Paillier private key in JSON, as the Python package phe writes it. It is to be freed by
 sunzi_paillier_private_key_free.
 */
sunzi_status sunzi_paillier_private_key_load(const sunzi_engine *engine,
                                             sunzi_bytes text,
                                             sunzi_paillier_private_key **key);

/*
 Writes a Paillier private key in JSON, as phe reads it, without encryption. If `text` has too little room,
 its length is set to what is needed.
 */
sunzi_status sunzi_paillier_private_key_write(const sunzi_paillier_private_key *key,
                                              sunzi_output *text);

/*
 The public half of a Paillier key. It is to be freed by sunzi_paillier_public_key_free.
 */
sunzi_status sunzi_paillier_private_key_public(const sunzi_paillier_private_key *key,
                                               sunzi_paillier_public_key **public_key);

/*
 Wipes and frees a key. Null is allowed.
 */
void sunzi_paillier_private_key_free(sunzi_paillier_private_key *key);

/*
 Reads a Paillier public key in JSON, as phe writes it. It is to be freed by
 sunzi_paillier_public_key_free.
 */
sunzi_status sunzi_paillier_public_key_load(const sunzi_engine *engine,
                                            sunzi_bytes text,
                                            sunzi_paillier_public_key **key);

/*
 Writes a Paillier public key in JSON, as phe reads it. If `text` has too little room, its length is set to
 what is needed.
 */
sunzi_status sunzi_paillier_public_key_write(const sunzi_paillier_public_key *key,
                                             sunzi_output *text);

/*
 The bytes of a plaintext, a number below n; those of a ciphertext, a number below n^2, are twice as many.
 0 for null.
 */
size_t sunzi_paillier_plaintext_width(const sunzi_paillier_public_key *key);

/*
 Writes the modulus n of a key in `width` bytes, at least those of a plaintext.
 */
sunzi_status sunzi_paillier_modulus(const sunzi_paillier_public_key *key,
                                    uint32_t order,
                                    uint8_t *n,
                                    size_t width);

/*
 Frees a key. Null is allowed.
 */
void sunzi_paillier_public_key_free(sunzi_paillier_public_key *key);

/*
 Encrypts `count` plaintexts, numbers below n; a negative number -k is n - k. `method` is a
 sunzi_paillier_method. Ciphertext k is written to `results + k * result_width`, in at least twice the
 bytes of a plaintext. Results and statuses are as in sunzi_powers, here and in the functions that follow;
 the key was made with this engine.
 */
sunzi_status sunzi_paillier_encrypt(const sunzi_engine *engine,
                                    const sunzi_paillier_public_key *key,
                                    uint32_t method,
                                    size_t count,
                                    sunzi_numbers plaintexts,
                                    uint32_t order,
                                    uint8_t *results,
                                    size_t result_width,
                                    sunzi_status *statuses);

/*
 Decrypts `count` ciphertexts. Each plaintext is checked before it leaves.
 */
sunzi_status sunzi_paillier_decrypt(const sunzi_engine *engine,
                                    const sunzi_paillier_private_key *key,
                                    size_t count,
                                    sunzi_numbers ciphertexts,
                                    uint32_t order,
                                    uint8_t *results,
                                    size_t result_width,
                                    sunzi_status *statuses);

/*
 The encrypted sums of two encrypted numbers each, modulo n.
 */
sunzi_status sunzi_paillier_add(const sunzi_engine *engine,
                                const sunzi_paillier_public_key *key,
                                size_t count,
                                sunzi_numbers ciphertexts,
                                sunzi_numbers addends,
                                uint32_t order,
                                uint8_t *results,
                                size_t result_width,
                                sunzi_status *statuses);

/*
 The encrypted sums of an encrypted number and a plain one below n each, modulo n. Plain numbers are
 secrets in the time that this takes.
 */
sunzi_status sunzi_paillier_add_plain(const sunzi_engine *engine,
                                      const sunzi_paillier_public_key *key,
                                      size_t count,
                                      sunzi_numbers ciphertexts,
                                      sunzi_numbers plaintexts,
                                      uint32_t order,
                                      uint8_t *results,
                                      size_t result_width,
                                      sunzi_status *statuses);

/*
 The encrypted products of an encrypted number and a plain factor below n each, modulo n. `secrecy` is that
 of the factors, a sunzi_secrecy: if they are secret, the time depends on their width only.
 */
sunzi_status sunzi_paillier_multiply(const sunzi_engine *engine,
                                     const sunzi_paillier_public_key *key,
                                     size_t count,
                                     sunzi_numbers ciphertexts,
                                     sunzi_numbers factors,
                                     uint32_t order,
                                     uint32_t secrecy,
                                     uint8_t *results,
                                     size_t result_width,
                                     sunzi_status *statuses);

/*
 The same plaintexts in new ciphertexts, of which nobody without the private key can tell where they came
 from. `method` is as in sunzi_paillier_encrypt.
 */
sunzi_status sunzi_paillier_randomize(const sunzi_engine *engine,
                                      const sunzi_paillier_public_key *key,
                                      uint32_t method,
                                      size_t count,
                                      sunzi_numbers ciphertexts,
                                      uint32_t order,
                                      uint8_t *results,
                                      size_t result_width,
                                      sunzi_status *statuses);

/*
 The encrypted sum of `count` encrypted numbers, modulo n, written to `result`. Of none, the ciphertext 1 of
 0, which hides nothing.
 */
sunzi_status sunzi_paillier_sum(const sunzi_engine *engine,
                                const sunzi_paillier_public_key *key,
                                size_t count,
                                sunzi_numbers ciphertexts,
                                uint32_t order,
                                uint8_t *result,
                                size_t result_width);

/*
 Encodes `count` doubles as plaintexts, as phe does: value k is plaintext k times 16 to the power of
 `exponents[k]`, and the upper third of the plaintexts counts as negative. If `exponent` is null, each gets the
 highest exponent that keeps all its 53 bits, which tells its magnitude to who sees it; else all get that one,
 and are rounded to the nearest multiple, of two the even one. Ciphertexts are added if their exponents are
 equal. Results and statuses are as in sunzi_powers; infinities and what is no number are refused.
 */
sunzi_status sunzi_paillier_encode(const sunzi_paillier_public_key *key,
                                   size_t count,
                                   const double *values,
                                   const int32_t *exponent,
                                   uint32_t order,
                                   uint8_t *results,
                                   size_t result_width,
                                   int32_t *exponents,
                                   sunzi_status *statuses);

/*
 Encodes `count` integers as plaintexts, with the exponent 0: a negative number -k is n - k. In constant time.
 */
sunzi_status sunzi_paillier_encode_integers(const sunzi_paillier_public_key *key,
                                            size_t count,
                                            const int64_t *values,
                                            uint32_t order,
                                            uint8_t *results,
                                            size_t result_width);

/*
 Decodes `count` plaintexts with these exponents to the nearest doubles, of two the even ones. Status k is
 SUNZI_STATUS_INVALID for a plaintext that is neither a positive nor a negative number, since a sum or a product
 was too large, and SUNZI_STATUS_BAD_ARGUMENT for one that is not below n, or too large for a double; the value
 is then not a number. The time depends on the numbers.
 */
sunzi_status sunzi_paillier_decode(const sunzi_paillier_public_key *key,
                                   size_t count,
                                   sunzi_numbers plaintexts,
                                   const int32_t *exponents,
                                   uint32_t order,
                                   double *values,
                                   sunzi_status *statuses);

/*
 Decodes `count` plaintexts with the exponent 0 to integers. Statuses are as in sunzi_paillier_decode, and
 SUNZI_STATUS_BAD_ARGUMENT for a number below -2^63 or above 2^63 - 1; the value is then 0.
 */
sunzi_status sunzi_paillier_decode_integers(const sunzi_paillier_public_key *key,
                                            size_t count,
                                            sunzi_numbers plaintexts,
                                            uint32_t order,
                                            int64_t *values,
                                            sunzi_status *statuses);

/*
 Encodes `count` plaintexts with these exponents anew, with the exponent `exponent`, which is at most any of
 them: digits would be lost otherwise. Statuses are as in sunzi_paillier_decode. (A ciphertext gets a lower
 exponent by sunzi_paillier_multiply with a power of 16.)
 */
sunzi_status sunzi_paillier_lower_exponents(const sunzi_paillier_public_key *key,
                                            size_t count,
                                            sunzi_numbers plaintexts,
                                            const int32_t *exponents,
                                            uint32_t order,
                                            int32_t exponent,
                                            uint8_t *results,
                                            size_t result_width,
                                            sunzi_status *statuses);

/*
 Prepares a group by its name: "modp3072" or "modp4096" (RFC 3526), "ffdhe3072" or "ffdhe4096" (RFC 7919),
 of whose primes these are the groups of squares, or "ElectionGuard", with an order of 256 bits. It is to be
 freed by sunzi_group_free.
 */
sunzi_status sunzi_group_named(const sunzi_engine *engine,
                               const char *name,
                               sunzi_group **group);

/*
 Prepares a group of your own: a prime p of 2,048 to 8,192 bits, a prime q of at least 160 bits that divides
 p - 1, and a generator g of the elements of order q. All of this is checked. It is to be freed by
 sunzi_group_free.
 */
sunzi_status sunzi_group_new(const sunzi_engine *engine,
                             sunzi_bytes p,
                             sunzi_bytes q,
                             sunzi_bytes g,
                             uint32_t order,
                             sunzi_group **group);

/*
 Frees a group. Null is allowed.
 */
void sunzi_group_free(sunzi_group *group);

/*
 The bytes of an element, a number below p. 0 for null.
 */
size_t sunzi_group_element_width(const sunzi_group *group);

/*
 The bytes of an exponent, a number below q. 0 for null.
 */
size_t sunzi_group_exponent_width(const sunzi_group *group);

/*
 Writes p and g, in the bytes of an element each, and q, in those of an exponent. Any of them may be null.
 */
sunzi_status sunzi_group_numbers(const sunzi_group *group,
                                 uint32_t order,
                                 uint8_t *p,
                                 uint8_t *q,
                                 uint8_t *g);

/*
 Draws `count` random exponents from 1 to q - 1: exponent k is written to `results + k * width` for the
 width of an exponent.
 */
sunzi_status sunzi_group_random_exponents(const sunzi_group *group,
                                          size_t count,
                                          uint32_t order,
                                          uint8_t *results);

/*
 Computes `count` powers of the generator to secret exponents below q, by tables. Results and statuses are
 as in sunzi_powers. (For other bases make tables by sunzi_table_new.)
 */
sunzi_status sunzi_group_powers(const sunzi_engine *engine,
                                const sunzi_group *group,
                                size_t count,
                                sunzi_numbers exponents,
                                uint32_t order,
                                uint8_t *results,
                                size_t result_width,
                                sunzi_status *statuses);

/*
 Tells of `count` public numbers whether they are elements of the group: status k is SUNZI_STATUS_OK for a
 member, and SUNZI_STATUS_INVALID for another number. Returns what sunzi_are_primes returns.
 */
sunzi_status sunzi_group_members(const sunzi_engine *engine,
                                 const sunzi_group *group,
                                 size_t count,
                                 sunzi_numbers numbers,
                                 uint32_t order,
                                 sunzi_status *statuses);

/*
 Proves `count` statements by their secret logarithms below q (Chaum and Pedersen). Proof k has twice the
 width of an exponent, challenge and response, and is written to `proofs` plus k times that. A false
 statement gets a proof that is not valid; of an item that failed the proof is zero.
 */
sunzi_status sunzi_equality_prove(const sunzi_engine *engine,
                                  const sunzi_group *group,
                                  size_t count,
                                  sunzi_statements statements,
                                  sunzi_numbers logarithms,
                                  uint32_t order,
                                  uint8_t *proofs,
                                  sunzi_status *statuses);

/*
 Verifies `count` proofs of sunzi_equality_prove. Status k is SUNZI_STATUS_OK for a valid proof of statement
 k, SUNZI_STATUS_INVALID for another one. Returns what sunzi_verify returns.
 */
sunzi_status sunzi_equality_verify(const sunzi_engine *engine,
                                   const sunzi_group *group,
                                   size_t count,
                                   sunzi_statements statements,
                                   uint32_t order,
                                   const uint8_t *proofs,
                                   sunzi_status *statuses);

/*
 Prepares a public key K = g^x for ballots, an element of the group. It is to be freed by
 sunzi_ballot_key_free.
 */
sunzi_status sunzi_ballot_key_new(const sunzi_engine *engine,
                                  const sunzi_group *group,
                                  sunzi_bytes element,
                                  uint32_t order,
                                  sunzi_ballot_key **key);

/*
 Frees a key. Null is allowed.
 */
void sunzi_ballot_key_free(sunzi_ballot_key *key);

/*
 Bytes of a ballot: alpha = g^r and beta = g^m K^r, which are elements, then the challenges for 0 and 1 and
 the responses for 0 and 1, which are exponents, each in its width. 0 for null.
 */
size_t sunzi_ballot_width(const sunzi_group *group);

/*
 Encrypts `count` votes, bytes that are 0 or 1, each with a proof that it is one of them (Cramer, Gennaro
 and Schoenmakers, 1997), in constant time. Ballot k is written to `ballots` plus k times sunzi_ballot_width.
 `context` names the election; a ballot is verified with the same. Of an item that failed the ballot is
 zero.
 */
sunzi_status sunzi_ballots_encrypt(const sunzi_engine *engine,
                                   const sunzi_ballot_key *key,
                                   size_t count,
                                   sunzi_bytes votes,
                                   sunzi_bytes context,
                                   uint32_t order,
                                   uint8_t *ballots,
                                   sunzi_status *statuses);

/*
 Verifies `count` ballots: status k is SUNZI_STATUS_OK if ballot k is of 0 or 1, and SUNZI_STATUS_INVALID if
 it is not. Returns what sunzi_verify returns.
 */
sunzi_status sunzi_ballots_verify(const sunzi_engine *engine,
                                  const sunzi_ballot_key *key,
                                  size_t count,
                                  const uint8_t *ballots,
                                  sunzi_bytes context,
                                  uint32_t order,
                                  sunzi_status *statuses);

/*
 The encrypted sum of the votes of `count` ballots: alpha and beta, one after the other, written to
 `ciphertext` in the bytes of two elements. Verify the ballots before.
 */
sunzi_status sunzi_ballots_sum(const sunzi_engine *engine,
                               const sunzi_group *group,
                               size_t count,
                               const uint8_t *ballots,
                               uint32_t order,
                               uint8_t *ciphertext);

/*
 Decrypts a sum by the private key x, which is used in constant time; the sum is found by trying all numbers
 up to `most`. `share`, alpha^x, is written in the bytes of an element: a proof that it has the logarithm to
 alpha that K has to g shows that the sum is right.
 */
sunzi_status sunzi_ballots_decrypt_sum(const sunzi_engine *engine,
                                       const sunzi_group *group,
                                       sunzi_bytes private_key,
                                       const uint8_t *ciphertext,
                                       uint32_t most,
                                       uint32_t order,
                                       uint32_t *sum,
                                       uint8_t *share);

/*
 Prepares a suite. `variant` is a sunzi_bls_variant, `scheme` a sunzi_bls_scheme. Messages are hashed with `tag`, or
 with the draft's for these if it has no bytes. It is to be freed by sunzi_bls_free, and stays usable when the
 engine is freed.
 */
sunzi_status sunzi_bls_new(const sunzi_engine *engine,
                           uint32_t variant,
                           uint32_t scheme,
                           sunzi_bytes tag,
                           sunzi_bls **bls);

/*
 Frees a suite. Null is allowed.
 */
void sunzi_bls_free(sunzi_bls *bls);

/*
 The bytes of a compressed public key, 48 or 96. 0 for null.
 */
size_t sunzi_bls_key_width(const sunzi_bls *bls);

/*
 The bytes of a compressed signature, 96 or 48. 0 for null.
 */
size_t sunzi_bls_signature_width(const sunzi_bls *bls);

/*
 Makes a secret key of secret key material, of at least 32 bytes, and a public `info` (the draft's KeyGen; without
 info the master key of EIP-2333), and writes its 32 big-endian bytes to `secret_key`.
 */
sunzi_status sunzi_bls_key_of_material(sunzi_bytes material,
                                       sunzi_bytes info,
                                       uint8_t *secret_key);

/*
 Derives the child of a secret key with this index (EIP-2333), and writes its 32 big-endian bytes to `child`.
 */
sunzi_status sunzi_bls_child(const uint8_t *secret_key,
                             uint32_t index,
                             uint8_t *child);

/*
 Computes the public keys of `count` secret keys, each of 32 big-endian bytes, which are secret. Public key k is
 written to `public_keys + k * width` for the width of a key, zeros if its status is not SUNZI_STATUS_OK. `statuses`
 may be null.
 */
sunzi_status sunzi_bls_public_keys(const sunzi_engine *engine,
                                   const sunzi_bls *bls,
                                   size_t count,
                                   const uint8_t *secret_keys,
                                   uint8_t *public_keys,
                                   sunzi_status *statuses);

/*
 Signs `count` messages, each with the secret key in the same place, of 32 big-endian bytes, in constant time.
 Signatures are verified before they are written, as public keys are in sunzi_bls_public_keys, in the width of a
 signature. `statuses` may be null.
 */
sunzi_status sunzi_bls_sign(const sunzi_engine *engine,
                            const sunzi_bls *bls,
                            size_t count,
                            const uint8_t *secret_keys,
                            const sunzi_bytes *messages,
                            uint8_t *signatures,
                            sunzi_status *statuses);

/*
 Makes proofs of possession of `count` secret keys. As sunzi_bls_sign.
 */
sunzi_status sunzi_bls_prove(const sunzi_engine *engine,
                             const sunzi_bls *bls,
                             size_t count,
                             const uint8_t *secret_keys,
                             uint8_t *proofs,
                             sunzi_status *statuses);

/*
 Tells whether each of `count` encodings is a public key, an element of its group other than the neutral one: status k
 is SUNZI_STATUS_OK or SUNZI_STATUS_BAD_KEY. Returns SUNZI_STATUS_OK if all are keys.
 */
sunzi_status sunzi_bls_validate_keys(const sunzi_engine *engine,
                                     const sunzi_bls *bls,
                                     size_t count,
                                     const sunzi_bytes *public_keys,
                                     sunzi_status *statuses);

/*
 Verifies `count` signatures, each of the message and by the key in the same place: status k is SUNZI_STATUS_OK,
 SUNZI_STATUS_INVALID, or SUNZI_STATUS_BAD_KEY for what is no public key. Returns SUNZI_STATUS_OK if all are valid,
 SUNZI_STATUS_INVALID if one is not, and SUNZI_STATUS_SOME_FAILED if there is no verdict on one. `statuses` may be
 null.
 */
sunzi_status sunzi_bls_verify(const sunzi_engine *engine,
                              const sunzi_bls *bls,
                              size_t count,
                              const sunzi_bytes *public_keys,
                              const sunzi_bytes *messages,
                              const sunzi_bytes *signatures,
                              sunzi_status *statuses);

/*
 Verifies `count` signatures all together, by random factors, in half the time of sunzi_bls_verify: one verdict, in
 which an invalid signature is overlooked with a probability of at most 2^-70.
 */
sunzi_status sunzi_bls_verify_all(const sunzi_engine *engine,
                                  const sunzi_bls *bls,
                                  size_t count,
                                  const sunzi_bytes *public_keys,
                                  const sunzi_bytes *messages,
                                  const sunzi_bytes *signatures);

/*
 Verifies `count` proofs of possession, each of the key in the same place. Statuses are as in sunzi_bls_verify.
 */
sunzi_status sunzi_bls_verify_proofs(const sunzi_engine *engine,
                                     const sunzi_bls *bls,
                                     size_t count,
                                     const sunzi_bytes *public_keys,
                                     const sunzi_bytes *proofs,
                                     sunzi_status *statuses);

/*
 Adds up `count` signatures, at least one, and writes the aggregate to `aggregate`, in the width of a signature.
 SUNZI_STATUS_INVALID if one of them is no signature.
 */
sunzi_status sunzi_bls_aggregate(const sunzi_engine *engine,
                                 const sunzi_bls *bls,
                                 size_t count,
                                 const sunzi_bytes *signatures,
                                 uint8_t *aggregate);

/*
 Verifies an aggregate of signatures, each of the message and by the key in the same place: SUNZI_STATUS_OK,
 SUNZI_STATUS_INVALID, or SUNZI_STATUS_BAD_KEY if one of the keys is none.
 */
sunzi_status sunzi_bls_aggregate_verify(const sunzi_engine *engine,
                                        const sunzi_bls *bls,
                                        size_t count,
                                        const sunzi_bytes *public_keys,
                                        const sunzi_bytes *messages,
                                        sunzi_bytes signature);

/*
 Verifies an aggregate of signatures of one message by `count` keys, in the scheme with proofs of possession only, which
 must have been verified for all keys: SUNZI_STATUS_OK, SUNZI_STATUS_INVALID, or SUNZI_STATUS_BAD_KEY if one of the
 keys is none. No keys and keys that add up to the neutral element are invalid.
 */
sunzi_status sunzi_bls_fast_aggregate_verify(const sunzi_engine *engine,
                                             const sunzi_bls *bls,
                                             size_t count,
                                             const sunzi_bytes *public_keys,
                                             sunzi_bytes message,
                                             sunzi_bytes signature);

/*
 Computes `count` private powers of RSA without padding, x^d modulo n: number k by `keys[k]`, RSA keys. Numbers
 are below their moduli. Results are rows of `result_width` bytes, which the longest modulus must fit; the row
 of an item that failed is zero. `order` is that of numbers and results. In constant time, blinded, and each
 power is checked before it leaves. Statuses are as in sunzi_powers.

 This is for protocols with a padding of their own: by itself it is no signature and no decryption.
 */
sunzi_status sunzi_rsa_private(const sunzi_engine *engine,
                               size_t count,
                               const sunzi_private_key *const *keys,
                               sunzi_numbers numbers,
                               uint32_t order,
                               uint8_t *results,
                               size_t result_width,
                               sunzi_status *statuses);

/*
 Computes `count` public powers of RSA without padding, x^e modulo n: number k by `keys[k]`. Otherwise as
 sunzi_rsa_private, in a time that does not depend on the numbers.
 */
sunzi_status sunzi_rsa_public(const sunzi_engine *engine,
                              size_t count,
                              const sunzi_public_key *const *keys,
                              sunzi_numbers numbers,
                              uint32_t order,
                              uint8_t *results,
                              size_t result_width,
                              sunzi_status *statuses);

/*
 Makes a gatherer, which computes single signatures in batches: those that are asked for while others are computed
 become the next batch. A batch is computed by one thread; `leaders` is the number of batches that are computed at a
 time, or 0 for one for every two processors. The gatherer is to be freed by sunzi_gather_free. A child of a fork
 makes its own.
 */
sunzi_status sunzi_gather_new(const sunzi_engine *engine,
                              uint32_t leaders,
                              sunzi_gather **gather);

/*
 Frees a gatherer. No thread may wait in it, and all signatures that were submitted must have been taken. Null is
 allowed.
 */
void sunzi_gather_free(sunzi_gather *gather);

/*
 Signs a message, in a batch with those of other threads. `options` and `nonces` are as in sunzi_sign_with_nonces. The
 key must be of the gatherer's engine.
 */
sunzi_status sunzi_gather_sign(const sunzi_gather *gather,
                               const sunzi_private_key *key,
                               sunzi_bytes message,
                               const sunzi_signature_options *options,
                               uint32_t nonces,
                               sunzi_output *signature);

/*
 Submits a message to be signed, without waiting. The status of this function says whether it was submitted;
 sunzi_gather_take tells when it is finished, with `tag`. Until then `signature` and its buffer stay where they are,
 and nobody else uses them. If more than 4,096 wait, the message is signed before the function returns.
 */
sunzi_status sunzi_gather_submit(const sunzi_gather *gather,
                                 const sunzi_private_key *key,
                                 sunzi_bytes message,
                                 const sunzi_signature_options *options,
                                 uint32_t nonces,
                                 sunzi_output *signature,
                                 void *tag);

/*
 Takes up to `count` signatures that are finished, without waiting, in the order in which they finished. Returns
 their number.
 */
size_t sunzi_gather_take(const sunzi_gather *gather,
                         sunzi_completion *completions,
                         size_t count);

/*
 A file descriptor that can be read while there is a signature to take: for poll, select and their like. It is the
 gatherer's, and nothing is to be read from it. -1 where there are none, and for null.
 */
int sunzi_gather_descriptor(const sunzi_gather *gather);

#ifdef __cplusplus
}  /* extern "C" */
#endif  /* __cplusplus */

#endif  /* SUNZI_H */
