/* The C library of Sunzi: public-key operations and modular powers in batches.
 *
 * Every function returns a sunzi_status, and sunzi_error_message tells the rest in words. No function
 * unwinds or exits. Objects may be used by several threads at a time, but for the functions that free
 * them. After a fork the child may use its parent's objects, if no other thread of the parent was inside
 * this library.
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

/*
 What a function, or an item of a batch, comes to.
 */
typedef enum {
  /*
   Success. Of a verification: the signature is valid.
   */
  SUNZI_STATUS_OK = 0,
  /*
   The signature is not valid.
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
  SUNZI_BYTE_ORDER_LITTLE_ENDIAN = 1,
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
  SUNZI_SECRECY_PUBLIC = 1,
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
  SUNZI_PADDING_PSS = 1,
} sunzi_padding;

/*
 An engine: what computes batches, and the threads that it uses.
 */
typedef struct sunzi_engine sunzi_engine;

/*
 A private key: RSA, a curve for ECDSA and ECDH, Ed25519, Ed448, X25519, X448.
 */
typedef struct sunzi_private_key sunzi_private_key;

/*
 A public key.
 */
typedef struct sunzi_public_key sunzi_public_key;

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
   How many there are.
   */
  size_t length;
} sunzi_bytes;

/*
 Bytes to write.
 */
typedef struct {
  /*
   The first one.
   */
  uint8_t *data;
  /*
   How many there is room for.
   */
  size_t capacity;
  /*
   How many were written; if there was too little room, how many there would be.
   */
  size_t length;
} sunzi_output;

/*
 How messages are signed. All zero: in the usual way for the key.
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
} sunzi_signature_options;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Writes the message of this thread's last failed call into `buffer`, which has `size` bytes, with a
 terminating zero, cut if it is too long. Returns the bytes that the whole message takes, with the
 zero.
 */
size_t sunzi_error_message(char *buffer, size_t size);

/*
 The version of this library: "0.1.0".
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
 Frees an engine. Keys that were made with it stay usable. Null is allowed.
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
 Reads a private key from PEM, DER or JSON (JWK). `passphrase` is for encrypted PKCS#8, and empty for
 other files. The key is to be freed by sunzi_private_key_free.
 */
sunzi_status sunzi_private_key_load(const sunzi_engine *engine,
                                    sunzi_bytes file,
                                    sunzi_bytes passphrase,
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
 Frees a key. Null is allowed.
 */
void sunzi_public_key_free(sunzi_public_key *key);

/*
 Signs `count` messages, message k with `keys[k]`, of any mix of algorithms. Signature k is written to
 `signatures[k]`. `options` may be null. `statuses`, if it is not null, has room for `count` statuses. If
 an item fails, the function returns SUNZI_STATUS_SOME_FAILED; the message is that of the first such
 item. Each signature is checked before it leaves.
 */
sunzi_status sunzi_sign(const sunzi_engine *engine,
                        size_t count,
                        const sunzi_private_key *const *keys,
                        const sunzi_bytes *messages,
                        const sunzi_signature_options *options,
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

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SUNZI_H */
