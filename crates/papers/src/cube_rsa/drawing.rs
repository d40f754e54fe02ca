//! Drawings of the data-flow graph, as text and as SVG.

use super::CubeRsaError;
use super::arithmetic::ExponentArithmetic;
use super::hypercube::{Exponent, Firing, Form, Hypercube, Network, Node, Place, Timing, simulate};
use crate::random::Random;
use serde::Serialize;
use std::fmt::{self, Write};

/// The description of one processing element: a row of the drawing as text.
#[derive(Clone, Debug, Serialize)]
pub struct ElementDescription {
    /// The paper's name of the element, or `coordinator 0`.
    pub element: String,
    /// The label in the hypercube, in binary; empty for a coordinator.
    pub label: String,
    /// The number of `MulMod`s for each power.
    pub mulmods: usize,
    /// The elements that send to it, or `m` for the input.
    pub takes: Vec<String>,
    /// The value that it sends, as a product of powers of A and B.
    pub gives: String,
}

/// A hypercube to draw.
#[derive(Clone, Debug)]
pub struct Drawing {
    form: Form,
    dimension: u32,
    cubes: usize,
    /// The exponents of A and B in the result.
    exponents: [u64; 2],
    exponent_bits: u32,
    /// The cubes and one coordinator.
    network: Network,
    /// For each link of the cubes, the place of its sender and the exponents of A and B in the
    /// value that it carries.
    messages: Vec<(Option<Place>, [u64; 2])>,
    work_of_cubes: usize,
    depth: u64,
    eager_depth: u64,
}

impl Drawing {
    /// The drawing of a hypercube with a coordinator for a pseudo-random odd exponent of `bits`
    /// bits, which is the same in every run.
    ///
    /// # Errors
    /// [`CubeRsaError::Hypercube`] for 0 cubes or too many; [`CubeRsaError::NoBits`] for an
    /// exponent of 0 bits.
    pub fn new(form: Form, cubes: usize, bits: u32) -> Result<Self, CubeRsaError> {
        if bits == 0 {
            return Err(CubeRsaError::NoBits);
        }
        let e = &Random(u64::from(bits)).odd(bits);
        let hypercube = Hypercube::new(cubes, form)?;
        let of_cubes = hypercube.network_of_cubes()?;
        let plan = hypercube.plan(Exponent::Public(e))?;
        let messages = of_cubes.messages(&ExponentArithmetic, &[], &[[1, 0], [0, 1]])?;
        let place = |end: Option<usize>| end.map(|end| of_cubes.elements()[end].place);
        let messages = of_cubes.links().iter().zip(&messages);
        let messages = messages
            .filter_map(|(link, values)| Some((place(link.from), *values.first()?)))
            .collect();
        let depth = |firing| {
            let timing = Timing {
                firing,
                ..Timing::MULMODS
            };
            simulate(&of_cubes, timing, 1).makespan()
        };
        Ok(Self {
            form,
            dimension: hypercube.cubes().dimension(),
            cubes,
            exponents: hypercube.exponents()?,
            exponent_bits: bits,
            messages,
            work_of_cubes: of_cubes.work(),
            depth: depth(Firing::Strict),
            eager_depth: depth(Firing::Eager),
            network: plan.network().clone(),
        })
    }

    /// The value that an element sends, as a product of powers of A and B.
    fn gives(&self, place: Place) -> String {
        match place {
            Place::Node(_) => {
                let message = self.messages.iter().find(|(from, _)| *from == Some(place));
                message.map_or_else(|| String::from("not used"), |&(_, power)| product(power))
            }
            Place::Coordinator(_) | Place::Stage(_) => String::from("A, B"),
        }
    }

    /// The elements: the coordinator, then the nodes of each cube.
    pub fn elements(&self) -> impl Iterator<Item = ElementDescription> + '_ {
        let dimension = self.dimension as usize;
        let elements = self.network.elements().iter().enumerate();
        elements.map(move |(index, element)| {
            let links = self.network.incoming(index).iter();
            let takes = links.map(|&link| match self.network.links()[link].from {
                Some(from) => self.network.place(Some(from)),
                None => String::from("m"),
            });
            ElementDescription {
                element: element.place.to_string(),
                label: match element.place {
                    Place::Node(node) => format!("{:0dimension$b}", node.label()),
                    Place::Coordinator(_) | Place::Stage(_) => String::new(),
                },
                mulmods: element.steps.len(),
                takes: takes.collect(),
                gives: self.gives(element.place),
            }
        })
    }

    /// The graph as an SVG document: a circle for each element, shaded by its work and labelled
    /// with its work and the value that it sends, and an arrow for each link.
    pub fn svg(&self) -> String {
        let width = CUBE_LEFT + self.cubes as u32 * CUBE_PITCH;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{HEIGHT}\" \
             viewBox=\"0 0 {width} {HEIGHT}\" font-family=\"sans-serif\" text-anchor=\"middle\">\n\
             <defs><marker id=\"head\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" \
             markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
             <path d=\"M0 0 L10 5 L0 10 z\" fill=\"#345\"/></marker></defs>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        let elements = self.network.elements();
        for link in self.network.links() {
            let end = |end: Option<usize>| end.map(|element| position(elements[element].place));
            let (from, to) = match (end(link.from), end(link.to)) {
                (Some(from), Some(to)) => (from, to),
                (None, Some(to)) => ((to.0, to.1 - 90), to),
                (Some(from), None) => (from, (from.0, HEIGHT - 24)),
                (None, None) => continue,
            };
            svg.push_str(&arrow(from, to));
        }
        for element in elements {
            let (x, y) = position(element.place);
            let work = element.steps.len();
            let fill = ["#ffffff", "#d8ecff", "#9cccf5", "#5aa5e6"][work.min(3)];
            let name = match element.place {
                Place::Node(node) => node.number().to_string(),
                Place::Coordinator(_) | Place::Stage(_) => String::from("C"),
            };
            let gives = self.gives(element.place);
            let _ = writeln!(
                svg,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{RADIUS}\" fill=\"{fill}\" stroke=\"#345\"/>\
                 <text x=\"{x}\" y=\"{}\" font-size=\"14\" font-weight=\"bold\">{name}</text>\
                 <text x=\"{x}\" y=\"{}\" font-size=\"10\">{work}</text>\
                 <text x=\"{x}\" y=\"{}\" font-size=\"11\">{gives}</text>",
                y + 1,
                y + 13,
                y + RADIUS + 13
            );
        }
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"20\" font-size=\"13\">{}</text>\n</svg>\n",
            width / 2,
            self.title()
        );
        svg
    }

    fn title(&self) -> String {
        let form = match self.form {
            Form::Plain => "plain",
            Form::Optimized => "optimized",
        };
        let [d, _] = self.exponents;
        let plural = if self.cubes == 1 { "" } else { "s" };
        format!(
            "{} cube{plural}, {form} form: {}, e = {d} q + r",
            self.cubes,
            product(self.exponents)
        )
    }
}

const RADIUS: u32 = 22;
const CUBE_LEFT: u32 = 190;
const CUBE_PITCH: u32 = 330;
const HEIGHT: u32 = 420;

/// The center of an element in the picture, in pixels. The cubes stand side by side, each drawn in
/// a slanted projection.
fn position(place: Place) -> (u32, u32) {
    match place {
        Place::Node(Node { cube, index }) => {
            let bit = |bit: usize| (index >> bit & 1) as u32;
            let left = CUBE_LEFT + cube as u32 * CUBE_PITCH;
            let (x, y) = (150 * bit(0) + 75 * bit(2), 150 * bit(1) + 75 * bit(2));
            (left + x, 90 + y)
        }
        Place::Coordinator(_) | Place::Stage(_) => (70, 165),
    }
}

/// The SVG path of an arrow between two circles. Long arrows are curved, so that links between
/// cubes pass above the nodes in between.
fn arrow(from: (u32, u32), to: (u32, u32)) -> String {
    let (dx, dy) = (
        f64::from(to.0) - f64::from(from.0),
        f64::from(to.1) - f64::from(from.1),
    );
    let length = dx.hypot(dy).max(1.0);
    let bend = if length > 250.0 { -70.0 } else { 0.0 };
    let control = (
        f64::from(from.0 + to.0) / 2.0,
        f64::from(from.1 + to.1) / 2.0 + bend,
    );
    // Both ends lie on the circles, in the direction of the control point.
    let on_circle = |(x, y): (u32, u32)| {
        let (dx, dy) = (control.0 - f64::from(x), control.1 - f64::from(y));
        let scale = f64::from(RADIUS) / dx.hypot(dy).max(1.0);
        (f64::from(x) + scale * dx, f64::from(y) + scale * dy)
    };
    let (start, end) = (on_circle(from), on_circle(to));
    format!(
        "<path d=\"M{:.1} {:.1} Q{:.1} {:.1} {:.1} {:.1}\" fill=\"none\" stroke=\"#789\" \
         marker-end=\"url(#head)\"/>\n",
        start.0, start.1, control.0, control.1, end.0, end.1
    )
}

/// The text of `A^a B^b`, without factors of exponent 0 and without exponents of 1.
fn product([a, b]: [u64; 2]) -> String {
    let power = |name: &str, exponent: u64| match exponent {
        0 => None,
        1 => Some(String::from(name)),
        _ => Some(format!("{name}^{exponent}")),
    };
    let factors = [power("A", a), power("B", b)].into_iter().flatten();
    factors.collect::<Vec<_>>().join(" ")
}

impl fmt::Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [d, _] = self.exponents;
        writeln!(f, "{}\n", self.title())?;
        writeln!(
            f,
            "A coordinator computes A = m^q and B = m^r; processing elements (PEs) in a path of \
             cubes,\nin a hypercube of dimension {}, compute A^{d} B = m^e. Labels of neighbours \
             differ in one bit.\n",
            self.dimension
        )?;
        writeln!(
            f,
            "{:<14} {:>8} {:>8}   {:<28} gives",
            "element", "label", "MulMods", "takes from"
        )?;
        for described in self.elements() {
            writeln!(
                f,
                "{:<14} {:>8} {:>8}   {:<28} {}",
                described.element,
                described.label,
                described.mulmods,
                described.takes.join(", "),
                described.gives
            )?;
        }
        let pes = self.network.elements().len() - 1;
        let coordinator = self.network.work() - self.work_of_cubes;
        writeln!(
            f,
            "\nThe cubes: {pes} PEs, {} MulMods, {} in a row ({} if elements multiply while they \
             wait).",
            self.work_of_cubes, self.depth, self.eager_depth
        )?;
        let slowest = self.network.bottleneck();
        let alone = coordinator as u64 + self.depth;
        writeln!(
            f,
            "For a random odd exponent of {} bits: {coordinator} MulMods in the coordinator, {alone} in a \
             row.\nA pipelined stream gives a power every {slowest}: {:.4} times as many as one at a time.",
            self.exponent_bits,
            alone as f64 / slowest.max(1) as f64
        )
    }
}
