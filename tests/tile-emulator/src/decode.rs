//! The decoder of AMX-TILE and AMX-INT8 instructions.
//!
//! All have the encoding VEX.128, map 0F38, W0, and hence a three-byte prefix:
//!
//! ```text
//! C4 | R X B 00010 | 0 vvvv 0 pp | opcode | ModRM | SIB? | disp8/disp32?
//! ```
//!
//! where R, X, B and vvvv are inverted, and pp is 0 for no prefix, 1 for 66, 2 for F3, 3 for F2.

/// A decoded instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub(crate) operation: Operation,
    /// Length in bytes.
    pub(crate) length: u8,
}

/// The operation of an instruction. Tiles have the numbers 0 to 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// `ldtilecfg memory`
    LoadConfiguration(Memory),
    /// `sttilecfg memory`
    StoreConfiguration(Memory),
    /// `tilerelease`
    Release,
    /// `tilezero tile`
    Zero { tile: u8 },
    /// `tileloadd tile, memory`; `tileloaddt1` if streaming.
    Load {
        tile: u8,
        memory: Memory,
        streaming: bool,
    },
    /// `tilestored memory, tile`
    Store { tile: u8, memory: Memory },
    /// `tdpb.. destination, first, second`
    Dot {
        destination: u8,
        /// The tile of M x K bytes, whose rows are those of the product (ModRM.rm).
        first: u8,
        /// The tile of K/4 x N dwords, whose columns are those of the product (VEX.vvvv).
        second: u8,
        signs: Signs,
    },
}

/// Signedness of the bytes of the first and of the second source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signs {
    /// `tdpbssd`
    SignedSigned,
    /// `tdpbsud`
    SignedUnsigned,
    /// `tdpbusd`
    UnsignedSigned,
    /// `tdpbuud`
    UnsignedUnsigned,
}

impl Operation {
    /// The instruction's mnemonic.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::LoadConfiguration(_) => "ldtilecfg",
            Self::StoreConfiguration(_) => "sttilecfg",
            Self::Release => "tilerelease",
            Self::Zero { .. } => "tilezero",
            Self::Load { streaming, .. } if streaming => "tileloaddt1",
            Self::Load { .. } => "tileloadd",
            Self::Store { .. } => "tilestored",
            Self::Dot { signs, .. } => match signs {
                Signs::SignedSigned => "tdpbssd",
                Signs::SignedUnsigned => "tdpbsud",
                Signs::UnsignedSigned => "tdpbusd",
                Signs::UnsignedUnsigned => "tdpbuud",
            },
        }
    }
}

/// A memory operand: base + index * 2^scale + displacement. Registers have the numbers 0 to
/// 15 of their encodings (rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, ...).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) base: Base,
    pub(crate) index: Option<u8>,
    pub(crate) scale: u8,
    pub(crate) displacement: i32,
}

/// The base of a memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    Zero,
    Register(u8),
    /// The address of the instruction that follows.
    NextInstruction,
}

impl Memory {
    /// The address base + index * 2^scale + displacement.
    pub(crate) fn address(self, register: impl Fn(u8) -> u64 + Copy, next: u64) -> u64 {
        self.start(register, next)
            .wrapping_add(self.scaled_index(register))
    }

    /// The address base + displacement, where `next` is that of the following instruction.
    pub(crate) fn start(self, register: impl Fn(u8) -> u64, next: u64) -> u64 {
        let base = match self.base {
            Base::Zero => 0,
            Base::Register(number) => register(number),
            Base::NextInstruction => next,
        };
        base.wrapping_add_signed(self.displacement.into())
    }

    /// index * 2^scale, which is the stride of tile loads and stores; 0 without an index.
    pub(crate) fn scaled_index(self, register: impl Fn(u8) -> u64) -> u64 {
        self.index
            .map_or(0, |number| register(number) << self.scale)
    }
}

/// The AMX instruction at the start of the code whose i-th byte is `byte(i)`. `None` if there
/// is another instruction, or one that is undefined in every state of the tiles.
///
/// No byte after the end of the instruction is read.
pub(crate) fn decode(byte: impl Fn(usize) -> u8) -> Option<Instruction> {
    const NONE: u8 = 0;
    const H66: u8 = 1;
    const F3: u8 = 2;
    const F2: u8 = 3;

    // C4 is VEX in 64-bit code. Every instruction of map 0F38 has an opcode and ModRM.
    if byte(0) != 0xC4 {
        return None;
    }
    let extensions = byte(1);
    if extensions & 0x1F != 2 {
        return None;
    }
    let [r, x, b] = [7, 6, 5].map(|bit| (!extensions >> bit & 1) << 3);
    let vex = byte(2);
    // W must be 0, and L must be 0 (VEX.128).
    if vex & 0x84 != 0 {
        return None;
    }
    let vvvv = !vex >> 3 & 15;
    let prefix = vex & 3;
    let opcode = byte(3);
    if !matches!(opcode, 0x49 | 0x4B | 0x5E) {
        return None;
    }
    let modrm = byte(4);
    let in_registers = modrm >> 6 == 3;
    let reg = modrm >> 3 & 7;
    let rm = modrm & 7;

    if opcode == 0x5E {
        let [destination, first, second] = [reg | r, rm | b, vvvv];
        let signs = match prefix {
            NONE => Signs::UnsignedUnsigned,
            H66 => Signs::UnsignedSigned,
            F3 => Signs::SignedUnsigned,
            _ => Signs::SignedSigned,
        };
        let tiles = destination < 8 && first < 8 && second < 8;
        return (in_registers && tiles).then_some(Instruction {
            operation: Operation::Dot {
                destination,
                first,
                second,
                signs,
            },
            length: 5,
        });
    }
    if vvvv != 0 {
        return None;
    }
    if in_registers {
        let operation = match (opcode, prefix) {
            (0x49, NONE) if modrm == 0xC0 => Operation::Release,
            (0x49, F2) if rm == 0 && r == 0 => Operation::Zero { tile: reg },
            _ => return None,
        };
        return Some(Instruction {
            operation,
            length: 5,
        });
    }
    if opcode == 0x49 {
        if reg != 0 || !matches!(prefix, NONE | H66) {
            return None;
        }
    } else if rm != 4 || r != 0 || prefix == NONE {
        // Tile loads and stores exist in the SIB form only.
        return None;
    }
    let (memory, length) = decode_memory(&byte, modrm, x, b);
    let operation = match (opcode, prefix) {
        (0x49, NONE) => Operation::LoadConfiguration(memory),
        (0x49, _) => Operation::StoreConfiguration(memory),
        (_, F3) => Operation::Store { tile: reg, memory },
        (_, _) => Operation::Load {
            tile: reg,
            memory,
            streaming: prefix == H66,
        },
    };
    Some(Instruction { operation, length })
}

/// The memory operand of the `ModRM` byte (at position 4, with mod below 3), and the length of
/// the whole instruction. `x` and `b` are the extensions of index and base, 0 or 8.
fn decode_memory(byte: impl Fn(usize) -> u8, modrm: u8, x: u8, b: u8) -> (Memory, u8) {
    let mode = modrm >> 6;
    let rm = modrm & 7;
    let mut end = 5;
    let (base, index, scale) = if rm == 4 {
        let sib = byte(5);
        end = 6;
        let index = sib >> 3 & 7 | x;
        // Base 101 with mod 00 means no base and a 32-bit displacement, whatever VEX.B is.
        let base = if sib & 7 == 5 && mode == 0 {
            Base::Zero
        } else {
            Base::Register(sib & 7 | b)
        };
        // Index 100 without VEX.X, which would be rsp, means no index.
        (base, (index != 4).then_some(index), sib >> 6)
    } else if rm == 5 && mode == 0 {
        (Base::NextInstruction, None, 0)
    } else {
        (Base::Register(rm | b), None, 0)
    };
    let wide = mode == 2 || matches!(base, Base::Zero | Base::NextInstruction);
    let displacement = if wide {
        let bytes = [0, 1, 2, 3].map(|i| byte(end + i));
        end += 4;
        i32::from_le_bytes(bytes)
    } else if mode == 1 {
        end += 1;
        i32::from(byte(end - 1).cast_signed())
    } else {
        0
    };
    let memory = Memory {
        base,
        index,
        scale,
        displacement,
    };
    (memory, end as u8)
}

#[cfg(test)]
mod tests {
    use std::arch::asm;

    use super::*;

    /// The bytes of an instruction, from the assembler.
    macro_rules! assembled {
        ($text:expr) => {{
            let (start, end): (*const u8, *const u8);
            // SAFETY: the code takes two addresses and jumps over the instruction between them.
            unsafe {
                asm!(
                    "lea {start}, [rip + 2f]",
                    "lea {end}, [rip + 3f]",
                    "jmp 3f",
                    "2:",
                    $text,
                    "3:",
                    start = out(reg) start,
                    end = out(reg) end,
                    options(nomem),
                );
                std::slice::from_raw_parts(start, end.offset_from_unsigned(start))
            }
        }};
    }

    /// Decodes `code`, which must be one whole instruction. Reading a byte after it panics.
    fn decoded(code: &[u8]) -> Option<Operation> {
        let instruction = decode(|i| code[i])?;
        assert_eq!(
            usize::from(instruction.length),
            code.len(),
            "length of {code:02x?}"
        );
        Some(instruction.operation)
    }

    const fn memory(base: Base, index: Option<u8>, scale: u8, displacement: i32) -> Memory {
        Memory {
            base,
            index,
            scale,
            displacement,
        }
    }

    const RAX: u8 = 0;
    const RCX: u8 = 1;
    const RDX: u8 = 2;
    const RSP: u8 = 4;
    const RBP: u8 = 5;
    const RDI: u8 = 7;

    #[test]
    fn memory_operands_are_those_of_the_assembler() {
        use Base::{NextInstruction, Register, Zero};
        macro_rules! agree {
            ($($text:literal => $memory:expr;)*) => {$(
                assert_eq!(
                    decoded(assembled!(concat!("tileloadd tmm3, [", $text, "]"))),
                    Some(Operation::Load { tile: 3, memory: $memory, streaming: false }),
                    $text,
                );
                assert_eq!(
                    decoded(assembled!(concat!("tilestored [", $text, "], tmm6"))),
                    Some(Operation::Store { tile: 6, memory: $memory }),
                    $text,
                );
                assert_eq!(
                    decoded(assembled!(concat!("ldtilecfg [", $text, "]"))),
                    Some(Operation::LoadConfiguration($memory)),
                    $text,
                );
                assert_eq!(
                    decoded(assembled!(concat!("sttilecfg [", $text, "]"))),
                    Some(Operation::StoreConfiguration($memory)),
                    $text,
                );
            )*};
        }
        agree! {
            "rax + rcx" => memory(Register(RAX), Some(RCX), 0, 0);
            "rdx + 2*rdi + 127" => memory(Register(RDX), Some(RDI), 1, 127);
            "rdx + 4*rdi - 128" => memory(Register(RDX), Some(RDI), 2, -128);
            "rdx + 8*rdi + 128" => memory(Register(RDX), Some(RDI), 3, 128);
            "rdx + 8*rdi - 129" => memory(Register(RDX), Some(RDI), 3, -129);
            "rbp + rax" => memory(Register(RBP), Some(RAX), 0, 0);
            "rax + rbp" => memory(Register(RAX), Some(RBP), 0, 0);
            "rsp + rax + 8" => memory(Register(RSP), Some(RAX), 0, 8);
            "r8 + r9" => memory(Register(8), Some(9), 0, 0);
            "r12 + 2*r13 + 0x12345678" => memory(Register(12), Some(13), 1, 0x1234_5678);
            "r13 + 4*r12" => memory(Register(13), Some(12), 2, 0);
            "r15 + 8*r14 - 0x7fffffff" => memory(Register(15), Some(14), 3, -0x7fff_ffff);
            "4*rcx + 0x1000" => memory(Zero, Some(RCX), 2, 0x1000);
            "8*r13 + 0x40" => memory(Zero, Some(13), 3, 0x40);
            "rsp" => memory(Register(RSP), None, 0, 0);
            "r12 + 5" => memory(Register(12), None, 0, 5);
        }
        // Without an index the assembler omits the SIB byte if it can.
        macro_rules! configuration {
            ($($text:literal => $memory:expr;)*) => {$(
                assert_eq!(
                    decoded(assembled!(concat!("ldtilecfg [", $text, "]"))),
                    Some(Operation::LoadConfiguration($memory)),
                    $text,
                );
            )*};
        }
        configuration! {
            "rip + 0x1234" => memory(NextInstruction, None, 0, 0x1234);
            "rax" => memory(Register(RAX), None, 0, 0);
            "rbp" => memory(Register(RBP), None, 0, 0);
            "r13" => memory(Register(13), None, 0, 0);
            "r11 - 0x200" => memory(Register(11), None, 0, -0x200);
        }
        assert_eq!(
            decoded(assembled!("tileloaddt1 tmm7, [r9]")),
            Some(Operation::Load {
                tile: 7,
                memory: memory(Register(9), None, 0, 0),
                streaming: true,
            }),
        );
    }

    #[test]
    fn tile_operands_are_those_of_the_assembler() {
        macro_rules! agree {
            ($($name:literal $signs:ident $destination:literal $first:literal $second:literal;)*) => {$(
                assert_eq!(
                    decoded(assembled!(concat!(
                        $name, " tmm", $destination, ", tmm", $first, ", tmm", $second
                    ))),
                    Some(Operation::Dot {
                        destination: $destination,
                        first: $first,
                        second: $second,
                        signs: Signs::$signs,
                    }),
                );
            )*};
        }
        agree! {
            "tdpbssd" SignedSigned 0 1 2;
            "tdpbssd" SignedSigned 7 6 5;
            "tdpbsud" SignedUnsigned 0 1 2;
            "tdpbsud" SignedUnsigned 5 0 7;
            "tdpbusd" UnsignedSigned 2 4 3;
            "tdpbuud" UnsignedUnsigned 6 7 1;
        }
        assert_eq!(
            decoded(assembled!("tilezero tmm5")),
            Some(Operation::Zero { tile: 5 }),
        );
        assert_eq!(decoded(assembled!("tilerelease")), Some(Operation::Release));
    }

    #[test]
    fn other_instructions_are_none() {
        for code in [
            assembled!("ud2"),
            assembled!("nop"),
            assembled!("vpabsb xmm1, xmm2"),
            assembled!("vpdpbusd ymm1, ymm2, ymm3"),
            assembled!("vaddps xmm9, xmm10, xmm11"),
            assembled!("andn rax, rcx, rdx"),
            assembled!("tdpbf16ps tmm0, tmm1, tmm2"),
        ] {
            assert_eq!(decode(|i| code[i]), None, "{code:02x?}");
        }
    }

    #[test]
    fn undefined_forms_are_none() {
        let dot = assembled!("tdpbsud tmm1, tmm2, tmm3");
        let load = assembled!("tileloadd tmm1, [rax + rcx]");
        let zero = assembled!("tilezero tmm1");
        let release = assembled!("tilerelease");
        let configuration = assembled!("ldtilecfg [rax]");
        for (code, byte, bits, what) in [
            (dot, 1, 0x80, "destination above 7"),
            (dot, 1, 0x20, "first source above 7"),
            (dot, 2, 0x40, "second source above 7"),
            (dot, 2, 0x80, "W1"),
            (dot, 2, 0x04, "VEX.256"),
            (dot, 1, 0x01, "another map"),
            (dot, 4, 0x40, "product with memory"),
            (load, 1, 0x80, "tile above 7"),
            (load, 2, 0x08, "vvvv in use"),
            (load, 2, 0x03, "load without prefix"),
            (load, 4, 0x01, "no SIB byte"),
            (load, 4, 0xC0, "load from a register"),
            (zero, 1, 0x80, "tile above 7"),
            (zero, 2, 0x40, "vvvv in use"),
            (zero, 4, 0x01, "rm in use"),
            (release, 4, 0x08, "reg in use"),
            (release, 2, 0x20, "vvvv in use"),
            (configuration, 4, 0x08, "reg in use"),
            (configuration, 2, 0x03, "prefix F2"),
        ] {
            let mut code = code.to_vec();
            code[byte] ^= bits;
            code.extend([0; 8]);
            assert_eq!(decode(|i| code[i]), None, "{what}");
        }
    }
}
