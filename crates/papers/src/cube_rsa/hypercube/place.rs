//! The places of processing elements, and which places are neighbours.
//!
//! The nodes of a hypercube have binary labels; two nodes are neighbours if their labels differ in
//! one bit. The cubes of eight nodes form a path: cube `k` has the Gray code of `k` in the label
//! bits above the lowest three, so that nodes with the same number in consecutive cubes are
//! neighbours. If the number of cubes is not a power of two, some labels are unused.

use std::fmt;

/// The number of nodes of a cube.
pub const NODES_PER_CUBE: usize = 8;

/// The largest number of cubes: 128 processing elements, each of which takes a thread in a run.
pub const MAX_CUBES: usize = 16;

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
