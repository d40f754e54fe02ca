// Kernels of the device `cuda-matrix`: programs in residues, with the card's matrix units for base extensions.
//
// A number is its residues modulo the moduli a_j of base A and b_i of base B, C channels each, all below 2^15: signed
// integers of 16 bits, each as two signed bytes, the *digits*, x = lo + 256 hi. Channel C - 1 of base A has no modulus:
// its residues are zero, and in extensions from B to A it has the quotient. In base B a number is kept times
// (B/b_i)^-1, ready for the extension. Sixteen numbers are in a warp: thread 4 g + t has the channels 8 p + t and
// 8 p + 4 + t, for p < C / 8, of the numbers g and g + 8, as one word each, a *pair*. That is how matrix units take
// their left operand and give their result, so that nothing moves between threads.
//
// A product of x and y modulo P, in Montgomery form with F = A:
//   xi_j = -x y P^-1 (A/a_j)^-1 mod a_j,
//   z_i  = (x y + P sum_j xi_j (A/a_j)) / A mod b_i          a matrix product of C x C pairs of digits,
//   z mod a_j = sum_i z_i' (B/b_i) - alpha B mod a_j          another; alpha = round(sum_i z_i' / b_i), z_i' as kept.
// The first extension is not corrected: z is below D P in absolute value, with the D that `plan.rs` computes, and below
// B / 2, so that alpha is exact.
//
// Each residue is reduced as v 2^-16 mod m (`reduce`); constants make up for that. `plan.rs` proves that no sum
// overflows. Every branch and every address depends on the code and on public digits only.
//
// Compiled with definitions of CHANNELS (C), WARPS (of a block), GROUP (pairs of channels that are multiplied
// together), RESIDENT (1: the matrices are in shared memory; 0: they pass through it), LIMBS (words of an integer),
// LIFT (D) and LIFT_BITS (2 D < 2^LIFT_BITS).

const u32 C = CHANNELS, PAIRS = C / 8;
// Chunks of 16 bytes in a row of digits: pairs, padded for steps of two.
const u32 CHUNKS = (PAIRS + 1) / 2 * 2;
const u32 GROUPS = (PAIRS + GROUP - 1) / GROUP;
// Words of a group's part of a matrix, and of a number of a warp's in one base; pairs of 4 threads.
const u32 PART = GROUP * 2 * CHUNKS * 32, PLACES = PAIRS * 4;
const u32 SPAN = PAIRS * 32;
// Words of a row, which has one number in both bases.
const u32 ROW = 2 * PLACES;
// Parts of matrices in shared memory.
const u32 STAGES = RESIDENT ? 2 * GROUPS : 4;

// The plan, in words: constants of pairs of channels, then the parts of both matrices, that with the quotient as the
// first of the second one; then constants of channels for integers that leave.
const u32 MODULI_A = 0, MODULI_B = 2 * PLACES;
const u32 SCALE_XY = 4 * PLACES, MINUS_B = 5 * PLACES, TO_MINUS_INVERSE = 6 * PLACES, TO_FACTOR = 7 * PLACES;
const u32 ONE_A = 8 * PLACES, ONE_B = 9 * PLACES, KEPT_ONE_B = 10 * PLACES;
const u32 SQUARE_A = 11 * PLACES, KEPT_SQUARE_B = 12 * PLACES, BYTE_A = 13 * PLACES, BYTE_B = 14 * PLACES;
const u32 MATRICES = 15 * PLACES, LEAVING = MATRICES + 2 * GROUPS * PART;

struct alignas(8) Two {
    u32 x, y;
};
struct alignas(16) Four {
    u32 x, y, z, w;
};

#ifdef EMULATED
#include "emulated.h"
#else
// Products of a warp group's left operand with a part of a matrix in shared memory (`from`), 64 by 32 bytes by 16 GROUP
// columns: the first ones are the sums, the next ones are added.
#define FIRST_32(d, a, b, c, e, from) \
    asm volatile(\
        "{ .reg .pred p; setp.ne.b32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n32k32.s32.s8.s8 {%0, %1, %2, "\
        "%3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19}, %20, p; }"\
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5]), "=r"(d[6]), "=r"(d[7]), \
        "=r"(d[8]), "=r"(d[9]), "=r"(d[10]), "=r"(d[11]), "=r"(d[12]), "=r"(d[13]), "=r"(d[14]), \
        "=r"(d[15]) : "r"(a), "r"(b), "r"(c), "r"(e), "l"(from))
#define NEXT_32(d, a, b, c, e, from) \
    asm volatile(\
        "{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n32k32.s32.s8.s8 {%0, %1, %2, "\
        "%3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19}, %20, p; }"\
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]), \
        "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), \
        "+r"(d[15]) : "r"(a), "r"(b), "r"(c), "r"(e), "l"(from))
#define FIRST_48(d, a, b, c, e, from) \
    asm volatile(\
        "{ .reg .pred p; setp.ne.b32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n48k32.s32.s8.s8 {%0, %1, %2, "\
        "%3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23}, "\
        "{%24, %25, %26, %27}, %28, p; }"\
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5]), "=r"(d[6]), "=r"(d[7]), \
        "=r"(d[8]), "=r"(d[9]), "=r"(d[10]), "=r"(d[11]), "=r"(d[12]), "=r"(d[13]), "=r"(d[14]), \
        "=r"(d[15]), "=r"(d[16]), "=r"(d[17]), "=r"(d[18]), "=r"(d[19]), "=r"(d[20]), "=r"(d[21]), \
        "=r"(d[22]), "=r"(d[23]) : "r"(a), "r"(b), "r"(c), "r"(e), "l"(from))
#define NEXT_48(d, a, b, c, e, from) \
    asm volatile(\
        "{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n48k32.s32.s8.s8 {%0, %1, %2, "\
        "%3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23}, "\
        "{%24, %25, %26, %27}, %28, p; }"\
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]), \
        "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), \
        "+r"(d[15]), "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), "+r"(d[21]), \
        "+r"(d[22]), "+r"(d[23]) : "r"(a), "r"(b), "r"(c), "r"(e), "l"(from))
#if GROUP == 2
#define FIRST FIRST_32
#define NEXT NEXT_32
#else
#define FIRST FIRST_48
#define NEXT NEXT_48
#endif

DEVICE void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
DEVICE void commit_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Waits until at most N groups of products are unfinished.
template <int N> DEVICE void await_products(int (&d)[8 * GROUP]) {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
#pragma unroll
    for (u32 k = 0; k < 8 * GROUP; k++) asm volatile("" : "+r"(d[k])::"memory");
}

// The digits of a pair as integers.
DEVICE int low(u32 pair) {
    int x;
    asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(x) : "r"(0x01000001), "r"(pair), "r"(0));
    return x;
}
DEVICE int high(u32 pair) {
    int x;
    asm("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(x) : "r"(0x01000001), "r"(pair), "r"(0));
    return x;
}
// The upper halves of two words.
DEVICE u32 upper_halves(u32 x, u32 y) { return __byte_perm(x, y, 0x7632); }
DEVICE u32 from_quad(u32 x, u32 thread) { return __shfl_sync(0xffffffffu, x, thread, 4); }
// Four words of a table: past the first cache, for which tables are too large.
DEVICE Four read_entry(const Four *from) {
    Four x;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "l"(from));
    return x;
}
DEVICE u32 block_of() { return blockIdx.x; }
DEVICE u32 thread_of() { return threadIdx.x; }
DEVICE u32 blocks() { return gridDim.x; }
DEVICE void synchronize() { __syncthreads(); }
#define SHARED extern __shared__ Four shared[]

// Matrices in shared memory: all parts, or the next few of them.
struct Matrices {
    const u32 *parts;
    u32 memory, stage, next_read, next_fetched;

    __device__ __forceinline__ void fetch(u32 stage) {
        const u32 *from = parts + next_fetched * PART;
        for (u32 k = threadIdx.x; k < PART / 4; k += WARPS * 32)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(memory + (stage * PART + 4 * k) * 4),
                         "l"(from + 4 * k)
                         : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
        next_fetched = next_fetched + 1 == 2 * GROUPS ? 0 : next_fetched + 1;
    }

    __device__ __forceinline__ void begin(const u32 *all, Four *shared) {
        parts = all;
        memory = (u32)__cvta_generic_to_shared(shared);
        next_read = 2 * GROUPS;
        if (RESIDENT) {
            for (u32 k = threadIdx.x; k < STAGES * PART / 4; k += WARPS * 32) shared[k] = ((const Four *)all)[k];
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            __syncthreads();
        }
    }

    // The next part to be read is this one.
    __device__ __forceinline__ void seek(u32 part) {
        if (RESIDENT) next_read = part;
        if (next_read == part) return;
        end();
        stage = 0;
        next_fetched = next_read = part;
        for (u32 k = 0; k < STAGES - 2; k++) fetch(k);
    }

    // The address of the next part. Of the parts before, only the last two may still be read.
    __device__ __forceinline__ u32 next() {
        u32 part = next_read;
        next_read = part + 1 == 2 * GROUPS ? 0 : part + 1;
        if (RESIDENT) return memory + part * PART * 4;
        asm volatile("cp.async.wait_group %0;" ::"n"(RESIDENT ? 0 : STAGES - 3) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        fetch(stage >= 2 ? stage - 2 : stage + STAGES - 2);
        u32 address = memory + stage * PART * 4;
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        return address;
    }

    // Nothing is on its way any more.
    __device__ __forceinline__ void end() {
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
    }
};

// A warp's left operand: the pairs of all chunks, of the numbers g and g + 8.
struct Left {
    u32 pairs[CHUNKS][2];
};

// Starts the products of the left operand and a part of a matrix. d has for each pair of channels four sums: of low and
// high digits of its first channel, for both numbers, then of its second channel.
DEVICE void start_products(int (&d)[8 * GROUP], const Left &left, u32 part) {
    // Blocks of 8 columns by 16 bytes; those of the next bytes follow at once, those of the next columns after a row.
    u64 place = (u64)(part >> 4 & 0x3fff) | (u64)8 << 16 | (u64)(CHUNKS * 8) << 32;
    begin_products();
    FIRST(d, left.pairs[0][0], left.pairs[0][1], left.pairs[1][0], left.pairs[1][1], place);
#pragma unroll
    for (u32 k = 2; k < CHUNKS; k += 2)
        NEXT(d, left.pairs[k][0], left.pairs[k][1], left.pairs[k + 1][0], left.pairs[k + 1][1], place + 8 * k);
    commit_products();
}
#endif

// A modulus' constants: m'' = 2^16 (m^-1 mod 2^16), and -m.
struct Modulus {
    u32 inverse;
    int minus;
};

// The moduli of a pair: a word each, with m^-1 in the upper half and -m in the lower one.
DEVICE Modulus modulus_of(u32 word) { return {word & 0xffff0000u, (int)(short)word}; }
DEVICE int lower(u32 word) { return (int)(short)word; }
DEVICE int upper(u32 word) { return (int)word >> 16; }

// 2^16 (v 2^-16 mod m) for a multiple of 2^16, or with the same low bits as v: at most |v| + 2^15 m.
DEVICE int reduce_shifted(int v, Modulus m) { return ((int)((u32)v * m.inverse) >> 16) * m.minus + v; }
// v 2^-16 mod m, at most |v| 2^-16 + m / 2.
DEVICE int reduce(int v, Modulus m) { return reduce_shifted(v, m) >> 16; }

// Half a digit, which is added before a pair is packed, so that low digits are signed.
const int HALF = 0x00800000;
// The pair of two residues, in the upper halves of words, with HALF added.
DEVICE u32 pack(int first, int second) { return upper_halves((u32)first, (u32)second) ^ 0x00800080u; }

// The state of a thread.
struct State {
    Matrices matrices;
    // This thread's constants of the first pair; those of the next one are 4 places further.
    const u32 *moduli_a, *moduli_b, *scale_xy, *minus_b;
    // The rows with the constants of both numbers' moduli.
    const u32 *constants[2];
    u32 lane;
};

// The residues in base A, from those in base B: the first group of parts also gives the quotients.
DEVICE void to_a(const State &s, int (&d)[8 * GROUP], Two *to, u32 group, int (&quotients)[2], bool is_first) {
    if (is_first) {
        const u32 k = (PAIRS - 1) % GROUP * 8 + 4;
        int first = (d[k] + d[k + 1] * 256 + (1 << 20)) >> 21, second = (d[k + 2] + d[k + 3] * 256 + (1 << 20)) >> 21;
        quotients[0] = from_quad(first, 3);
        quotients[1] = from_quad(second, 3);
    }
#pragma unroll
    for (u32 k = 0; k < GROUP; k++) {
        u32 p = group * GROUP + k;
        if (PAIRS % GROUP != 0 && p >= PAIRS) break;
        Two moduli = ((const Two *)s.moduli_a)[p * 4];
        Modulus m = modulus_of(moduli.x), n = modulus_of(moduli.y);
        u32 minus_b = s.minus_b[p * 4];
        u32 pairs[2];
#pragma unroll
        for (u32 g = 0; g < 2; g++) {
            int first = d[8 * k + 2 * g] + d[8 * k + 2 * g + 1] * 256 + (quotients[g] * lower(minus_b) + HALF);
            int second = d[8 * k + 4 + 2 * g] + d[8 * k + 5 + 2 * g] * 256 + (quotients[g] * upper(minus_b) + HALF);
            pairs[g] = pack(reduce_shifted(first, m), reduce_shifted(second, n));
        }
        to[p * 32 + s.lane] = {pairs[0], pairs[1]};
    }
}

// The extension from B, whose residues are the left operand, to A.
DEVICE void extend(State &s, const Left &left, Two *to) {
    int quotients[2], d[8 * GROUP], e[8 * GROUP];
    s.matrices.seek(GROUPS);
    start_products(d, left, s.matrices.next());
    if (GROUPS % 2 == 0) {
        start_products(e, left, s.matrices.next());
        await_products<1>(d);
        to_a(s, d, to, GROUPS - 1, quotients, true);
        await_products<0>(e);
        to_a(s, e, to, 0, quotients, false);
    } else {
        await_products<0>(d);
        to_a(s, d, to, GROUPS - 1, quotients, true);
    }
#pragma unroll 1
    for (u32 group = 1 - GROUPS % 2; group + 1 < GROUPS; group += 2) {
        start_products(d, left, s.matrices.next());
        start_products(e, left, s.matrices.next());
        await_products<1>(d);
        to_a(s, d, to, group, quotients, false);
        await_products<0>(e);
        to_a(s, e, to, group + 1, quotients, false);
    }
}

// z in base B, as it is kept, from x, y and the sum over base A; x becomes z.
template <bool SQUARE>
DEVICE void to_b(const State &s, int (&d)[8 * GROUP], Two *x, const Two *y, u32 group) {
#pragma unroll
    for (u32 k = 0; k < GROUP; k++) {
        u32 p = group * GROUP + k;
        if (PAIRS % GROUP != 0 && p >= PAIRS) break;
        Two moduli = ((const Two *)s.moduli_b)[p * 4];
        Modulus m = modulus_of(moduli.x), n = modulus_of(moduli.y);
        u32 scale = s.scale_xy[p * 4];
        Two two = x[p * 32 + s.lane], other = SQUARE ? two : y[p * 32 + s.lane];
        u32 pairs[2];
#pragma unroll
        for (u32 g = 0; g < 2; g++) {
            u32 a = g ? two.y : two.x, b = g ? other.y : other.x, factor = s.constants[g][PLACES + p * 4];
            int a0 = low(a), a1 = high(a);
            int xy0 = reduce(a0 * (SQUARE ? a0 : low(b)), m), xy1 = reduce(a1 * (SQUARE ? a1 : high(b)), n);
            int sum0 = reduce(d[8 * k + 2 * g] + d[8 * k + 2 * g + 1] * 256, m);
            int sum1 = reduce(d[8 * k + 4 + 2 * g] + d[8 * k + 5 + 2 * g] * 256, n);
            int z0 = xy0 * lower(scale) + sum0 * lower(factor) + HALF;
            int z1 = xy1 * upper(scale) + sum1 * upper(factor) + HALF;
            pairs[g] = pack(reduce_shifted(z0, m), reduce_shifted(z1, n));
        }
        x[p * 32 + s.lane] = {pairs[0], pairs[1]};
    }
}

DEVICE void read_left(const State &s, Left &left, const Two *x) {
#pragma unroll
    for (u32 p = 0; p < PAIRS; p++) {
        Two two = x[p * 32 + s.lane];
        left.pairs[p][0] = two.x;
        left.pairs[p][1] = two.y;
    }
    if (CHUNKS > PAIRS) left.pairs[CHUNKS - 1][0] = left.pairs[CHUNKS - 1][1] = 0;
}

// x := x y A^-1 mod P, in both bases.
template <bool SQUARE>
DEVICE void multiply(State &s, Two *x_a, Two *x_b, const Two *y_a, const Two *y_b) {
    Left left;
#pragma unroll
    for (u32 p = 0; p < PAIRS; p++) {
        Two moduli = ((const Two *)s.moduli_a)[p * 4];
        Modulus m = modulus_of(moduli.x), n = modulus_of(moduli.y);
        Two two = x_a[p * 32 + s.lane], other = SQUARE ? two : y_a[p * 32 + s.lane];
#pragma unroll
        for (u32 g = 0; g < 2; g++) {
            u32 a = g ? two.y : two.x, b = g ? other.y : other.x, factor = s.constants[g][p * 4];
            int a0 = low(a), a1 = high(a);
            int xy0 = reduce(a0 * (SQUARE ? a0 : low(b)), m), xy1 = reduce(a1 * (SQUARE ? a1 : high(b)), n);
            left.pairs[p][g] = pack(reduce_shifted(xy0 * lower(factor) + HALF, m),
                                    reduce_shifted(xy1 * upper(factor) + HALF, n));
        }
    }
    if (CHUNKS > PAIRS) left.pairs[CHUNKS - 1][0] = left.pairs[CHUNKS - 1][1] = 0;
    int d[8 * GROUP], e[8 * GROUP];
    s.matrices.seek(0);
#pragma unroll 1
    for (u32 group = 0; group + 1 < GROUPS; group += 2) {
        start_products(d, left, s.matrices.next());
        start_products(e, left, s.matrices.next());
        await_products<1>(d);
        to_b<SQUARE>(s, d, x_b, y_b, group);
        await_products<0>(e);
        to_b<SQUARE>(s, e, x_b, y_b, group + 1);
    }
    if (GROUPS % 2 != 0) {
        start_products(d, left, s.matrices.next());
        await_products<0>(d);
        to_b<SQUARE>(s, d, x_b, y_b, GROUPS - 1);
    }
    read_left(s, left, x_b);
    extend(s, left, x_a);
}

// x := x + f y, or y - x for f = 0, pair by pair; `one` has 2^16 mod m.
DEVICE u32 linear(u32 x, u32 y, int f, Two moduli, u32 one) {
    Modulus m = modulus_of(moduli.x), n = modulus_of(moduli.y);
    int first = f == 0 ? low(y) - low(x) : low(x) + f * low(y);
    int second = f == 0 ? high(y) - high(x) : high(x) + f * high(y);
    return pack(reduce_shifted(first * lower(one) + HALF, m), reduce_shifted(second * upper(one) + HALF, n));
}

// x := y, in one base. Several words are on their way at a time.
DEVICE void copy(Two *x, const Two *y, u32 lane) {
#pragma unroll 9
    for (u32 p = 0; p < PAIRS; p++) x[p * 32 + lane] = y[p * 32 + lane];
}

// The place of pair p in an entry of a table: two pairs lie together, so that sixteen bytes are read at a time.
DEVICE u32 place_in_entry(u32 p, u32 lane) {
    return PAIRS % 2 != 0 && p == PAIRS - 1 ? p * 32 + lane : (p / 2 * 32 + lane) * 2 + p % 2;
}

// The left operand, or both numbers' parts of an entry under their masks.
DEVICE void add_entry(Left &left, const Two *entry, u32 lane, u32 first, u32 second) {
#pragma unroll
    for (u32 p = 0; p + 1 < PAIRS; p += 2) {
        Four four = read_entry((const Four *)(entry + place_in_entry(p, lane)));
        left.pairs[p][0] |= four.x & first;
        left.pairs[p][1] |= four.y & second;
        left.pairs[p + 1][0] |= four.z & first;
        left.pairs[p + 1][1] |= four.w & second;
    }
    if (PAIRS % 2 != 0) {
        Two two = entry[place_in_entry(PAIRS - 1, lane)];
        left.pairs[PAIRS - 1][0] |= two.x & first;
        left.pairs[PAIRS - 1][1] |= two.y & second;
    }
}

KERNEL(WARPS * 32) run(const Run r) {
    SHARED;
    const u32 lane = thread_of() % 32, t = lane % 4, warp = thread_of() / 32, all = block_of() * WARPS + warp;
    const u32 warps = blocks() * WARPS;
    State s;
    s.lane = lane;
    s.matrices.begin(r.plan + MATRICES, shared);
    // Constants and the number x in base A are in shared memory, too.
    u32 *constants = (u32 *)(shared + STAGES * PART / 4);
    for (u32 k = thread_of() % 32 + warp * 32; k < 6 * PLACES; k += WARPS * 32) constants[k] = r.plan[MODULI_A + k];
    synchronize();
    s.moduli_a = constants + MODULI_A + 2 * t;
    s.moduli_b = constants + MODULI_B + 2 * t;
    s.scale_xy = constants + SCALE_XY + t;
    s.minus_b = constants + MINUS_B + t;
    Two *x_a = (Two *)(constants + 6 * PLACES) + warp * SPAN;
    // The numbers of the file in both bases; the last one is x, which is in shared memory in base A.
    Two *file = (Two *)r.numbers + (u64)all * (2 * r.file_numbers + 1) * SPAN, *x_b = file + 2 * r.file_numbers * SPAN;
    Two *tables = (Two *)r.tables;
    // The outputs and the numbers that are compared with zero, in base B: after the numbers of all warps.
    const u32 leaving = r.output_rows + r.flag_count;
    Two *outputs = (Two *)r.numbers + (u64)warps * (2 * r.file_numbers + 1) * SPAN + (u64)all * leaving * SPAN;

    u32 members[2], digits[2] = {0, 0};
    const u32 common = 2 * r.moduli_count, own = common + r.common_rows, given = own + r.constant_rows;
#pragma unroll
    for (u32 g = 0; g < 2; g++) {
        // The first member fills the places without one.
        u32 place = all * 16 + lane / 4 + 8 * g;
        members[g] = place < r.members ? place : 0;
        s.constants[g] = r.rows + (u64)r.modulus_of[members[g]] * 2 * ROW + t;
    }
    const u32 *code = r.code;
    for (;;) {
        u32 head = *code++;
        u32 operation = head & 31, number = head >> 5;
        if (operation == END) break;
        Two *own_a = file + (operation == PUT || operation >= GET ? number : 0) * 2 * SPAN, *own_b = own_a + SPAN;
        u32 products = 0, rows[2] = {0, 0};
        // The numbers in base B, of which those in base A are found.
        Left left;
        bool is_extended = false, is_row = false;
        switch (operation) {
        case SQUARE: // x^(2^number)
            products = number;
            break;
        case PUT: // the number is kept in the file
            copy(own_a, x_a, lane);
            copy(own_b, x_b, lane);
            break;
        case SMALL: // an integer below 2^27
#pragma unroll 1
            for (u32 k = lane; k < SPAN; k += 32) {
                u32 place = k / 32 * 4 + t;
                for (u32 base = 0; base < 2; base++) {
                    Two moduli = ((const Two *)(r.plan + (base ? MODULI_B : MODULI_A)))[place];
                    u32 square = r.plan[(base ? KEPT_SQUARE_B : SQUARE_A) + place];
                    Modulus m = modulus_of(moduli.x), n = modulus_of(moduli.y);
                    u32 pair = pack(reduce_shifted(reduce((int)number, m) * lower(square) + HALF, m),
                                    reduce_shifted(reduce((int)number, n) * upper(square) + HALF, n));
                    (base ? x_b : x_a)[k] = {pair, pair};
                }
            }
            break;
        case INPUT: // an integer of the member
            is_row = true;
            for (u32 g = 0; g < 2; g++) rows[g] = given + members[g] * r.input_rows + number;
            break;
        case COMMON: // an integer of the program
            is_row = true;
            rows[0] = rows[1] = common + number;
            break;
        case OWN: // a constant of the modulus
            is_row = true;
            for (u32 g = 0; g < 2; g++) rows[g] = own + r.constants_of[members[g]] + number;
            break;
        case FACTOR_SQUARED: // F^2 mod P
            is_row = true;
            for (u32 g = 0; g < 2; g++) rows[g] = 2 * r.modulus_of[members[g]] + 1;
            break;
        case OUTPUT_AGAIN: // an integer that has left
            read_left(s, left, outputs + number * SPAN);
            is_extended = true;
            break;
        case DIGIT: { // the digit for the operations that follow
            u32 first = *code++, words = *code++, spacing = *code++;
            for (u32 g = 0; g < 2; g++) {
                const u32 *scalars = r.scalars + (u64)members[g] * r.scalar_words + first;
                digits[g] = digit_of(scalars, words, number & 7, number >> 3 & 31, number >> 8, spacing);
            }
            break;
        }
        case LOAD: // an entry of a table
        case SELECT: { // the entry of a table that the digit names; with a public digit (1) only that one is read
            u32 from = number, entries = 1, first[2] = {0, 0};
            if (operation == SELECT) {
                from = *code++, entries = *code++;
                for (u32 g = 0; g < 2; g++) first[g] = digits[g];
            }
#pragma unroll
            for (u32 p = 0; p < CHUNKS; p++) left.pairs[p][0] = left.pairs[p][1] = 0;
            const Two *table = tables + ((u64)from * warps + all) * SPAN;
            u64 stride = (u64)warps * SPAN;
            if (operation == SELECT && number == 1) {
                add_entry(left, table + first[0] * stride, lane, ~0u, 0);
                add_entry(left, table + first[1] * stride, lane, 0, ~0u);
            } else {
#pragma unroll 1
                for (u32 entry = 0; entry < entries; entry++)
                    add_entry(left, table + entry * stride, lane, mask(equal(entry, first[0])),
                              mask(equal(entry, first[1])));
            }
            is_extended = true;
            break;
        }
        case STORE: { // the number goes to an entry of a table, or (1) to the one that the public digit names
            u32 entry = *code++, first = entry, second = entry;
            if (number == 1) first += digits[0], second += digits[1];
            u64 stride = (u64)warps * SPAN;
            Two *table = tables + (u64)all * SPAN;
#pragma unroll 4
            for (u32 p = 0; p < PAIRS; p++) {
                Two two = x_b[p * 32 + lane];
                u32 place = place_in_entry(p, lane);
                table[first * stride + place].x = two.x;
                table[second * stride + place].y = two.y;
            }
            break;
        }
        case SELECT_OWN: { // the constant that the digit names; with a public digit (1) only that one is read
            u32 first = *code++, entries = *code++;
            const u32 *from[2];
            for (u32 g = 0; g < 2; g++) from[g] = r.rows + (u64)(own + r.constants_of[members[g]] + first) * ROW + t;
            if (number == 1) {
                is_row = true;
                for (u32 g = 0; g < 2; g++) rows[g] = own + r.constants_of[members[g]] + first + digits[g];
                break;
            }
#pragma unroll 1
            for (u32 p = 0; p < PAIRS; p++) {
                u32 found[2][2] = {{0, 0}, {0, 0}};
#pragma unroll 1
                for (u32 entry = 0; entry < entries; entry++) {
                    for (u32 g = 0; g < 2; g++) {
                        u32 m = mask(equal(entry, digits[g]));
                        const u32 *row = from[g] + (u64)entry * ROW + p * 4;
                        found[0][g] |= row[0] & m;
                        found[1][g] |= row[PLACES] & m;
                    }
                }
                x_a[p * 32 + lane] = {found[0][0], found[0][1]};
                x_b[p * 32 + lane] = {found[1][0], found[1][1]};
            }
            break;
        }
        case OUTPUT: // the number leaves
        case IS_ZERO: { // whether the number is zero
            Two *output = outputs + (operation == OUTPUT ? number : r.output_rows + number) * SPAN;
            copy(output, x_b, lane);
            break;
        }
        case GET: // the number from the file
            copy(x_a, own_a, lane);
            copy(x_b, own_b, lane);
            break;
        case MULTIPLY:
            products = 1;
            break;
        case ADD:
        case SUBTRACT:
        case SUBTRACT_FROM: { // the number from the file less x
            int f = operation == ADD ? 1 : operation == SUBTRACT ? -1 : 0;
#pragma unroll 1
            for (u32 k = lane; k < SPAN; k += 32) {
                u32 place = k / 32 * 4 + t;
                for (u32 base = 0; base < 2; base++) {
                    Two moduli = ((const Two *)(r.plan + (base ? MODULI_B : MODULI_A)))[place];
                    u32 one = r.plan[(base ? ONE_B : ONE_A) + place];
                    Two *x = base ? x_b : x_a, y = (base ? own_b : own_a)[k];
                    x[k] = {linear(x[k].x, y.x, f, moduli, one), linear(x[k].y, y.y, f, moduli, one)};
                }
            }
            break;
        }
        case CHOOSE: { // the number from the file if the digit is 1
            u32 m = mask(digits[0]), n = mask(digits[1]);
#pragma unroll 1
            for (u32 k = lane; k < SPAN; k += 32) {
                for (u32 base = 0; base < 2; base++) {
                    Two *x = base ? x_b : x_a, y = (base ? own_b : own_a)[k];
                    x[k] = {(x[k].x & ~m) | (y.x & m), (x[k].y & ~n) | (y.y & n)};
                }
            }
            break;
        }
        }
        if (is_row) {
#pragma unroll 1
            for (u32 p = 0; p < PAIRS; p++) {
                const u32 *first = r.rows + (u64)rows[0] * ROW + p * 4 + t, *second = r.rows + (u64)rows[1] * ROW + p * 4 + t;
                x_a[p * 32 + lane] = {first[0], second[0]};
                x_b[p * 32 + lane] = {first[PLACES], second[PLACES]};
            }
        }
        if (is_extended) {
#pragma unroll
            for (u32 p = 0; p < PAIRS; p++) x_b[p * 32 + lane] = {left.pairs[p][0], left.pairs[p][1]};
            extend(s, left, x_a);
        }
#pragma unroll 1
        for (; products > 0; products--) {
            if (operation == SQUARE)
                multiply<true>(s, x_a, x_b, x_a, x_b);
            else
                multiply<false>(s, x_a, x_b, own_a, own_b);
        }
    }
    s.matrices.end();
    // x was a secret; the numbers in device memory are wiped with all of it.
#pragma unroll 1
    for (u32 k = lane; k < SPAN; k += 32) ((volatile u32 *)x_a)[2 * k] = ((volatile u32 *)x_a)[2 * k + 1] = 0;
}

// Integers as residues: each thread has a pair of channels of one row. Row 2 k has the constants of modulus k: in base A
// -P^-1 (A/a_j)^-1, in base B the factor of the sum over base A.
KERNEL(128) enter(const Run r) {
    u64 thread = (u64)block_of() * 128 + thread_of();
    u32 place = thread % PLACES;
    u32 is_b = thread / PLACES % 2;
    u64 row = thread / ROW;
    u64 common = 2 * r.moduli_count, own = common + r.common_rows, given = own + r.constant_rows;
    u64 rows = given + (u64)r.members * r.input_rows;
    if (row >= rows) return;
    const u32 *words = row < common ? r.moduli + row * LIMBS
        : row < own                 ? r.common + (row - common) * LIMBS
        : row < given               ? r.constants + (row - own) * LIMBS
                                    : r.inputs + (row - given) * LIMBS;
    bool is_modulus = row < common && row % 2 == 0;
    Two moduli = ((const Two *)(r.plan + (is_b ? MODULI_B : MODULI_A)))[place];
    int halves[2];
#pragma unroll
    for (u32 k = 0; k < 2; k++) {
        Modulus m = modulus_of(k ? moduli.y : moduli.x);
        auto constant = [&](u32 from) { return k ? upper(r.plan[from + place]) : lower(r.plan[from + place]); };
        int shift = constant(is_b ? BYTE_B : BYTE_A), x = 0;
        // 2^8 x + the next byte; x is at most m.
#pragma unroll 1
        for (u32 byte = 4 * LIMBS; byte-- > 0;)
            x = reduce(x * shift, m) + (int)(words[byte / 4] >> byte % 4 * 8 & 0xff);
        if (is_modulus && is_b) {
            x = reduce(x * constant(ONE_B), m) * constant(TO_FACTOR);
        } else if (is_modulus) {
            // The inverse by Fermat's theorem, as 2^16 x^-1: a_j is prime.
            x = reduce(x * constant(SQUARE_A), m);
            int inverse = constant(ONE_A);
            u32 exponent = (u32)-m.minus - 2;
#pragma unroll 1
            for (u32 bit = 15; bit-- > 0;) {
                inverse = reduce(inverse * inverse, m);
                if (exponent >> bit & 1) inverse = reduce(inverse * x, m);
            }
            x = inverse * constant(TO_MINUS_INVERSE);
        } else {
            x = reduce(x * constant(is_b ? ONE_B : ONE_A), m) * constant(is_b ? KEPT_ONE_B : ONE_A);
        }
        x = reduce(x, m);
        // At most m / 2.
        int half = -m.minus / 2;
        x += m.minus & -(int)(x > half);
        halves[k] = x - (m.minus & -(int)(x < -half));
    }
    u32 digits = pack((halves[0] << 16) + HALF, (halves[1] << 16) + HALF);
    // Constants are halves of words, numbers are digits.
    r.rows[thread] = is_modulus ? (u32)(halves[0] & 0xffff) | (u32)halves[1] << 16 : digits;
}

// Integers from residues in base B: each thread has one output or flag of a member. Before, the program has brought the
// number below D P in absolute value.
KERNEL(128) leave(const Run r) {
    u32 thread = block_of() * 128 + thread_of(), leaving = r.output_rows + r.flag_count;
    if (leaving == 0) return;
    u32 member = thread / leaving, output = thread % leaving;
    if (member >= r.members) return;
    const u32 warps = (r.members + WARPS * 16 - 1) / (WARPS * 16) * WARPS;
    const u32 *words = r.numbers + 2 * ((u64)warps * (2 * r.file_numbers + 1) + (u64)(member / 16) * leaving + output) * SPAN;
    // Words of an integer and of one above it, in fours.
    const u32 WORDS = (LIMBS + 4) / 4 * 4;
    const u32 *plan = r.plan + LEAVING, *rows = plan + 2 * C, *big = rows + WORDS * C;
    const u32 *p = r.moduli + (u64)r.modulus_of[member] * 2 * LIMBS;
    // z = sum_i u_i (B/b_i) - alpha B for residues u_i that are not negative, as kept.
    u32 residues[C], x[WORDS];
    u64 quotient = (u64)1 << 39;
#pragma unroll 1
    for (u32 channel = 0; channel < C; channel++) {
        u32 lane = member % 8 * 4 + channel % 4;
        u32 pair = words[(channel / 8 * 32 + lane) * 2 + member % 16 / 8];
        int residue = channel % 8 / 4 ? high(pair) : low(pair);
        // Residues are below 2 b_i in absolute value.
        int b = (int)plan[channel];
        residue += b & (residue >> 31);
        residue += b & (residue >> 31);
        residues[channel] = (u32)residue;
        quotient += (u64)(u32)residue * plan[C + channel];
    }
    // z + D P in the lowest words: it is positive, and below 2 D P.
    u64 alpha = quotient >> 40;
    long long carry = 0;
#pragma unroll 1
    for (u32 k = 0; k < WORDS; k += 4) {
        u64 sums[4] = {0, 0, 0, 0};
#pragma unroll 4
        for (u32 channel = 0; channel < C; channel++) {
            Four four = *(const Four *)(rows + channel * WORDS + k);
            u64 residue = residues[channel];
            sums[0] += residue * four.x;
            sums[1] += residue * four.y;
            sums[2] += residue * four.z;
            sums[3] += residue * four.w;
        }
        // These sums are below 2^57, and so are the others.
#pragma unroll
        for (u32 j = 0; j < 4; j++) {
            u64 lift = (u64)LIFT * (k + j < LIMBS ? p[k + j] : 0);
            carry += (long long)sums[j] - (long long)(alpha * big[k + j]) + (long long)lift;
            x[k + j] = (u32)carry;
            carry >>= 32;
        }
    }
    // Multiples 2^k P are subtracted where they can be.
#pragma unroll 1
    for (u32 bit = LIFT_BITS; bit-- > 0;) {
        u32 difference[LIMBS + 1], borrow = 0, before = 0;
#pragma unroll 1
        for (u32 k = 0; k <= LIMBS; k++) {
            u32 word = k < LIMBS ? p[k] : 0;
            u32 shifted = (u32)(((u64)word << 32 | before) << bit >> 32);
            before = word;
            u64 d = (u64)x[k] - shifted - borrow;
            difference[k] = (u32)d;
            borrow = (u32)(d >> 63);
        }
        u32 keep = mask(borrow);
#pragma unroll 1
        for (u32 k = 0; k <= LIMBS; k++) x[k] = (x[k] & keep) | (difference[k] & ~keep);
    }
    u32 all = 0;
#pragma unroll 1
    for (u32 k = 0; k < LIMBS; k++) {
        all |= x[k];
        if (output < r.output_rows) r.outputs[((u64)member * r.output_rows + output) * LIMBS + k] = x[k];
    }
    if (output >= r.output_rows) r.flags[(u64)member * r.flag_count + output - r.output_rows] = equal(all, 0);
}
