//! The tiles of one thread: their configuration, their bytes, and each operation on them.

use crate::decode::Signs;
use crate::dot::dot;

const TILES: usize = 8;
const MAX_ROWS: usize = 16;
const MAX_COLSB: usize = 64;

/// A tile of 16 rows of 64 bytes, held as little-endian dwords.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Tile {
    pub(crate) rows: [[i32; MAX_COLSB / 4]; MAX_ROWS],
}

impl Tile {
    const ZERO: Self = Self {
        rows: [[0; MAX_COLSB / 4]; MAX_ROWS],
    };
}

/// The shape of a tile: rows, and bytes per row (colsb). Both are 0 if it is not configured.
#[derive(Clone, Copy)]
struct Shape {
    rows: u8,
    colsb: u8,
}

impl Shape {
    const NONE: Self = Self { rows: 0, colsb: 0 };
}

/// The state of the tiles: TILECFG and TILEDATA.
///
/// Bytes of a tile outside its rows and colsb are always zero: a new configuration zeroes all
/// tiles, loads write inside the shape and zero the rest, and products have zero columns where
/// the second source has them.
pub(crate) struct Tiles {
    /// Whether palette 1 is loaded. Otherwise the state is the initial one, palette 0.
    configured: bool,
    start_row: u8,
    shapes: [Shape; TILES],
    data: [Tile; TILES],
}

/// The reason for which a processor would have raised an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    #[error("#GP: palette {0} does not exist: palettes are 0 and 1")]
    Palette(u8),
    #[error("#GP: byte {offset} of the configuration is {value}: it is reserved and must be 0")]
    Reserved { offset: usize, value: u8 },
    #[error("#GP: tile {tile} has {rows} rows of {colsb} bytes: at most 16 of at most 64")]
    TooLarge { tile: usize, rows: u8, colsb: u16 },
    #[error("#GP: tile {tile} has {rows} rows of {colsb} bytes: both must be 0, or neither")]
    HalfConfigured { tile: usize, rows: u8, colsb: u16 },
    #[error("#UD: no tile configuration is loaded: ldtilecfg with palette 1 comes first")]
    NotConfigured,
    #[error("#UD: tile {0} is not configured: it has 0 rows of 0 bytes")]
    TileNotConfigured(u8),
    #[error("#UD: tile {tile} has rows of {colsb} bytes: they must be a multiple of 4")]
    PartialDword { tile: u8, colsb: u8 },
    #[error("#UD: start_row is {start_row}, tile {tile} has {rows} rows: it must be below")]
    StartRow { tile: u8, start_row: u8, rows: u8 },
    #[error("#UD: the operands tmm{0}, tmm{1}, tmm{2} must be three different tiles")]
    SameTile(u8, u8, u8),
    #[error("#UD: {destination} rows of the destination, {first} of the first source: must agree")]
    RowsDiffer { destination: u8, first: u8 },
    #[error(
        "#UD: rows of {destination} bytes in the destination, {second} in the second source: \
         must agree"
    )]
    ColumnsDiffer { destination: u8, second: u8 },
    #[error(
        "#UD: rows of {first} bytes in the first source, {second} rows in the second: \
         one row for each four bytes"
    )]
    DepthsDiffer { first: u8, second: u8 },
}

impl Tiles {
    /// The initial state: no tile is configured, and all bytes are zero.
    pub(crate) const fn new() -> Self {
        Self {
            configured: false,
            start_row: 0,
            shapes: [Shape::NONE; TILES],
            data: [Tile::ZERO; TILES],
        }
    }

    /// Executes `ldtilecfg`. On a fault nothing changes.
    pub(crate) fn load_configuration(&mut self, bytes: &[u8; 64]) -> Result<(), Fault> {
        match bytes[0] {
            0 => {
                self.release();
                return Ok(());
            }
            1 => {}
            palette => return Err(Fault::Palette(palette)),
        }
        // The bytes for tiles 8 to 15 are reserved in palette 1.
        for offset in (2..16).chain(32..48).chain(56..64) {
            if bytes[offset] != 0 {
                let value = bytes[offset];
                return Err(Fault::Reserved { offset, value });
            }
        }
        let mut shapes = [Shape::NONE; TILES];
        for (tile, shape) in shapes.iter_mut().enumerate() {
            let colsb = u16::from_le_bytes([bytes[16 + 2 * tile], bytes[17 + 2 * tile]]);
            let rows = bytes[48 + tile];
            if usize::from(rows) > MAX_ROWS || usize::from(colsb) > MAX_COLSB {
                return Err(Fault::TooLarge { tile, rows, colsb });
            }
            if (rows == 0) != (colsb == 0) {
                return Err(Fault::HalfConfigured { tile, rows, colsb });
            }
            *shape = Shape {
                rows,
                colsb: colsb as u8,
            };
        }
        self.reset(true, bytes[1], shapes);
        Ok(())
    }

    /// Executes `sttilecfg`: the configuration, all zero in the initial state.
    pub(crate) fn store_configuration(&self) -> [u8; 64] {
        let mut bytes = [0; 64];
        bytes[0] = u8::from(self.configured);
        bytes[1] = self.start_row;
        for (tile, shape) in self.shapes.iter().enumerate() {
            bytes[16 + 2 * tile] = shape.colsb;
            bytes[48 + tile] = shape.rows;
        }
        bytes
    }

    /// Executes `tilerelease`, which restores the initial state.
    pub(crate) fn release(&mut self) {
        self.reset(false, 0, [Shape::NONE; TILES]);
    }

    /// Executes `tilezero`.
    pub(crate) fn zero(&mut self, tile: u8) -> Result<(), Fault> {
        self.shape(tile)?;
        self.data[usize::from(tile)] = Tile::ZERO;
        self.start_row = 0;
        Ok(())
    }

    /// Executes `tileloadd`: loads the rows i from `start_row` on from `start + i * stride`, and
    /// zeroes the rest of the tile.
    ///
    /// # Safety
    /// The memory of each of these rows can be read.
    pub(crate) unsafe fn load(&mut self, tile: u8, start: u64, stride: u64) -> Result<(), Fault> {
        let (shape, first_row) = self.memory_shape(tile)?;
        let colsb = usize::from(shape.colsb);
        let rows = &mut self.data[usize::from(tile)].rows;
        rows[first_row..].fill([0; MAX_COLSB / 4]);
        let rows = &mut rows[..usize::from(shape.rows)];
        for (i, row) in rows.iter_mut().enumerate().skip(first_row) {
            let address = start.wrapping_add(stride.wrapping_mul(i as u64));
            let source = std::ptr::with_exposed_provenance::<u8>(address as usize);
            // SAFETY: the caller guarantees that the source can be read. The row has 64 bytes, of
            // which colsb <= 64 are written, and is borrowed exclusively.
            unsafe { copy_row(source, row.as_mut_ptr().cast(), colsb) };
        }
        self.start_row = 0;
        Ok(())
    }

    /// Executes `tilestored`: stores the rows i from `start_row` on to `start + i * stride`.
    ///
    /// # Safety
    /// The memory of each of these rows can be written.
    pub(crate) unsafe fn store(&mut self, tile: u8, start: u64, stride: u64) -> Result<(), Fault> {
        let (shape, first_row) = self.memory_shape(tile)?;
        let colsb = usize::from(shape.colsb);
        let rows = &self.data[usize::from(tile)].rows[..usize::from(shape.rows)];
        for (i, row) in rows.iter().enumerate().skip(first_row) {
            let address = start.wrapping_add(stride.wrapping_mul(i as u64));
            let target = std::ptr::with_exposed_provenance_mut::<u8>(address as usize);
            // SAFETY: the caller guarantees that the target can be written. The row has 64 bytes,
            // of which colsb <= 64 are read.
            unsafe { copy_row(row.as_ptr().cast(), target, colsb) };
        }
        self.start_row = 0;
        Ok(())
    }

    /// Executes `tdpb.. destination, first, second`. The destination and the first source have M
    /// rows; the first source has K dwords per row and the second K rows; the second source and
    /// the destination have N dwords per row.
    pub(crate) fn dot(
        &mut self,
        destination: u8,
        first: u8,
        second: u8,
        signs: Signs,
    ) -> Result<(), Fault> {
        let [of_c, of_a, of_b] = [
            self.dword_shape(destination)?,
            self.dword_shape(first)?,
            self.dword_shape(second)?,
        ];
        let places = [destination, first, second].map(usize::from);
        let Ok([c, a, b]) = self.data.get_disjoint_mut(places) else {
            return Err(Fault::SameTile(destination, first, second));
        };
        if of_c.rows != of_a.rows {
            return Err(Fault::RowsDiffer {
                destination: of_c.rows,
                first: of_a.rows,
            });
        }
        if of_c.colsb != of_b.colsb {
            return Err(Fault::ColumnsDiffer {
                destination: of_c.colsb,
                second: of_b.colsb,
            });
        }
        if of_a.colsb / 4 != of_b.rows {
            return Err(Fault::DepthsDiffer {
                first: of_a.colsb,
                second: of_b.rows,
            });
        }
        let [m, k] = [of_c.rows, of_b.rows].map(usize::from);
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            match signs {
                Signs::SignedSigned => dot::<true, true>(c, a, b, m, k),
                Signs::SignedUnsigned => dot::<true, false>(c, a, b, m, k),
                Signs::UnsignedSigned => dot::<false, true>(c, a, b, m, k),
                Signs::UnsignedUnsigned => dot::<false, false>(c, a, b, m, k),
            }
        }
        self.start_row = 0;
        Ok(())
    }

    /// Sets a new configuration and zeroes all tiles.
    fn reset(&mut self, configured: bool, start_row: u8, shapes: [Shape; TILES]) {
        self.configured = configured;
        self.start_row = start_row;
        self.shapes = shapes;
        self.data.fill(Tile::ZERO);
    }

    /// The shape of a configured tile.
    fn shape(&self, tile: u8) -> Result<Shape, Fault> {
        if !self.configured {
            return Err(Fault::NotConfigured);
        }
        let shape = self.shapes[usize::from(tile)];
        if shape.rows == 0 {
            return Err(Fault::TileNotConfigured(tile));
        }
        Ok(shape)
    }

    /// The shape of a configured tile whose rows are whole dwords.
    fn dword_shape(&self, tile: u8) -> Result<Shape, Fault> {
        let shape = self.shape(tile)?;
        if !shape.colsb.is_multiple_of(4) {
            let colsb = shape.colsb;
            return Err(Fault::PartialDword { tile, colsb });
        }
        Ok(shape)
    }

    /// The shape of a tile to load or store, and the first row.
    fn memory_shape(&self, tile: u8) -> Result<(Shape, usize), Fault> {
        let shape = self.dword_shape(tile)?;
        if self.start_row >= shape.rows {
            return Err(Fault::StartRow {
                tile,
                start_row: self.start_row,
                rows: shape.rows,
            });
        }
        Ok((shape, self.start_row.into()))
    }
}

/// Copies `colsb` bytes. A whole row, the usual case, is copied without a function call.
///
/// # Safety
/// Source and target have `colsb` bytes and do not overlap.
unsafe fn copy_row(source: *const u8, target: *mut u8, colsb: usize) {
    // SAFETY: the caller guarantees the same.
    unsafe {
        if colsb == MAX_COLSB {
            source.copy_to_nonoverlapping(target, MAX_COLSB);
        } else {
            source.copy_to_nonoverlapping(target, colsb);
        }
    }
}
