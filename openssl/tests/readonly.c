/* Loaded before other libraries (LD_PRELOAD), it refuses to make memory writable, as some systems do. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int mprotect(void *start, size_t length, int protection)
{
    if (protection == (PROT_READ | PROT_WRITE)) {
        errno = EACCES;
        return -1;
    }
    return (int)syscall(SYS_mprotect, start, length, protection);
}
