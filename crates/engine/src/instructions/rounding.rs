//! The rounding mode of the thread.
//!
//! Exactness needs rounding to the nearest number, and reductions round by it. A caller from C may
//! have set another mode, or flush-to-zero.
#![allow(
    unsafe_code,
    reason = "reading and writing the control register of floating point"
)]

/// The default rounding mode on this thread, from this value's creation to its drop.
pub(crate) struct DefaultRounding {
    caller: u64,
}

impl DefaultRounding {
    pub(crate) fn new() -> Self {
        let caller = control();
        if caller & !FLAGS != DEFAULT {
            set_control(DEFAULT);
        }
        Self { caller }
    }
}

impl Drop for DefaultRounding {
    fn drop(&mut self) {
        if self.caller & !FLAGS != DEFAULT {
            set_control(self.caller);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod register {
    use core::arch::asm;

    /// MXCSR: round to nearest, all exceptions masked, subnormal numbers kept.
    pub(super) const DEFAULT: u64 = 0x1f80;
    /// The flags of exceptions that have occurred, which change nothing.
    pub(super) const FLAGS: u64 = 0x3f;

    pub(super) fn control() -> u64 {
        let mut control = 0u32;
        // SAFETY: the instruction stores 32 bits to the variable.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut control, options(nostack)) };
        control.into()
    }

    pub(super) fn set_control(control: u64) {
        let control = control as u32;
        // SAFETY: the instruction loads 32 bits from the variable. They are the mode that Rust assumes, or the thread's
        // original one.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const control, options(nostack)) };
    }
}

#[cfg(target_arch = "aarch64")]
mod register {
    use core::arch::asm;

    /// FPCR: round to nearest, no traps, subnormal numbers kept.
    pub(super) const DEFAULT: u64 = 0;
    /// Flags of exceptions: none here, as they are in a register of their own.
    pub(super) const FLAGS: u64 = 0;

    pub(super) fn control() -> u64 {
        let control;
        // SAFETY: reads a register.
        unsafe { asm!("mrs {}, fpcr", out(reg) control, options(nomem, nostack)) };
        control
    }

    pub(super) fn set_control(control: u64) {
        // SAFETY: sets the mode that Rust assumes, or the thread's original one.
        unsafe { asm!("msr fpcr, {}", in(reg) control, options(nostack)) };
    }
}

/// Other targets have no such register, or none that can be read without system calls.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod register {
    pub(super) const DEFAULT: u64 = 0;
    pub(super) const FLAGS: u64 = 0;

    pub(super) fn control() -> u64 {
        DEFAULT
    }

    pub(super) fn set_control(_: u64) {}
}

use register::{DEFAULT, FLAGS, control, set_control};

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::choices::Split;
    use crate::device::Device;
    use crate::layout::ForcedLayout;
    use crate::residues::FloatDevice;
    use crate::testing::{Effort, conforms};
    use crate::{Backend, Engine};

    /// A caller that rounds upwards and flushes to zero gets the same results, and its mode back.
    #[test]
    fn the_mode_of_the_caller_does_no_harm() {
        const UPWARDS_FLUSHING: u64 = DEFAULT | 2 << 13 | 1 << 15 | 1 << 6;
        // Only lane layouts for the processor's own instructions.
        for layout in FloatDevice::detect(Split::Fixed).layouts(512) {
            let backend = Backend::FLOAT.with_layout(ForcedLayout::only(layout));
            let engine = Engine::new(backend).unwrap();
            let effort = Effort {
                sizes: vec![512],
                random_programs: 3,
                exponent_bits: 20,
                seed: 9,
            };
            set_control(UPWARDS_FLUSHING);
            let result = conforms(engine, &effort);
            let after = control() & !FLAGS;
            set_control(DEFAULT);
            result.unwrap_or_else(|error| panic!("{layout}: {error}"));
            assert_eq!(after, UPWARDS_FLUSHING);
        }
    }
}
