//! The handler of SIGILL and SIGTRAP. It decodes and executes instructions and moves RIP past
//! them, or passes the signal on.
//!
//! As it interrupts arbitrary code, it takes no locks and allocates no memory.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::fmt::{self, Write};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::Relaxed;

use crate::counts::COUNTERS;
use crate::decode::{Instruction, Operation, Signs, decode};
use crate::patch::{BREAKPOINT, VEX, set_breakpoint};
use crate::tiles::{Fault, Tiles};

thread_local! {
    // This is neither initialized lazily nor dropped, so a signal handler may use it.
    static TILES: UnsafeCell<Tiles> = const { UnsafeCell::new(Tiles::new()) };
}

/// The previous actions of SIGILL and SIGTRAP.
static PREVIOUS: OnceLock<[libc::sigaction; 2]> = OnceLock::new();

/// Implements [`crate::install`].
pub(crate) fn install() -> bool {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    *INSTALLED.get_or_init(|| {
        // SAFETY: sigaction is a structure of integers and pointers, for which zero is valid.
        // The calls read and write structures that live here. The handler stays in the process,
        // and PREVIOUS is set before it can run.
        unsafe {
            let mut previous: [libc::sigaction; 2] = std::mem::zeroed();
            let [ill, trap] = &mut previous;
            if libc::sigaction(libc::SIGILL, ptr::null(), ill) != 0
                || libc::sigaction(libc::SIGTRAP, ptr::null(), trap) != 0
            {
                return false;
            }
            PREVIOUS.get_or_init(|| previous);
            let mut action: libc::sigaction = std::mem::zeroed();
            let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = on_signal;
            action.sa_sigaction = handler as libc::sighandler_t;
            // The handler runs on the stack of the thread: it needs a few KiB, and alternate
            // stacks may be smaller. Both signals are blocked while it runs, so that a fault in
            // the handler kills the process instead of entering it again.
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigaddset(&raw mut action.sa_mask, libc::SIGILL);
            libc::sigaddset(&raw mut action.sa_mask, libc::SIGTRAP);
            // Breakpoints are only set after a SIGILL, so its handler is installed last.
            libc::sigaction(libc::SIGTRAP, &raw const action, ptr::null_mut()) == 0
                && libc::sigaction(libc::SIGILL, &raw const action, ptr::null_mut()) == 0
        }
    })
}

extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes both structures to a handler with SA_SIGINFO, for its exclusive
    // use until it returns.
    let (code, registers) = unsafe {
        let context = context.cast::<libc::ucontext_t>();
        ((*info).si_code, &mut (*context).uc_mcontext.gregs)
    };
    let rip = registers[libc::REG_RIP as usize].cast_unsigned();
    let emulated = match signal {
        // Codes up to 0 mean that a process sent the signal.
        libc::SIGILL if code > 0 => {
            let emulated = emulate(rip, registers);
            if emulated {
                set_breakpoint(rip);
            }
            emulated
        }
        // Breakpoints have this code, and RIP is after their one byte.
        libc::SIGTRAP if code == libc::SI_KERNEL => emulate(rip - 1, registers),
        _ => false,
    };
    if !emulated {
        pass_on(signal, info, context, code > 0);
    }
}

/// Executes the AMX instructions from `rip` on, and sets RIP to the first other instruction.
/// Returns whether there was an AMX instruction.
fn emulate(mut rip: u64, registers: &mut [libc::greg_t; 23]) -> bool {
    let mut any = false;
    loop {
        // SAFETY: RIP is where the thread stopped in its code, or after an emulated instruction.
        // The thread would read the same bytes next, and `decode` reads none after the
        // instruction. As other threads may set a breakpoint at the same time, the read is
        // volatile and of a single byte.
        let byte =
            |i| unsafe { ptr::with_exposed_provenance::<u8>(rip as usize + i).read_volatile() };
        let instruction = decode(|i| match byte(i) {
            BREAKPOINT if i == 0 => VEX,
            other => other,
        });
        let Some(instruction) = instruction else {
            return any;
        };
        let next = rip + u64::from(instruction.length);
        // SAFETY: TILES belongs to this thread, and the only reference to it is in this handler,
        // which cannot interrupt itself as its signals are blocked. The registers are those that
        // the thread had at the instruction.
        let result = TILES.with(|tiles| unsafe {
            execute(&mut *tiles.get(), instruction.operation, registers, next)
        });
        if let Err(fault) = result {
            abort(rip, instruction, fault);
        }
        registers[libc::REG_RIP as usize] = next.cast_signed();
        rip = next;
        any = true;
    }
}

/// Executes one operation and counts it.
///
/// # Safety
/// The memory of the operation can be accessed, provided that the thread with these registers was
/// right to execute the instruction.
unsafe fn execute(
    tiles: &mut Tiles,
    operation: Operation,
    registers: &[libc::greg_t; 23],
    next: u64,
) -> Result<(), Fault> {
    let register = |number| general_register(registers, number);
    let counter = match operation {
        Operation::LoadConfiguration(memory) => {
            let address = memory.address(register, next);
            let source = ptr::with_exposed_provenance::<[u8; 64]>(address as usize);
            // SAFETY: this is the instruction's operand, 64 bytes without alignment.
            tiles.load_configuration(&unsafe { source.read_unaligned() })?;
            &COUNTERS.ldtilecfg
        }
        Operation::StoreConfiguration(memory) => {
            let address = memory.address(register, next);
            let target = ptr::with_exposed_provenance_mut::<[u8; 64]>(address as usize);
            // SAFETY: this is the instruction's operand, 64 bytes without alignment.
            unsafe { target.write_unaligned(tiles.store_configuration()) };
            &COUNTERS.sttilecfg
        }
        Operation::Release => {
            tiles.release();
            &COUNTERS.tilerelease
        }
        Operation::Zero { tile } => {
            tiles.zero(tile)?;
            &COUNTERS.tilezero
        }
        Operation::Load {
            tile,
            memory,
            streaming,
        } => {
            let (start, stride) = (memory.start(register, next), memory.scaled_index(register));
            // SAFETY: these are the rows of the instruction.
            unsafe { tiles.load(tile, start, stride) }?;
            if streaming {
                &COUNTERS.tileloaddt1
            } else {
                &COUNTERS.tileloadd
            }
        }
        Operation::Store { tile, memory } => {
            let (start, stride) = (memory.start(register, next), memory.scaled_index(register));
            // SAFETY: these are the rows of the instruction.
            unsafe { tiles.store(tile, start, stride) }?;
            &COUNTERS.tilestored
        }
        Operation::Dot {
            destination,
            first,
            second,
            signs,
        } => {
            tiles.dot(destination, first, second, signs)?;
            match signs {
                Signs::SignedSigned => &COUNTERS.tdpbssd,
                Signs::SignedUnsigned => &COUNTERS.tdpbsud,
                Signs::UnsignedSigned => &COUNTERS.tdpbusd,
                Signs::UnsignedUnsigned => &COUNTERS.tdpbuud,
            }
        }
    };
    counter.fetch_add(1, Relaxed);
    Ok(())
}

/// The value of the register with this number in instructions.
fn general_register(registers: &[libc::greg_t; 23], number: u8) -> u64 {
    const PLACES: [c_int; 16] = [
        libc::REG_RAX,
        libc::REG_RCX,
        libc::REG_RDX,
        libc::REG_RBX,
        libc::REG_RSP,
        libc::REG_RBP,
        libc::REG_RSI,
        libc::REG_RDI,
        libc::REG_R8,
        libc::REG_R9,
        libc::REG_R10,
        libc::REG_R11,
        libc::REG_R12,
        libc::REG_R13,
        libc::REG_R14,
        libc::REG_R15,
    ];
    registers[PLACES[usize::from(number)] as usize].cast_unsigned()
}

/// Treats the signal as if this handler did not exist.
fn pass_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void, by_processor: bool) {
    let previous = PREVIOUS.get().map(|[ill, trap]| match signal {
        libc::SIGILL => ill,
        _ => trap,
    });
    // SAFETY: the signal's number, structures and context are passed on unchanged, to a handler of
    // the kind that its flags declare. The other calls are sigaction and raise, with structures
    // that live here.
    unsafe {
        match previous.map_or(libc::SIG_DFL, |action| action.sa_sigaction) {
            libc::SIG_IGN if !by_processor => {}
            // The default action kills the process, and signals raised by the processor cannot be
            // ignored. The signal is blocked in this handler, and is delivered after its return.
            libc::SIG_DFL | libc::SIG_IGN => {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = libc::SIG_DFL;
                libc::sigaction(signal, &raw const action, ptr::null_mut());
                libc::raise(signal);
            }
            handler if previous.is_some_and(|action| action.sa_flags & libc::SA_SIGINFO != 0) => {
                let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                    std::mem::transmute(handler);
                handler(signal, info, context);
            }
            handler => {
                let handler: extern "C" fn(c_int) = std::mem::transmute(handler);
                handler(signal);
            }
        }
    }
}

/// Prints the reason and ends the process, where a processor would have raised an exception.
fn abort(rip: u64, instruction: Instruction, fault: Fault) -> ! {
    let mut line = Line {
        bytes: [0; 256],
        length: 0,
    };
    let name = instruction.operation.name();
    // Text that does not fit is omitted.
    let _ = writeln!(line, "tile emulator: {name} at {rip:#x}: {fault}");
    // SAFETY: the bytes written are those of `line`, which lives here. Both calls are allowed in a
    // signal handler.
    unsafe {
        libc::write(libc::STDERR_FILENO, line.bytes.as_ptr().cast(), line.length);
        libc::abort()
    }
}

/// A line of text, written without allocation.
struct Line {
    bytes: [u8; 256],
    length: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let place = self.bytes[self.length..]
            .get_mut(..text.len())
            .ok_or(fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.length += text.len();
        Ok(())
    }
}
