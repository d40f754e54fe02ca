//! Requests of a program to the valgrind that it runs under (valgrind.h and memcheck.h). The crate that binds
//! them needs libclang to build; these requests need one instruction sequence only.

#![allow(unsafe_code)]

/// `VG_USERREQ__RUNNING_ON_VALGRIND`.
const RUNNING_ON_VALGRIND: usize = 0x1001;
/// `VG_USERREQ__MAKE_MEM_UNDEFINED`: tool M, C.
const MAKE_UNDEFINED: usize = 0x4d43_0001;
/// `VG_USERREQ__MAKE_MEM_DEFINED`.
const MAKE_DEFINED: usize = 0x4d43_0002;

/// Whether the program runs under valgrind.
pub(crate) fn is_running() -> bool {
    request(RUNNING_ON_VALGRIND, 0, 0) != 0
}

/// Marks memory as undefined; its content is unchanged.
pub(crate) fn make_undefined<T>(memory: &[T]) {
    request(MAKE_UNDEFINED, memory.as_ptr().addr(), size_of_val(memory));
}

/// Marks memory as defined.
pub(crate) fn make_defined<T>(memory: &[T]) {
    request(MAKE_DEFINED, memory.as_ptr().addr(), size_of_val(memory));
}

/// Makes a request with two arguments. Returns 0 in the absence of valgrind.
#[cfg(target_arch = "x86_64")]
fn request(code: usize, first: usize, second: usize) -> usize {
    let arguments = [code, first, second, 0, 0, 0];
    let mut answer = 0usize;
    // SAFETY: the processor turns rdi by 128 bits, which changes nothing, and exchanges rbx with
    // itself. Valgrind knows the sequence, reads the arguments, and answers in rdx; it changes what
    // it knows about memory, not the memory.
    unsafe {
        core::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") arguments.as_ptr(),
            inout("rdx") answer,
            inout("rdi") 0usize => _,
            options(nostack),
        );
    }
    answer
}

/// There is no such sequence for other processors here.
#[cfg(not(target_arch = "x86_64"))]
fn request(_code: usize, _first: usize, _second: usize) -> usize {
    0
}
