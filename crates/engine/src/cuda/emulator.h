// The intrinsics of `kernel.cu` in C++ for the processor, for tests where there is no card. The threads of a number are
// fibers that take turns: all of them reach the same exchanges of words in the same order.

#define EMULATED
#define DEVICE static inline
#define KERNEL(threads) static void
#include <ucontext.h>
#include <vector>

typedef unsigned int u32;
typedef unsigned long long u64;

static thread_local u32 flag;
static inline u32 sum_of(u64 sum) { return flag = (u32)(sum >> 32) & 1, (u32)sum; }
static inline u32 add_cc(u32 x, u32 y) { return sum_of((u64)x + y); }
static inline u32 addc_cc(u32 x, u32 y) { return sum_of((u64)x + y + flag); }
static inline u32 addc(u32 x, u32 y) { return x + y + flag; }
static inline u32 sub_cc(u32 x, u32 y) { return sum_of((u64)x - y); }
static inline u32 subc_cc(u32 x, u32 y) { return sum_of((u64)x - y - flag); }
static inline u32 subc(u32 x, u32 y) { return x - y - flag; }
static inline u32 mad_lo_cc(u32 x, u32 y, u32 a) { return sum_of((u64)(x * y) + a); }
static inline u32 madc_lo_cc(u32 x, u32 y, u32 a) { return sum_of((u64)(x * y) + a + flag); }
static inline u32 madc_hi_cc(u32 x, u32 y, u32 a) { return sum_of((u64)(u32)((u64)x * y >> 32) + a + flag); }

static thread_local u32 now, number, launched;
static u32 emulated_thread() { return number * THREADS + now; }
static u32 emulated_threads() { return launched; }
static thread_local u32 turn[THREADS];
static thread_local u32 words[2][THREADS];
static thread_local ucontext_t fibers[THREADS], outside;

// All threads give a word; then the thread reads those of all.
static const u32 *exchange(u32 x) {
    u32 me = now, which = turn[me]++ & 1;
    words[which][me] = x;
    now = (me + 1) % THREADS;
    swapcontext(&fibers[me], &fibers[now]);
    return words[which];
}

static inline u32 share(u32 x, u32 from) { return THREADS == 1 ? x : exchange(x)[from]; }
static inline u32 next(u32 x) {
    if (THREADS == 1) return 0;
    u32 from = now + 1 < THREADS ? now + 1 : now;
    return exchange(x)[from];
}
static inline u32 previous(u32 x) {
    if (THREADS == 1) return 0;
    u32 from = now > 0 ? now - 1 : now;
    return exchange(x)[from];
}
static inline u32 ballot(u32 bit) {
    const u32 *all = exchange(bit);
    u32 bits = 0;
    for (u32 k = 0; k < THREADS; k++) bits |= (u32)(all[k] != 0) << k;
    // The number's place in its warp.
    return bits << number * THREADS % 32;
}
