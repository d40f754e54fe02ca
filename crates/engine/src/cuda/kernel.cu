// Kernel of the device `cuda`: runs a program for many members, each with its own modulus P.
//
// A number is 32-bit words, W in each of T neighbouring threads, T a power of two; its L = W T words are below P at
// all times. A product is x y F^-1 mod P with the Montgomery factor F = 2^(32 L), or with F = 1 for primes of a special
// form. The machine has one accumulator x, and a file of numbers in local memory. Its instructions are in `code.rs`.
//
// Every branch and every address depends on the code and on public digits only.
//
// Compiled with definitions of WORDS (W), THREADS (T), NUMBERS (numbers in the file), BLOCK (threads of a block), and
// the form of P: FOLD (0, or the low word of C = 2^(32 L) - P, or of 2^(32 L) - 2 P), FOLD_SHIFT (whether C has a second
// word, which is 1) and FOLD_BITS (whether C is that of 2 P). With EMULATED it is C++ for the processor: `emulator.h`
// comes first, and has the intrinsics.

const u32 W = WORDS, T = THREADS;

#ifndef EMULATED
// Additions and products with a carry flag, which lives from one to the next.
#define WITH_CARRY_2(name, instruction)                                                                              \
    DEVICE u32 name(u32 x, u32 y) {                                                                                    \
        u32 z;                                                                                                         \
        asm volatile(instruction " %0, %1, %2;" : "=r"(z) : "r"(x), "r"(y));                                           \
        return z;                                                                                                      \
    }
#define WITH_CARRY_3(name, instruction)                                                                              \
    DEVICE u32 name(u32 x, u32 y, u32 a) {                                                                             \
        u32 z;                                                                                                         \
        asm volatile(instruction " %0, %1, %2, %3;" : "=r"(z) : "r"(x), "r"(y), "r"(a));                               \
        return z;                                                                                                      \
    }
WITH_CARRY_2(add_cc, "add.cc.u32")
WITH_CARRY_2(addc_cc, "addc.cc.u32")
WITH_CARRY_2(addc, "addc.u32")
WITH_CARRY_2(sub_cc, "sub.cc.u32")
WITH_CARRY_2(subc_cc, "subc.cc.u32")
WITH_CARRY_2(subc, "subc.u32")
WITH_CARRY_3(mad_lo_cc, "mad.lo.cc.u32")
WITH_CARRY_3(madc_lo_cc, "madc.lo.cc.u32")
WITH_CARRY_3(madc_hi_cc, "madc.hi.cc.u32")

// The word of the number's thread `from`; the words of its next and its previous thread.
DEVICE u32 share(u32 x, u32 from) { return T == 1 ? x : __shfl_sync(0xffffffffu, x, from, T); }
DEVICE u32 next(u32 x) { return T == 1 ? 0 : __shfl_down_sync(0xffffffffu, x, 1, T); }
DEVICE u32 previous(u32 x) { return T == 1 ? 0 : __shfl_up_sync(0xffffffffu, x, 1, T); }
// The bits of all threads of the warp.
DEVICE u32 ballot(u32 bit) { return __ballot_sync(0xffffffffu, bit); }
#endif

// The bits of a number's threads.
const u32 ALL = T == 32 ? 0xffffffffu : (1u << (T % 32)) - 1;

// x := y.
DEVICE void copy(u32 *x, const u32 *y) {
#pragma unroll
    for (u32 k = 0; k < W; k++) x[k] = y[k];
}

// x := x | y & m.
DEVICE void add_masked(u32 *x, const u32 *y, u32 m) {
#pragma unroll
    for (u32 k = 0; k < W; k++) x[k] |= y[k] & m;
}

// The state of a thread that all instructions read.
struct State {
    u32 p[W];
    // -P^-1 mod 2^32.
    u32 inverse;
    // The thread among those of its number, and the place of their first in the warp.
    u32 thread, base;
};

// Carries that go from thread to thread: a thread makes one (`made`), or hands on one that it gets (`passes`). Returns
// whether this thread gets one, and sets `out` to whether the last thread has one for nobody.
DEVICE u32 carries(const State &s, u32 made, u32 passes, u32 &out) {
    if (T == 1) {
        out = made;
        return 0;
    }
    // Adding the carries to the bits that hand on lets them ripple; T bits, and the last thread's is above them.
    u32 g = ballot(made) >> s.base & ALL, p = ballot(passes) >> s.base & ALL;
    u64 sum = (u64)p + ((u64)g << 1);
    u64 into = sum ^ p;
    out = (u32)(into >> T) & 1;
    return (u32)(into >> s.thread) & 1;
}

// Whether all words of x have the value `all`.
DEVICE u32 are_all(const u32 *x, u32 all) {
    u32 differ = 0;
#pragma unroll
    for (u32 k = 0; k < W; k++) differ |= x[k] ^ all;
    return differ == 0;
}

// x := x + carry in this thread, and returns the carry of its words.
DEVICE u32 add_word(u32 *x, u32 carry) {
    x[0] = add_cc(x[0], carry);
#pragma unroll
    for (u32 k = 1; k < W; k++) x[k] = addc_cc(x[k], 0);
    return addc(0, 0);
}

// x := x - P if x + top 2^(32 L) >= P, for a number below 2 P.
DEVICE void subtract_once(const State &s, u32 *x, u32 top) {
    u32 d[W];
    d[0] = sub_cc(x[0], s.p[0]);
#pragma unroll
    for (u32 k = 1; k < W; k++) d[k] = subc_cc(x[k], s.p[k]);
    u32 borrow = subc(0, 0) & 1, below;
    if (T > 1) {
        u32 into = carries(s, borrow, are_all(d, 0) & (borrow ^ 1), below);
        d[0] = sub_cc(d[0], into);
#pragma unroll
        for (u32 k = 1; k < W; k++) d[k] = subc_cc(d[k], 0);
    } else {
        below = borrow;
    }
    u32 keep = mask(below & (top ^ 1));
#pragma unroll
    for (u32 k = 0; k < W; k++) x[k] = (x[k] & keep) | (d[k] & ~keep);
}

// x := x + y mod P.
DEVICE void add_mod(const State &s, u32 *x, const u32 *y) {
    x[0] = add_cc(x[0], y[0]);
#pragma unroll
    for (u32 k = 1; k < W; k++) x[k] = addc_cc(x[k], y[k]);
    u32 carry = addc(0, 0), top = carry;
    if (T > 1) add_word(x, carries(s, carry, are_all(x, 0xffffffffu) & (carry ^ 1), top));
    subtract_once(s, x, top);
}

// x := x - y mod P.
DEVICE void subtract_mod(const State &s, u32 *x, const u32 *y) {
    x[0] = sub_cc(x[0], y[0]);
#pragma unroll
    for (u32 k = 1; k < W; k++) x[k] = subc_cc(x[k], y[k]);
    u32 borrow = subc(0, 0) & 1, below = borrow;
    if (T > 1) {
        u32 into = carries(s, borrow, are_all(x, 0) & (borrow ^ 1), below);
        x[0] = sub_cc(x[0], into);
#pragma unroll
        for (u32 k = 1; k < W; k++) x[k] = subc_cc(x[k], 0);
    }
    u32 add = mask(below);
    x[0] = add_cc(x[0], s.p[0] & add);
#pragma unroll
    for (u32 k = 1; k < W; k++) x[k] = addc_cc(x[k], s.p[k] & add);
    if (T > 1) {
        u32 carry = addc(0, 0), top;
        add_word(x, carries(s, carry, are_all(x, 0xffffffffu) & (carry ^ 1), top));
    }
}

// a += x y for the words 0, 2, 4, ... of x; the carry stays in the flag.
DEVICE void add_even(u32 *a, const u32 *x, u32 y) {
    a[0] = mad_lo_cc(x[0], y, a[0]);
    a[1] = madc_hi_cc(x[0], y, a[1]);
#pragma unroll
    for (u32 k = 2; k < W; k += 2) {
        a[k] = madc_lo_cc(x[k], y, a[k]);
        a[k + 1] = madc_hi_cc(x[k], y, a[k + 1]);
    }
}

#if FOLD == 0
// One row of a Montgomery product. The partial sum is `even` at words 0 to W - 1 plus `odd` at words 1 to W plus
// `over` at word W + 1, below 3 2^(32 (W + 1)). Before, it is shifted by a word: the former even words are read with an
// offset, and `in`, from the next thread, is at word W - 1.
DEVICE void row(const State &s, u32 *even, u32 *odd, const u32 *x, u32 y, u32 &in, u32 &over) {
    even[0] = add_cc(even[0], odd[1]);
#pragma unroll
    for (u32 k = 0; k + 2 < W; k += 2) {
        odd[k] = madc_lo_cc(x[k + 1], y, odd[k + 2]);
        odd[k + 1] = madc_hi_cc(x[k + 1], y, odd[k + 3]);
    }
    odd[W - 2] = madc_lo_cc(x[W - 1], y, in);
    odd[W - 1] = madc_hi_cc(x[W - 1], y, over);
    over = addc(0, 0);
    add_even(even, x, y);
    odd[W - 1] = addc_cc(odd[W - 1], 0);
    over = addc(over, 0);
    u32 q = share(even[0] * s.inverse, 0);
    add_even(odd, s.p + 1, q);
    over = addc(over, 0);
    add_even(even, s.p, q);
    odd[W - 1] = addc_cc(odd[W - 1], 0);
    over = addc(over, 0);
    in = next(even[0]);
    if (T > 1) in = s.thread == T - 1 ? 0 : in;
}

// x := x y F^-1 mod P. Requires that x or y is below P.
DEVICE void multiply(const State &s, u32 *x, const u32 *y) {
    u32 even[W], odd[W], in = 0, over = 0;
#pragma unroll
    for (u32 k = 0; k < W; k++) even[k] = odd[k] = 0;
#pragma unroll 1
    for (u32 from = 0; from < T; from++) {
#pragma unroll
        for (u32 k = 0; k < W; k += 2) {
            row(s, even, odd, x, share(y[k], from), in, over);
            row(s, odd, even, x, share(y[k + 1], from), in, over);
        }
    }
    // The words of a thread and a carry of at most 3 for the next one; the last one's is at most 1.
    x[0] = add_cc(even[0], odd[1]);
#pragma unroll
    for (u32 k = 1; k + 1 < W; k++) x[k] = addc_cc(even[k], odd[k + 1]);
    x[W - 1] = addc_cc(even[W - 1], in);
    over = addc(over, 0);
    u32 top = over;
    if (T > 1) {
        u32 from = previous(over), carry, out;
        from = s.thread == 0 ? 0 : from;
        carry = add_word(x, from);
        add_word(x, carries(s, carry, are_all(x, 0xffffffffu) & (carry ^ 1), out));
        top = share(over, T - 1) + out;
    }
    subtract_once(s, x, top);
}
#else
// The product of x and y: 2 W words.
DEVICE void wide_product(u32 *t, const u32 *x, const u32 *y) {
    // `even` begins at word 0, `odd` at word 1.
    u32 even[2 * W], odd[2 * W];
#pragma unroll
    for (u32 k = 0; k < 2 * W; k++) even[k] = odd[k] = 0;
#pragma unroll
    for (u32 k = 0; k < W; k += 2) {
        // The carry of a row goes to a word that had nothing but such carries before.
        add_even(even + k, x, y[k]);
        even[k + W] = addc(even[k + W], 0);
        add_even(odd + k, x + 1, y[k]);
        odd[k + W] = addc(odd[k + W], 0);
        add_even(odd + k, x, y[k + 1]);
        odd[k + W] = addc(odd[k + W], 0);
        add_even(even + k + 2, x + 1, y[k + 1]);
        if (k + 2 + W < 2 * W) even[k + 2 + W] = addc(even[k + 2 + W], 0);
    }
    t[0] = even[0];
    t[1] = add_cc(even[1], odd[0]);
#pragma unroll
    for (u32 k = 2; k < 2 * W; k++) t[k] = addc_cc(even[k], odd[k - 1]);
}
#endif

#if THREADS == 1
// The square of x: 2 W words. Products of different words are there twice.
DEVICE void wide_square(u32 *t, const u32 *x) {
    u32 even[2 * W], odd[2 * W];
#pragma unroll
    for (u32 k = 0; k < 2 * W; k++) even[k] = odd[k] = 0;
#pragma unroll
    for (u32 i = 0; i + 1 < W; i++) {
        // x_i x_j is at word i + j: for j = i + 1, i + 3, ... in `odd`, for j = i + 2, i + 4, ... in `even`. The carry
        // of a row goes to a word that had nothing but such carries before.
        odd[2 * i] = mad_lo_cc(x[i], x[i + 1], odd[2 * i]);
        odd[2 * i + 1] = madc_hi_cc(x[i], x[i + 1], odd[2 * i + 1]);
#pragma unroll
        for (u32 j = i + 3; j < W; j += 2) {
            odd[i + j - 1] = madc_lo_cc(x[i], x[j], odd[i + j - 1]);
            odd[i + j] = madc_hi_cc(x[i], x[j], odd[i + j]);
        }
        u32 after_odd = (i + W) / 2 * 2;
        odd[after_odd] = addc(odd[after_odd], 0);
        if (i + 2 < W) {
            even[2 * i + 2] = mad_lo_cc(x[i], x[i + 2], even[2 * i + 2]);
            even[2 * i + 3] = madc_hi_cc(x[i], x[i + 2], even[2 * i + 3]);
#pragma unroll
            for (u32 j = i + 4; j < W; j += 2) {
                even[i + j] = madc_lo_cc(x[i], x[j], even[i + j]);
                even[i + j + 1] = madc_hi_cc(x[i], x[j], even[i + j + 1]);
            }
            u32 after_even = (i + W + 1) / 2 * 2;
            even[after_even] = addc(even[after_even], 0);
        }
    }
    t[1] = odd[0];
    t[2] = add_cc(even[2], odd[1]);
#pragma unroll
    for (u32 k = 3; k < 2 * W; k++) t[k] = addc_cc(even[k], odd[k - 1]);
#pragma unroll
    for (u32 k = 2 * W - 1; k > 1; k--) t[k] = t[k] << 1 | t[k - 1] >> 31;
    t[1] <<= 1;
    t[0] = mad_lo_cc(x[0], x[0], 0);
    t[1] = madc_hi_cc(x[0], x[0], t[1]);
#pragma unroll
    for (u32 k = 1; k < W; k++) {
        t[2 * k] = madc_lo_cc(x[k], x[k], t[2 * k]);
        t[2 * k + 1] = madc_hi_cc(x[k], x[k], t[2 * k + 1]);
    }
}
#endif

#if THREADS == 1 && FOLD == 0
// One row of a Montgomery reduction, as in `row`; `in` is the next word of the number that is reduced.
DEVICE void reduction_row(const State &s, u32 *even, u32 *odd, u32 in, u32 &over) {
    u32 q = (even[0] + odd[1]) * s.inverse;
    even[0] = add_cc(even[0], odd[1]);
#pragma unroll
    for (u32 k = 0; k + 2 < W; k += 2) {
        odd[k] = madc_lo_cc(s.p[k + 1], q, odd[k + 2]);
        odd[k + 1] = madc_hi_cc(s.p[k + 1], q, odd[k + 3]);
    }
    odd[W - 2] = madc_lo_cc(s.p[W - 1], q, in);
    odd[W - 1] = madc_hi_cc(s.p[W - 1], q, over);
    over = addc(0, 0);
    add_even(even, s.p, q);
    odd[W - 1] = addc_cc(odd[W - 1], 0);
    over = addc(over, 0);
}

// x := t F^-1 mod P for t < P F.
DEVICE void reduce(const State &s, u32 *x, const u32 *t) {
    u32 even[W], odd[W], over = 0;
#pragma unroll
    for (u32 k = 0; k < W; k++) even[k] = t[k], odd[k] = 0;
#pragma unroll
    for (u32 k = 0; k < W; k += 2) {
        reduction_row(s, even, odd, k == 0 ? 0 : t[W + k - 1], over);
        reduction_row(s, odd, even, t[W + k], over);
    }
    x[0] = add_cc(even[0], odd[1]);
#pragma unroll
    for (u32 k = 1; k + 1 < W; k++) x[k] = addc_cc(even[k], odd[k + 1]);
    x[W - 1] = addc_cc(even[W - 1], t[2 * W - 1]);
    subtract_once(s, x, addc(over, 0));
}
#elif FOLD != 0
// x := t mod P for t < 2^512 and P = 2^256 - C, or 2 P = 2^256 - C with FOLD_BITS: C = FOLD + FOLD_SHIFT 2^32.
DEVICE void reduce(const State &s, u32 *x, const u32 *t) {
    // Low words plus C times the high words: below 2^(256 + 34).
    u32 low[W + 2], high[W];
#pragma unroll
    for (u32 k = 0; k < W; k++) low[k] = t[k], high[k] = 0;
    add_even(low, t + W, FOLD);
    low[W] = addc(0, 0);
    low[W + 1] = 0;
    {
        // Odd words, at words 1 to W of the sum.
        add_even(high, t + W + 1, FOLD);
        low[1] = add_cc(low[1], high[0]);
#pragma unroll
        for (u32 k = 2; k <= W; k++) low[k] = addc_cc(low[k], high[k - 1]);
        low[W + 1] = addc(low[W + 1], 0);
    }
    if (FOLD_SHIFT) {
        low[1] = add_cc(low[1], t[W]);
#pragma unroll
        for (u32 k = 2; k <= W; k++) low[k] = addc_cc(low[k], t[W + k - 1]);
        low[W + 1] = addc(low[W + 1], 0);
    }
    // The words above 2^256, times C.
    u32 a = low[W], b = low[W + 1], carry;
    u32 m0, m1, m2;
    m0 = mad_lo_cc(a, FOLD, 0);
    m1 = madc_hi_cc(a, FOLD, 0);
    m1 = m1 + b * FOLD;
    m2 = 0;
    if (FOLD_SHIFT) {
        m1 = add_cc(m1, a);
        m2 = addc(b, 0);
    }
    low[0] = add_cc(low[0], m0);
    low[1] = addc_cc(low[1], m1);
    low[2] = addc_cc(low[2], m2);
#pragma unroll
    for (u32 k = 3; k < W; k++) low[k] = addc_cc(low[k], 0);
    carry = addc(0, 0);
    // A carry leaves a number so small that C does not make another one.
    low[0] = add_cc(low[0], mask(carry) & FOLD);
    low[1] = addc_cc(low[1], FOLD_SHIFT ? carry : 0);
#pragma unroll
    for (u32 k = 2; k < W; k++) low[k] = addc_cc(low[k], 0);
    if (FOLD_BITS) {
        // Below 2^256 = 2 P + C: the top bit counts C / 2.
        u32 bit = low[W - 1] >> 31;
        low[W - 1] &= 0x7fffffffu;
        low[0] = add_cc(low[0], mask(bit) & (FOLD / 2));
#pragma unroll
        for (u32 k = 1; k < W; k++) low[k] = addc_cc(low[k], 0);
    }
#pragma unroll
    for (u32 k = 0; k < W; k++) x[k] = low[k];
    subtract_once(s, x, 0);
}
#endif

#if FOLD != 0
// x := x y mod P.
DEVICE void multiply(const State &s, u32 *x, const u32 *y) {
    u32 t[2 * W];
    wide_product(t, x, y);
    reduce(s, x, t);
}
#endif

#if THREADS == 1
// x := x^2 F^-1 mod P.
DEVICE void square(const State &s, u32 *x) {
    u32 t[2 * W];
    wide_square(t, x);
    reduce(s, x, t);
}
#endif

// Four words, which are read and written together where the thread's words are whole fours.
struct alignas(16) Four {
    u32 a, b, c, d;
};

// x := W words, whose place is a multiple of W words.
DEVICE void read_words(u32 *x, const u32 *words) {
    if (W % 4 == 0) {
#pragma unroll
        for (u32 k = 0; k + 3 < W; k += 4) {
            Four four = *(const Four *)(words + k);
            x[k] = four.a, x[k + 1] = four.b, x[k + 2] = four.c, x[k + 3] = four.d;
        }
    } else {
#pragma unroll
        for (u32 k = 0; k < W; k++) x[k] = words[k];
    }
}

// Writes the W words of x.
DEVICE void write_words(u32 *words, const u32 *x) {
    if (W % 4 == 0) {
#pragma unroll
        for (u32 k = 0; k + 3 < W; k += 4) {
            Four four = {x[k], x[k + 1], x[k + 2], x[k + 3]};
            *(Four *)(words + k) = four;
        }
    } else {
#pragma unroll
        for (u32 k = 0; k < W; k++) words[k] = x[k];
    }
}

// x := the thread's words of a row.
DEVICE void read_row(const State &s, u32 *x, const u32 *row) { read_words(x, row + s.thread * W); }

KERNEL(BLOCK) run(const Run r) {
#ifdef EMULATED
    u32 thread = emulated_thread();
    u32 threads = emulated_threads();
#else
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
    u32 threads = gridDim.x * blockDim.x;
#endif
    const u32 L = W * T;
    u32 place = thread / T;
    // The first member fills the places without one.
    u32 is_there = place < r.members;
    u32 member = is_there ? place : 0;
    State s;
    s.thread = thread % T;
    s.base = thread % 32 / T * T;
    u32 modulus = r.modulus_of[member];
    read_row(s, s.p, r.moduli + (u64)modulus * 2 * L);
    s.inverse = r.moduli[(u64)r.moduli_count * 2 * L + modulus];
    const u32 *scalars = r.scalars + (u64)member * r.scalar_words;
    const u32 *inputs = r.inputs + (u64)member * r.input_rows * L;
    const u32 *constants = r.constants + (u64)r.constants_of[member] * L;
    u32 *outputs = r.outputs + (u64)member * r.output_rows * L;

    alignas(16) u32 file[NUMBERS * W];
    u32 x[W], y[W];
#pragma unroll
    for (u32 k = 0; k < W; k++) x[k] = 0;
    u32 digit = 0;
    const u32 *code = r.code;
    for (;;) {
        u32 head = *code++;
        u32 operation = head & 31, number = head >> 5;
        if (operation == END) break;
        // The operations from GET on have an operand in the file.
        if (operation >= GET) read_words(y, file + number * W);
        u32 products = 0;
        switch (operation) {
        case SQUARE: // x^(2^number)
            products = number;
            break;
        case PUT: // the number is kept in the file
            write_words(file + number * W, x);
            break;
        case SMALL: // an integer below 2^27
#pragma unroll
            for (u32 k = 0; k < W; k++) x[k] = 0;
            if (s.thread == 0) x[0] = number;
            break;
        case INPUT: // an integer of the member, below 2^(32 L)
            read_row(s, x, inputs + (u64)number * L);
            break;
        case OUTPUT_AGAIN: // an integer that has left
            read_row(s, x, outputs + (u64)number * L);
            break;
        case COMMON: // an integer of the program
            read_row(s, x, r.common + (u64)number * L);
            break;
        case OWN: // a constant of the modulus
            read_row(s, x, constants + (u64)number * L);
            break;
        case FACTOR_SQUARED: // F^2 mod P
            read_row(s, x, r.moduli + ((u64)modulus * 2 + 1) * L);
            break;
        case DIGIT: { // the digit for the operations that follow
            u32 first = *code++, words = *code++, spacing = *code++;
            digit = digit_of(scalars + first, words, number & 7, number >> 3 & 31, number >> 8, spacing);
            break;
        }
        case SELECT: { // the entry of a table that the digit names; with a public digit (1) only that one is read
            u32 first = *code++, entries = *code++;
            const u32 *table = r.tables + ((u64)first * threads + thread) * W;
            u64 stride = (u64)threads * W;
            if (number == 1) {
                read_words(x, table + digit * stride);
                break;
            }
#pragma unroll
            for (u32 k = 0; k < W; k++) x[k] = 0;
#pragma unroll 1
            for (u32 entry = 0; entry < entries; entry++) {
                read_words(y, table + entry * stride);
                add_masked(x, y, mask(equal(entry, digit)));
            }
            break;
        }
        case STORE: { // the number goes to an entry of a table, or (1) to the one that the public digit names
            u32 entry = *code++;
            if (number == 1) entry += digit;
            write_words(r.tables + ((u64)entry * threads + thread) * W, x);
            break;
        }
        case LOAD: // an entry of a table
            read_words(x, r.tables + ((u64)number * threads + thread) * W);
            break;
        case SELECT_OWN: { // the constant that the digit names; with a public digit (1) only that one is read
            u32 first = *code++, entries = *code++;
            if (number == 1) {
                read_row(s, x, constants + (u64)(first + digit) * L);
                break;
            }
#pragma unroll
            for (u32 k = 0; k < W; k++) x[k] = 0;
#pragma unroll 1
            for (u32 entry = 0; entry < entries; entry++) {
                read_row(s, y, constants + (u64)(first + entry) * L);
                add_masked(x, y, mask(equal(entry, digit)));
            }
            break;
        }
        case OUTPUT: // the number leaves
            if (is_there) write_words(outputs + (u64)number * L + s.thread * W, x);
            break;
        case IS_ZERO: { // whether the number is zero
            u32 is_zero = are_all(x, 0);
            if (T > 1) is_zero = (ballot(is_zero) >> s.base & ALL) == ALL;
            if (is_there && s.thread == 0) r.flags[(u64)member * r.flag_count + number] = is_zero;
            break;
        }
        case GET: // the number from the file
            copy(x, y);
            break;
        case MULTIPLY:
            products = 1;
            break;
        case ADD:
            add_mod(s, x, y);
            break;
        case SUBTRACT:
            subtract_mod(s, x, y);
            break;
        case SUBTRACT_FROM: { // the number from the file less x
            u32 z[W];
            copy(z, x);
            copy(x, y);
            subtract_mod(s, x, z);
            break;
        }
        case CHOOSE: { // the number from the file if the digit is 1
            u32 m = mask(digit);
#pragma unroll
            for (u32 k = 0; k < W; k++) x[k] = (x[k] & ~m) | (y[k] & m);
            break;
        }
        }
#pragma unroll 1
        for (; products > 0; products--) {
#if THREADS == 1
            if (operation == SQUARE) {
                square(s, x);
                continue;
            }
#else
            if (operation == SQUARE) copy(y, x);
#endif
            multiply(s, x, y);
        }
    }
    // The file held secrets.
#pragma unroll 1
    for (u32 k = 0; k < NUMBERS * W; k++) ((volatile u32 *)file)[k] = 0;
}
