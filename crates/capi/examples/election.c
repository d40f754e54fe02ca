/* An election: encrypted ballots with proofs, their verification, the sum, and a proof that it is right.
 *
 *   cc election.c $(pkg-config --cflags --libs sunzi) -o election
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunzi.h>

enum { VOTERS = 20, BIG = SUNZI_BYTE_ORDER_BIG_ENDIAN };

static void check(sunzi_status status) {
    if (status == SUNZI_STATUS_OK) return;
    char message[200];
    sunzi_error_message(message, sizeof message);
    fprintf(stderr, "error %d: %s\n", (int)status, message);
    exit(1);
}

static uint8_t *room(size_t size) {
    uint8_t *bytes = calloc(size, 1);
    if (bytes == NULL) exit(1);
    return bytes;
}

int main(void) {
    sunzi_engine *engine;
    sunzi_group *group;
    check(sunzi_engine_new(NULL, 0, &engine));
    check(sunzi_group_named(engine, "ElectionGuard", &group));
    const size_t element = sunzi_group_element_width(group);
    const size_t exponent = sunzi_group_exponent_width(group);
    const size_t ballot = sunzi_ballot_width(group);
    const sunzi_bytes context = {(const uint8_t *)"town hall, 2026", 15};

    /* The key x of the election, and K = g^x. */
    uint8_t *x = room(exponent), *g = room(element), *k = room(element);
    check(sunzi_group_random_exponents(group, 1, BIG, x));
    check(sunzi_group_numbers(group, BIG, NULL, NULL, g));
    check(sunzi_group_powers(engine, group, 1, (sunzi_numbers){x, exponent, 0}, BIG, k, element,
                             NULL));
    sunzi_ballot_key *key;
    check(sunzi_ballot_key_new(engine, group, (sunzi_bytes){k, element}, BIG, &key));

    /* Every third votes for it. */
    uint8_t votes[VOTERS], *ballots = room(VOTERS * ballot);
    uint32_t expected = 0;
    for (size_t i = 0; i < VOTERS; i++) expected += votes[i] = i % 3 == 0;
    check(sunzi_ballots_encrypt(engine, key, VOTERS, (sunzi_bytes){votes, VOTERS}, context, BIG,
                                ballots, NULL));
    check(sunzi_ballots_verify(engine, key, VOTERS, ballots, context, BIG, NULL));

    uint8_t *sum = room(2 * element), *share = room(element), *proof = room(2 * exponent);
    uint32_t counted;
    check(sunzi_ballots_sum(engine, group, VOTERS, ballots, BIG, sum));
    check(sunzi_ballots_decrypt_sum(engine, group, (sunzi_bytes){x, exponent}, sum, VOTERS, BIG,
                                    &counted, share));
    /* The share has the logarithm to alpha that K has to g. */
    const sunzi_statements statement = {
        .g = {g, element, 0},
        .a = {k, element, 0},
        .h = {sum, element, 0},
        .b = {share, element, 0},
        .context = context,
    };
    check(sunzi_equality_prove(engine, group, 1, statement, (sunzi_numbers){x, exponent, 0}, BIG,
                               proof, NULL));
    check(sunzi_equality_verify(engine, group, 1, statement, BIG, proof, NULL));
    if (counted != expected) return 1;
    printf("%u of %d votes, proved\n", (unsigned)counted, VOTERS);

    /* A ballot that was changed is found. */
    ballots[ballot - 1] ^= 1;
    sunzi_status statuses[VOTERS];
    if (sunzi_ballots_verify(engine, key, VOTERS, ballots, context, BIG, statuses) !=
            SUNZI_STATUS_INVALID ||
        statuses[0] != SUNZI_STATUS_INVALID || statuses[1] != SUNZI_STATUS_OK)
        return 1;

    free(x), free(g), free(k), free(ballots), free(sum), free(share), free(proof);
    sunzi_ballot_key_free(key);
    sunzi_group_free(group);
    sunzi_engine_free(engine);
    return 0;
}
