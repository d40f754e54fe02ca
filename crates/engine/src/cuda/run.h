// The text that the kernels of both devices for cards share: the operations of a program's code, the argument of a run, and digits of
// scalars. This text comes before a kernel's; with EMULATED, `emulator.h` comes before both.

typedef unsigned int u32;
typedef unsigned long long u64;

#ifndef EMULATED
#define DEVICE static __device__ __forceinline__
#define KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)
#endif

// The operations; `code.rs` has the same numbers. An instruction is a word, the operation in its five low bits and a
// number above them, and for some operations further words.
enum {
    END, SQUARE, PUT, SMALL, INPUT, OUTPUT_AGAIN, COMMON, OWN, FACTOR_SQUARED, DIGIT, SELECT, STORE, LOAD, SELECT_OWN,
    OUTPUT, IS_ZERO, GET, MULTIPLY, ADD, SUBTRACT, SUBTRACT_FROM, CHOOSE
};

// All ones for 1, and zero for 0.
DEVICE u32 mask(u32 bit) { return 0u - bit; }

// The pointers and sizes of a run; words are in device memory.
struct Run {
    // The code. Rows of L words: P and F^2 of each modulus, and then the word -P^-1 of each; the program's integers;
    // constants of moduli.
    const u32 *code, *moduli, *common, *constants;
    // For each member: the modulus' number, and the row of its first constant.
    const u32 *modulus_of, *constants_of;
    // For each member its integers, in rows of L words, and its scalars, in `scalar_words` words.
    const u32 *inputs, *scalars;
    // Tables, entry by entry.
    u32 *tables;
    // For each member its outputs, in rows of L words; and its flags.
    u32 *outputs, *flags;
    // For residues: the plan, and memory for rows and numbers as residues.
    const u32 *plan;
    u32 *rows, *numbers;
    u32 members, moduli_count, input_rows, scalar_words, output_rows, flag_count, common_rows, constant_rows, file_numbers;
};

// Bits `first` to `first + width` of a scalar: fewer than 32, none beyond its words.
DEVICE u32 bits_at(const u32 *scalar, u32 words, u32 first, u32 width) {
    u32 word = first / 32, shift = first % 32;
    u64 pair = word < words ? scalar[word] : 0;
    pair |= (u64)(word + 1 < words ? scalar[word + 1] : 0) << 32;
    return (u32)(pair >> shift) & ((1u << width) - 1);
}

// The digit of a scalar. The kinds are those of `Recoding`; `position` is the first bit.
DEVICE u32 digit_of(const u32 *scalar, u32 words, u32 kind, u32 width, u32 position, u32 spacing) {
    u32 digit = 0;
    if (kind == 1) {
        for (u32 tooth = 0; tooth < width; tooth++)
            digit |= bits_at(scalar, words, position + tooth * spacing, 1) << tooth;
        return digit;
    }
    digit = bits_at(scalar, words, position, width);
    u32 high = digit >> (width - 1);
    if (kind == 2) return (digit ^ mask(1 ^ high)) & ((1u << (width - 1)) - 1);
    if (kind == 3) return 1 ^ high;
    if (kind == 4) {
        u32 d = digit - (1u << (width - 1)), sign = mask(d >> 31);
        return (d ^ sign) - sign;
    }
    return digit;
}

// 1 if the words are the same.
DEVICE u32 equal(u32 x, u32 y) {
    u32 differ = x ^ y;
    return (~(differ | (0u - differ))) >> 31;
}
