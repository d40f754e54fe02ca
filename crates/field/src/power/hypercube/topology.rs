//! Where processing elements stand, and who is whose neighbour.
//!
//! A hypercube's nodes carry binary labels; two nodes are neighbours when their labels differ
//! in one bit. Cubes of eight nodes are put in a path: cube `k` has the label `gray(k)` in the
//! bits above the lowest three, so that equal nodes of consecutive cubes are neighbours. With
//! a number of cubes that is no power of two, some labels of the hypercube stay unused.

use super::HypercubeError;
use core::fmt;

/// The nodes of a cube.
pub const NODES_PER_CUBE: usize = 8;

/// The most cubes of a hypercube: 128 processing elements, each a thread when it is run.
pub const MAX_CUBES: usize = 16;

/// `Nc`, the number of cubes: 1 to [`MAX_CUBES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cubes(usize);

impl Cubes {
    /// A number of cubes, checked.
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

    /// `Nc`.
    pub fn count(self) -> usize {
        self.0
    }

    /// The dimension of the smallest hypercube that holds the cubes: `3 + ceil(log2 Nc)`.
    pub fn dimension(self) -> u32 {
        3 + self.0.next_power_of_two().trailing_zeros()
    }
}

/// A node of the hypercube: node `index` of cube `cube`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node {
    /// The place of its cube in the path, from 0.
    pub cube: usize,
    /// Its number within the cube, 0 to 7: the lowest three bits of its label.
    pub index: usize,
}

impl Node {
    /// `8 cube + index`, the number by which the paper names processing elements.
    pub fn number(self) -> usize {
        NODES_PER_CUBE * self.cube + self.index
    }

    /// The label in the hypercube: the Gray code of the cube, then the index.
    pub fn label(self) -> usize {
        NODES_PER_CUBE * (self.cube ^ (self.cube >> 1)) + self.index
    }

    /// Whether the labels differ in exactly one bit.
    pub fn is_neighbour(self, other: Self) -> bool {
        (self.label() ^ other.label()).is_power_of_two()
    }
}

/// Where a processing element stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// One of a path of coordinators. A coordinator has links to nodes 0 and 2 of cube 0.
    Coordinator(usize),
    /// A node of the hypercube.
    Node(Node),
    /// One of a path of equal processors, without a hypercube.
    Stage(usize),
}

impl Place {
    /// Whether there is a link between the two places.
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
            let mut seen = alloc::collections::BTreeSet::new();
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
