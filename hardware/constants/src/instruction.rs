//! Instructions of the curve processor, as in `curve_processor.sv`.

/// Bits of a register's number, and the register that holds P.
pub(crate) const REGISTER_BITS: u32 = 5;
pub(crate) const P_REGISTER: u32 = (1 << REGISTER_BITS) - 1;

/// An instruction, as in `curve_processor.sv`.
#[derive(Clone, Copy, Default)]
pub(crate) struct Instruction {
    pub(crate) operation: u32,
    pub(crate) d: u32,
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) immediate: u32,
    pub(crate) first: bool,
    pub(crate) negate: bool,
}

impl Instruction {
    pub(crate) fn new(operation: u32) -> Self {
        Self {
            operation,
            ..Self::default()
        }
    }

    pub(crate) fn word(self) -> u128 {
        let fields = [
            (self.operation, 4),
            (self.d, REGISTER_BITS),
            (self.x, REGISTER_BITS),
            (self.y, REGISTER_BITS),
            (self.immediate, 8),
            (self.first.into(), 1),
            (self.negate.into(), 1),
        ];
        fields.iter().fold(0, |word, &(value, bits)| {
            assert!(value >> bits == 0, "a field of {bits} bits for {value}");
            (word << bits) | u128::from(value)
        })
    }
}

pub(crate) const MULTIPLY: u32 = 0;
pub(crate) const SCALE: u32 = 1;
pub(crate) const REDUCE: u32 = 2;
pub(crate) const STORE: u32 = 3;
pub(crate) const ENTER: u32 = 4;
pub(crate) const CHOOSE: u32 = 5;
pub(crate) const OUTPUT: u32 = 6;
pub(crate) const INVERT: u32 = 7;
pub(crate) const REPEAT: u32 = 8;
pub(crate) const HALT: u32 = 9;
pub(crate) const WAIT: u32 = 10;
