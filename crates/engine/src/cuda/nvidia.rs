//! Cards of NVIDIA, by the driver's interface. The driver and the run-time compiler are loaded when they are first
//! needed: this crate needs neither to be built or to run.

#![expect(unsafe_code, reason = "calls of the card's driver")]

use core::ffi::c_void;
use std::{
    collections::{HashMap, hash_map::Entry},
    ffi::CString,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

#[cfg(any(test, feature = "testing"))]
use std::sync::atomic::{AtomicU64, Ordering};

use cudarc::{
    driver::{DriverError, result, sys},
    nvrtc::{self, CompileOptions},
};
use zeroize::Zeroizing;

use super::card::{Card, Function, Kernel, Launch};
use crate::device::DeviceError;

/// The first card of this machine.
pub(super) struct Nvidia {
    name: String,
    /// The version of the card's instructions.
    version: [i32; 2],
    context: sys::CUcontext,
    kernels: Mutex<HashMap<Kernel, HashMap<Function, Loaded>>>,
    /// Queues that no thread uses.
    queues: Mutex<Vec<Queue>>,
    /// The times of all kernels together, which can be longer than the time that has passed. Only for measurements: it
    /// takes a driver of version 12.8.
    #[cfg(any(test, feature = "testing"))]
    kernel_ns: AtomicU64,
}

/// A kernel that has been loaded. It stays loaded.
#[derive(Clone, Copy)]
struct Loaded(sys::CUfunction);

/// A stream of launches, and a block of memory on the card that they use.
struct Queue {
    stream: sys::CUstream,
    block: sys::CUdeviceptr,
    words: usize,
    /// Before and after the kernel.
    #[cfg(any(test, feature = "testing"))]
    events: [sys::CUevent; 2],
}

impl Queue {
    /// Gives the block back to the card, if there is one.
    fn free_block(&mut self) -> Result<(), DriverError> {
        if self.words == 0 {
            return Ok(());
        }
        self.words = 0;
        // SAFETY: the block was allocated by `widen`, and nothing uses it any more: launches wait for their streams.
        unsafe { result::free_sync(self.block) }
    }
}

// SAFETY: the driver's handles may be used by any thread whose current context is theirs.
unsafe impl Send for Nvidia {}
// SAFETY: as above; the maps are behind locks.
unsafe impl Sync for Nvidia {}
// SAFETY: as above.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Send for Queue {}

/// The first card of this machine, or the reason why there is none; it is looked for once.
pub(super) fn card() -> &'static Result<Arc<Nvidia>, String> {
    static CARD: OnceLock<Result<Arc<Nvidia>, String>> = OnceLock::new();
    CARD.get_or_init(|| Nvidia::find().map(Arc::new))
}

impl Nvidia {
    fn find() -> Result<Self, String> {
        // SAFETY: looks for the libraries, and loads them if they are there.
        if !unsafe { sys::is_culib_present() } {
            return Err(String::from(
                "there is no driver of an NVIDIA card (libcuda.so): install it, or choose another backend",
            ));
        }
        // SAFETY: as above.
        if !unsafe { nvrtc::sys::is_culib_present() } {
            return Err(String::from(
                "CUDA's run-time compiler is missing (libnvrtc.so, version 12 or later): install it, or name its folder in \
                 LD_LIBRARY_PATH",
            ));
        }
        let none = |error: DriverError| {
            format!("NVIDIA's driver opens no card ({error}): see what `nvidia-smi` says")
        };
        result::init().map_err(none)?;
        let device = result::device::get(0).map_err(none)?;
        let name = result::device::get_name(device).map_err(none)?;
        // SAFETY: the device is one that the driver has named.
        let [major, minor] = unsafe {
            use sys::CUdevice_attribute as Attribute;
            [
                Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
            ]
            .map(|attribute| result::device::get_attribute(device, attribute))
        };
        let (major, minor) = (major.map_err(none)?, minor.map_err(none)?);
        // SAFETY: the device is one that the driver has named. Its context is kept for as long as the process runs.
        let context = unsafe { result::primary_ctx::retain(device) }.map_err(none)?;
        Ok(Self {
            name,
            version: [major, minor],
            context,
            kernels: Mutex::default(),
            queues: Mutex::default(),
            #[cfg(any(test, feature = "testing"))]
            kernel_ns: AtomicU64::new(0),
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The times of all kernels so far, in seconds.
    #[cfg(any(test, feature = "testing"))]
    pub(super) fn kernel_seconds(&self) -> f64 {
        self.kernel_ns.load(Ordering::Relaxed) as f64 * 1e-9
    }

    /// Whether the card has the matrix units of `matrix/residues.cu`, which are those of one generation (Hopper).
    pub(super) fn has_matrix_units(&self) -> bool {
        self.version == [9, 0]
    }

    /// A kernel's functions, compiled if they have not been before.
    fn functions(&self, launch: &Launch) -> Result<Vec<Loaded>, String> {
        let mut kernels = lock(&self.kernels);
        let kernel = match kernels.entry(launch.kernel) {
            Entry::Occupied(loaded) => loaded.into_mut(),
            Entry::Vacant(place) => place.insert(self.load(launch)?),
        };
        Ok(launch
            .steps
            .iter()
            .map(|step| kernel[&step.function])
            .collect())
    }

    fn load(&self, launch: &Launch) -> Result<HashMap<Function, Loaded>, String> {
        let mut options = launch.kernel.options();
        let [major, minor] = self.version;
        // Instructions of matrix units belong to one generation only, which the compiler calls "a".
        let only = match launch.kernel {
            Kernel::Limbs { .. } => "",
            Kernel::Residues(_) => "a",
        };
        options.push(format!("--gpu-architecture=compute_{major}{minor}{only}"));
        options.push(String::from("--std=c++17"));
        let options = CompileOptions {
            options,
            ..CompileOptions::default()
        };
        let code = nvrtc::compile_ptx_with_opts(launch.kernel.source(), options)
            .map_err(|error| format!("the kernel is not compiled: {error}"))?;
        let code = CString::new(code.to_src()).map_err(|error| error.to_string())?;
        let failed = |error: DriverError| format!("the kernel is not loaded: {error}");
        // SAFETY: the text is a kernel in the driver's assembly language, and ends with a zero. The context is current.
        let module = unsafe { result::module::load_data(code.as_ptr().cast()) }.map_err(failed)?;
        let mut functions = HashMap::new();
        for step in &launch.steps {
            let name = CString::new(step.function.name()).map_err(|error| error.to_string())?;
            // SAFETY: the module is loaded, and stays so.
            let function = unsafe { result::module::get_function(module, name) }.map_err(failed)?;
            if step.shared > 0 {
                let attribute =
                    sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
                // SAFETY: the function is the one just loaded.
                unsafe {
                    sys::cuFuncSetAttribute(function, attribute, step.shared.cast_signed() as i32)
                }
                .result()
                .map_err(failed)?;
            }
            functions.insert(step.function, Loaded(function));
        }
        Ok(functions)
    }

    /// A queue whose block has at least this many words.
    fn queue(&self, words: usize) -> Result<Queue, DriverError> {
        let free = lock(&self.queues).pop();
        let mut queue = if let Some(queue) = free {
            queue
        } else {
            #[cfg(any(test, feature = "testing"))]
            let event = || result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT);
            Queue {
                stream: result::stream::create(result::stream::StreamKind::NonBlocking)?,
                block: 0,
                words: 0,
                #[cfg(any(test, feature = "testing"))]
                events: [event()?, event()?],
            }
        };
        if queue.words < words
            && let Err(error) = self.widen(&mut queue, words)
        {
            lock(&self.queues).push(queue);
            return Err(error);
        }
        Ok(queue)
    }

    /// Gives a queue a block of this many words. If the card has no memory left, idle queues give theirs back first.
    fn widen(&self, queue: &mut Queue, words: usize) -> Result<(), DriverError> {
        queue.free_block()?;
        // SAFETY: allocates memory; the context is current.
        let allocate = || unsafe { result::malloc_sync(4 * words) };
        queue.block = allocate().or_else(|_| {
            for idle in lock(&self.queues).iter_mut() {
                idle.free_block()?;
            }
            allocate()
        })?;
        queue.words = words;
        Ok(())
    }

    /// Copies, runs and copies back. When it returns, the card uses neither `launch` nor the queue's block any more.
    #[cfg_attr(
        not(any(test, feature = "testing")),
        expect(clippy::unused_self, reason = "tests add up times")
    )]
    fn launch(
        &self,
        queue: &Queue,
        functions: &[Loaded],
        launch: &Launch,
    ) -> Result<Zeroizing<Vec<u32>>, DriverError> {
        let mut results = Zeroizing::new(vec![0u32; launch.words - launch.results]);
        let ran = Self::enqueue(queue, functions, launch, &mut results);
        // SAFETY: the block has at least as many words. It is wiped whether or not the kernel ran.
        let wiped =
            unsafe { result::memset_d8_async(queue.block, 0, 4 * launch.words, queue.stream) };
        // SAFETY: the stream is one that the driver made.
        unsafe { result::stream::synchronize(queue.stream) }?;
        ran.and(wiped)?;
        #[cfg(any(test, feature = "testing"))]
        {
            let [before, after] = queue.events;
            // SAFETY: the events are ones that the driver made, and both have been recorded.
            let ms = unsafe { result::event::elapsed(before, after) }?;
            let ns = (f64::from(ms) * 1e6) as u64;
            self.kernel_ns.fetch_add(ns, Ordering::Relaxed);
        }
        Ok(results)
    }

    /// Puts copies and the kernels into the queue. The caller waits for the queue, also after an error.
    fn enqueue(
        queue: &Queue,
        functions: &[Loaded],
        launch: &Launch,
        results: &mut [u32],
    ) -> Result<(), DriverError> {
        let mut run = launch.at(queue.block);
        let mut arguments = [(&raw mut run).cast::<c_void>()];
        let from = queue.block + 4 * launch.results as u64;
        // SAFETY: the block has at least `launch.words` words, and is this queue's alone; the caller keeps both slices
        // until the stream has been synchronized. Each kernel has one argument, of the type of `run`, which the driver
        // copies at once, and its addresses are within the block, with the sizes that `launch.rs` gave the sections.
        unsafe {
            result::memcpy_htod_async(queue.block, &launch.upload, queue.stream)?;
            #[cfg(any(test, feature = "testing"))]
            result::event::record(queue.events[0], queue.stream)?;
            for (step, function) in launch.steps.iter().zip(functions) {
                result::launch_kernel(
                    function.0,
                    (step.blocks as u32, 1, 1),
                    (step.threads as u32, 1, 1),
                    step.shared as u32,
                    queue.stream,
                    &mut arguments,
                )?;
            }
            #[cfg(any(test, feature = "testing"))]
            result::event::record(queue.events[1], queue.stream)?;
            result::memcpy_dtoh_async(results, from, queue.stream)
        }
    }
}

impl Card for Nvidia {
    fn run(&self, launch: &Launch) -> Result<Zeroizing<Vec<u32>>, DeviceError> {
        let failed = |error: DriverError| DeviceError {
            reason: format!("{}: {error}", self.name),
        };
        // SAFETY: the context is the device's, and is never released.
        unsafe { result::ctx::set_current(self.context) }.map_err(failed)?;
        let functions = self.functions(launch);
        let functions = functions.map_err(|reason| DeviceError { reason })?;
        let mut queue = self.queue(launch.words).map_err(failed)?;
        let results = self.launch(&queue, &functions, launch);
        if results.is_ok() {
            lock(&self.queues).push(queue);
        } else {
            // A queue whose launch failed is given up, with its block if the card still answers.
            let _ = queue.free_block();
        }
        results.map_err(failed)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
