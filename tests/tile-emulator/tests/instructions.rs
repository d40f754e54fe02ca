//! Tile instructions, emulated or executed by the processor, compared with a scalar model.
//!
//! On a processor with AMX the same tests run on its own tiles, so that emulator and processor
//! satisfy the same tests. Which of the two ran is printed (`--nocapture`).

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(unsafe_code, reason = "inline assembly under test")]

use std::arch::asm;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};
use std::sync::{Barrier, OnceLock};

use sunzi_tile_emulator::{Counts, counts, hardware, install};

/// Makes tile instructions work on this machine, and returns whether the processor executes them.
fn ready() -> bool {
    static HARDWARE: OnceLock<bool> = OnceLock::new();
    *HARDWARE.get_or_init(|| {
        let hardware = hardware();
        if hardware {
            println!("tile instructions: executed by the processor");
        } else {
            assert!(install(), "no processor with AMX, and no emulator");
            println!("tile instructions: emulated");
        }
        hardware
    })
}

/// The operand of `ldtilecfg`.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Configuration {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    colsb: [u16; 16],
    rows: [u8; 16],
}

const EMPTY: Configuration = Configuration {
    palette: 1,
    start_row: 0,
    reserved: [0; 14],
    colsb: [0; 16],
    rows: [0; 16],
};

/// The configuration of eight tiles of 16 rows of 64 bytes.
fn full() -> Configuration {
    EMPTY
        .with(&[(0, 16, 64), (1, 16, 64), (2, 16, 64), (3, 16, 64)])
        .with(&[(4, 16, 64), (5, 16, 64), (6, 16, 64), (7, 16, 64)])
}

impl Configuration {
    /// This configuration, with other shapes for some tiles: (tile, rows, bytes per row).
    fn with(mut self, shapes: &[(usize, u8, u16)]) -> Self {
        for &(tile, rows, colsb) in shapes {
            self.rows[tile] = rows;
            self.colsb[tile] = colsb;
        }
        self
    }

    fn load(&self) {
        // SAFETY: this reads the 64 bytes of `self`, and no other code uses tiles.
        unsafe { asm!("ldtilecfg [{}]", in(reg) self, options(nostack, readonly)) };
    }

    fn stored() -> Self {
        let mut stored = Self {
            palette: 77,
            ..EMPTY
        };
        // SAFETY: this writes the 64 bytes of `stored`, which are plain numbers.
        unsafe { asm!("sttilecfg [{}]", in(reg) &raw mut stored, options(nostack)) };
        stored
    }
}

fn release() {
    // SAFETY: this releases the tiles of this thread.
    unsafe { asm!("tilerelease", options(nostack, nomem)) };
}

/// A generator of random bytes: the upper bits of a linear congruential generator.
struct Random(u64);

impl Random {
    fn byte(&mut self) -> u8 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 56) as u8
    }

    fn tile(&mut self) -> Bytes {
        std::array::from_fn(|_| std::array::from_fn(|_| self.byte()))
    }

    /// Bytes from the ends of the signed and unsigned ranges.
    fn extreme(&mut self) -> Bytes {
        const ENDS: [u8; 8] = [0x00, 0x01, 0x7F, 0x80, 0x81, 0xFE, 0xFF, 0x80];
        self.tile()
            .map(|row| row.map(|byte| ENDS[usize::from(byte >> 5)]))
    }
}

type Bytes = [[u8; 64]; 16];
type Dwords = [[i32; 16]; 16];

fn to_dwords(tile: &Bytes) -> Dwords {
    tile.map(|row| {
        std::array::from_fn(|n| i32::from_le_bytes(row[4 * n..4 * n + 4].try_into().unwrap()))
    })
}

/// The definition of the product: `C[m][n] += sum of A[m][4k + t] * B[k][4n + t]`.
fn product(c: &mut Dwords, a: &Bytes, b: &Bytes, [m, n, k]: [usize; 3], signed: [bool; 2]) {
    let value = |byte: u8, signed| {
        if signed {
            i32::from(byte.cast_signed())
        } else {
            i32::from(byte)
        }
    };
    for i in 0..m {
        for j in 0..n {
            for l in 0..k {
                for t in 0..4 {
                    let term =
                        value(a[i][4 * l + t], signed[0]) * value(b[l][4 * j + t], signed[1]);
                    c[i][j] = c[i][j].wrapping_add(term);
                }
            }
        }
    }
}

/// Executes a product instruction on the given tiles, after loading them from `c`, `a` and `b`, and
/// stores the result to `c`. The configuration must be loaded.
macro_rules! dot {
    ($op:literal, $c:literal, $a:literal, $b:literal) => {
        |c: &mut Dwords, a: &Bytes, b: &Bytes| {
            // SAFETY: at most 16 rows, 64 bytes apart, of existing arrays are loaded and stored.
            unsafe {
                asm!(
                    concat!("tileloadd tmm", $c, ", [{c} + {stride}]"),
                    concat!("tileloadd tmm", $a, ", [{a} + {stride}]"),
                    concat!("tileloaddt1 tmm", $b, ", [{b} + {stride}]"),
                    concat!($op, " tmm", $c, ", tmm", $a, ", tmm", $b),
                    concat!("tilestored [{c} + {stride}], tmm", $c),
                    c = in(reg) c,
                    a = in(reg) a,
                    b = in(reg) b,
                    stride = in(reg) 64_usize,
                    options(nostack),
                );
            }
        }
    };
}

/// Executes an instruction with 64 in rax and the address of 1 KiB of memory in rsi.
macro_rules! instruction {
    ($text:literal) => {
        || {
            let mut memory = [[0_u8; 64]; 16];
            // SAFETY: the memory has room for 16 rows.
            unsafe {
                asm!($text, in("rax") 64_usize, in("rsi") &raw mut memory, options(nostack));
            }
        }
    };
}

type Dot = fn(&mut Dwords, &Bytes, &Bytes);

#[test]
fn products_of_full_tiles() {
    ready();
    let cases: [(&str, [bool; 2], [Dot; 3]); 4] = [
        (
            "tdpbssd",
            [true, true],
            [
                dot!("tdpbssd", 0, 1, 2),
                dot!("tdpbssd", 7, 6, 5),
                dot!("tdpbssd", 3, 0, 4),
            ],
        ),
        (
            "tdpbsud",
            [true, false],
            [
                dot!("tdpbsud", 0, 1, 2),
                dot!("tdpbsud", 6, 2, 7),
                dot!("tdpbsud", 5, 4, 0),
            ],
        ),
        (
            "tdpbusd",
            [false, true],
            [
                dot!("tdpbusd", 1, 2, 0),
                dot!("tdpbusd", 4, 7, 3),
                dot!("tdpbusd", 2, 5, 6),
            ],
        ),
        (
            "tdpbuud",
            [false, false],
            [
                dot!("tdpbuud", 2, 1, 0),
                dot!("tdpbuud", 0, 3, 7),
                dot!("tdpbuud", 6, 5, 1),
            ],
        ),
    ];
    let mut random = Random(1);
    full().load();
    for (name, signed, operations) in cases {
        for operation in operations {
            for round in 0..20 {
                let [a, b] = if round < 10 {
                    [random.tile(), random.tile()]
                } else {
                    [random.extreme(), random.extreme()]
                };
                // The accumulators are from the whole range of i32, so that sums wrap around.
                let mut found = to_dwords(&random.tile());
                let mut expected = found;
                product(&mut expected, &a, &b, [16; 3], signed);
                operation(&mut found, &a, &b);
                assert_eq!(found, expected, "{name}, round {round}");
            }
        }
    }
    release();
}

#[test]
fn sums_wrap_at_both_ends() {
    ready();
    full().load();
    let all = |byte: u8| [[byte; 64]; 16];
    for (start, a, b) in [
        (i32::MAX, 0x7F, 0xFF),
        (i32::MIN, 0x80, 0xFF),
        (i32::MAX - 64 * 127 * 255, 0x7F, 0xFF),
        (i32::MIN + 64 * 128 * 255, 0x80, 0xFF),
    ] {
        let (mut found, mut expected) = ([[start; 16]; 16], [[start; 16]; 16]);
        product(&mut expected, &all(a), &all(b), [16; 3], [true, false]);
        dot!("tdpbsud", 4, 5, 6)(&mut found, &all(a), &all(b));
        assert_eq!(found, expected);
    }
    release();
}

#[test]
fn products_of_every_shape() {
    ready();
    let mut random = Random(2);
    let (a, b) = (random.extreme(), random.tile());
    let start = to_dwords(&random.tile());
    for m in 1..=16 {
        for n in 1..=16 {
            for k in 1..=16 {
                let [colsb_n, colsb_k] = [n, k].map(|dwords| 4 * u16::from(dwords));
                EMPTY
                    .with(&[(2, m, colsb_n), (3, m, colsb_k), (1, k, colsb_n)])
                    .load();
                let (mut found, mut expected) = (start, start);
                product(
                    &mut expected,
                    &a,
                    &b,
                    [m, n, k].map(usize::from),
                    [true, false],
                );
                // Memory outside m x n must not change.
                dot!("tdpbsud", 2, 3, 1)(&mut found, &a, &b);
                assert_eq!(found, expected, "m = {m}, n = {n}, k = {k}");
            }
        }
    }
    release();
}

/// A function that loads a tile from memory around `source` and stores it around `target`.
type Copy = fn(source: *const u8, target: *mut u8);

/// Length of the memory in bytes. The pointers are in its middle.
const SPAN: usize = 1 << 14;

/// Loads and stores tile 5 with the same form of operand. `$set` moves the pointer from rsi and the
/// stride from rdx to the registers of the operand; `$restore` undoes it.
macro_rules! copied {
    ($stride:literal, $set:literal, $operand:literal, $restore:literal) => {
        |source, target| {
            // SAFETY: the memory of callers has room for 16 rows around the pointers. Registers
            // that are not declared to the compiler are restored.
            unsafe {
                asm!(
                    "mov rsi, rax",
                    "mov rdx, r8",
                    $set,
                    concat!("tileloadd tmm5, [", $operand, "]"),
                    $restore,
                    "mov rsi, rcx",
                    "mov rdx, r8",
                    $set,
                    concat!("tilestored [", $operand, "], tmm5"),
                    $restore,
                    in("rax") source,
                    in("rcx") target,
                    in("r8") $stride as isize,
                    out("rsi") _,
                    out("rdx") _,
                    out("r9") _,
                    out("r10") _,
                    out("r12") _,
                    out("r13") _,
                    out("r14") _,
                    out("r15") _,
                );
            }
        }
    };
}

#[test]
fn every_form_of_operand() {
    ready();
    // Row i is at middle + displacement + i * stride * 2^scale.
    let cases: [(&str, isize, isize, Copy); 14] = [
        ("plain", 0, 64, copied!(64, "", "rsi + rdx", "")),
        ("overlapping rows", 0, 20, copied!(20, "", "rsi + rdx", "")),
        (
            "scale 2, disp8",
            127,
            200,
            copied!(100, "", "rsi + 2*rdx + 127", ""),
        ),
        (
            "scale 4, negative disp8",
            -128,
            292,
            copied!(73, "", "rsi + 4*rdx - 128", ""),
        ),
        (
            "scale 8, disp32",
            300,
            72,
            copied!(9, "", "rsi + 8*rdx + 300", ""),
        ),
        (
            "negative disp32",
            -3000,
            96,
            copied!(96, "", "rsi + rdx - 3000", ""),
        ),
        (
            "negative stride",
            0,
            -128,
            copied!(-64, "", "rsi + 2*rdx", ""),
        ),
        ("no index", 5, 0, copied!(64, "", "rsi + 5", "")),
        (
            "r8 to r15",
            -77,
            128,
            copied!(64, "mov r9, rsi; mov r10, rdx", "r9 + 2*r10 - 77", ""),
        ),
        (
            "r12 as base, r13 as index",
            0,
            84,
            copied!(84, "mov r12, rsi; mov r13, rdx", "r12 + r13", ""),
        ),
        (
            "r13 as base, r12 as index",
            0,
            88,
            copied!(44, "mov r13, rsi; mov r12, rdx", "r13 + 2*r12", ""),
        ),
        (
            "r15 as base, r14 as index",
            1000,
            80,
            copied!(10, "mov r15, rsi; mov r14, rdx", "r15 + 8*r14 + 1000", ""),
        ),
        (
            "rbp as base",
            0,
            64,
            copied!(64, "push rbp; mov rbp, rsi", "rbp + rdx", "pop rbp"),
        ),
        (
            "rbx as base, rbp as index",
            64,
            128,
            copied!(
                64,
                "push rbp; push rbx; mov rbx, rsi; mov rbp, rdx",
                "rbx + 2*rbp + 64",
                "pop rbx; pop rbp"
            ),
        ),
    ];
    let mut random = Random(3);
    for (name, displacement, stride, copy) in cases {
        for (rows, colsb) in [(16, 64), (7, 20), (1, 4), (16, 4), (1, 64)] {
            EMPTY.with(&[(5, rows, colsb)]).load();
            let source: Vec<u8> = std::iter::repeat_with(|| random.byte())
                .take(SPAN)
                .collect();
            let mut found: Vec<u8> = std::iter::repeat_with(|| random.byte())
                .take(SPAN)
                .collect();
            let mut expected = found.clone();
            let middle = SPAN / 2;
            for row in 0..isize::from(rows) {
                let at = middle.strict_add_signed(displacement + row * stride);
                let row = at..at + usize::from(colsb);
                expected[row.clone()].copy_from_slice(&source[row]);
            }
            copy(source[middle..].as_ptr(), found[middle..].as_mut_ptr());
            assert!(found == expected, "{name}, {rows} rows of {colsb} bytes");
        }
    }
    release();
}

#[test]
fn the_stack_and_absolute_addresses() {
    const LOW: usize = 0x2345_6000;
    ready();
    full().load();
    let source = Random(4).tile();
    let mut found: Bytes = [[0; 64]; 16];
    // SAFETY: the memory of both tiles exists, and 1 KiB of stack is allocated and freed.
    unsafe {
        asm!(
            "tileloadd tmm0, [rsi + rax]",
            "sub rsp, 1088",
            "tilestored [rsp + rax + 64], tmm0",
            "tilezero tmm0",
            "tileloadd tmm1, [rsp + rax + 64]",
            "add rsp, 1088",
            "tilestored [rdi + rax], tmm1",
            in("rax") 64_usize,
            in("rsi") &raw const source,
            in("rdi") &raw mut found,
        );
    }
    assert_eq!(found, source);

    let mut zeros = source;
    // SAFETY: the memory of the tile exists. Tile 0 was zeroed above.
    unsafe {
        asm!(
            "tilestored [{to} + {stride}], tmm0",
            to = in(reg) &raw mut zeros,
            stride = in(reg) 64_usize,
            options(nostack),
        );
    }
    assert_eq!(zeros, [[0; 64]; 16]);

    // An operand without base: an address of 32 bits and an index, which is only the stride.
    // SAFETY: this maps a page where nothing is mapped; only the code below uses it.
    let page = unsafe {
        libc::mmap(
            LOW as *mut libc::c_void,
            4096,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE,
            -1,
            0,
        )
    };
    assert_eq!(page as usize, LOW, "the page is taken");
    let mut found: Bytes = [[0; 64]; 16];
    // SAFETY: the page has room for 16 rows, 128 bytes apart.
    unsafe {
        asm!(
            "tilestored [2*rax + 0x23456000], tmm1",
            "tilezero tmm1",
            "tileloadd tmm2, [2*rax + 0x23456000]",
            "tilestored [rdi + rax], tmm2",
            in("rax") 64_usize,
            in("rdi") &raw mut found,
            options(nostack),
        );
        assert_eq!(
            std::slice::from_raw_parts(page.cast::<u8>().add(128), 64),
            source[1]
        );
        libc::munmap(page, 4096);
    }
    assert_eq!(found, source);
    release();
}

#[test]
fn configurations_are_stored_as_loaded() {
    ready();
    let configuration = EMPTY.with(&[(0, 16, 64), (3, 5, 12), (7, 1, 4), (4, 16, 63)]);
    configuration.load();
    assert_eq!(Configuration::stored(), configuration);
    release();
    let initial = Configuration {
        palette: 0,
        ..EMPTY
    };
    assert_eq!(Configuration::stored(), initial);
    // Palette 0 releases the tiles, whatever the rest of the configuration is.
    configuration.load();
    Configuration {
        palette: 0,
        ..configuration
    }
    .load();
    assert_eq!(Configuration::stored(), initial);
}

#[test]
fn operands_of_configurations() {
    ready();
    let mut array = [EMPTY; 8];
    for (tile, configuration) in array.iter_mut().enumerate() {
        *configuration = EMPTY.with(&[(tile, tile as u8 + 1, 4)]);
    }
    let mut found = [EMPTY; 4];
    // SAFETY: this loads from elements 5, 2, 6 and 7 of the array and stores to the four results.
    unsafe {
        asm!(
            "ldtilecfg [r12 + 8*r13]",
            "sttilecfg [rdi]",
            "ldtilecfg [r12 + 128]",
            "sttilecfg [rdi + 64]",
            "lea r13, [r12 + 384]",
            "ldtilecfg [r13]",
            "sttilecfg [r13 + 0x10000 - 0x10000]",
            "sttilecfg [rdi + 128]",
            "lea r13, [r12 + 0x10000]",
            "ldtilecfg [r13 - 0x10000 + 448]",
            "mov r13, 48",
            "sttilecfg [rdi + 4*r13]",
            in("r12") &raw mut array,
            inout("r13") 40_usize => _,
            in("rdi") &raw mut found,
            options(nostack),
        );
    }
    assert_eq!(found, [array[5], array[2], array[6], array[7]]);

    let mut relative = EMPTY;
    // SAFETY: the configuration's 64 bytes are in the code, which jumps over them.
    unsafe {
        asm!(
            "ldtilecfg [rip + 2f]",
            "jmp 3f",
            "2:",
            ".byte 1, 0",
            ".zero 14",
            ".short 0, 8",
            ".zero 28",
            ".byte 0, 9",
            ".zero 14",
            "3:",
            "sttilecfg [{}]",
            in(reg) &raw mut relative,
            options(nostack),
        );
    }
    assert_eq!(relative, EMPTY.with(&[(1, 9, 8)]));
    release();
}

#[test]
fn a_configuration_zeroes_the_tiles() {
    ready();
    full().load();
    let mut found: Bytes = [[1; 64]; 16];
    // SAFETY: the memory of the tile exists.
    unsafe {
        asm!(
            "tileloadd tmm6, [{at} + {stride}]",
            "ldtilecfg [{configuration}]",
            "tilestored [{at} + {stride}], tmm6",
            at = in(reg) &raw mut found,
            stride = in(reg) 64_usize,
            configuration = in(reg) &full(),
            options(nostack),
        );
    }
    assert_eq!(found, [[0; 64]; 16]);
    release();
}

#[test]
fn loads_and_stores_begin_at_the_start_row() {
    ready();
    let source = Random(5).tile();
    let ones: Bytes = [[1; 64]; 16];
    let configuration = EMPTY.with(&[(0, 8, 32)]);
    let resumed = Configuration {
        start_row: 3,
        ..configuration
    };
    resumed.load();
    assert_eq!(Configuration::stored(), resumed);
    let mut found = ones;
    // SAFETY: the memory of the tiles exists.
    unsafe {
        asm!(
            "tileloadd tmm0, [{from} + {stride}]",
            "tilestored [{to} + {stride}], tmm0",
            from = in(reg) &raw const source,
            to = in(reg) &raw mut found,
            stride = in(reg) 64_usize,
            options(nostack),
        );
    }
    // The rows before start_row stay zero, as the configuration left them.
    let mut expected = ones;
    for (row, line) in expected.iter_mut().enumerate().take(8) {
        line[..32].copy_from_slice(if row < 3 {
            &[0; 32]
        } else {
            &source[row][..32]
        });
    }
    assert_eq!(found, expected);
    // Each instruction resets start_row to 0.
    assert_eq!(Configuration::stored(), configuration);
    resumed.load();
    let mut found = ones;
    // SAFETY: the memory of the tile exists.
    unsafe {
        asm!(
            "tilestored [{to} + {stride}], tmm0",
            to = in(reg) &raw mut found,
            stride = in(reg) 64_usize,
            options(nostack),
        );
    }
    assert_eq!(found[..3], ones[..3]);
    assert_eq!(found[3][..32], [0; 32]);
    release();
}

#[test]
fn threads_have_tiles_of_their_own() {
    const THREADS: u8 = 3;
    ready();
    let barrier = Barrier::new(THREADS.into());
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let barrier = &barrier;
            scope.spawn(move || {
                let mut random = Random(u64::from(thread) + 100);
                let configuration = EMPTY.with(&[
                    (0, 16 - thread, 64),
                    (1, 16 - thread, 4 * u16::from(10 + thread)),
                    (2, 10 + thread, 64),
                ]);
                let shape = [16 - thread, 16, 10 + thread].map(usize::from);
                let (a, b) = (random.tile(), random.tile());
                let start = to_dwords(&random.tile());
                configuration.load();
                for _ in 0..50 {
                    let (mut found, mut expected) = (start, start);
                    barrier.wait();
                    // SAFETY: the memory of the tiles exists.
                    unsafe {
                        asm!(
                            "tileloadd tmm0, [{c} + {stride}]",
                            "tileloadd tmm1, [{a} + {stride}]",
                            "tileloadd tmm2, [{b} + {stride}]",
                            c = in(reg) &raw const found,
                            a = in(reg) &raw const a,
                            b = in(reg) &raw const b,
                            stride = in(reg) 64_usize,
                            options(nostack),
                        );
                    }
                    barrier.wait();
                    // SAFETY: the memory of the tile exists.
                    unsafe {
                        asm!(
                            "tdpbsud tmm0, tmm1, tmm2",
                            "tilestored [{c} + {stride}], tmm0",
                            c = in(reg) &raw mut found,
                            stride = in(reg) 64_usize,
                            options(nostack),
                        );
                    }
                    product(&mut expected, &a, &b, shape, [true, false]);
                    assert_eq!(found, expected, "thread {thread}");
                    assert_eq!(Configuration::stored(), configuration);
                }
                release();
            });
        }
    });
}

#[test]
fn other_registers_and_flags_stay() {
    ready();
    full().load();
    let source = Random(6).tile();
    let (mut vector, mut flags): ([u8; 16], u64) = ([0; 16], 0);
    let pattern: [u8; 16] = std::array::from_fn(|i| 3 * i as u8 + 1);
    // SAFETY: the memory of the tile and the vectors exists. The stack pointer is moved past the
    // red zone before anything is written, and is restored.
    unsafe {
        asm!(
            "movdqu xmm3, [{pattern}]",
            "mov qword ptr [rsp - 8], 12345",
            "stc",
            "tileloadd tmm1, [{source} + {stride}]",
            "tilezero tmm1",
            "tdpbsud tmm0, tmm1, tmm2",
            "lea rsp, [rsp - 8]",
            "pop rax",
            "pushfq",
            "pop {flags}",
            "movdqu [{vector}], xmm3",
            pattern = in(reg) &raw const pattern,
            source = in(reg) &raw const source,
            vector = in(reg) &raw mut vector,
            stride = in(reg) 64_usize,
            flags = out(reg) flags,
            out("rax") _,
            out("xmm3") _,
        );
    }
    assert_eq!(vector, pattern);
    assert_eq!(flags & 1, 1, "carry");
    release();
}

/// Runs `action` in another process, which executes this test alone.
fn alone(test: &str, case: &str, action: impl FnOnce()) -> Option<Output> {
    const CASE: &str = "SUNZI_TILE_EMULATOR_CASE";
    match std::env::var(CASE) {
        Ok(chosen) if chosen == case => {
            action();
            std::process::exit(0);
        }
        Ok(_) => None,
        Err(_) => {
            let output = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", test, "--nocapture"])
                .env(CASE, case)
                .output()
                .unwrap();
            Some(output)
        }
    }
}

fn illegal() {
    // SAFETY: this raises a signal, for which the process was made.
    unsafe { asm!("ud2") }
}

fn breakpoint() {
    // SAFETY: this raises a signal, for which the process was made.
    unsafe { asm!("int3") }
}

#[test]
fn what_is_not_emulated_still_kills() {
    fn ignored() {
        // SAFETY: this removes handlers and sends signals to this thread.
        unsafe {
            libc::signal(libc::SIGILL, libc::SIG_IGN);
            libc::signal(libc::SIGTRAP, libc::SIG_IGN);
            assert!(install());
            libc::raise(libc::SIGILL);
            libc::raise(libc::SIGTRAP);
        }
        println!("ignored those that were sent");
    }
    let sent = |signal| {
        // SAFETY: this sends a signal to this thread.
        unsafe { libc::raise(signal) };
    };
    let cases: [(&str, libc::c_int, &dyn Fn()); 6] = [
        ("illegal", libc::SIGILL, &illegal),
        ("breakpoint", libc::SIGTRAP, &breakpoint),
        ("sent illegal", libc::SIGILL, &|| sent(libc::SIGILL)),
        ("sent breakpoint", libc::SIGTRAP, &|| sent(libc::SIGTRAP)),
        ("ignored, illegal", libc::SIGILL, &|| {
            ignored();
            illegal();
        }),
        ("ignored, breakpoint", libc::SIGTRAP, &|| {
            ignored();
            breakpoint();
        }),
    ];
    for (case, signal, action) in cases {
        let ignores = case.starts_with("ignored");
        let output = alone("what_is_not_emulated_still_kills", case, || {
            if !ignores {
                assert!(install());
            }
            action();
        });
        if let Some(output) = output {
            assert_eq!(output.status.signal(), Some(signal), "{case}: {output:?}");
            let said = String::from_utf8_lossy(&output.stdout);
            assert_eq!(
                said.contains("ignored those"),
                ignores,
                "{case}: {output:?}"
            );
        }
    }
}

#[test]
fn earlier_handlers_get_what_is_not_emulated() {
    extern "C" fn plain(signal: libc::c_int) {
        // SAFETY: this ends the process.
        unsafe { libc::_exit(100 + signal) }
    }
    extern "C" fn with_context(
        signal: libc::c_int,
        info: *mut libc::siginfo_t,
        context: *mut libc::c_void,
    ) {
        // SAFETY: the structures are those of the signal, the bytes those of the instruction, and
        // then the process ends.
        unsafe {
            let context = &*context.cast::<libc::ucontext_t>();
            let rip = context.uc_mcontext.gregs[libc::REG_RIP as usize] as *const u8;
            let there = match signal {
                libc::SIGILL => std::ptr::eq((*info).si_addr().cast(), rip) && *rip == 0x0F,
                _ => *rip.sub(1) == 0xCC,
            };
            libc::_exit(if there { 120 + signal } else { 1 });
        }
    }
    let plain = (plain as extern "C" fn(_) as usize, 0);
    let with_context = (
        with_context as extern "C" fn(_, _, _) as usize,
        libc::SA_SIGINFO,
    );
    let cases = [
        ("illegal, plain", plain, illegal as fn(), 100 + libc::SIGILL),
        (
            "illegal, with context",
            with_context,
            illegal,
            120 + libc::SIGILL,
        ),
        ("breakpoint, plain", plain, breakpoint, 100 + libc::SIGTRAP),
        (
            "breakpoint, with context",
            with_context,
            breakpoint,
            120 + libc::SIGTRAP,
        ),
    ];
    for (case, (handler, flags), action, exit) in cases {
        let output = alone("earlier_handlers_get_what_is_not_emulated", case, || {
            // SAFETY: the handlers are of the kind that the flags declare.
            unsafe {
                let mut earlier: libc::sigaction = std::mem::zeroed();
                earlier.sa_sigaction = handler;
                earlier.sa_flags = flags;
                libc::sigaction(libc::SIGILL, &raw const earlier, std::ptr::null_mut());
                libc::sigaction(libc::SIGTRAP, &raw const earlier, std::ptr::null_mut());
            }
            assert!(install() && install());
            if !hardware() {
                full().load();
                release();
                full().load();
            }
            action();
        });
        if let Some(output) = output {
            assert_eq!(output.status.code(), Some(exit), "{case}: {output:?}");
        }
    }
}

#[test]
fn threads_meet_at_one_instruction() {
    ready();
    // Each round has an instruction of its own, which no thread has executed before.
    let rounds: [fn(); 8] = [
        instruction!("tilezero tmm0; nop"),
        instruction!("tilezero tmm1; nop"),
        instruction!("tilezero tmm2; nop"),
        instruction!("tilezero tmm3; nop"),
        instruction!("nop; tilezero tmm4; tilezero tmm5"),
        instruction!("nop; tilezero tmm5; tilezero tmm6"),
        instruction!("nop; tilezero tmm6; tilezero tmm7"),
        instruction!("nop; tilezero tmm7; tilezero tmm0"),
    ];
    let barrier = Barrier::new(4);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                full().load();
                for round in rounds {
                    barrier.wait();
                    for _ in 0..10 {
                        round();
                    }
                }
                release();
            });
        }
    });
}

type Action = Box<dyn Fn()>;

/// Instructions that raise #UD, invalid opcode, on a processor with AMX.
fn undefined() -> Vec<(&'static str, Action)> {
    let dims = |m, n, k| EMPTY.with(&[(0, m, 64), (1, 16, n), (2, k, 64)]);
    let after = |configuration: Configuration, action: fn()| -> Action {
        Box::new(move || {
            configuration.load();
            action();
        })
    };
    // The assembler refuses equal tiles, so these instructions are given as bytes.
    let product = instruction!("tdpbsud tmm0, tmm1, tmm2");
    vec![
        (
            "tilezero at 0x: #UD: no tile configuration is loaded: ldtilecfg with palette 1 comes first",
            Box::new(instruction!("tilezero tmm0")),
        ),
        (
            "tdpbsud at 0x: #UD: no tile configuration is loaded",
            Box::new(move || {
                full().load();
                release();
                product();
            }),
        ),
        (
            "tileloadd at 0x: #UD: tile 4 is not configured",
            after(
                dims(16, 64, 16),
                instruction!("tileloadd tmm4, [rsi + rax]"),
            ),
        ),
        (
            "tilestored at 0x: #UD: tile 5 has rows of 6 bytes: they must be a multiple of 4",
            after(
                EMPTY.with(&[(5, 2, 6)]),
                instruction!("tilestored [rsi + rax], tmm5"),
            ),
        ),
        (
            "tileloadd at 0x: #UD: start_row is 2, tile 5 has 2 rows",
            after(
                Configuration {
                    start_row: 2,
                    ..EMPTY.with(&[(5, 2, 8)])
                },
                instruction!("tileloadd tmm5, [rsi + rax]"),
            ),
        ),
        (
            "tdpbssd at 0x: #UD: the operands tmm1, tmm1, tmm2 must be three different tiles",
            after(full(), instruction!(".byte 0xC4, 0xE2, 0x6B, 0x5E, 0xC9")),
        ),
        (
            "tdpbusd at 0x: #UD: the operands tmm1, tmm2, tmm2 must be three different tiles",
            after(full(), instruction!(".byte 0xC4, 0xE2, 0x69, 0x5E, 0xCA")),
        ),
        (
            "tdpbuud at 0x: #UD: the operands tmm3, tmm2, tmm3 must be three different tiles",
            after(full(), instruction!(".byte 0xC4, 0xE2, 0x60, 0x5E, 0xDA")),
        ),
        (
            "tdpbsud at 0x: #UD: 15 rows of the destination, 16 of the first source",
            after(dims(15, 64, 16), product),
        ),
        (
            "tdpbsud at 0x: #UD: rows of 60 bytes in the first source, 16 rows in the second",
            after(dims(16, 60, 16), product),
        ),
        (
            "tdpbsud at 0x: #UD: rows of 64 bytes in the destination, 32 in the second source",
            after(dims(16, 64, 16).with(&[(2, 16, 32)]), product),
        ),
    ]
}

/// Configurations that raise #GP, general protection, on a processor with AMX.
fn protected() -> Vec<(&'static str, Configuration)> {
    let mut reserved = full();
    reserved.reserved[3] = 9;
    vec![
        (
            "ldtilecfg at 0x: #GP: palette 2 does not exist",
            Configuration {
                palette: 2,
                ..full()
            },
        ),
        (
            "ldtilecfg at 0x: #GP: byte 5 of the configuration is 9: it is reserved",
            reserved,
        ),
        (
            "ldtilecfg at 0x: #GP: byte 32 of the configuration is 64: it is reserved",
            EMPTY.with(&[(8, 16, 64)]),
        ),
        (
            "ldtilecfg at 0x: #GP: tile 3 has 17 rows of 64 bytes: at most 16 of at most 64",
            EMPTY.with(&[(3, 17, 64)]),
        ),
        (
            "ldtilecfg at 0x: #GP: tile 3 has 16 rows of 320 bytes: at most 16 of at most 64",
            EMPTY.with(&[(3, 16, 320)]),
        ),
        (
            "ldtilecfg at 0x: #GP: tile 7 has 16 rows of 0 bytes: both must be 0, or neither",
            EMPTY.with(&[(7, 16, 0)]),
        ),
    ]
}

#[test]
fn what_the_processor_refuses_aborts_by_name() {
    ready();
    let undefined = undefined()
        .into_iter()
        .map(|(message, action)| (message, libc::SIGILL, action));
    let protected = protected().into_iter().map(|(message, configuration)| {
        let action: Action = Box::new(move || configuration.load());
        (message, libc::SIGSEGV, action)
    });
    for (message, exception, action) in undefined.chain(protected) {
        let output = alone("what_the_processor_refuses_aborts_by_name", message, action);
        let Some(output) = output else { continue };
        if ready() {
            assert_eq!(
                output.status.signal(),
                Some(exception),
                "{message}: {output:?}"
            );
        } else {
            assert_eq!(
                output.status.signal(),
                Some(libc::SIGABRT),
                "{message}: {output:?}"
            );
            let said = String::from_utf8_lossy(&output.stderr);
            let (name, condition) = message.split_once(" at 0x").unwrap();
            assert!(
                said.starts_with(&format!("tile emulator: {name} at 0x")),
                "{said}"
            );
            assert!(said.contains(condition), "{said}");
        }
    }
}

#[test]
fn instructions_are_counted() {
    let output = alone("instructions_are_counted", "counts", || {
        if ready() {
            assert_eq!(
                counts(),
                Counts::default(),
                "nothing emulated, nothing counted"
            );
            return;
        }
        let before = counts();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        full().load();
                        let (mut c, zero) = ([[0; 16]; 16], [[0; 64]; 16]);
                        dot!("tdpbssd", 0, 1, 2)(&mut c, &zero, &zero);
                        dot!("tdpbsud", 0, 1, 2)(&mut c, &zero, &zero);
                        dot!("tdpbsud", 0, 1, 2)(&mut c, &zero, &zero);
                        dot!("tdpbusd", 0, 1, 2)(&mut c, &zero, &zero);
                        dot!("tdpbuud", 0, 1, 2)(&mut c, &zero, &zero);
                        instruction!("tilezero tmm3")();
                        Configuration::stored();
                        release();
                    }
                });
            }
        });
        let expected = Counts {
            ldtilecfg: 100,
            sttilecfg: 100,
            tilerelease: 100,
            tilezero: 100,
            tileloadd: 1000,
            tileloaddt1: 500,
            tilestored: 500,
            tdpbssd: 100,
            tdpbsud: 200,
            tdpbusd: 100,
            tdpbuud: 100,
        };
        assert_eq!(counts() - before, expected);
    });
    if let Some(output) = output {
        assert!(output.status.success(), "{output:?}");
    }
}

#[test]
#[ignore = "a measurement: --release -- --ignored --nocapture speed"]
fn speed() {
    ready();
    full().load();
    let time = |what: &str, times: u32, action: fn()| {
        let best = (0..1000)
            .map(|_| {
                let start = std::time::Instant::now();
                for _ in 0..20 {
                    action();
                }
                start.elapsed() / (20 * times)
            })
            .min();
        println!("{what}: {:?}", best.unwrap());
    };
    time(
        "tilezero by itself (one trap)",
        1,
        instruction!("tilezero tmm0"),
    );
    time(
        "tdpbsud by itself (one trap)",
        1,
        instruction!("tdpbsud tmm0, tmm1, tmm2"),
    );
    time(
        "tdpbsud, each of 100 in a row",
        100,
        instruction!(".rept 100; tdpbsud tmm0, tmm1, tmm2; .endr"),
    );
    time(
        "tileloadd, each of 100 in a row",
        100,
        instruction!(".rept 100; tileloadd tmm0, [rsi + rax]; .endr"),
    );
    time(
        "tilestored, each of 100 in a row",
        100,
        instruction!(".rept 100; tilestored [rsi + rax], tmm0; .endr"),
    );
    release();
}
