// The parts of a card that `residues.cu` uses, in C++ for the processor: blocks of one warp, whose threads are fibers, and products
// of digits one after the other.

const u32 T = 32;

static thread_local Four shared_memory[(STAGES * PART + 6 * PLACES + 2 * SPAN) / 4 + 1];
#define SHARED Four *shared = shared_memory
static Four read_entry(const Four *from) { return *from; }
static u32 block_of() { return number; }
static u32 thread_of() { return now; }
static u32 blocks() { return launched; }
static void synchronize() { exchange(0); }

static int low(u32 pair) { return (signed char)pair + 256 * (signed char)(pair >> 8); }
static int high(u32 pair) { return low(pair >> 16); }
static u32 upper_halves(u32 x, u32 y) { return x >> 16 | (y & 0xffff0000u); }
static u32 from_quad(u32 x, u32 thread) { return exchange(x)[now / 4 * 4 + thread]; }

struct Matrices {
    const u32 *parts;
    u32 next_read;

    void begin(const u32 *all, Four *) { parts = all; }
    void seek(u32 part) { next_read = part; }
    const u32 *next() {
        const u32 *part = parts + next_read * PART;
        next_read = (next_read + 1) % (2 * GROUPS);
        return part;
    }
    void end() {}
};

struct Left {
    u32 pairs[CHUNKS][2];
};

static thread_local Left lefts[2][32];
static thread_local u32 products[32];

static void start_products(int (&d)[8 * GROUP], const Left &left, const u32 *part) {
    u32 which = products[now]++ & 1, g = now / 4, t = now % 4;
    lefts[which][now] = left;
    exchange(0);
    for (u32 k = 0; k < 8 * GROUP; k++) {
        u32 tile = k / 4, second = k / 2 % 2, column = 2 * t + k % 2;
        int sum = 0;
        for (u32 chunk = 0; chunk < CHUNKS; chunk++)
            for (u32 word = 0; word < 4; word++) {
                u32 x = lefts[which][g * 4 + word].pairs[chunk][second];
                u32 y = part[((tile * CHUNKS + chunk) * 8 + column) * 4 + word];
                for (u32 shift = 0; shift < 32; shift += 8)
                    sum += (signed char)(x >> shift) * (signed char)(y >> shift);
            }
        d[k] = sum;
    }
}
template <int N> static void await_products(int (&)[8 * GROUP]) {}
