//! Times a batch of powers by a call from Rust: the peer of `python/benchmarks/compare.py --only rows`, which starts
//! this program and takes turns with it.
//!
//! Arguments are the number of threads and the number of powers. Standard input has two lines, exponent and modulus
//! in hexadecimal. For each further line, the same bases are raised again, and the seconds that it took are
//! printed.

use std::error::Error;
use std::io::{BufRead, Write};
use std::time::Instant;

use crypto_bigint::{BoxedUint, NonZero, Resize};
use mimalloc::MiMalloc;
use sunzi_engine::{Backend, Engine, Exponent, Task};
use zeroizing_alloc::ZeroAlloc;

/// That of the Python package.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<MiMalloc> = ZeroAlloc(MiMalloc);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [threads, count] = &arguments[..] else {
        return Err("give the number of threads and the number of powers".into());
    };
    let (threads, count) = (threads.parse()?, count.parse::<usize>()?);
    let mut lines = std::io::stdin().lock().lines();
    let mut number = || -> Result<BoxedUint, Box<dyn Error>> {
        let text = lines.next().ok_or("a number is missing")??;
        let bits = 4 * u32::try_from(text.len())?;
        let number = Option::<BoxedUint>::from(BoxedUint::from_be_hex(&text, bits));
        number.ok_or_else(|| "a number is not hexadecimal".into())
    };
    let (exponent, modulus) = (number()?, number()?);

    let engine = Engine::new(Backend::best())?;
    // Any numbers will do: the time does not depend on them.
    let n = Option::<NonZero<BoxedUint>>::from(modulus.to_nz()).ok_or("the modulus is zero")?;
    let mut base = Resize::resize(&BoxedUint::from(3u32), modulus.bits_precision());
    let mut bases = Vec::with_capacity(count);
    for _ in 0..count {
        base = base.mul_mod(&base, &n).add_mod(&BoxedUint::from(1u32), &n);
        bases.push(base.clone());
    }
    let prepared = engine.modulus(&modulus)?;
    let tasks: Vec<Task<'_>> = bases
        .iter()
        .map(|base| Task::power(&prepared, base, Exponent::Public(&exponent)))
        .collect();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let mut out = std::io::stdout().lock();
    for line in lines {
        line?;
        let start = Instant::now();
        let powers = pool.install(|| engine.run(&tasks))?;
        writeln!(out, "{}", start.elapsed().as_secs_f64())?;
        out.flush()?;
        drop(powers);
    }
    Ok(())
}
