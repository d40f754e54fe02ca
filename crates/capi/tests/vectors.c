/* Signatures against BIP 340, blind ones against RFC 9474, partially blind ones against their draft, Paillier against the Python package
 * phe, and powers, products and primes against Python: tests/vectors.py writes vectors.h. */
#include <math.h>

#include "check.h"
#include "vectors.h"

enum { BIG = SUNZI_BYTE_ORDER_BIG_ENDIAN };

#define BYTES(array) ((sunzi_bytes){array, sizeof array})

/* Numbers of this width one after the other. */
static sunzi_numbers rows(const uint8_t *data, size_t width) {
    return (sunzi_numbers){data, width, width};
}

static void powers(sunzi_engine *engine) {
    static uint8_t results[POWERS][POWER_WIDTH];
    sunzi_table *table = NULL;
    sunzi_numbers exponents = rows(power_exponents, EXPONENT_WIDTH);
    CHECK(sunzi_table_new(engine, BYTES(power_base), BYTES(power_modulus), EXPONENT_WIDTH, BIG,
                          &table) == SUNZI_STATUS_OK);
    sunzi_status statuses[POWERS];
    CHECK(sunzi_table_powers(engine, table, POWERS, exponents, BIG, results[0], POWER_WIDTH,
                             statuses) == SUNZI_STATUS_OK);
    CHECK(memcmp(results, power_results, sizeof power_results) == 0);
    CHECK(statuses[POWERS - 1] == SUNZI_STATUS_OK);
    CHECK(sunzi_table_powers(engine, table, 0, exponents, BIG, results[0], POWER_WIDTH, NULL) ==
          SUNZI_STATUS_OK);

    sunzi_numbers base = {power_base, POWER_WIDTH, 0}, modulus = {power_modulus, POWER_WIDTH, 0};
    memset(results, 0, sizeof results);
    CHECK(sunzi_powers(engine, POWERS, base, exponents, modulus, BIG, SUNZI_SECRECY_SECRET,
                       results[0], POWER_WIDTH, NULL) == SUNZI_STATUS_OK);
    CHECK(memcmp(results, power_results, sizeof power_results) == 0);

    CHECK(sunzi_products_of_powers(engine, 5, TERMS, rows(product_bases, POWER_WIDTH + 8),
                                   rows(product_exponents, EXPONENT_WIDTH), modulus, BIG,
                                   results[0], POWER_WIDTH, statuses) == SUNZI_STATUS_OK);
    CHECK(memcmp(results, product_results, sizeof product_results) == 0);

    /* What is refused. */
    sunzi_numbers wide = {power_exponents, EXPONENT_WIDTH + 1, 0};
    CHECK(sunzi_table_powers(engine, table, 1, wide, BIG, results[0], POWER_WIDTH, NULL) ==
          SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_table_powers(engine, table, 1, exponents, BIG, results[0], POWER_WIDTH - 1, NULL) ==
          SUNZI_STATUS_BUFFER_TOO_SMALL);
    CHECK(sunzi_table_powers(engine, NULL, 1, exponents, BIG, results[0], POWER_WIDTH, NULL) ==
          SUNZI_STATUS_BAD_ARGUMENT);
    sunzi_table_free(table);
    sunzi_table_free(NULL);
    table = NULL;
    CHECK(sunzi_table_new(engine, BYTES(power_modulus), BYTES(power_modulus), 64, BIG, &table) ==
          SUNZI_STATUS_BAD_ARGUMENT);
    message_contains("below");
    CHECK(sunzi_table_new(engine, BYTES(power_base), BYTES(power_modulus), 0, BIG, &table) ==
          SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_table_new(engine, BYTES(power_base), BYTES(power_modulus), 64, BIG, NULL) ==
          SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(table == NULL);
    for (size_t terms = 0; terms < 66; terms += 65) {
        CHECK(sunzi_products_of_powers(engine, 1, terms, base, exponents, modulus, BIG, results[0],
                                       POWER_WIDTH, NULL) == SUNZI_STATUS_BAD_ARGUMENT);
        message_contains("terms");
    }
    CHECK(sunzi_products_of_powers(engine, SIZE_MAX, 2, base, exponents, modulus, BIG, results[0],
                                   POWER_WIDTH, NULL) == SUNZI_STATUS_BAD_ARGUMENT);
    uint8_t even[2][POWER_WIDTH];
    memcpy(even[0], power_modulus, POWER_WIDTH);
    memcpy(even[1], power_modulus, POWER_WIDTH);
    even[0][POWER_WIDTH - 1] ^= 1;
    CHECK(sunzi_products_of_powers(engine, 2, 1, base, (sunzi_numbers){power_exponents + 64, 64, 0},
                                   rows(even[0], POWER_WIDTH), BIG, results[0], POWER_WIDTH,
                                   statuses) == SUNZI_STATUS_SOME_FAILED);
    CHECK(statuses[0] == SUNZI_STATUS_BAD_ARGUMENT && statuses[1] == SUNZI_STATUS_OK);
    /* x^1 = x */
    CHECK(memcmp(results[1], power_base, POWER_WIDTH) == 0);
}

/* Counts its calls, and ends the search at the one that its context says. */
static int32_t watch(void *context, const sunzi_progress *progress) {
    int *calls = context;
    CHECK(progress->found <= progress->wanted);
    return --*calls == 0;
}

static void primes(sunzi_engine *engine) {
    sunzi_status statuses[PRIME_CASES];
    sunzi_numbers cases = rows(prime_cases, PRIME_WIDTH);
    CHECK(sunzi_are_primes(engine, PRIME_CASES, cases, BIG, statuses) == SUNZI_STATUS_INVALID);
    for (size_t k = 0; k < PRIME_CASES; k++)
        CHECK(statuses[k] == (prime_verdicts[k] ? SUNZI_STATUS_OK : SUNZI_STATUS_INVALID));
    CHECK(sunzi_are_primes(engine, 1, cases, BIG, NULL) == SUNZI_STATUS_OK);

    enum { COUNT = 4, WIDTH = 32 };
    for (uint32_t kind = SUNZI_PRIME_KIND_ANY; kind <= SUNZI_PRIME_KIND_SAFE; kind++) {
        uint8_t found[COUNT][WIDTH];
        int calls = 1 << 30;
        CHECK(sunzi_primes(engine, kind, 8 * WIDTH, COUNT, BIG, found[0], WIDTH, watch, &calls) ==
              SUNZI_STATUS_OK);
        CHECK(calls < 1 << 30);
        sunzi_numbers numbers = rows(found[0], WIDTH);
        CHECK(sunzi_are_primes(engine, COUNT, numbers, BIG, statuses) == SUNZI_STATUS_OK);
        for (size_t k = 0; k < COUNT; k++) {
            CHECK(found[k][0] >= 0xb5); /* at least sqrt(2) 2^255 */
            if (kind != SUNZI_PRIME_KIND_ANY) CHECK(found[k][WIDTH - 1] % 4 == 3);
            for (size_t i = 0; i < k; i++) CHECK(memcmp(found[i], found[k], WIDTH) != 0);
        }
        if (kind != SUNZI_PRIME_KIND_SAFE) continue;
        for (size_t k = 0; k < COUNT; k++)
            for (size_t i = WIDTH; i-- > 0;)
                found[k][i] = (uint8_t)(found[k][i] >> 1 | (i > 0 ? found[k][i - 1] << 7 : 0));
        CHECK(sunzi_are_primes(engine, COUNT, numbers, BIG, NULL) == SUNZI_STATUS_OK);
    }

    /* So many safe primes that the first batch of candidates never has them all. */
    enum { MANY = 16 };
    static uint8_t found[MANY * 256];
    int calls = 2;
    CHECK(sunzi_primes(engine, SUNZI_PRIME_KIND_SAFE, 2048, MANY, BIG, found, 256, watch,
                       &calls) == SUNZI_STATUS_CANCELLED);
    CHECK(calls == 0);
    CHECK(sunzi_primes(engine, 3, 256, 1, BIG, found, 32, NULL, NULL) == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_primes(engine, 0, 127, 1, BIG, found, 32, NULL, NULL) == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_primes(engine, 0, 256, 1, BIG, found, 31, NULL, NULL) ==
          SUNZI_STATUS_BUFFER_TOO_SMALL);
    CHECK(sunzi_primes(engine, 0, 256, 1, BIG, NULL, 32, NULL, NULL) == SUNZI_STATUS_BAD_ARGUMENT);
}

#define BLIND_CASE(k)                                                                              \
    {                                                                                              \
        BYTES(blind_key_##k), BYTES(blind_prepared_##k), BYTES(blind_inverse_##k),                 \
            BYTES(blind_blinded_##k), BYTES(blind_answer_##k), BYTES(blind_signature_##k)          \
    }

static void blind_signatures(sunzi_engine *engine) {
    enum { WIDTH = 512 };
    const struct {
        sunzi_bytes key, prepared, inverse, blinded, answer, signature;
    } cases[4] = {BLIND_CASE(0), BLIND_CASE(1), BLIND_CASE(2), BLIND_CASE(3)};
    for (uint32_t variant = 0; variant < 4; variant++) {
        sunzi_private_key *key = NULL;
        sunzi_public_key *public_key = NULL;
        sunzi_bytes none = {NULL, 0};
        CHECK(sunzi_private_key_load(engine, cases[variant].key, none, &key) == SUNZI_STATUS_OK);
        CHECK(sunzi_private_key_public(key, &public_key) == SUNZI_STATUS_OK);
        const sunzi_private_key *signer = key;
        const sunzi_public_key *verifier = public_key;
        uint8_t room[WIDTH], more[WIDTH];
        sunzi_output output = {room, WIDTH, 0};

        /* The RFC's signature, byte for byte. */
        CHECK(sunzi_blind_sign(engine, 1, &signer, &cases[variant].blinded, &output, NULL) ==
              SUNZI_STATUS_OK);
        CHECK(output.length == WIDTH);
        CHECK(memcmp(room, cases[variant].answer.data, WIDTH) == 0);
        CHECK(sunzi_blind_finalize(engine, 1, &verifier, variant, &cases[variant].prepared,
                                   &cases[variant].inverse, &cases[variant].answer, &output,
                                   NULL) == SUNZI_STATUS_OK);
        CHECK(memcmp(room, cases[variant].signature.data, WIDTH) == 0);
        sunzi_status status;
        CHECK(sunzi_blind_verify(engine, 1, &verifier, variant, &cases[variant].prepared,
                                 &cases[variant].signature, &status) == SUNZI_STATUS_OK);
        CHECK(sunzi_blind_verify(engine, 1, &verifier, variant ^ 1, &cases[variant].prepared,
                                 &cases[variant].signature, &status) == SUNZI_STATUS_INVALID);
        CHECK(status == SUNZI_STATUS_INVALID);
        CHECK(sunzi_blind_verify(engine, 1, &verifier, variant, &cases[variant].blinded,
                                 &cases[variant].signature, NULL) == SUNZI_STATUS_INVALID);

        /* A message of our own, and an answer to another one. */
        uint8_t text[64];
        sunzi_output prepared_output = {text, sizeof text, 0};
        CHECK(sunzi_blind_prepare(variant, (sunzi_bytes){(const uint8_t *)"a token", 7},
                                  &prepared_output) == SUNZI_STATUS_OK);
        CHECK(prepared_output.length == (variant < 2 ? 39 : 7));
        sunzi_bytes prepared = {text, prepared_output.length};
        uint8_t inverse_room[WIDTH];
        sunzi_output blinded_output = {more, WIDTH, 0}, inverse_output = {inverse_room, WIDTH, 0};
        CHECK(sunzi_blind(engine, 1, &verifier, variant, &prepared, &blinded_output,
                          &inverse_output, &status) == SUNZI_STATUS_OK);
        sunzi_bytes blinded = {more, WIDTH}, inverse = {inverse_room, WIDTH};
        CHECK(sunzi_blind_sign(engine, 1, &signer, &blinded, &output, NULL) == SUNZI_STATUS_OK);
        sunzi_bytes answer = {room, WIDTH};
        sunzi_output signature_output = {more, WIDTH, 0};
        CHECK(sunzi_blind_finalize(engine, 1, &verifier, variant, &prepared, &inverse, &answer,
                                   &signature_output, NULL) == SUNZI_STATUS_OK);
        sunzi_bytes signature = {more, WIDTH};
        CHECK(sunzi_blind_verify(engine, 1, &verifier, variant, &prepared, &signature, NULL) ==
              SUNZI_STATUS_OK);
        CHECK(sunzi_blind_finalize(engine, 1, &verifier, variant, &prepared, &inverse,
                                   &cases[variant].answer, &signature_output,
                                   &status) == SUNZI_STATUS_INVALID);
        CHECK(status == SUNZI_STATUS_INVALID);

        /* What is refused, without harm to the neighbour. */
        sunzi_private_key *curve_key = NULL;
        CHECK(sunzi_private_key_generate(engine, "P-256", &curve_key) == SUNZI_STATUS_OK);
        const sunzi_private_key *signers[3] = {curve_key, key, key};
        sunzi_bytes all[3] = {blinded, cases[variant].blinded, {cases[variant].blinded.data, 511}};
        uint8_t rooms[3][WIDTH];
        sunzi_output outputs[3] = {
            {rooms[0], WIDTH, 0}, {rooms[1], WIDTH, 0}, {rooms[2], WIDTH, 0}};
        sunzi_status statuses[3];
        CHECK(sunzi_blind_sign(engine, 3, signers, all, outputs, statuses) ==
              SUNZI_STATUS_SOME_FAILED);
        message_contains("RSA");
        CHECK(statuses[0] == SUNZI_STATUS_BAD_KEY && statuses[1] == SUNZI_STATUS_OK);
        CHECK(statuses[2] == SUNZI_STATUS_BAD_ARGUMENT);
        CHECK(memcmp(rooms[1], cases[variant].answer.data, WIDTH) == 0);
        CHECK(sunzi_blind_prepare(4, prepared, &prepared_output) == SUNZI_STATUS_BAD_ARGUMENT);
        prepared_output.capacity = 6;
        CHECK(sunzi_blind_prepare(variant, prepared, &prepared_output) ==
              SUNZI_STATUS_BUFFER_TOO_SMALL);
        CHECK(sunzi_blind_sign(engine, 1, &signer, &blinded, NULL, NULL) ==
              SUNZI_STATUS_BAD_ARGUMENT);
        sunzi_private_key_free(curve_key);
        sunzi_public_key_free(public_key);
        sunzi_private_key_free(key);
    }
}

#define PARTIAL_CASE(k)                                                                            \
    {                                                                                              \
        BYTES(partial_key_##k), {partial_info_##k, partial_info_length_##k},                       \
            {partial_prepared_##k, partial_prepared_length_##k}, BYTES(partial_inverse_##k),       \
            BYTES(partial_blinded_##k), BYTES(partial_answer_##k), BYTES(partial_signature_##k)    \
    }

static void partially_blind_signatures(sunzi_engine *engine) {
    enum { WIDTH = 256, CASES = 4, VARIANT = SUNZI_BLIND_VARIANT_PSS_DETERMINISTIC };
    const struct {
        sunzi_bytes key, info, prepared, inverse, blinded, answer, signature;
    } cases[CASES] = {PARTIAL_CASE(0), PARTIAL_CASE(1), PARTIAL_CASE(2), PARTIAL_CASE(3)};
    sunzi_private_key *key = NULL;
    sunzi_public_key *public_key = NULL;
    sunzi_bytes none = {NULL, 0};
    CHECK(sunzi_private_key_load(engine, cases[0].key, none, &key) == SUNZI_STATUS_OK);
    CHECK(sunzi_private_key_public(key, &public_key) == SUNZI_STATUS_OK);

    /* The draft's signatures, byte for byte, in one batch. */
    const sunzi_private_key *signers[CASES];
    const sunzi_public_key *verifiers[CASES];
    sunzi_bytes infos[CASES], prepared[CASES], inverses[CASES], blinded[CASES], answers[CASES];
    sunzi_bytes signatures[CASES];
    uint8_t rooms[CASES][WIDTH], more[CASES][WIDTH];
    sunzi_output outputs[CASES], others[CASES];
    sunzi_status statuses[CASES];
    for (size_t k = 0; k < CASES; k++) {
        signers[k] = key, verifiers[k] = public_key;
        infos[k] = cases[k].info, prepared[k] = cases[k].prepared;
        inverses[k] = cases[k].inverse, blinded[k] = cases[k].blinded;
        answers[k] = cases[k].answer, signatures[k] = cases[k].signature;
        outputs[k] = (sunzi_output){rooms[k], WIDTH, 0};
        others[k] = (sunzi_output){more[k], WIDTH, 0};
    }
    CHECK(sunzi_partially_blind_sign(engine, CASES, signers, infos, blinded, outputs, statuses) ==
          SUNZI_STATUS_OK);
    for (size_t k = 0; k < CASES; k++)
        CHECK(outputs[k].length == WIDTH && memcmp(rooms[k], answers[k].data, WIDTH) == 0);
    CHECK(sunzi_partially_blind_finalize(engine, CASES, verifiers, VARIANT, infos, prepared,
                                         inverses, answers, outputs, NULL) == SUNZI_STATUS_OK);
    for (size_t k = 0; k < CASES; k++) CHECK(memcmp(rooms[k], signatures[k].data, WIDTH) == 0);
    CHECK(sunzi_partially_blind_verify(engine, CASES, verifiers, VARIANT, infos, prepared,
                                       signatures, statuses) == SUNZI_STATUS_OK);
    sunzi_bytes swapped[CASES] = {infos[0], infos[0], infos[2], infos[2]};
    CHECK(sunzi_partially_blind_verify(engine, CASES, verifiers, VARIANT, swapped, prepared,
                                       signatures, statuses) == SUNZI_STATUS_INVALID);
    CHECK(statuses[0] == SUNZI_STATUS_OK && statuses[1] == SUNZI_STATUS_INVALID);
    CHECK(statuses[2] == SUNZI_STATUS_OK && statuses[3] == SUNZI_STATUS_INVALID);

    /* A round of our own. */
    CHECK(sunzi_partially_blind(engine, CASES, verifiers, VARIANT, infos, prepared, outputs, others,
                                statuses) == SUNZI_STATUS_OK);
    for (size_t k = 0; k < CASES; k++) {
        blinded[k] = (sunzi_bytes){rooms[k], WIDTH};
        inverses[k] = (sunzi_bytes){more[k], WIDTH};
    }
    uint8_t made[CASES][WIDTH];
    sunzi_output fresh[CASES];
    for (size_t k = 0; k < CASES; k++) {
        fresh[k] = (sunzi_output){made[k], WIDTH, 0};
        answers[k] = (sunzi_bytes){made[k], WIDTH};
    }
    CHECK(sunzi_partially_blind_sign(engine, CASES, signers, infos, blinded, fresh, NULL) ==
          SUNZI_STATUS_OK);
    CHECK(sunzi_partially_blind_finalize(engine, CASES, verifiers, VARIANT, infos, prepared,
                                         inverses, answers, outputs, NULL) == SUNZI_STATUS_OK);
    answers[1] = answers[0];
    CHECK(sunzi_partially_blind_finalize(engine, CASES, verifiers, VARIANT, infos, prepared,
                                         inverses, answers, outputs,
                                         statuses) == SUNZI_STATUS_INVALID);
    CHECK(statuses[0] == SUNZI_STATUS_OK && statuses[1] == SUNZI_STATUS_INVALID);

    /* What is refused, without harm to the neighbours. */
    sunzi_private_key *other = NULL;
    CHECK(sunzi_private_key_generate(engine, "RSA-2048", &other) == SUNZI_STATUS_OK);
    signers[1] = other;
    blinded[2].length--;
    CHECK(sunzi_partially_blind_sign(engine, CASES, signers, infos, blinded, fresh, statuses) ==
          SUNZI_STATUS_SOME_FAILED);
    message_contains("safe prime");
    CHECK(statuses[0] == SUNZI_STATUS_OK && statuses[1] == SUNZI_STATUS_BAD_KEY);
    CHECK(statuses[2] == SUNZI_STATUS_BAD_ARGUMENT && statuses[3] == SUNZI_STATUS_OK);
    CHECK(sunzi_partially_blind_sign(engine, 1, signers, NULL, blinded, fresh, NULL) ==
          SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_partially_blind(engine, 1, verifiers, 4, infos, prepared, outputs, others, NULL) ==
          SUNZI_STATUS_BAD_ARGUMENT);
    sunzi_private_key_free(other);
    sunzi_public_key_free(public_key);
    sunzi_private_key_free(key);

    /* A key of our own. */
    key = NULL;
    CHECK(sunzi_private_key_generate_safe(engine, 2048, NULL, NULL, &key) == SUNZI_STATUS_OK);
    signers[0] = key;
    uint8_t ones[WIDTH];
    memset(ones, 1, sizeof ones);
    blinded[0] = (sunzi_bytes){ones, WIDTH};
    CHECK(sunzi_partially_blind_sign(engine, 1, signers, infos, blinded, fresh, NULL) ==
          SUNZI_STATUS_OK);
    sunzi_private_key_free(key);
    int calls = 2;
    key = NULL;
    CHECK(sunzi_private_key_generate_safe(engine, 8192, watch, &calls, &key) ==
          SUNZI_STATUS_CANCELLED);
    CHECK(sunzi_private_key_generate_safe(engine, 100, NULL, NULL, &key) ==
          SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(key == NULL);
}

enum { PLAIN = PAILLIER_WIDTH, ENCRYPTED = 2 * PAILLIER_WIDTH };

/* That these are encryptions of these numbers. */
static void decrypts_to(sunzi_engine *engine, sunzi_paillier_private_key *key, size_t count,
                        const uint8_t *encrypted, const uint8_t *expected) {
    static uint8_t plain[PAILLIER_COUNT * PLAIN];
    CHECK(sunzi_paillier_decrypt(engine, key, count, rows(encrypted, ENCRYPTED), BIG, plain, PLAIN,
                                 NULL) == SUNZI_STATUS_OK);
    CHECK(memcmp(plain, expected, count * PLAIN) == 0);
}

static void paillier_key(sunzi_engine *engine, sunzi_paillier_private_key *key,
                         sunzi_paillier_public_key *public_key, uint32_t method) {
    static uint8_t made[PAILLIER_COUNT][ENCRYPTED], more[PAILLIER_COUNT][ENCRYPTED];
    static uint8_t next[sizeof paillier_plain];
    const size_t count = PAILLIER_COUNT;
    sunzi_status statuses[PAILLIER_COUNT];
    memcpy(next, paillier_plain + PLAIN, sizeof next - PLAIN);
    memcpy(next + sizeof next - PLAIN, paillier_plain, PLAIN);
    sunzi_numbers plain = rows(paillier_plain, PLAIN), others = rows(next, PLAIN);
    sunzi_numbers first = rows(made[0], ENCRYPTED), second = rows(more[0], ENCRYPTED);

    CHECK(sunzi_paillier_encrypt(engine, public_key, method, count, plain, BIG, made[0], ENCRYPTED,
                                 statuses) == SUNZI_STATUS_OK);
    decrypts_to(engine, key, count, made[0], paillier_plain);
    CHECK(sunzi_paillier_randomize(engine, public_key, method, count, first, BIG, more[0],
                                   ENCRYPTED, NULL) == SUNZI_STATUS_OK);
    for (size_t k = 0; k < count; k++) CHECK(memcmp(made[k], more[k], ENCRYPTED) != 0);
    decrypts_to(engine, key, count, more[0], paillier_plain);
    CHECK(sunzi_paillier_add_plain(engine, public_key, count, first, others, BIG, more[0],
                                   ENCRYPTED, NULL) == SUNZI_STATUS_OK);
    decrypts_to(engine, key, count, more[0], paillier_sums);
    for (uint32_t secrecy = 0; secrecy < 2; secrecy++) {
        CHECK(sunzi_paillier_multiply(engine, public_key, count, first, others, BIG, secrecy,
                                      more[0], ENCRYPTED, NULL) == SUNZI_STATUS_OK);
        decrypts_to(engine, key, count, more[0], paillier_products);
    }
    CHECK(sunzi_paillier_encrypt(engine, public_key, method, count, others, BIG, more[0], ENCRYPTED,
                                 NULL) == SUNZI_STATUS_OK);
    /* In place. */
    CHECK(sunzi_paillier_add(engine, public_key, count, first, second, BIG, more[0], ENCRYPTED,
                             NULL) == SUNZI_STATUS_OK);
    decrypts_to(engine, key, count, more[0], paillier_sums);
    CHECK(sunzi_paillier_sum(engine, public_key, count, first, BIG, more[0], ENCRYPTED) ==
          SUNZI_STATUS_OK);
    decrypts_to(engine, key, 1, more[0], paillier_total);
}

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* Doubles as phe encodes them, and back. */
static void encodings(sunzi_paillier_public_key *key) {
    enum { MOST = 256 };
    static uint8_t plain[MOST][PLAIN];
    int32_t exponents[MOST];
    double back[MOST];
    sunzi_status statuses[MOST];
    sunzi_numbers made = rows(plain[0], PLAIN);
    size_t count = COUNT_OF(encoded_chosen);
    CHECK(count > 0 && count <= MOST);
    CHECK(sunzi_paillier_encode(key, count, encoded_chosen, NULL, BIG, plain[0], PLAIN, exponents,
                                statuses) == SUNZI_STATUS_OK);
    CHECK(memcmp(plain, encoded_chosen_plain, sizeof encoded_chosen_plain) == 0);
    CHECK(memcmp(exponents, encoded_chosen_exponents, sizeof encoded_chosen_exponents) == 0);
    CHECK(sunzi_paillier_decode(key, count, made, exponents, BIG, back, statuses) ==
          SUNZI_STATUS_OK);
    for (size_t k = 0; k < count; k++) CHECK(back[k] == encoded_chosen[k]);

    count = COUNT_OF(encoded_given);
    CHECK(count > 0);
    for (size_t k = 0; k < count; k++) {
        CHECK(sunzi_paillier_encode(key, 1, encoded_given + k, encoded_given_exponents + k, BIG,
                                    plain[0], PLAIN, exponents, NULL) == SUNZI_STATUS_OK);
        CHECK(memcmp(plain, encoded_given_plain + k * PLAIN, PLAIN) == 0);
        CHECK(exponents[0] == encoded_given_exponents[k]);
    }

    /* Integers, and lower exponents. */
    const int64_t integers[] = {0, 1, -1, 12345, -987654321, INT64_MAX, INT64_MIN};
    int64_t same[COUNT_OF(integers)];
    count = COUNT_OF(integers);
    CHECK(sunzi_paillier_encode_integers(key, count, integers, BIG, plain[0], PLAIN) ==
          SUNZI_STATUS_OK);
    CHECK(sunzi_paillier_decode_integers(key, count, made, BIG, same, statuses) == SUNZI_STATUS_OK);
    CHECK(memcmp(same, integers, sizeof integers) == 0);
    memset(exponents, 0, sizeof exponents);
    static uint8_t lower[MOST][PLAIN];
    CHECK(sunzi_paillier_lower_exponents(key, count, made, exponents, BIG, -3, lower[0], PLAIN,
                                         statuses) == SUNZI_STATUS_OK);
    for (size_t k = 0; k < count; k++) exponents[k] = -3;
    sunzi_numbers lowered = rows(lower[0], PLAIN);
    CHECK(sunzi_paillier_decode(key, count, lowered, exponents, BIG, back, NULL) ==
          SUNZI_STATUS_OK);
    for (size_t k = 0; k < count; k++) CHECK(back[k] == (double)integers[k]);
    CHECK(sunzi_paillier_decode_integers(key, count, lowered, BIG, same, statuses) ==
          SUNZI_STATUS_SOME_FAILED); /* 2^63 * 16^3 */
    CHECK(same[3] == 12345 * 4096 && same[5] == 0 && same[6] == 0);
    CHECK(statuses[4] == SUNZI_STATUS_OK && statuses[5] == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_paillier_lower_exponents(key, 1, lowered, exponents, BIG, -2, plain[0], PLAIN,
                                         NULL) == SUNZI_STATUS_SOME_FAILED);
    message_contains("digits would be lost");

    /* What is refused, without harm to the neighbour. */
    const double odd[] = {1.5, INFINITY, -2.25};
    CHECK(sunzi_paillier_encode(key, 3, odd, NULL, BIG, plain[0], PLAIN, exponents, statuses) ==
          SUNZI_STATUS_SOME_FAILED);
    CHECK(statuses[0] == SUNZI_STATUS_OK && statuses[1] == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(statuses[2] == SUNZI_STATUS_OK && exponents[1] == 0);
    CHECK(sunzi_paillier_decode(key, 1, rows(plain[2], PLAIN), exponents + 2, BIG, back, NULL) ==
          SUNZI_STATUS_OK);
    CHECK(back[0] == -2.25);
    /* n / 2 is no number, and n is not below n. */
    CHECK(sunzi_paillier_modulus(key, BIG, plain[1], PLAIN) == SUNZI_STATUS_OK);
    for (size_t i = 0; i < PLAIN; i++)
        plain[0][i] = (uint8_t)(plain[1][i] >> 1 | (i > 0 ? plain[1][i - 1] << 7 : 0));
    memset(exponents, 0, sizeof exponents);
    CHECK(sunzi_paillier_decode(key, 2, made, exponents, BIG, back, statuses) ==
          SUNZI_STATUS_SOME_FAILED);
    CHECK(statuses[0] == SUNZI_STATUS_INVALID && statuses[1] == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(back[0] != back[0] && back[1] != back[1]);
    CHECK(sunzi_paillier_decode(key, 1, made, NULL, BIG, back, NULL) == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_paillier_decode(key, 1, made, exponents, BIG, NULL, NULL) ==
          SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_paillier_encode(key, 1, odd, NULL, BIG, plain[0], PLAIN, NULL, NULL) ==
          SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_paillier_encode(key, 1, odd, NULL, BIG, plain[0], PLAIN - 1, exponents, NULL) ==
          SUNZI_STATUS_BUFFER_TOO_SMALL);
}

static void paillier(sunzi_engine *engine) {
    sunzi_paillier_private_key *key = NULL;
    sunzi_paillier_public_key *public_key = NULL;
    CHECK(sunzi_paillier_private_key_load(engine, BYTES(paillier_private), &key) ==
          SUNZI_STATUS_OK);
    CHECK(sunzi_paillier_public_key_load(engine, BYTES(paillier_public), &public_key) ==
          SUNZI_STATUS_OK);
    CHECK(sunzi_paillier_plaintext_width(public_key) == PLAIN);
    CHECK(sunzi_paillier_plaintext_width(NULL) == 0);
    uint8_t n[PLAIN];
    CHECK(sunzi_paillier_modulus(public_key, BIG, n, PLAIN) == SUNZI_STATUS_OK);
    CHECK(memcmp(n, paillier_n, PLAIN) == 0);
    encodings(public_key);
    /* phe's ciphertexts. */
    decrypts_to(engine, key, PAILLIER_COUNT, paillier_encrypted, paillier_plain);
    paillier_key(engine, key, public_key, SUNZI_PAILLIER_METHOD_FULL);

    /* phe's keys have no base of short randomness. */
    static uint8_t made[2][ENCRYPTED];
    CHECK(sunzi_paillier_encrypt(engine, public_key, SUNZI_PAILLIER_METHOD_SHORT, 1,
                                 rows(n, PLAIN), BIG, made[0], ENCRYPTED,
                                 NULL) == SUNZI_STATUS_BAD_KEY);
    /* n is no plaintext, but n - 1 is one. */
    uint8_t edge[2][PLAIN];
    memcpy(edge[0], n, PLAIN);
    memcpy(edge[1], n, PLAIN);
    edge[1][PLAIN - 1] -= 1;
    sunzi_status statuses[2];
    CHECK(sunzi_paillier_encrypt(engine, public_key, 0, 2, rows(edge[0], PLAIN), BIG, made[0],
                                 ENCRYPTED, statuses) == SUNZI_STATUS_SOME_FAILED);
    message_contains("item 0");
    CHECK(statuses[0] == SUNZI_STATUS_BAD_ARGUMENT && statuses[1] == SUNZI_STATUS_OK);
    decrypts_to(engine, key, 1, made[1], edge[1]);
    CHECK(sunzi_paillier_decrypt(engine, key, 2, rows(made[0], ENCRYPTED), BIG, edge[0], PLAIN,
                                 statuses) == SUNZI_STATUS_SOME_FAILED);
    CHECK(statuses[0] == SUNZI_STATUS_BAD_ARGUMENT && statuses[1] == SUNZI_STATUS_OK);
    CHECK(sunzi_paillier_encrypt(engine, public_key, 2, 1, rows(n, PLAIN), BIG, made[0], ENCRYPTED,
                                 NULL) == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_paillier_encrypt(engine, public_key, 0, 1, rows(n, PLAIN), BIG, made[0],
                                 ENCRYPTED - 1, NULL) == SUNZI_STATUS_BUFFER_TOO_SMALL);
    CHECK(sunzi_paillier_multiply(engine, public_key, 1, rows(made[1], ENCRYPTED), rows(n, 1), BIG,
                                  2, made[0], ENCRYPTED, NULL) == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_paillier_sum(engine, public_key, 0, rows(made[0], ENCRYPTED), BIG, made[0],
                             ENCRYPTED) == SUNZI_STATUS_OK);
    CHECK(made[0][ENCRYPTED - 1] == 1 && made[0][0] == 0);
    sunzi_paillier_private_key_free(key);
    sunzi_paillier_public_key_free(public_key);
    sunzi_paillier_private_key_free(NULL);
    sunzi_paillier_public_key_free(NULL);

    /* A key of our own, written and read again. */
    CHECK(sunzi_paillier_private_key_generate(engine, 2047, NULL, NULL, &key) ==
          SUNZI_STATUS_BAD_KEY);
    int calls = 1;
    CHECK(sunzi_paillier_private_key_generate(engine, 2048, watch, &calls, &key) ==
          SUNZI_STATUS_CANCELLED);
    CHECK(sunzi_paillier_private_key_generate(engine, 2048, NULL, NULL, &key) == SUNZI_STATUS_OK);
    uint8_t text[4096];
    sunzi_output output = {text, 10, 0};
    CHECK(sunzi_paillier_private_key_write(key, &output) == SUNZI_STATUS_BUFFER_TOO_SMALL);
    CHECK(output.length > 10 && output.length < sizeof text);
    output.capacity = sizeof text;
    CHECK(sunzi_paillier_private_key_write(key, &output) == SUNZI_STATUS_OK);
    sunzi_paillier_private_key *again = NULL;
    CHECK(sunzi_paillier_private_key_load(engine, (sunzi_bytes){text, output.length}, &again) ==
          SUNZI_STATUS_OK);
    CHECK(sunzi_paillier_private_key_public(again, &public_key) == SUNZI_STATUS_OK);
    CHECK(sunzi_paillier_public_key_write(public_key, &output) == SUNZI_STATUS_OK);
    sunzi_paillier_public_key_free(public_key);
    CHECK(sunzi_paillier_public_key_load(engine, (sunzi_bytes){text, output.length}, &public_key) ==
          SUNZI_STATUS_OK);
    sunzi_paillier_private_key *wrong = NULL;
    CHECK(sunzi_paillier_private_key_load(engine, (sunzi_bytes){text, output.length}, &wrong) ==
          SUNZI_STATUS_BAD_KEY);
    /* 3 + 5 under encryption, with short randomness, little-endian. */
    uint8_t small[2] = {3, 5}, sum[PLAIN];
    CHECK(sunzi_paillier_encrypt(engine, public_key, SUNZI_PAILLIER_METHOD_SHORT, 2, rows(small, 1),
                                 SUNZI_BYTE_ORDER_LITTLE_ENDIAN, made[0], ENCRYPTED,
                                 NULL) == SUNZI_STATUS_OK);
    CHECK(sunzi_paillier_sum(engine, public_key, 2, rows(made[0], ENCRYPTED),
                             SUNZI_BYTE_ORDER_LITTLE_ENDIAN, made[0],
                             ENCRYPTED) == SUNZI_STATUS_OK);
    CHECK(sunzi_paillier_decrypt(engine, again, 1, rows(made[0], ENCRYPTED),
                                 SUNZI_BYTE_ORDER_LITTLE_ENDIAN, sum, PLAIN,
                                 NULL) == SUNZI_STATUS_OK);
    CHECK(sum[0] == 8 && sum[1] == 0 && sum[PLAIN - 1] == 0);
    sunzi_paillier_private_key_free(key);
    sunzi_paillier_private_key_free(again);
    sunzi_paillier_public_key_free(public_key);
}

static void limits_of_keys(sunzi_engine *engine) {
    sunzi_private_key *key = NULL;
    sunzi_bytes file = BYTES(long_key), none = {NULL, 0};
    CHECK(sunzi_private_key_load(engine, file, none, &key) == SUNZI_STATUS_BAD_KEY);
    CHECK(sunzi_private_key_load_within(engine, file, none, 0, &key) == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(key == NULL);
    CHECK(sunzi_private_key_load_within(engine, file, none, 2, &key) == SUNZI_STATUS_OK);
    sunzi_private_key_free(key);
}

static void raw_rsa(sunzi_engine *engine) {
    sunzi_private_key *key = NULL, *other = NULL;
    sunzi_public_key *public_key = NULL;
    sunzi_bytes none = {NULL, 0};
    CHECK(sunzi_private_key_load(engine, BYTES(raw_key), none, &key) == SUNZI_STATUS_OK);
    CHECK(sunzi_private_key_public(key, &public_key) == SUNZI_STATUS_OK);
    CHECK(sunzi_private_key_generate(engine, "P-256", &other) == SUNZI_STATUS_OK);
    static uint8_t results[RAW_COUNT][RAW_WIDTH];
    const sunzi_private_key *signers[RAW_COUNT];
    const sunzi_public_key *verifiers[RAW_COUNT];
    sunzi_status statuses[RAW_COUNT];
    for (size_t k = 0; k < RAW_COUNT; k++) signers[k] = key, verifiers[k] = public_key;
    sunzi_numbers numbers = rows(raw_numbers, RAW_WIDTH);
    CHECK(sunzi_rsa_private(engine, RAW_COUNT, signers, numbers, BIG, results[0], RAW_WIDTH,
                            statuses) == SUNZI_STATUS_OK);
    CHECK(memcmp(results, raw_private, sizeof raw_private) == 0);
    CHECK(statuses[0] == SUNZI_STATUS_OK && statuses[RAW_COUNT - 1] == SUNZI_STATUS_OK);
    CHECK(sunzi_rsa_public(engine, RAW_COUNT, verifiers, numbers, BIG, results[0], RAW_WIDTH,
                           NULL) == SUNZI_STATUS_OK);
    CHECK(memcmp(results, raw_public, sizeof raw_public) == 0);
    /* There and back, little-endian, in wider rows. */
    static uint8_t wide[2][RAW_WIDTH + 3];
    uint8_t two[1] = {2};
    CHECK(sunzi_rsa_private(engine, 1, signers, rows(two, 1), SUNZI_BYTE_ORDER_LITTLE_ENDIAN,
                            wide[0], RAW_WIDTH + 3, NULL) == SUNZI_STATUS_OK);
    CHECK(sunzi_rsa_public(engine, 1, verifiers, rows(wide[0], RAW_WIDTH + 3),
                           SUNZI_BYTE_ORDER_LITTLE_ENDIAN, wide[1], RAW_WIDTH + 3,
                           NULL) == SUNZI_STATUS_OK);
    CHECK(wide[1][0] == 2 && wide[1][1] == 0 && wide[1][RAW_WIDTH + 2] == 0);

    /* What is refused, each by itself. */
    static uint8_t some[3][RAW_WIDTH];
    memcpy(some[0], raw_modulus, RAW_WIDTH);
    some[1][RAW_WIDTH - 1] = some[2][RAW_WIDTH - 1] = 1;
    signers[1] = other;
    CHECK(sunzi_rsa_private(engine, 3, signers, rows(some[0], RAW_WIDTH), BIG, results[0],
                            RAW_WIDTH, statuses) == SUNZI_STATUS_SOME_FAILED);
    message_contains("not below the modulus");
    CHECK(statuses[0] == SUNZI_STATUS_BAD_ARGUMENT && statuses[1] == SUNZI_STATUS_BAD_KEY);
    CHECK(statuses[2] == SUNZI_STATUS_OK && results[2][RAW_WIDTH - 1] == 1);
    CHECK(results[0][0] == 0 && memcmp(results[0], results[1], RAW_WIDTH) == 0);
    verifiers[1] = NULL;
    CHECK(sunzi_rsa_public(engine, 3, verifiers, rows(some[0], RAW_WIDTH), BIG, results[0],
                           RAW_WIDTH, statuses) == SUNZI_STATUS_SOME_FAILED);
    CHECK(statuses[0] == SUNZI_STATUS_BAD_ARGUMENT && statuses[1] == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(statuses[2] == SUNZI_STATUS_OK);
    CHECK(sunzi_rsa_private(engine, 1, signers, numbers, BIG, results[0], RAW_WIDTH - 1, NULL) ==
          SUNZI_STATUS_BUFFER_TOO_SMALL);
    CHECK(sunzi_rsa_private(engine, 1, signers, numbers, 2, results[0], RAW_WIDTH, NULL) ==
          SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_rsa_private(engine, 1, NULL, numbers, BIG, results[0], RAW_WIDTH, NULL) ==
          SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_rsa_public(NULL, 1, verifiers, numbers, BIG, results[0], RAW_WIDTH, NULL) ==
          SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_rsa_public(engine, 0, NULL, numbers, BIG, results[0], RAW_WIDTH, NULL) ==
          SUNZI_STATUS_OK);
    sunzi_private_key_free(key);
    sunzi_private_key_free(other);
    sunzi_public_key_free(public_key);
}

static void signatures_of_bip340(sunzi_engine *engine) {
    sunzi_bytes none = {NULL, 0};
    int made = 0, verified = 0;
    for (size_t k = 0; k < BIP340_COUNT; k++) {
        uint8_t room[64];
        sunzi_output output = {room, sizeof room, 0};
        sunzi_signature_options options = {0};
        options.scheme = SUNZI_SCHEME_BIP340;
        if (bip340[k].private_key.length > 0) {
            sunzi_private_key *key = NULL;
            CHECK(sunzi_private_key_load(engine, bip340[k].private_key, none, &key) ==
                  SUNZI_STATUS_OK);
            options.auxiliary = bip340[k].auxiliary.data;
            const sunzi_private_key *keys[1] = {key};
            CHECK(sunzi_sign(engine, 1, keys, &bip340[k].message, &options, &output, NULL) ==
                  SUNZI_STATUS_OK);
            CHECK(output.length == 64 && memcmp(room, bip340[k].signature.data, 64) == 0);
            if (k == 0) {
                /* Without auxiliary bytes they are zeros, as those of this vector. */
                options.auxiliary = NULL;
                CHECK(sunzi_sign(engine, 1, keys, &bip340[k].message, &options, &output, NULL) ==
                      SUNZI_STATUS_OK);
                CHECK(memcmp(room, bip340[k].signature.data, 64) == 0);
            }
            sunzi_private_key_free(key);
            made++;
        }
        sunzi_public_key *key = NULL;
        sunzi_status loaded = sunzi_public_key_load(engine, bip340[k].public_key, &key);
        CHECK(loaded == SUNZI_STATUS_OK || (loaded == SUNZI_STATUS_BAD_KEY && !bip340[k].valid));
        if (key == NULL) continue;
        const sunzi_public_key *keys[1] = {key};
        CHECK(sunzi_verify(engine, 1, keys, &bip340[k].message, &bip340[k].signature, &options,
                           NULL) == (bip340[k].valid ? SUNZI_STATUS_OK : SUNZI_STATUS_INVALID));
        sunzi_public_key_free(key);
        verified++;
    }
    CHECK(made == 8 && verified == 17);

    sunzi_private_key *key = NULL;
    CHECK(sunzi_private_key_generate(engine, "P-256", &key) == SUNZI_STATUS_OK);
    const sunzi_private_key *keys[1] = {key};
    uint8_t room[64];
    sunzi_output output = {room, sizeof room, 0};
    sunzi_signature_options options = {0};
    options.scheme = SUNZI_SCHEME_BIP340;
    sunzi_status status;
    CHECK(sunzi_sign(engine, 1, keys, &bip340[0].message, &options, &output, &status) ==
          SUNZI_STATUS_SOME_FAILED);
    CHECK(status == SUNZI_STATUS_BAD_KEY);
    message_contains("BIP 340");
    options.scheme = SUNZI_SCHEME_ED25519_ZIP215;
    CHECK(sunzi_sign(engine, 1, keys, &bip340[0].message, &options, &output, &status) ==
          SUNZI_STATUS_SOME_FAILED);
    message_contains("Ed25519");
    options.scheme = 6;
    CHECK(sunzi_sign(engine, 1, keys, &bip340[0].message, &options, &output, &status) ==
          SUNZI_STATUS_BAD_ARGUMENT);
    sunzi_private_key_free(key);
}

int main(void) {
    sunzi_engine *engine = NULL;
    CHECK(sunzi_engine_new(NULL, 2, &engine) == SUNZI_STATUS_OK);
    powers(engine);
    primes(engine);
    blind_signatures(engine);
    partially_blind_signatures(engine);
    paillier(engine);
    limits_of_keys(engine);
    raw_rsa(engine);
    signatures_of_bip340(engine);
    sunzi_engine_free(engine);
    puts("vectors: all agree");
    return 0;
}
