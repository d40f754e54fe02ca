//! The steps of Miller loops. Public.

/// A step of the loop, of a multiple T of Q.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// 2 T.
    Double,
    /// T + Q.
    Add,
    /// T - Q.
    Subtract,
    /// T + psi(Q).
    AddImage,
    /// T - psi(psi(Q)).
    SubtractSecondImage,
}

impl Step {
    /// The steps for a number's digits, the most significant first; an f is squared before doublings, except for the
    /// first one.
    pub(super) fn of_digits(digits: &[i8]) -> Vec<Self> {
        let rest = digits.iter().skip(1);
        let steps = rest.flat_map(|digit| {
            let add = match digit {
                0 => None,
                1 => Some(Self::Add),
                _ => Some(Self::Subtract),
            };
            core::iter::once(Self::Double).chain(add)
        });
        steps.collect()
    }
}
