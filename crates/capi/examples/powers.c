/* A thousand powers modulo one number of 2048 bits, and how to read errors.
 *
 *   cc powers.c $(pkg-config --cflags --libs sunzi) -o powers
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunzi.h>

enum { COUNT = 1000, WIDTH = 256 };

static void check(sunzi_status status) {
    if (status == SUNZI_STATUS_OK) return;
    char message[200];
    sunzi_error_message(message, sizeof message);
    fprintf(stderr, "%s: %s\n", sunzi_status_name(status), message);
    exit(1);
}

int main(void) {
    sunzi_engine *engine;
    check(sunzi_engine_new(NULL, 0, &engine));

    static uint8_t bases[COUNT][WIDTH], results[COUNT][WIDTH];
    uint8_t modulus[WIDTH], exponent[WIDTH];
    memset(modulus, 0xff, WIDTH); /* odd, 2048 bits */
    memset(exponent, 0x5a, WIDTH);
    for (int k = 0; k < COUNT; k++) bases[k][0] = (uint8_t)k, bases[k][1] = (uint8_t)(k >> 8);

    /* A stride of 0: the same exponent and modulus for all. */
    sunzi_numbers all_bases = {bases[0], WIDTH, WIDTH};
    sunzi_numbers one_exponent = {exponent, WIDTH, 0};
    sunzi_numbers one_modulus = {modulus, WIDTH, 0};
    check(sunzi_powers(engine, COUNT, all_bases, one_exponent, one_modulus,
                       SUNZI_BYTE_ORDER_LITTLE_ENDIAN, SUNZI_SECRECY_SECRET, results[0], WIDTH, NULL));
    /* 0^e = 0 and 1^e = 1 */
    if (results[0][0] != 0 || results[1][0] != 1 || results[1][1] != 0) return 1;
    printf("%d powers on backend %s\n", COUNT, sunzi_engine_backend(engine));

    sunzi_engine_free(engine);
    return 0;
}
