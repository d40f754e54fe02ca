//! Layouts of a group's numbers in registers.

use core::{fmt, str::FromStr};

/// Layout of a group's numbers in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
    /// This many numbers side by side, one per lane.
    Lanes(usize),
    /// This many numbers, each over all lanes.
    Spread(usize),
    /// One number after the other.
    Single,
}

impl Layout {
    /// Number of numbers in a group.
    pub fn width(self) -> usize {
        match self {
            Self::Lanes(width) | Self::Spread(width) => width,
            Self::Single => 1,
        }
    }

    /// The kind of layout, as named on the command line.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Lanes(_) => "lanes",
            Self::Spread(_) => "spread",
            Self::Single => "single",
        }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lanes(lanes) => write!(f, "one number a lane, {lanes} lanes"),
            Self::Spread(1) => f.write_str("one number over all lanes"),
            Self::Spread(numbers) => write!(f, "{numbers} numbers, each over all lanes"),
            Self::Single => f.write_str("one number after the other"),
        }
    }
}

/// The layouts that an engine may use: one kind, and perhaps one width. Written as `lanes`, `lanes16`,
/// `spread`, `spread2`, `single`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ForcedLayout {
    kind: &'static str,
    width: Option<usize>,
}

impl ForcedLayout {
    /// The choice of this one layout.
    pub fn only(layout: Layout) -> Self {
        Self {
            kind: layout.kind(),
            width: Some(layout.width()),
        }
    }

    /// Whether this is a single layout, of the other one's kind and at least as wide.
    pub(crate) fn holds(self, other: Self) -> bool {
        self.kind == other.kind && self.width >= other.width
    }

    /// Whether this layout may be used.
    pub fn allows(self, layout: Layout) -> bool {
        self.kind == layout.kind() && self.width.is_none_or(|width| width == layout.width())
    }
}

impl fmt::Display for ForcedLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind)?;
        self.width.map_or(Ok(()), |width| write!(f, "{width}"))
    }
}

impl FromStr for ForcedLayout {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let digits = text.trim_start_matches(|c: char| c.is_ascii_lowercase());
        let kinds = [Layout::Lanes(0), Layout::Spread(0), Layout::Single];
        let name = &text[..text.len() - digits.len()];
        let kind = kinds.map(Layout::kind).into_iter().find(|&k| k == name);
        let width = match digits {
            "" => None,
            digits => Some(digits.parse().map_err(|_| ())?),
        };
        Ok(Self {
            kind: kind.ok_or(())?,
            width,
        })
    }
}
