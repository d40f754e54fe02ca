//! Constants as `SystemVerilog` text, in the subset that iverilog, verilator and yosys share: flat
//! vectors, and functions with a `case` for tables that are read at a variable index.

use std::fmt::Write as _;

use crypto_bigint::BoxedUint;

/// The bits of a constant, from the least significant.
#[derive(Clone, Default)]
pub(crate) struct Bits(Vec<bool>);

impl Bits {
    /// `value` in `width` bits.
    ///
    /// # Panics
    /// If it does not fit.
    pub(crate) fn new(value: &BoxedUint, width: u32) -> Self {
        assert!(
            value.bits_vartime() <= width,
            "{value} has over {width} bits"
        );
        let words = value.as_words();
        let bit = |k: u32| {
            let word = words.get((k / 64) as usize).copied().unwrap_or_default();
            (word >> (k % 64)) & 1 == 1
        };
        Self((0..width).map(bit).collect())
    }

    /// Fields of `width` bits each, the first one in the least significant place.
    pub(crate) fn fields(values: impl IntoIterator<Item = BoxedUint>, width: u32) -> Self {
        let bits = values.into_iter().flat_map(|v| Self::new(&v, width).0);
        Self(bits.collect())
    }

    /// As [`Bits::fields`], for residues.
    pub(crate) fn residues(values: &[u128], width: u32) -> Self {
        Self::fields(values.iter().map(|&v| BoxedUint::from(v)), width)
    }

    /// The words of `width` bits, the least significant first; the last one may be shorter.
    pub(crate) fn words(&self, width: u32) -> Vec<u128> {
        let value = |bits: &[bool]| {
            bits.iter()
                .rev()
                .fold(0, |word, &b| 2 * word + u128::from(b))
        };
        self.0.chunks(width as usize).map(value).collect()
    }

    fn width(&self) -> usize {
        self.0.len()
    }

    /// The literal, for example `8'h2a`.
    fn literal(&self) -> String {
        let digit = |bits: &[bool]| bits.iter().rev().fold(0, |d, &b| 2 * d + u32::from(b));
        let digits: String = (self.0.chunks(4).rev())
            .filter_map(|bits| char::from_digit(digit(bits), 16))
            .collect();
        format!("{}'h{digits}", self.width())
    }
}

/// Constants in the body of a module: a header to be included, or a module that gives them to a core.
pub(crate) struct Header {
    text: String,
    /// The names of integers and vectors.
    names: Vec<String>,
}

/// A port of a module: its direction, its name, and its width in bits.
pub(crate) type Port<'a> = (&'a str, &'a str, u32);

impl Header {
    /// A header that begins with a description of its content.
    pub(crate) fn new(about: &str) -> Self {
        Self {
            text: format!(
                "// {about}\n// Written by sunzi-hardware-constants; not to be edited.\n"
            ),
            names: Vec::new(),
        }
    }

    /// An integer parameter.
    pub(crate) fn integer(&mut self, about: &str, name: &str, value: u32) {
        let _ = write!(
            self.text,
            "\n// {about}\nlocalparam integer {name} = {value};\n"
        );
        self.names.push(name.into());
    }

    /// A flat vector.
    pub(crate) fn vector(&mut self, about: &str, name: &str, bits: &Bits) {
        let (width, literal) = (bits.width() - 1, bits.literal());
        let _ = write!(
            self.text,
            "\n// {about}\nlocalparam [{width}:0] {name} =\n    {literal};\n"
        );
        self.names.push(name.into());
    }

    /// A table: `name(index)` is row `index`, and 0 above the last row.
    ///
    /// # Panics
    /// If there are no rows.
    pub(crate) fn table(&mut self, about: &str, name: &str, rows: &[Bits]) {
        let width = rows[0].width();
        let index_width = usize::BITS - (rows.len() - 1).leading_zeros();
        let _ = write!(
            self.text,
            "\n// {about}\nfunction automatic [{}:0] {name}(input [{}:0] index);\n    case (index)\n",
            width - 1,
            index_width - 1
        );
        for (index, row) in rows.iter().enumerate() {
            assert_eq!(row.width(), width, "rows of different widths");
            let literal = row.literal();
            let _ = writeln!(
                self.text,
                "        {index_width}'d{index}: {name} = {literal};"
            );
        }
        let _ = write!(
            self.text,
            "        default: {name} = {width}'h0;\n    endcase\nendfunction\n"
        );
    }

    /// The text.
    pub(crate) fn text(self) -> String {
        self.text
    }

    /// A module that is `core` with these constants, all but `others` of which are parameters of it. The ports are
    /// clock, reset, those of ready and valid, and `ports`.
    pub(crate) fn module(self, core: &str, name: &str, others: &[&str], ports: &[Port]) -> String {
        let common = [
            ("input", "clk", 1),
            ("input", "reset", 1),
            ("input", "in_valid", 1),
            ("output", "in_ready", 1),
            ("output", "out_valid", 1),
            ("input", "out_ready", 1),
        ];
        let ports: Vec<&Port> = common.iter().chain(ports).collect();
        let declared = ports.iter().map(|(direction, name, width)| {
            let range = if *width == 1 {
                String::new()
            } else {
                format!(" [{}:0]", width - 1)
            };
            format!("    {direction:<6} wire{range} {name}")
        });
        let parameters = self
            .names
            .iter()
            .filter(|name| !others.contains(&name.as_str()));
        let connected = |names: Vec<&str>| {
            let connections = names.iter().map(|name| format!("        .{name}({name})"));
            connections.collect::<Vec<_>>().join(",\n")
        };
        let declared = declared.collect::<Vec<_>>().join(",\n");
        let (about, constants) = self
            .text
            .split_at(self.text.find("\n\n").unwrap_or_default());
        format!(
            "{about}\nmodule {name} (\n{declared}\n);\n{}\n    {core} #(\n{}\n    ) core (\n{}\n    );\nendmodule\n",
            constants.trim_start_matches('\n'),
            connected(parameters.map(String::as_str).collect()),
            connected(ports.iter().map(|(_, name, _)| *name).collect()),
        )
    }
}
