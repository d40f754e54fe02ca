//! The places of processing elements, and which places are neighbours.
//!
//! The nodes of a hypercube have binary labels; two nodes are neighbours if their labels differ in
//! one bit. The cubes of eight nodes form a path: cube `k` has the Gray code of `k` in the label
//! bits above the lowest three, so that nodes with the same number in consecutive cubes are
//! neighbours. If the number of cubes is not a power of two, some labels are unused.

use super::HypercubeError;
use std::fmt;

/// The number of nodes of a cube.
pub const NODES_PER_CUBE: usize = 8;

/// The largest number of cubes: 128 processing elements, each of which takes a thread in a run.
pub const MAX_CUBES: usize = 16;

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

/// A node of the hypercube.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node {
    /// The position of its cube in the path of cubes, from 0.
    pub cube: usize,
    /// The number of the node within its cube, 0 to 7: the lowest three bits of its label.
    pub index: usize,
}

impl Node {
    /// The paper's number of the processing element: `8 cube + index`.
    pub fn number(self) -> usize {
        NODES_PER_CUBE * self.cube + self.index
    }

    /// The label in the hypercube: the Gray code of the cube, followed by the index.
    pub fn label(self) -> usize {
        NODES_PER_CUBE * (self.cube ^ (self.cube >> 1)) + self.index
    }

    /// Whether the labels differ in exactly one bit.
    pub fn is_neighbour(self, other: Self) -> bool {
        (self.label() ^ other.label()).is_power_of_two()
    }
}

/// The place of a processing element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// A position in the chain of coordinators, from 0. Coordinators may have links to nodes 0
    /// and 2 of cube 0.
    Coordinator(usize),
    /// A node of the hypercube.
    Node(Node),
    /// A position in a chain of equal stages without a hypercube, from 0.
    Stage(usize),
}

impl Place {
    /// Whether a link may join the two places.
    pub fn is_neighbour(self, other: Self) -> bool {
        match (self, other) {
            (Self::Coordinator(a), Self::Coordinator(b)) | (Self::Stage(a), Self::Stage(b)) => {
                a.abs_diff(b) == 1
            }
            (Self::Node(a), Self::Node(b)) => a.is_neighbour(b),
            (Self::Coordinator(_), Self::Node(node)) | (Self::Node(node), Self::Coordinator(_)) => {
                matches!(node.number(), 0 | 2)
            }
            _ => false,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Coordinator(index) => write!(f, "coordinator {index}"),
            Self::Node(node) => write!(f, "PE {}", node.number()),
            Self::Stage(index) => write!(f, "stage {index}"),
        }
    }
}

#[cfg(test)]
mod tests {
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
