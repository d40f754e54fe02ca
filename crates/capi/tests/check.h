/* What the tests have in common. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunzi.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            char message[300];                                                                     \
            sunzi_error_message(message, sizeof message);                                          \
            fprintf(stderr, "%s:%d: %s; last message: %s\n", __FILE__, __LINE__, #condition,        \
                    message);                                                                      \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static inline void message_contains(const char *words) {
    char message[300];
    CHECK(sunzi_error_message(message, sizeof message) == strlen(message) + 1);
    CHECK(strstr(message, words) != NULL);
}
