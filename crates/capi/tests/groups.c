/* Groups modulo a prime: what examples/election.c does not show, mostly what is refused. */
#include "check.h"

enum { LITTLE = SUNZI_BYTE_ORDER_LITTLE_ENDIAN, ELEMENT = 512, EXPONENT = 32 };

int main(void) {
    sunzi_engine *engine = NULL;
    sunzi_group *group = NULL, *again = NULL;
    CHECK(sunzi_engine_new(NULL, 2, &engine) == SUNZI_STATUS_OK);
    CHECK(sunzi_group_named(engine, "modp17", &group) == SUNZI_STATUS_BAD_ARGUMENT);
    message_contains("modp17");
    const char *names[4] = {"modp3072", "modp4096", "ffdhe3072", "ffdhe4096"};
    for (size_t k = 0; k < 4; k++) {
        CHECK(sunzi_group_named(engine, names[k], &group) == SUNZI_STATUS_OK);
        const size_t bytes = k % 2 == 0 ? 384 : 512;
        CHECK(sunzi_group_element_width(group) == bytes);
        CHECK(sunzi_group_exponent_width(group) == bytes);
        sunzi_group_free(group);
    }
    CHECK(sunzi_group_named(engine, "ElectionGuard", &group) == SUNZI_STATUS_OK);
    CHECK(sunzi_group_element_width(group) == ELEMENT);
    CHECK(sunzi_group_exponent_width(group) == EXPONENT);
    CHECK(sunzi_ballot_width(group) == 2 * ELEMENT + 4 * EXPONENT);

    /* The same numbers, as if they were our own. */
    static uint8_t p[ELEMENT], q[EXPONENT], g[ELEMENT];
    CHECK(sunzi_group_numbers(group, LITTLE, p, q, g) == SUNZI_STATUS_OK);
    CHECK(q[0] == 0x43 && q[EXPONENT - 1] == 0xff); /* 2^256 - 189 */
    sunzi_bytes numbers[3] = {{p, ELEMENT}, {q, EXPONENT}, {g, ELEMENT}};
    CHECK(sunzi_group_new(engine, numbers[0], numbers[1], numbers[2], LITTLE, &again) ==
          SUNZI_STATUS_OK);
    sunzi_group_free(again);
    again = NULL;
    p[0] ^= 1;
    CHECK(sunzi_group_new(engine, numbers[0], numbers[1], numbers[2], LITTLE, &again) ==
          SUNZI_STATUS_BAD_ARGUMENT);
    p[0] ^= 1;
    g[0] ^= 1;
    CHECK(sunzi_group_new(engine, numbers[0], numbers[1], numbers[2], LITTLE, &again) ==
          SUNZI_STATUS_BAD_ARGUMENT);
    message_contains("order");
    g[0] ^= 1;
    CHECK(again == NULL);

    /* g^1 = g, g^0 = 1; q is no exponent. By sunzi_powers the same as by the tables. */
    static uint8_t exponents[4][EXPONENT], powers[4][ELEMENT], plain[4][ELEMENT];
    exponents[1][0] = 1;
    CHECK(sunzi_group_random_exponents(group, 1, LITTLE, exponents[2]) == SUNZI_STATUS_OK);
    memcpy(exponents[3], q, EXPONENT);
    sunzi_numbers all = {exponents[0], EXPONENT, EXPONENT};
    sunzi_numbers base = {g, ELEMENT, 0}, modulus = {p, ELEMENT, 0};
    sunzi_status statuses[4];
    CHECK(sunzi_group_powers(engine, group, 4, all, LITTLE, powers[0], ELEMENT, statuses) ==
          SUNZI_STATUS_SOME_FAILED);
    CHECK(statuses[2] == SUNZI_STATUS_OK && statuses[3] == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(powers[0][0] == 1 && powers[0][1] == 0 && memcmp(powers[1], g, ELEMENT) == 0);
    CHECK(sunzi_powers(engine, 3, base, all, modulus, LITTLE, 0, plain[0], ELEMENT, NULL) ==
          SUNZI_STATUS_OK);
    CHECK(memcmp(powers, plain, 3 * ELEMENT) == 0);
    CHECK(powers[3][0] == 0);

    /* Members: 1, g, a power; neither 0 nor p - 1. */
    memcpy(powers[3], p, ELEMENT);
    powers[3][0] -= 1;
    sunzi_numbers elements = {powers[0], ELEMENT, ELEMENT};
    CHECK(sunzi_group_members(engine, group, 4, elements, LITTLE, statuses) ==
          SUNZI_STATUS_INVALID);
    for (size_t k = 0; k < 3; k++) CHECK(statuses[k] == SUNZI_STATUS_OK);
    CHECK(statuses[3] == SUNZI_STATUS_INVALID);
    static uint8_t zero[ELEMENT];
    sunzi_numbers nothing = {zero, ELEMENT, 0};
    CHECK(sunzi_group_members(engine, group, 1, nothing, LITTLE, NULL) == SUNZI_STATUS_INVALID);

    /* Proofs of equality: of a true and of a false statement, and in another context. */
    static uint8_t two[2][ELEMENT], proofs[2][2 * EXPONENT];
    memcpy(two[0], powers[2], ELEMENT);
    memcpy(two[1], g, ELEMENT);
    sunzi_numbers power = {powers[2], ELEMENT, 0}, second = {two[0], ELEMENT, ELEMENT};
    sunzi_numbers x = {exponents[2], EXPONENT, 0};
    sunzi_statements statements = {base, power, base, second, {NULL, 0}};
    CHECK(sunzi_equality_prove(engine, group, 2, statements, x, LITTLE, proofs[0], statuses) ==
          SUNZI_STATUS_OK);
    CHECK(sunzi_equality_verify(engine, group, 2, statements, LITTLE, proofs[0], statuses) ==
          SUNZI_STATUS_INVALID);
    CHECK(statuses[0] == SUNZI_STATUS_OK && statuses[1] == SUNZI_STATUS_INVALID);
    statements.context = (sunzi_bytes){q, 1};
    CHECK(sunzi_equality_verify(engine, group, 1, statements, LITTLE, proofs[0], NULL) ==
          SUNZI_STATUS_INVALID);
    statements.context.length = 0;
    memcpy(proofs[0], q, EXPONENT);
    CHECK(sunzi_equality_verify(engine, group, 1, statements, LITTLE, proofs[0], NULL) ==
          SUNZI_STATUS_INVALID);
    sunzi_numbers wrong = {exponents[3], EXPONENT, 0};
    CHECK(sunzi_equality_prove(engine, group, 1, statements, wrong, LITTLE, proofs[0], statuses) ==
          SUNZI_STATUS_SOME_FAILED);
    CHECK(statuses[0] == SUNZI_STATUS_BAD_ARGUMENT && proofs[0][0] == 0);
    CHECK(sunzi_equality_prove(engine, group, 1, statements, x, LITTLE, NULL, NULL) ==
          SUNZI_STATUS_BAD_ARGUMENT);

    /* Ballots: 2 is no vote; p - 1 is no key; the sum of none is 0. */
    sunzi_ballot_key *key = NULL;
    CHECK(sunzi_ballot_key_new(engine, group, (sunzi_bytes){powers[3], ELEMENT}, LITTLE, &key) ==
          SUNZI_STATUS_BAD_KEY);
    CHECK(sunzi_ballot_key_new(engine, group, (sunzi_bytes){powers[2], ELEMENT}, LITTLE, &key) ==
          SUNZI_STATUS_OK);
    static uint8_t ballots[3][2 * ELEMENT + 4 * EXPONENT];
    const uint8_t votes[3] = {1, 2, 0};
    sunzi_bytes context = {NULL, 0};
    CHECK(sunzi_ballots_encrypt(engine, key, 3, (sunzi_bytes){votes, 3}, context, LITTLE,
                                ballots[0], statuses) == SUNZI_STATUS_SOME_FAILED);
    message_contains("item 1");
    CHECK(statuses[0] == SUNZI_STATUS_OK && statuses[1] == SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_ballots_verify(engine, key, 3, ballots[0], context, LITTLE, statuses) ==
          SUNZI_STATUS_INVALID);
    CHECK(statuses[0] == SUNZI_STATUS_OK && statuses[1] == SUNZI_STATUS_INVALID);
    CHECK(statuses[2] == SUNZI_STATUS_OK);
    CHECK(sunzi_ballots_encrypt(engine, key, 3, (sunzi_bytes){votes, 2}, context, LITTLE,
                                ballots[0], NULL) == SUNZI_STATUS_BAD_ARGUMENT);
    static uint8_t sum[2 * ELEMENT], share[ELEMENT];
    uint32_t counted = 9;
    sunzi_bytes private_key = {exponents[2], EXPONENT};
    CHECK(sunzi_ballots_sum(engine, group, 0, NULL, LITTLE, sum) == SUNZI_STATUS_OK);
    CHECK(sunzi_ballots_decrypt_sum(engine, group, private_key, sum, 1, LITTLE, &counted, share) ==
          SUNZI_STATUS_OK);
    CHECK(counted == 0 && share[0] == 1);
    CHECK(sunzi_ballots_sum(engine, group, 1, ballots[0], LITTLE, sum) == SUNZI_STATUS_OK);
    CHECK(sunzi_ballots_decrypt_sum(engine, group, private_key, sum, 0, LITTLE, &counted, share) ==
          SUNZI_STATUS_BAD_ARGUMENT);
    CHECK(sunzi_ballots_decrypt_sum(engine, group, private_key, sum, 1, LITTLE, &counted, share) ==
          SUNZI_STATUS_OK);
    CHECK(counted == 1);
    sunzi_ballot_key_free(key);
    sunzi_ballot_key_free(NULL);
    sunzi_group_free(group);
    sunzi_group_free(NULL);
    sunzi_engine_free(engine);
    puts("groups: all as it should be");
    return 0;
}
