//! Random draws from the operating system, at every call, so that there is no state that a fork could copy.

use crate::EngineError;

/// A uniform number below `bound`, which is at least 1.
///
/// # Errors
/// [`EngineError::Random`].
pub(crate) fn draw(bound: usize) -> Result<usize, EngineError> {
    let bound = bound as u64;
    // Numbers from the largest multiple of the bound on would favour small remainders.
    let excess = (u64::MAX % bound + 1) % bound;
    loop {
        let drawn = getrandom::u64().map_err(|_| EngineError::Random)?;
        if drawn <= u64::MAX - excess {
            return Ok((drawn % bound) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_below_the_bound_is_drawn() {
        for bound in [1, 2, 3, 8, 32] {
            let mut drawn = vec![0; bound];
            for _ in 0..200 * bound {
                drawn[draw(bound).unwrap()] += 1;
            }
            // 200 each; the standard deviation is 14.
            assert!(drawn.iter().all(|n| (80..=320).contains(n)), "{drawn:?}");
        }
    }
}
