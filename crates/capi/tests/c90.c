/* The header in the C of 1990, and its version. */
#include <sunzi.h>

#include <stdio.h>
#include <string.h>

int main(void) {
    char version[40];
    sprintf(version, "%d.%d.%d", SUNZI_VERSION_MAJOR, SUNZI_VERSION_MINOR, SUNZI_VERSION_PATCH);
    if (strcmp(version, SUNZI_VERSION) != 0 || strcmp(version, sunzi_version()) != 0) {
        fprintf(stderr, "%s, %s and %s are not one version\n", version, SUNZI_VERSION, sunzi_version());
        return 1;
    }
    printf("version %s\n", version);
    return 0;
}
