//! The number of cubes, and the smallest hypercube that contains them.

use super::error::HypercubeError;
use super::place::MAX_CUBES;

/// `Nc`, the number of cubes: 1 to [`MAX_CUBES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cubes(usize);

impl Cubes {
    /// A checked number of cubes.
    ///
    /// # Errors
    /// [`HypercubeError::NoCubes`] for 0, [`HypercubeError::TooManyCubes`] above
    /// [`MAX_CUBES`].
    pub fn new(cubes: usize) -> Result<Self, HypercubeError> {
        match cubes {
            0 => Err(HypercubeError::NoCubes),
            1..=MAX_CUBES => Ok(Self(cubes)),
            _ => Err(HypercubeError::TooManyCubes(cubes)),
        }
    }

    /// The number of cubes, `Nc`.
    pub fn count(self) -> usize {
        self.0
    }

    /// The dimension of the smallest hypercube that contains the cubes: `3 + ceil(log2 Nc)`.
    pub fn dimension(self) -> u32 {
        3 + self.0.next_power_of_two().trailing_zeros()
    }
}

#[cfg(test)]
mod tests {
    use super::super::place::{NODES_PER_CUBE, Node};
    use super::*;

    #[test]
    fn consecutive_cubes_are_neighbours_node_by_node() {
        for cube in 1..MAX_CUBES {
            for index in 0..NODES_PER_CUBE {
                let (here, before) = (
                    Node { cube, index },
                    Node {
                        cube: cube - 1,
                        index,
                    },
                );
                assert!(here.is_neighbour(before));
            }
        }
    }

    #[test]
    fn labels_are_distinct_and_fit_the_dimension() {
        for count in 1..=MAX_CUBES {
            let cubes = Cubes::new(count).unwrap();
            let mut seen = std::collections::BTreeSet::new();
            for cube in 0..count {
                for index in 0..NODES_PER_CUBE {
                    let label = Node { cube, index }.label();
                    assert!(label < 1 << cubes.dimension());
                    assert!(seen.insert(label));
                }
            }
        }
    }

    #[test]
    fn zero_cubes_and_too_many_are_refused() {
        assert_eq!(Cubes::new(0), Err(HypercubeError::NoCubes));
        assert_eq!(
            Cubes::new(MAX_CUBES + 1),
            Err(HypercubeError::TooManyCubes(17))
        );
        assert!(Cubes::new(MAX_CUBES).is_ok());
    }
}
