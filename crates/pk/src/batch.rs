//! Batches of which some requests are refused before anything is computed.

use chacha20::ChaCha20Rng;
use rand_core::{SeedableRng, TryCryptoRng};
use rayon::prelude::*;
use sunzi_engine::{Engine, available_threads};
use zeroize::Zeroizing;

/// Number of requests in the engine at a time: far more than fill it, and few enough that a batch of millions needs
/// memory for its results only.
pub(crate) const CHUNK: usize = 8192;

/// Number of requests on curves that a thread answers together: they fill the groups of a batch, and with one key verification
/// is a tenth to a sixth faster by so many than by 1,024 (Zen 5; P-256, secp256k1, Ed25519), presumably for the second cache.
pub(crate) const CURVE_CHUNK: usize = 512;

/// Number of requests that are worth a part of their own.
const LEAST: usize = 1024;

/// The size of the parts of a batch that are computed at the same time, by as many threads as the current pool has, so
/// that what is done request by request around the engine's work takes all of them. `None` for batches that are not
/// worth it.
fn part_size(engine: &Engine, requests: usize) -> Option<usize> {
    if requests < 2 * LEAST {
        return None;
    }
    let threads = available_threads();
    let most = engine.at_a_time() / threads;
    (threads > 1).then(|| requests.div_ceil(threads).min(most).max(LEAST))
}

/// The number of requests of a batch that one thread answers together, at most `most` but for a card: parts are of one size,
/// which fills groups.
fn at_a_time(engine: &Engine, requests: usize, most: usize) -> usize {
    /// Number of requests in a full group: sixteen that share an inversion in each of eight lanes.
    const GROUP: usize = 128;
    let at_a_time = engine.at_a_time();
    if requests <= most || at_a_time > CHUNK {
        return at_a_time;
    }
    let parts = requests.div_ceil(most.min(at_a_time));
    requests.div_ceil(parts).next_multiple_of(GROUP)
}

/// Answers a batch in parts: `compute` answers each part, in order. On one thread it has at most `most` requests.
pub(crate) fn in_parts<T: Sync, U: Send>(
    engine: &Engine,
    most: usize,
    requests: &[T],
    compute: impl Fn(&[T]) -> Vec<U> + Send + Sync,
) -> Vec<U> {
    let on_one_thread = |part: &[T]| -> Vec<U> {
        let parts = part.chunks(at_a_time(engine, part.len(), most));
        parts.flat_map(&compute).collect()
    };
    let Some(each) = part_size(engine, requests.len()) else {
        if requests.len() <= most || available_threads() == 1 {
            return on_one_thread(requests);
        }
        // The threads share the work of each part.
        let parts = requests.chunks(engine.at_a_time());
        return parts.flat_map(compute).collect();
    };
    let answers: Vec<Vec<U>> = requests.par_chunks(each).map(on_one_thread).collect();
    answers.into_iter().flatten().collect()
}

/// Answers a batch in parts, with randomness. Of several parts for threads each has a generator of its own, `ChaCha20` with 32
/// bytes from the given one. `many` answers these, and `few` parts that take the given generator one after the other: those
/// of small batches, and of all if the generator fails. On one thread they have at most `most` requests.
pub(crate) fn in_random_parts<R, T, U>(
    engine: &Engine,
    rng: &mut R,
    most: usize,
    requests: &[T],
    mut few: impl FnMut(&mut R, &[T]) -> Vec<U>,
    many: impl Fn(&mut ChaCha20Rng, &[T]) -> Vec<U> + Send + Sync,
) -> Vec<U>
where
    R: TryCryptoRng + ?Sized,
    T: Sync,
    U: Send,
{
    let each = part_size(engine, requests.len());
    let seeds = each.and_then(|each| {
        let mut seeds = Zeroizing::new(vec![[0; 32]; requests.len().div_ceil(each)]);
        let drawn = seeds
            .iter_mut()
            .try_for_each(|seed| rng.try_fill_bytes(seed));
        drawn.ok().map(|()| (each, seeds))
    });
    let Some((each, seeds)) = seeds else {
        let on_one_thread = requests.len() <= most || available_threads() == 1;
        let size = if on_one_thread {
            at_a_time(engine, requests.len(), most)
        } else {
            engine.at_a_time()
        };
        let parts = requests.chunks(size);
        return parts.flat_map(|part| few(rng, part)).collect();
    };
    let parts = requests.par_chunks(each).zip(seeds.par_iter());
    let answers: Vec<Vec<U>> = parts
        .map(|(part, seed)| {
            let mut rng = ChaCha20Rng::from_seed(*seed);
            let parts = part.chunks(at_a_time(engine, part.len(), most));
            parts.flat_map(|part| many(&mut rng, part)).collect()
        })
        .collect();
    answers.into_iter().flatten().collect()
}

/// The values that neighbouring items of a batch share, and for each item the number of its own in this list. An item whose key is
/// that of the item before shares what that one has; `make` makes it for the others.
///
/// # Errors
/// The first error of `make`.
pub(crate) fn shared<T, K: PartialEq, V, E>(
    items: impl IntoIterator<Item = T>,
    key: impl Fn(&T) -> K,
    make: impl Fn(&T) -> Result<V, E>,
) -> Result<(Vec<V>, Vec<usize>), E> {
    let (mut values, mut numbers) = (Vec::new(), Vec::new());
    let mut before = None;
    for item in items {
        let own = key(&item);
        if before.as_ref() != Some(&own) {
            values.push(make(&item)?);
            before = Some(own);
        }
        numbers.push(values.len() - 1);
    }
    Ok((values, numbers))
}

/// The answer to every `Ok` entry of a batch that could not be computed; `Err` entries pass through
/// in order.
pub(crate) fn fail_all<T, U, E: Clone>(batch: &[Result<T, E>], error: &E) -> Vec<Result<U, E>> {
    let fail = |entry: &Result<T, E>| Err(entry.as_ref().err().unwrap_or(error).clone());
    batch.iter().map(fail).collect()
}

/// Answers a batch in which some requests have been refused already: their errors stay in their places, and
/// `compute` answers the others, in order. A request that it leaves without an answer gets the error `missing`.
///
/// # Errors
/// The failure of `compute`, which then answers nothing.
pub fn answered<Request, Answer, Error, Failure>(
    requests: impl IntoIterator<Item = Result<Request, Error>>,
    compute: impl FnOnce(&[Request]) -> Result<Vec<Result<Answer, Error>>, Failure>,
    missing: impl Fn() -> Error,
) -> Result<Vec<Result<Answer, Error>>, Failure> {
    let mut accepted = Vec::new();
    let entries = requests.into_iter();
    let entries: Vec<Result<(), Error>> = entries
        .map(|request| request.map(|request| accepted.push(request)))
        .collect();
    let mut answers = compute(&accepted)?.into_iter();
    let answer = |entry: Result<(), Error>| {
        entry?;
        answers.next().unwrap_or_else(|| Err(missing()))
    };
    Ok(entries.into_iter().map(answer).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A generator that fails.
    struct Broken;

    impl rand_core::TryRng for Broken {
        type Error = core::fmt::Error;

        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            Err(core::fmt::Error)
        }

        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            Err(core::fmt::Error)
        }

        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
            Err(core::fmt::Error)
        }
    }

    impl rand_core::TryCryptoRng for Broken {}

    /// Parts keep their order, and have generators of their own; with a generator that fails there are none. On each
    /// thread they are small.
    #[test]
    fn parts_of_large_batches() {
        for (threads, most) in [(4, 700), (4, CHUNK), (1, 700), (1, CHUNK)] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap().install(|| large_batch_in_parts(most));
        }
    }

    fn large_batch_in_parts(most: usize) {
        use rand_core::Rng;
        fn drawn(rng: &mut impl Rng, part: &[usize], most: usize) -> Vec<(usize, u64)> {
            assert!(part.len() <= most);
            let part = part.iter();
            part.map(|&request| (request, rng.next_u64())).collect()
        }
        let engine = Engine::new(sunzi_engine::Backend::PORTABLE).unwrap();
        let requests: Vec<usize> = (0..5000).collect();
        let many = |rng: &mut ChaCha20Rng, part: &[usize]| drawn(rng, part, most);
        let few = |_: &mut Broken, part: &[usize]| -> Vec<_> {
            part.iter().map(|&request| (request, 0)).collect()
        };
        let mut rng = crate::system_rng();
        let on_one_thread = |rng: &mut _, part: &[usize]| drawn(rng, part, most);
        let answers = in_random_parts(&engine, &mut rng, most, &requests, on_one_thread, many);
        assert!(answers.iter().map(|answer| answer.0).eq(0..5000));
        let drawn: std::collections::BTreeSet<u64> =
            answers.iter().map(|answer| answer.1).collect();
        assert_eq!(drawn.len(), 5000);
        let answers = in_random_parts(&engine, &mut Broken, most, &requests, few, many);
        assert!(
            answers
                .into_iter()
                .eq((0..5000).map(|request| (request, 0)))
        );
        let doubled = in_parts(&engine, most, &requests, |part| {
            part.iter().map(|request| 2 * request).collect()
        });
        assert!(doubled.into_iter().eq((0..5000).map(|request| 2 * request)));
    }

    #[test]
    fn refused_requests_keep_their_places() {
        let requests = [Ok(1), Err("refused"), Ok(2), Ok(3), Err("too")];
        let double = |accepted: &[i32]| {
            assert_eq!(accepted, [1, 2, 3]);
            Ok::<_, ()>(vec![Ok(2), Err("failed")])
        };
        let answers = answered(requests, double, || "missing");
        let expected = [
            Ok(2),
            Err("refused"),
            Err("failed"),
            Err("missing"),
            Err("too"),
        ];
        assert_eq!(answers, Ok(expected.to_vec()));
        let failed = answered(
            [Ok::<_, ()>(1)],
            |_| Err::<Vec<Result<i32, _>>, _>("whole"),
            || (),
        );
        assert_eq!(failed, Err("whole"));
    }
}
