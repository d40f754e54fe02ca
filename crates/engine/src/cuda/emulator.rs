//! A card that is emulated on the processor: the kernel's source, compiled as C++. For tests where there is no card.

#![expect(unsafe_code, reason = "calls of compiled code")]

use core::ffi::c_void;
use std::{
    collections::HashMap,
    fs,
    path::PathBuf,
    process::{self, Command},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use libloading::{Library, Symbol};
use zeroize::Zeroizing;

use super::card::{BLOCK, Card, Function, Kernel, Launch, Run};
use crate::device::DeviceError;

/// A function that runs one of the kernel's functions in some blocks.
type Emulate = unsafe extern "C" fn(*const Run, u32);

/// The emulated card, with the kernels compiled so far.
struct Emulator {
    compiler: String,
    kernels: Mutex<HashMap<Kernel, Arc<Library>>>,
}

/// The emulated card, or the reason why there is none: it needs a C++ compiler.
pub(super) fn card() -> Result<Arc<dyn Card>, String> {
    let compiler = std::env::var("CXX").unwrap_or_else(|_| String::from("c++"));
    let version = Command::new(&compiler).arg("--version").output();
    if !version.is_ok_and(|output| output.status.success()) {
        return Err(format!(
            "there is no C++ compiler `{compiler}` to emulate a card with"
        ));
    }
    Ok(Arc::new(Emulator {
        compiler,
        kernels: Mutex::default(),
    }))
}

impl Emulator {
    fn kernel(&self, kernel: Kernel) -> Result<Arc<Library>, String> {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = kernels.get(&kernel) {
            return Ok(Arc::clone(library));
        }
        let folder = Folder::new()?;
        let (source, library) = (folder.0.join("kernel.cpp"), folder.0.join("kernel.so"));
        let text = [
            include_str!("emulator.h"),
            kernel.source(),
            include_str!("emulate.cpp"),
        ]
        .concat();
        fs::write(&source, text).map_err(|error| error.to_string())?;
        let matrix = include_str!("matrix/emulated.h");
        fs::write(folder.0.join("emulated.h"), matrix).map_err(|error| error.to_string())?;
        let mut options = kernel.options();
        if matches!(kernel, Kernel::Residues(_)) {
            options.push(String::from("-DTHREADS=32"));
        }
        let compiled = Command::new(&self.compiler)
            .args(["-std=c++17", "-O1", "-shared", "-fPIC", "-w"])
            // A signed sum that does not fit 32 bits, or a residue that does not fit 16, ends the process.
            .args([
                "-fsanitize=signed-integer-overflow",
                "-fsanitize-undefined-trap-on-error",
                "-o",
            ])
            .args([&library, &source])
            .args(options)
            .output()
            .map_err(|error| error.to_string())?;
        if !compiled.status.success() {
            return Err(String::from_utf8_lossy(&compiled.stderr).into_owned());
        }
        // SAFETY: the library is the one just compiled, which has no initializers beyond those of plain data.
        let library = unsafe { Library::new(&library) }.map_err(|error| error.to_string())?;
        let library = Arc::new(library);
        kernels.insert(kernel, Arc::clone(&library));
        Ok(library)
    }
}

/// A folder for compiled kernels, which is removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self, String> {
        static FOLDERS: AtomicUsize = AtomicUsize::new(0);
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let name = format!("sunzi-emulated-card-{}-{number}", process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Card for Emulator {
    fn run(&self, launch: &Launch) -> Result<Zeroizing<Vec<u32>>, DeviceError> {
        let failed = |reason| DeviceError { reason };
        let library = self.kernel(launch.kernel).map_err(failed)?;
        // Rows of words are read four at a time: the block is aligned for that.
        let mut block = Zeroizing::new(vec![0u128; launch.words.div_ceil(4)]);
        let address = block.as_mut_ptr().cast::<u32>();
        // SAFETY: the block has at least as many words, and is exclusively borrowed.
        let words = unsafe { core::slice::from_raw_parts_mut(address, launch.words) };
        words[..launch.upload.len()].copy_from_slice(&launch.upload);
        // Words that the kernel does not write keep this value, and show themselves.
        words[launch.upload.len()..].fill(0xdead_beef);
        let run = launch.at(address.cast::<c_void>() as u64);
        for step in &launch.steps {
            let (name, threads) = match step.function {
                Function::Run => (&b"emulate"[..], step.threads),
                Function::Enter => (&b"emulate_enter"[..], BLOCK),
                Function::Leave => (&b"emulate_leave"[..], BLOCK),
            };
            // SAFETY: the library has this function with this type, and every address of the argument is within the
            // block, with the sizes that `launch.rs` gave the sections.
            unsafe {
                let emulate: Symbol<'_, Emulate> =
                    (library.get(name)).map_err(|error| failed(error.to_string()))?;
                emulate(&raw const run, (step.blocks * threads) as u32);
            }
        }
        Ok(Zeroizing::new(words[launch.results..].to_vec()))
    }
}
