//! Batches of which some requests are refused before anything is computed.

/// Number of requests in the engine at a time: far more than fill it, and few enough that a batch of millions needs
/// memory for its results only.
pub(crate) const CHUNK: usize = 8192;

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
