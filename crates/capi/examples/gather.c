/*
 * A thousand signatures from one thread, which waits for none of them: they are submitted, computed in batches, and
 * taken when poll says that some are finished. Then one that waits, as a server with threads would ask for it.
 */
#define _POSIX_C_SOURCE 200809L
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunzi.h>

enum { COUNT = 1000 };

/* What belongs to one signature: its message, and its place. */
struct operation {
    char message[32];
    uint8_t bytes[128];
    sunzi_output signature;
    int is_finished;
};

static struct operation operations[COUNT];

static void must(sunzi_status status)
{
    if (status != SUNZI_STATUS_OK) {
        char words[256];
        sunzi_error_message(words, sizeof words);
        fprintf(stderr, "%s: %s\n", sunzi_status_name(status), words);
        exit(1);
    }
}

static void verify(const sunzi_engine *engine, const sunzi_public_key *key, const struct operation *operation)
{
    sunzi_bytes message = { (const uint8_t *)operation->message, strlen(operation->message) };
    sunzi_bytes signature = { operation->bytes, operation->signature.length };
    must(sunzi_verify(engine, 1, &key, &message, &signature, NULL, NULL));
}

int main(void)
{
    sunzi_engine *engine;
    sunzi_private_key *key;
    sunzi_public_key *public_key;
    sunzi_gather *gather;
    must(sunzi_engine_new(NULL, 1, &engine));
    must(sunzi_private_key_generate(engine, "P-384", &key));
    must(sunzi_private_key_public(key, &public_key));
    must(sunzi_gather_new(engine, 1, &gather));

    for (int i = 0; i < COUNT; i++) {
        struct operation *operation = &operations[i];
        snprintf(operation->message, sizeof operation->message, "message %d", i);
        sunzi_bytes message = { (const uint8_t *)operation->message, strlen(operation->message) };
        operation->signature.data = operation->bytes;
        operation->signature.capacity = sizeof operation->bytes;
        must(sunzi_gather_submit(gather, key, message, NULL, SUNZI_NONCES_HEDGED, &operation->signature, operation));
    }
    struct pollfd descriptor = { sunzi_gather_descriptor(gather), POLLIN, 0 };
    int finished = 0, turns = 0;
    while (finished < COUNT) {
        sunzi_completion completions[64];
        if (poll(&descriptor, 1, 60000) != 1) {
            fprintf(stderr, "nothing came\n");
            return 1;
        }
        size_t taken = sunzi_gather_take(gather, completions, 64);
        for (size_t i = 0; i < taken; i++) {
            struct operation *operation = completions[i].tag;
            must(completions[i].status);
            if (operation->is_finished) {
                fprintf(stderr, "a signature came twice\n");
                return 1;
            }
            operation->is_finished = 1;
        }
        finished += (int)taken;
        turns++;
    }
    if (poll(&descriptor, 1, 0) != 0) {
        fprintf(stderr, "there is nothing left to take\n");
        return 1;
    }
    for (int i = 0; i < COUNT; i++)
        verify(engine, public_key, &operations[i]);

    struct operation *last = &operations[0];
    sunzi_bytes message = { (const uint8_t *)last->message, strlen(last->message) };
    must(sunzi_gather_sign(gather, key, message, NULL, SUNZI_NONCES_DETERMINISTIC, &last->signature));
    verify(engine, public_key, last);
    printf("%d signatures, taken in %d turns\n", COUNT, turns);

    sunzi_gather_free(gather);
    sunzi_public_key_free(public_key);
    sunzi_private_key_free(key);
    sunzi_engine_free(engine);
    return 0;
}
