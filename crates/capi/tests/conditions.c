/* What the functions do with wrong arguments, failing items, and buffers that are too small; threads and fork. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static const sunzi_numbers NOTHING = {NULL, 0, 0};

static void powers(sunzi_engine *engine) {
    /* 3^5 modulo 2^64 - 59, 2^64 (even), and 2^127 - 1, in rows of 16 bytes. */
    uint8_t bases[3][16] = {{3}, {3}, {3}}, exponent[1] = {5}, moduli[3][16] = {{0}};
    memset(moduli[0], 0xff, 8);
    moduli[0][0] = 0xc5;
    moduli[1][8] = 1;
    memset(moduli[2], 0xff, 16);
    moduli[2][15] = 0x7f;
    uint8_t results[3][16];
    sunzi_status statuses[3];
    sunzi_numbers b = {bases[0], 16, 16}, e = {exponent, 1, 0}, m = {moduli[0], 16, 16};
    for (uint32_t secrecy = 0; secrecy < 2; secrecy++) {
        memset(results, 0xaa, sizeof results);
        CHECK(sunzi_powers(engine, 3, b, e, m, SUNZI_BYTE_ORDER_LITTLE_ENDIAN, secrecy, results[0], 16,
                           statuses) == SUNZI_STATUS_SOME_FAILED);
        message_contains("item 1");
        message_contains("even");
        CHECK(statuses[0] == SUNZI_STATUS_OK && statuses[2] == SUNZI_STATUS_OK);
        CHECK(statuses[1] == SUNZI_STATUS_BAD_ARGUMENT);
        const uint8_t expected[3][16] = {{243}, {0}, {243}};
        CHECK(memcmp(results, expected, sizeof results) == 0);
    }
    /* Eight bytes suffice for the first modulus only. */
    CHECK(sunzi_powers(engine, 3, b, e, m, SUNZI_BYTE_ORDER_LITTLE_ENDIAN, 1, results[0], 8,
                       statuses) == SUNZI_STATUS_SOME_FAILED);
    CHECK(statuses[0] == SUNZI_STATUS_OK && statuses[2] == SUNZI_STATUS_BUFFER_TOO_SMALL);
    CHECK(results[0][0] == 243);
    /* Big-endian, in place. */
    uint8_t in_place[2][9] = {{0, 0, 0, 0, 0, 0, 0, 0, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 2}};
    uint8_t modulus[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xc5};
    sunzi_numbers rows = {in_place[0], 9, 9}, one = {modulus, 8, 0};
    CHECK(sunzi_powers(engine, 2, rows, e, one, SUNZI_BYTE_ORDER_BIG_ENDIAN, 0, in_place[0], 9,
                       NULL) == SUNZI_STATUS_OK);
    CHECK(in_place[0][8] == 243 && in_place[0][7] == 0 && in_place[1][8] == 32);

    CHECK(sunzi_powers(engine, 0, b, e, m, 0, 0, results[0], 16, NULL) == SUNZI_STATUS_OK);
    CHECK(sunzi_powers(NULL, 1, b, e, m, 0, 0, results[0], 16, NULL) == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_powers(engine, 1, NOTHING, e, m, 0, 0, results[0], 16, NULL) ==
          SUNZI_STATUS_BAD_ARGUMENT);
    message_contains("bases");
    CHECK(sunzi_powers(engine, 1, b, e, m, 0, 0, NULL, 16, NULL) == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_powers(engine, 1, b, e, m, 2, 0, results[0], 16, NULL) == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_powers(engine, 1, b, e, m, 0, 9, results[0], 16, NULL) == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_powers(engine, SIZE_MAX, b, e, m, 0, 0, results[0], 16, NULL) ==
          SUNZI_STATUS_BAD_ARGUMENT);
    sunzi_numbers wide = {bases[0], 5000, 0};
    CHECK(sunzi_powers(engine, 1, wide, e, m, 0, 0, results[0], 16, NULL) ==
          SUNZI_STATUS_BAD_ARGUMENT);
}

static void keys(sunzi_engine *engine) {
    sunzi_private_key *key = NULL, *again = NULL, *agreement = NULL;
    sunzi_public_key *public_key = NULL;
    CHECK(sunzi_private_key_generate(engine, "P-256", &key) == SUNZI_STATUS_OK);
    CHECK(sunzi_private_key_generate(engine, "X25519", &agreement) == SUNZI_STATUS_OK);
    CHECK(sunzi_private_key_generate(engine, "P-255", &again) == SUNZI_STATUS_BAD_KEY);
    CHECK(sunzi_private_key_public(key, &public_key) == SUNZI_STATUS_OK);

    uint8_t file[512];
    sunzi_output output = {file, 3, 0};
    CHECK(sunzi_private_key_write(key, &output) == SUNZI_STATUS_BUFFER_TOO_SMALL);
    CHECK(output.length > 3 && output.length < sizeof file);
    output.capacity = sizeof file;
    CHECK(sunzi_private_key_write(key, &output) == SUNZI_STATUS_OK);
    sunzi_bytes der = {file, output.length}, none = {NULL, 0};
    CHECK(sunzi_private_key_load(engine, der, none, &again) == SUNZI_STATUS_OK);
    sunzi_public_key *loaded = NULL;
    CHECK(sunzi_public_key_load(engine, der, &loaded) == SUNZI_STATUS_BAD_KEY);
    message_contains("private key");
    CHECK(sunzi_public_key_write(public_key, &output) == SUNZI_STATUS_OK);
    der.length = output.length;
    CHECK(sunzi_public_key_load(engine, der, &loaded) == SUNZI_STATUS_OK);
    der.length = 20;
    sunzi_public_key *cut = NULL;
    CHECK(sunzi_public_key_load(engine, der, &cut) == SUNZI_STATUS_BAD_KEY);
    CHECK(sunzi_public_key_load(engine, none, &cut) == SUNZI_STATUS_BAD_KEY);
    CHECK(cut == NULL);

    const uint8_t text[] = "text";
    const sunzi_bytes messages[3] = {{text, 4}, {text, 4}, {NULL, 0}};
    const sunzi_private_key *signers[3] = {key, agreement, again};
    uint8_t room[3][72];
    sunzi_output made[3] = {{room[0], 72, 0}, {room[1], 72, 0}, {room[2], 72, 0}};
    sunzi_status statuses[3];
    CHECK(sunzi_sign(engine, 3, signers, messages, NULL, made, statuses) == SUNZI_STATUS_SOME_FAILED);
    message_contains("X25519 cannot sign");
    CHECK(statuses[0] == SUNZI_STATUS_OK && statuses[2] == SUNZI_STATUS_OK);
    CHECK(statuses[1] == SUNZI_STATUS_BAD_KEY);
    const sunzi_bytes signatures[2] = {{room[0], made[0].length}, {room[2], made[2].length}};
    const sunzi_public_key *verifiers[2] = {public_key, loaded};
    const sunzi_bytes verified[2] = {messages[0], messages[2]};
    CHECK(sunzi_verify(engine, 2, verifiers, verified, signatures, NULL, statuses) == SUNZI_STATUS_OK);
    const sunzi_bytes exchanged[2] = {messages[0], messages[0]};
    CHECK(sunzi_verify(engine, 2, verifiers, exchanged, signatures, NULL, statuses) ==
          SUNZI_STATUS_INVALID);
    CHECK(statuses[0] == SUNZI_STATUS_OK && statuses[1] == SUNZI_STATUS_INVALID);
    sunzi_signature_options raw = {.hash = "sha-512", .raw = 1, .low_s = 1};
    CHECK(sunzi_sign(engine, 1, signers, messages, &raw, made, NULL) == SUNZI_STATUS_OK);
    CHECK(made[0].length == 64);
    made[0].capacity = 63;
    CHECK(sunzi_sign(engine, 1, signers, messages, &raw, made, statuses) == SUNZI_STATUS_SOME_FAILED);
    CHECK(statuses[0] == SUNZI_STATUS_BUFFER_TOO_SMALL);
    raw.hash = "MD5";
    CHECK(sunzi_sign(engine, 1, signers, messages, &raw, made, NULL) == SUNZI_STATUS_BAD_ARGUMENT);
    raw.hash = NULL;
    raw.raw = 2;
    CHECK(sunzi_sign(engine, 1, signers, messages, &raw, made, NULL) == SUNZI_STATUS_BAD_ARGUMENT);
    const sunzi_private_key *null_keys[1] = {NULL};
    CHECK(sunzi_sign(engine, 1, null_keys, messages, NULL, made, NULL) == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_sign(engine, 1, NULL, messages, NULL, made, NULL) == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_sign(engine, 0, NULL, NULL, NULL, NULL, NULL) == SUNZI_STATUS_OK);

    sunzi_private_key_free(key);
    sunzi_private_key_free(again);
    sunzi_private_key_free(agreement);
    sunzi_private_key_free(NULL);
    sunzi_public_key_free(public_key);
    sunzi_public_key_free(loaded);
    sunzi_public_key_free(NULL);
}

/* Lengths and names of keys, and the room that their signatures need. */
static void lengths(sunzi_engine *engine) {
    static const struct {
        const char *name;
        uint32_t bits;
        size_t usual, raw;
    } expected[] = {{"RSA-2048", 2048, 256, 256}, {"P-256", 256, 72, 64},   {"P-521", 521, 139, 132},
                    {"secp256k1", 256, 72, 64},   {"Ed25519", 255, 64, 64}, {"Ed448", 448, 114, 114}};
    const sunzi_signature_options raw = {.raw = 1}, bip340 = {.scheme = SUNZI_SCHEME_BIP340},
                                  wrong = {.padding = 9};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        sunzi_private_key *key;
        sunzi_public_key *public_key;
        CHECK(sunzi_private_key_generate(engine, expected[k].name, &key) == SUNZI_STATUS_OK);
        CHECK(sunzi_private_key_public(key, &public_key) == SUNZI_STATUS_OK);
        CHECK(strcmp(sunzi_private_key_algorithm(key), expected[k].name) == 0);
        CHECK(strcmp(sunzi_public_key_algorithm(public_key), expected[k].name) == 0);
        CHECK(sunzi_private_key_bits(key) == expected[k].bits);
        CHECK(sunzi_public_key_bits(public_key) == expected[k].bits);
        CHECK(sunzi_private_key_signature_size(key, NULL) == expected[k].usual);
        CHECK(sunzi_public_key_signature_size(public_key, &raw) == expected[k].raw);
        int schnorr = strcmp(expected[k].name, "secp256k1") == 0;
        CHECK(sunzi_private_key_signature_size(key, &bip340) == (schnorr ? 64u : 0u));
        if (!schnorr) message_contains("BIP 340");
        CHECK(sunzi_private_key_signature_size(key, &wrong) == 0);
        message_contains("padding");
        uint8_t room[256];
        sunzi_output made = {room, expected[k].usual, 0};
        const sunzi_bytes message = {(const uint8_t *)"text", 4};
        const sunzi_private_key *signers[1] = {key};
        CHECK(sunzi_sign(engine, 1, signers, &message, NULL, &made, NULL) == SUNZI_STATUS_OK);
        CHECK(made.length <= made.capacity);
        sunzi_private_key_free(key);
        sunzi_public_key_free(public_key);
    }
    sunzi_private_key *agreement;
    CHECK(sunzi_private_key_generate(engine, "X25519", &agreement) == SUNZI_STATUS_OK);
    CHECK(sunzi_private_key_signature_size(agreement, NULL) == 0);
    message_contains("X25519 cannot sign");
    CHECK(sunzi_private_key_bits(agreement) == 255);
    sunzi_private_key_free(agreement);
    CHECK(sunzi_private_key_algorithm(NULL) == NULL && sunzi_public_key_algorithm(NULL) == NULL);
    CHECK(sunzi_private_key_bits(NULL) == 0 && sunzi_public_key_bits(NULL) == 0);
    CHECK(sunzi_public_key_signature_size(NULL, NULL) == 0);

    CHECK(strcmp(sunzi_status_name(SUNZI_STATUS_OK), "SUNZI_STATUS_OK") == 0);
    CHECK(strcmp(sunzi_status_name(SUNZI_STATUS_BUFFER_TOO_SMALL), "SUNZI_STATUS_BUFFER_TOO_SMALL") == 0);
    CHECK(strcmp(sunzi_status_name(SUNZI_STATUS_CANCELLED), "SUNZI_STATUS_CANCELLED") == 0);
    CHECK(strcmp(sunzi_status_name(-1), "unknown") == 0);
}

/* Deterministic nonces give one signature, hedged ones a new one each time; both are valid. */
static void nonces(sunzi_engine *engine) {
    const struct {
        const char *name;
        sunzi_signature_options options;
    } kinds[] = {{"P-256", {.raw = 1}},
                 {"Ed25519", {0}},
                 {"secp256k1", {.scheme = SUNZI_SCHEME_BIP340}}};
    for (int k = 0; k < 3; k++) {
        sunzi_private_key *key;
        sunzi_public_key *public_key;
        CHECK(sunzi_private_key_generate(engine, kinds[k].name, &key) == SUNZI_STATUS_OK);
        CHECK(sunzi_private_key_public(key, &public_key) == SUNZI_STATUS_OK);
        const sunzi_bytes message = {(const uint8_t *)"text", 4};
        const sunzi_private_key *signers[1] = {key};
        const sunzi_public_key *verifiers[1] = {public_key};
        uint8_t room[4][64];
        for (int j = 0; j < 4; j++) {
            sunzi_output made = {room[j], 64, 0};
            CHECK(sunzi_sign_with_nonces(engine, 1, signers, &message, &kinds[k].options,
                                         j < 2 ? SUNZI_NONCES_DETERMINISTIC : SUNZI_NONCES_HEDGED, &made,
                                         NULL) == SUNZI_STATUS_OK);
            const sunzi_bytes signature = {room[j], made.length};
            CHECK(sunzi_verify(engine, 1, verifiers, &message, &signature, &kinds[k].options, NULL) ==
                  SUNZI_STATUS_OK);
        }
        CHECK(memcmp(room[0], room[1], 64) == 0);
        CHECK(memcmp(room[1], room[2], 64) != 0 && memcmp(room[2], room[3], 64) != 0);
        sunzi_output made = {room[0], 64, 0};
        CHECK(sunzi_sign_with_nonces(engine, 1, signers, &message, NULL, 2, &made, NULL) ==
              SUNZI_STATUS_BAD_ARGUMENT);
        message_contains("nonces is 2");
        sunzi_private_key_free(key);
        sunzi_public_key_free(public_key);
    }
}

/* The rules for Ed25519 on signatures whose key and R are the point of order 2, with S = 0. */
static void rules_for_ed25519(sunzi_engine *engine) {
    /* SubjectPublicKeyInfo of Ed25519, and the point. */
    uint8_t encoded[44] = {0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0, 0xec};
    memset(encoded + 13, 0xff, 30);
    encoded[43] = 0x7f;
    uint8_t bytes[64] = {0};
    memcpy(bytes, encoded + 12, 32);
    const sunzi_bytes file = {encoded, sizeof encoded}, signature = {bytes, sizeof bytes};
    sunzi_public_key *key;
    CHECK(sunzi_public_key_load(engine, file, &key) == SUNZI_STATUS_OK);
    const sunzi_public_key *keys[1] = {key};
    int accepted[6] = {0};
    for (uint8_t k = 0; k < 32; k++) {
        const sunzi_bytes message = {&k, 1};
        for (uint32_t scheme = 0; scheme < 6; scheme++) {
            if (scheme == SUNZI_SCHEME_BIP340) continue;
            const sunzi_signature_options options = {.scheme = scheme};
            sunzi_status status = sunzi_verify(engine, 1, keys, &message, &signature, &options, NULL);
            CHECK(status == SUNZI_STATUS_OK || status == SUNZI_STATUS_INVALID);
            accepted[scheme] += status == SUNZI_STATUS_OK;
        }
    }
    CHECK(accepted[SUNZI_SCHEME_ED25519_ZIP215] == 32);
    CHECK(accepted[SUNZI_SCHEME_ED25519_COFACTORED] == 32);
    CHECK(accepted[SUNZI_SCHEME_ED25519_DALEK_STRICT] == 0);
    CHECK(accepted[SUNZI_SCHEME_ED25519_RFC8032] == accepted[SUNZI_SCHEME_USUAL]);
    CHECK(accepted[SUNZI_SCHEME_USUAL] > 0 && accepted[SUNZI_SCHEME_USUAL] < 32);
    sunzi_public_key_free(key);
}

static int32_t cancel(void *context, const sunzi_progress *progress) {
    (void)context, (void)progress;
    return 1;
}

/* Whatever fails, and first of all the engine: a handle is null then, and may be freed. */
static void handles(sunzi_engine *engine) {
    static char garbage;
    const sunzi_bytes none = {NULL, 0}, missing = {NULL, 9};
#define NULLED(Type, free, call)                                                                   \
    do {                                                                                           \
        Type *handle = (Type *)(void *)&garbage;                                                   \
        CHECK((call) != SUNZI_STATUS_OK);                                                          \
        CHECK(handle == NULL);                                                                     \
        free(handle);                                                                              \
    } while (0)
    NULLED(sunzi_engine, sunzi_engine_free, sunzi_engine_new("abacus", 0, &handle));
    NULLED(sunzi_engine, sunzi_engine_free, sunzi_engine_new(NULL, 5000, &handle));
    sunzi_engine *const engines[2] = {NULL, engine};
    for (int k = 0; k < 2; k++) {
        sunzi_engine *e = engines[k];
        NULLED(sunzi_private_key, sunzi_private_key_free, sunzi_private_key_load(e, none, none, &handle));
        NULLED(sunzi_private_key, sunzi_private_key_free, sunzi_private_key_load(e, missing, none, &handle));
        NULLED(sunzi_private_key, sunzi_private_key_free,
               sunzi_private_key_load_within(e, none, none, 0, &handle));
        NULLED(sunzi_private_key, sunzi_private_key_free, sunzi_private_key_generate(e, "P-255", &handle));
        NULLED(sunzi_private_key, sunzi_private_key_free, sunzi_private_key_generate(e, NULL, &handle));
        NULLED(sunzi_private_key, sunzi_private_key_free,
               sunzi_private_key_generate_safe(e, 2048, cancel, NULL, &handle));
        NULLED(sunzi_public_key, sunzi_public_key_free, sunzi_public_key_load(e, none, &handle));
        NULLED(sunzi_table, sunzi_table_free, sunzi_table_new(e, none, none, 9, 0, &handle));
        NULLED(sunzi_table, sunzi_table_free, sunzi_table_new(e, none, none, 9, 7, &handle));
        NULLED(sunzi_paillier_private_key, sunzi_paillier_private_key_free,
               sunzi_paillier_private_key_generate(e, 2048, cancel, NULL, &handle));
        NULLED(sunzi_paillier_private_key, sunzi_paillier_private_key_free,
               sunzi_paillier_private_key_load(e, none, &handle));
        NULLED(sunzi_paillier_public_key, sunzi_paillier_public_key_free,
               sunzi_paillier_public_key_load(e, none, &handle));
        NULLED(sunzi_group, sunzi_group_free, sunzi_group_named(e, "none", &handle));
        NULLED(sunzi_group, sunzi_group_free, sunzi_group_new(e, none, none, none, 0, &handle));
        NULLED(sunzi_ballot_key, sunzi_ballot_key_free, sunzi_ballot_key_new(e, NULL, none, 0, &handle));
    }
    NULLED(sunzi_public_key, sunzi_public_key_free, sunzi_private_key_public(NULL, &handle));
    NULLED(sunzi_paillier_public_key, sunzi_paillier_public_key_free,
           sunzi_paillier_private_key_public(NULL, &handle));
#undef NULLED
}

enum { LONG = 1 << 20 };
static uint8_t changing[LONG];
static atomic_int ended;

static void *change(void *unused) {
    (void)unused;
    while (!atomic_load(&ended)) ((volatile uint8_t *)changing)[LONG - 1] ^= 1;
    return NULL;
}

/* A message that another thread changes during the call: each signature is of one message, the old or the new one,
   and of no mixture. EdDSA hashes a message more than once. */
static void changing_messages(sunzi_engine *engine) {
    static uint8_t both[2][LONG];
    both[1][LONG - 1] = 1;
    sunzi_private_key *key;
    sunzi_public_key *public_key;
    CHECK(sunzi_private_key_generate(engine, "Ed25519", &key) == SUNZI_STATUS_OK);
    CHECK(sunzi_private_key_public(key, &public_key) == SUNZI_STATUS_OK);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, change, NULL) == 0);
    for (int round = 0; round < 8; round++) {
        const sunzi_private_key *signers[4] = {key, key, key, key};
        const sunzi_public_key *verifiers[2] = {public_key, public_key};
        sunzi_bytes messages[4], pair[2] = {{both[0], LONG}, {both[1], LONG}};
        uint8_t room[4][64];
        sunzi_output made[4];
        for (int k = 0; k < 4; k++) {
            messages[k] = (sunzi_bytes){changing, LONG};
            made[k] = (sunzi_output){room[k], 64, 0};
        }
        CHECK(sunzi_sign(engine, 4, signers, messages, NULL, made, NULL) == SUNZI_STATUS_OK);
        for (int k = 0; k < 4; k++) {
            const sunzi_bytes signature[2] = {{room[k], 64}, {room[k], 64}};
            sunzi_status statuses[2];
            CHECK(sunzi_verify(engine, 2, verifiers, pair, signature, NULL, statuses) ==
                  SUNZI_STATUS_INVALID);
            CHECK((statuses[0] == SUNZI_STATUS_OK) != (statuses[1] == SUNZI_STATUS_OK));
        }
    }
    atomic_store(&ended, 1);
    CHECK(pthread_join(thread, NULL) == 0);
    sunzi_private_key_free(key);
    sunzi_public_key_free(public_key);
}

/* A child computes with threads of its own, while the parent's are there, and ends them. */
static void in_a_child(sunzi_engine *engine) {
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        powers(engine);
        sunzi_engine_free(engine);
        _exit(0);
    }
    powers(engine);
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void *in_a_thread(void *engine) {
    for (int k = 0; k < 5; k++) powers(engine);
    return NULL;
}

int main(void) {
    sunzi_engine *engine = NULL;
    CHECK(sunzi_engine_new("abacus", 0, &engine) == SUNZI_STATUS_BAD_ARGUMENT);
    message_contains("abacus");
    char small[8];
    CHECK(sunzi_error_message(small, sizeof small) > sizeof small && small[7] == 0);
    CHECK(sunzi_error_message(NULL, 0) > 8);
    CHECK(sunzi_engine_new(NULL, 5000, &engine) == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_engine_new(NULL, 1, NULL) == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(engine == NULL);
    CHECK(sunzi_engine_new(NULL, 2, &engine) == SUNZI_STATUS_OK);
    CHECK(sunzi_engine_backend(engine) != NULL && sunzi_engine_backend(NULL) == NULL);
    CHECK(strchr(sunzi_version(), '.') != NULL);

    powers(engine);
    keys(engine);
    lengths(engine);
    nonces(engine);
    rules_for_ed25519(engine);
    handles(engine);
    changing_messages(engine);
    pthread_t threads[3];
    for (int k = 0; k < 3; k++) CHECK(pthread_create(&threads[k], NULL, in_a_thread, engine) == 0);
    for (int k = 0; k < 3; k++) CHECK(pthread_join(threads[k], NULL) == 0);

    in_a_child(engine);
    /* An engine that has started no threads before the fork. */
    sunzi_engine *fresh = NULL;
    CHECK(sunzi_engine_new(NULL, 2, &fresh) == SUNZI_STATUS_OK);
    in_a_child(fresh);
    sunzi_engine_free(fresh);

    sunzi_engine_free(engine);
    sunzi_engine_free(NULL);
    puts("conditions: all hold");
    return 0;
}
