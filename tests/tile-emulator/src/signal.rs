//! The handler of SIGILL and SIGTRAP: decodes, executes, moves RIP on, or passes the
//! signal on.
//!
//! It runs in the middle of other code, so it takes no lock and allocates nothing.

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
    // Neither initialized lazily nor dropped: safe to reach from a signal handler.
    static TILES: UnsafeCell<Tiles> = const { UnsafeCell::new(Tiles::new()) };
}

/// What SIGILL and SIGTRAP did before.
static PREVIOUS: OnceLock<[libc::sigaction; 2]> = OnceLock::new();

/// See [`crate::install`].
pub(crate) fn install() -> bool {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    *INSTALLED.get_or_init(|| {
        // SAFETY: sigaction is a structure of integers and null pointers, for which zero is
        // valid; the calls read and write structures that live here. The handler stays in
        // the process, and PREVIOUS is set before it can run.
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
            // On the thread's own stack: the handler needs a few KiB, and alternate stacks
            // are sized for less. Both signals stay blocked meanwhile, so that a mistake in
            // here kills the process instead of starting over.
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigaddset(&raw mut action.sa_mask, libc::SIGILL);
            libc::sigaddset(&raw mut action.sa_mask, libc::SIGTRAP);
            // Breakpoints come only of what SIGILL's handler has seen.
            libc::sigaction(libc::SIGTRAP, &raw const action, ptr::null_mut()) == 0
                && libc::sigaction(libc::SIGILL, &raw const action, ptr::null_mut()) == 0
        }
    })
}

extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel hands a handler with SA_SIGINFO both structures, for its own use
    // until it returns.
    let (code, registers) = unsafe {
        let context = context.cast::<libc::ucontext_t>();
        ((*info).si_code, &mut (*context).uc_mcontext.gregs)
    };
    let rip = registers[libc::REG_RIP as usize].cast_unsigned();
    let emulated = match signal {
        // Codes up to 0 are signals that a process sent.
        libc::SIGILL if code > 0 => {
            let emulated = emulate(rip, registers);
            if emulated {
                set_breakpoint(rip);
            }
            emulated
        }
        // Breakpoints have this code, and RIP behind their one byte.
        libc::SIGTRAP if code == libc::SI_KERNEL => emulate(rip - 1, registers),
        _ => false,
    };
    if !emulated {
        pass_on(signal, info, context, code > 0);
    }
}

/// Executes AMX instructions from `rip` on until another one comes, and sets RIP to that;
/// whether there was any.
fn emulate(mut rip: u64, registers: &mut [libc::greg_t; 23]) -> bool {
    let mut any = false;
    loop {
        // SAFETY: RIP is where the thread stopped in its code, or where the instruction
        // before has led to; the thread would read the same bytes next, and `decode` asks
        // for none behind the instruction. Other threads may set a breakpoint meanwhile:
        // the read is volatile, of one byte.
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
        // SAFETY: TILES is this thread's, and the only reference to it is in this handler,
        // which cannot interrupt itself: its signals are blocked. The registers are those
        // with which the instruction was reached.
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
/// The operation's memory can be accessed, as far as the thread whose registers these are
/// was right to execute it.
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
            // SAFETY: the instruction's operand, 64 bytes of no alignment.
            tiles.load_configuration(&unsafe { source.read_unaligned() })?;
            &COUNTERS.ldtilecfg
        }
        Operation::StoreConfiguration(memory) => {
            let address = memory.address(register, next);
            let target = ptr::with_exposed_provenance_mut::<[u8; 64]>(address as usize);
            // SAFETY: the instruction's operand, 64 bytes of no alignment.
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
            // SAFETY: the instruction's rows.
            unsafe { tiles.load(tile, start, stride) }?;
            if streaming {
                &COUNTERS.tileloaddt1
            } else {
                &COUNTERS.tileloadd
            }
        }
        Operation::Store { tile, memory } => {
            let (start, stride) = (memory.start(register, next), memory.scaled_index(register));
            // SAFETY: the instruction's rows.
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

/// The register with this number in an instruction.
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

/// Does with the signal what would have happened without this handler.
fn pass_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void, by_processor: bool) {
    let previous = PREVIOUS.get().map(|[ill, trap]| match signal {
        libc::SIGILL => ill,
        _ => trap,
    });
    // SAFETY: the signal's number, structures and context are passed on as they came, to a
    // handler of the kind that its flags declare; the rest is sigaction and raise with
    // structures that live here.
    unsafe {
        match previous.map_or(libc::SIG_DFL, |action| action.sa_sigaction) {
            libc::SIG_IGN if !by_processor => {}
            // The default kills, and what the processor raised is never ignored. The signal
            // is blocked here: it comes again on return.
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

/// Ends the process where the processor would have raised an exception, saying why.
fn abort(rip: u64, instruction: Instruction, fault: Fault) -> ! {
    let mut line = Line {
        bytes: [0; 256],
        length: 0,
    };
    let name = instruction.operation.name();
    // What does not fit is left out.
    let _ = writeln!(line, "tile emulator: {name} at {rip:#x}: {fault}");
    // SAFETY: writes bytes of `line`, which lives here; both calls may be made in a handler.
    unsafe {
        libc::write(libc::STDERR_FILENO, line.bytes.as_ptr().cast(), line.length);
        libc::abort()
    }
}

/// A line of text without allocation.
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
