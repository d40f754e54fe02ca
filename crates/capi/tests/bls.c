/* BLS signatures: keys, signatures, verdicts, aggregates, and what is refused. */
#include "check.h"

enum { COUNT = 4, SECRET = 32, WIDEST = 96 };

/* All that a suite does, with so many bytes for keys and signatures. */
static void of_suite(sunzi_engine *engine, uint32_t variant, uint32_t scheme, size_t key_width,
                     size_t signature_width) {
    sunzi_bls *bls = NULL;
    const sunzi_bytes none = {NULL, 0};
    CHECK(sunzi_bls_new(engine, variant, scheme, none, &bls) == SUNZI_STATUS_OK);
    CHECK(sunzi_bls_key_width(bls) == key_width);
    CHECK(sunzi_bls_signature_width(bls) == signature_width);

    static uint8_t secrets[COUNT][SECRET], keys[COUNT * WIDEST], signatures[COUNT * WIDEST];
    static uint8_t proofs[COUNT * WIDEST], aggregate[WIDEST];
    sunzi_status statuses[COUNT];
    uint8_t material[32] = {7};
    CHECK(sunzi_bls_key_of_material((sunzi_bytes){material, 32}, none, secrets[0]) ==
          SUNZI_STATUS_OK);
    for (uint32_t k = 1; k < COUNT; k++)
        CHECK(sunzi_bls_child(secrets[0], k, secrets[k]) == SUNZI_STATUS_OK);
    CHECK(sunzi_bls_public_keys(engine, bls, COUNT, secrets[0], keys, statuses) ==
          SUNZI_STATUS_OK);
    sunzi_bytes messages[COUNT] = {
        {(const uint8_t *)"one", 3}, {NULL, 0}, {keys, 40}, {(const uint8_t *)"four", 4}};
    CHECK(sunzi_bls_sign(engine, bls, COUNT, secrets[0], messages, signatures, NULL) ==
          SUNZI_STATUS_OK);
    sunzi_bytes key[COUNT], signature[COUNT], proof[COUNT];
    CHECK(sunzi_bls_prove(engine, bls, COUNT, secrets[0], proofs, statuses) == SUNZI_STATUS_OK);
    for (size_t k = 0; k < COUNT; k++) {
        key[k] = (sunzi_bytes){keys + k * key_width, key_width};
        signature[k] = (sunzi_bytes){signatures + k * signature_width, signature_width};
        proof[k] = (sunzi_bytes){proofs + k * signature_width, signature_width};
    }
    CHECK(sunzi_bls_validate_keys(engine, bls, COUNT, key, statuses) == SUNZI_STATUS_OK);
    CHECK(sunzi_bls_verify(engine, bls, COUNT, key, messages, signature, statuses) ==
          SUNZI_STATUS_OK);
    CHECK(sunzi_bls_verify_all(engine, bls, COUNT, key, messages, signature) == SUNZI_STATUS_OK);
    CHECK(sunzi_bls_verify_proofs(engine, bls, COUNT, key, proof, statuses) == SUNZI_STATUS_OK);
    CHECK(sunzi_bls_aggregate(engine, bls, COUNT, signature, aggregate) == SUNZI_STATUS_OK);
    const sunzi_bytes sum = {aggregate, signature_width};
    CHECK(sunzi_bls_aggregate_verify(engine, bls, COUNT, key, messages, sum) == SUNZI_STATUS_OK);
    CHECK(sunzi_bls_aggregate_verify(engine, bls, 3, key, messages, sum) == SUNZI_STATUS_INVALID);

    /* One message by all keys. */
    sunzi_bytes same[COUNT];
    for (size_t k = 0; k < COUNT; k++) same[k] = messages[3];
    CHECK(sunzi_bls_sign(engine, bls, COUNT, secrets[0], same, signatures, NULL) ==
          SUNZI_STATUS_OK);
    CHECK(sunzi_bls_aggregate(engine, bls, COUNT, signature, aggregate) == SUNZI_STATUS_OK);
    const sunzi_status fast =
        sunzi_bls_fast_aggregate_verify(engine, bls, COUNT, key, messages[3], sum);
    CHECK(fast == (scheme == SUNZI_BLS_SCHEME_PROOF_OF_POSSESSION ? SUNZI_STATUS_OK
                                                                  : SUNZI_STATUS_BAD_ARGUMENT));
    if (fast == SUNZI_STATUS_OK)
        CHECK(sunzi_bls_fast_aggregate_verify(engine, bls, 0, NULL, messages[3], sum) ==
              SUNZI_STATUS_INVALID);

    /* A wrong signature, and what is no key, beside right ones. */
    sunzi_bytes wrong[COUNT];
    memcpy(wrong, signature, sizeof wrong);
    wrong[1] = signature[0];
    wrong[2].length--;
    CHECK(sunzi_bls_verify(engine, bls, COUNT, key, same, wrong, statuses) ==
          SUNZI_STATUS_INVALID);
    CHECK(statuses[0] == SUNZI_STATUS_OK && statuses[1] == SUNZI_STATUS_INVALID);
    CHECK(statuses[2] == SUNZI_STATUS_INVALID && statuses[3] == SUNZI_STATUS_OK);
    CHECK(sunzi_bls_verify_all(engine, bls, COUNT, key, same, wrong) == SUNZI_STATUS_INVALID);
    key[3].length = 5;
    CHECK(sunzi_bls_verify(engine, bls, COUNT, key, same, signature, statuses) ==
          SUNZI_STATUS_SOME_FAILED);
    CHECK(statuses[2] == SUNZI_STATUS_OK && statuses[3] == SUNZI_STATUS_BAD_KEY);
    message_contains("item 3");
    CHECK(sunzi_bls_validate_keys(engine, bls, COUNT, key, NULL) == SUNZI_STATUS_SOME_FAILED);
    CHECK(sunzi_bls_aggregate_verify(engine, bls, COUNT, key, same, sum) == SUNZI_STATUS_BAD_KEY);
    CHECK(sunzi_bls_aggregate(engine, bls, COUNT, wrong, aggregate) == SUNZI_STATUS_INVALID);

    /* The secret key 0 has no results; its neighbours have theirs. */
    memset(secrets[1], 0, SECRET);
    CHECK(sunzi_bls_public_keys(engine, bls, COUNT, secrets[0], keys, statuses) ==
          SUNZI_STATUS_SOME_FAILED);
    CHECK(statuses[0] == SUNZI_STATUS_OK && statuses[1] == SUNZI_STATUS_BAD_KEY);
    CHECK(keys[key_width] == 0 && keys[2 * key_width] != 0);
    sunzi_bls_free(bls);
}

int main(void) {
    sunzi_engine *engine = NULL;
    CHECK(sunzi_engine_new(NULL, 2, &engine) == SUNZI_STATUS_OK);
    for (uint32_t scheme = 0; scheme < 3; scheme++) {
        of_suite(engine, SUNZI_BLS_VARIANT_MIN_PK, scheme, 48, 96);
        of_suite(engine, SUNZI_BLS_VARIANT_MIN_SIG, scheme, 96, 48);
    }

    /* Arguments. */
    sunzi_bls *bls = NULL;
    const sunzi_bytes none = {NULL, 0};
    CHECK(sunzi_bls_new(engine, 2, 0, none, &bls) == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_bls_new(engine, 0, 3, none, &bls) == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_bls_new(NULL, 0, 0, none, &bls) == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(bls == NULL && sunzi_bls_key_width(NULL) == 0);
    uint8_t secret[SECRET] = {0}, out[WIDEST];
    CHECK(sunzi_bls_key_of_material((sunzi_bytes){secret, 31}, none, out) ==
          SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_bls_child(secret, 0, out) == SUNZI_STATUS_BAD_KEY);

    /* Other tags give other signatures. */
    const char *tag = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";
    const sunzi_bytes tags[2] = {{(const uint8_t *)tag, strlen(tag)}, {(const uint8_t *)tag, 9}};
    sunzi_bls *drand = NULL;
    secret[SECRET - 1] = 3;
    static uint8_t signatures[2][48];
    for (size_t k = 0; k < 2; k++) {
        CHECK(sunzi_bls_new(engine, 1, 0, tags[k], &drand) == SUNZI_STATUS_OK);
        CHECK(sunzi_bls_sign(engine, drand, 1, secret, tags, signatures[k], NULL) ==
              SUNZI_STATUS_OK);
        CHECK(sunzi_bls_sign(engine, drand, 1, secret, NULL, signatures[k], NULL) ==
              SUNZI_STATUS_BAD_ARGUMENT);
        CHECK(sunzi_bls_aggregate(engine, drand, 0, NULL, out) == SUNZI_STATUS_BAD_ARGUMENT);
        sunzi_bls_free(drand);
    }
    CHECK(memcmp(signatures[0], signatures[1], 48) != 0);
    sunzi_bls_free(NULL);
    sunzi_engine_free(engine);
    puts("bls: all as it should be");
    return 0;
}
