/* What the test programs share. They know nothing of Sunzi: they are programs like any others. */
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program with a message, if the condition does not hold. */
static inline void must(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "failed: %s\n", what);
        ERR_print_errors_fp(stderr);
        exit(1);
    }
}
