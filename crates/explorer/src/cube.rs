//! The hypercube at work: one power, element by element, on the graph of `sunzi_papers`.

use crate::input::{self, Reason, Refusal};
use crate::integer;
use crypto_bigint::BoxedUint;
use serde::{Deserialize, Serialize};
use sunzi_papers::cube_rsa::arithmetic::{Division, ExponentArithmetic, ModularArithmetic};
use sunzi_papers::cube_rsa::hypercube::{
    EventKind, Exponent, Form, Hypercube, HypercubeError, Network, Place, Timing, methods, simulate,
};

/// The largest number of cubes that fits the page.
const MAX_CUBES: u32 = 4;

/// The largest numbers, in bits.
const MAX_BITS: u32 = 256;

/// The inputs of this view, as typed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct CubeInput {
    cubes: String,
    /// `plain` or `optimized`.
    form: String,
    n: String,
    m: String,
    e: String,
}

/// A processing element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Element {
    /// The paper's number.
    pub number: usize,
    /// The cube, from 0.
    pub cube: usize,
    /// The label in the hypercube, in binary.
    pub label: String,
    /// The place within the drawing of its cube.
    pub x: u32,
    /// The place within the drawing of its cube.
    pub y: u32,
    /// The number of products that it computes.
    pub work: usize,
    /// The time at which it starts, in products.
    pub begin: u64,
    /// The time at which it is done.
    pub end: u64,
    /// The values that it receives.
    pub takes: String,
    /// The value that it sends, as powers of A and B; empty if nothing takes it.
    pub gives: String,
    /// The value that it sends, modulo n.
    pub value: String,
}

/// A link between two elements, by their indices in the list of elements; `null` is the coordinator, or the
/// end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// The sender.
    pub from: Option<usize>,
    /// The receiver.
    pub to: Option<usize>,
    /// The value that it carries, as powers of A and B.
    pub power: String,
    /// The time at which it is sent.
    pub sent: u64,
}

/// A power on a hypercube.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cube {
    /// `D`.
    pub d: String,
    /// `q`, with `e = D q + r`.
    pub q: String,
    /// `r`.
    pub r: String,
    /// `A = m^q mod n`.
    pub a: String,
    /// `B = m^r mod n`.
    pub b: String,
    /// The elements.
    pub elements: Vec<Element>,
    /// The links.
    pub links: Vec<Link>,
    /// The events at each time, in words.
    pub times: Vec<String>,
    /// The number of products of the coordinator.
    pub coordinator: usize,
    /// The number of products of the cubes.
    pub work: usize,
    /// `A^D B mod n`, which the cubes computed.
    pub result: String,
    /// `m^e mod n`, by the binary method on one processor.
    pub expected: String,
    /// The result, in a sentence or two.
    pub summary: String,
}

impl Cube {
    /// The view of these inputs.
    ///
    /// # Errors
    /// A [`Refusal`] for a number of cubes, `n`, `m` or `e` out of range.
    pub fn new(input: &CubeInput) -> Result<Self, Refusal> {
        let cubes = input::small(&input.cubes, 1, MAX_CUBES).map_err(Refusal::of("cubes"))?;
        let form = match input.form.as_str() {
            "plain" => Form::Plain,
            "optimized" => Form::Optimized,
            other => return Err(Refusal::new("form", Reason::Choice(other.into()))),
        };
        let n = number("n", &input.n, &[])?;
        let m = number("m", &input.m, &[("n", &n)])?;
        let e = number("e", &input.e, &[("n", &n)])?;
        let modulo_n = Division::new(&n).filter(|_| n.bits_vartime() > 1);
        let modulo_n = modulo_n.ok_or_else(|| Refusal::new("n", Reason::Least(2)))?;
        let base = modulo_n.enter(&m).map_err(Refusal::of("m"))?;
        let hypercube = Hypercube::new(cubes as usize, form).map_err(Refusal::of("cubes"))?;
        Self::run(hypercube, &modulo_n, &base, &e).map_err(Refusal::of("cubes"))
    }

    fn run(
        hypercube: Hypercube,
        modulo_n: &Division,
        base: &BoxedUint,
        e: &BoxedUint,
    ) -> Result<Self, HypercubeError> {
        let [d, _] = hypercube.exponents()?;
        let (q, r) = integer::div_rem(e, &BoxedUint::from(d)).unwrap_or_default();
        let plan = hypercube.plan(Exponent::Public(e))?;
        let inputs = (plan.coordinator()).run(modulo_n, &[], std::slice::from_ref(base))?;
        let network = hypercube.network_of_cubes()?;
        let values = network.messages(modulo_n, &[], &inputs)?;
        let powers = network.messages(&ExponentArithmetic, &[], &[[1, 0], [0, 1]])?;
        let expected = methods::binary_vartime(e).run(modulo_n, &[], std::slice::from_ref(base))?;
        let first =
            |values: &[BoxedUint]| values.first().map_or_else(String::new, integer::decimal);
        let run = Run::new(&network);
        let dimension = hypercube.cubes().dimension() as usize;
        let elements = run.elements(&powers, &values, dimension);
        let result = first(&values[network.output()]);
        Ok(Self {
            summary: format!(
                "The cubes computed A^{d} B = {result} in {} products, {} of them in a row; m^e mod n by squaring and \
                 multiplying on one processor is {}. But {} products had to come first, in the coordinator.",
                network.work(),
                run.depth,
                if result == first(&expected) {
                    "the same"
                } else {
                    "another number"
                },
                plan.coordinator().steps().len(),
            ),
            times: (0..=run.depth)
                .map(|time| describe(&elements, time))
                .collect(),
            d: d.to_string(),
            q: integer::decimal(&q),
            r: integer::decimal(&r),
            a: first(&inputs[..1]),
            b: first(&inputs[1..]),
            elements,
            links: run.links(&powers),
            coordinator: plan.coordinator().steps().len(),
            work: network.work(),
            result,
            expected: first(&expected),
        })
    }
}

fn number(name: &'static str, text: &str, names: &input::Names) -> Result<BoxedUint, Refusal> {
    let value = input::number(text, names).map_err(Refusal::of(name))?;
    if value.bits_vartime() > MAX_BITS {
        return Err(Refusal::new(name, Reason::Large { most: MAX_BITS }));
    }
    Ok(value)
}

/// The simulated course of one power through the cubes, timed in products.
struct Run<'a> {
    network: &'a Network,
    /// The times at which each element starts and is done.
    spans: Vec<(u64, u64)>,
    depth: u64,
}

impl<'a> Run<'a> {
    fn new(network: &'a Network) -> Self {
        let timeline = simulate(network, Timing::MULMODS, 1);
        let mut spans = vec![(0, 0); network.elements().len()];
        for event in timeline.events() {
            match (event.element, event.kind) {
                (Some(element), EventKind::Begin) => spans[element].0 = event.time,
                (Some(element), EventKind::End) => spans[element].1 = event.time,
                _ => {}
            }
        }
        Self {
            network,
            spans,
            depth: timeline.makespan(),
        }
    }

    fn elements(
        &self,
        powers: &[Vec<[u64; 2]>],
        values: &[Vec<BoxedUint>],
        dimension: usize,
    ) -> Vec<Element> {
        let network = self.network;
        let places = network.elements().iter().enumerate();
        let nodes = places.filter_map(|(at, element)| match element.place {
            Place::Node(node) => Some((at, element, node)),
            Place::Coordinator(_) | Place::Stage(_) => None,
        });
        nodes
            .map(|(at, element, node)| {
                let sent = network.outgoing(at).first();
                let takes = network.incoming(at).iter().map(|&link| {
                    let power = powers[link]
                        .first()
                        .copied()
                        .map_or_else(String::new, product);
                    let from = network.links()[link].from;
                    let from = from.map_or_else(
                        || "the coordinator".into(),
                        |from| network.place(Some(from)),
                    );
                    format!("{power} from {from}")
                });
                let bit = |bit: usize| (node.index >> bit & 1) as u32;
                Element {
                    number: node.number(),
                    cube: node.cube,
                    label: format!("{:0dimension$b}", node.label()),
                    x: 150 * bit(0) + 75 * bit(2),
                    y: 150 * bit(1) + 75 * bit(2),
                    work: element.steps.len(),
                    begin: self.spans[at].0,
                    end: self.spans[at].1,
                    takes: takes.collect::<Vec<_>>().join(", "),
                    gives: sent
                        .and_then(|&link| powers[link].first().copied())
                        .map_or_else(String::new, product),
                    value: sent
                        .and_then(|&link| values[link].first())
                        .map_or_else(String::new, integer::decimal),
                }
            })
            .collect()
    }

    fn links(&self, powers: &[Vec<[u64; 2]>]) -> Vec<Link> {
        let links = self.network.links().iter().zip(powers);
        links
            .map(|(link, power)| Link {
                from: link.from,
                to: link.to,
                power: power.first().copied().map_or_else(String::new, product),
                sent: link.from.map_or(0, |from| self.spans[from].1),
            })
            .collect()
    }
}

/// The events at a time, in words.
fn describe(elements: &[Element], time: u64) -> String {
    let busy = elements.iter().filter(|e| e.begin <= time && time < e.end);
    let busy: Vec<String> = busy.map(|e| format!("PE {}", e.number)).collect();
    let done = elements
        .iter()
        .filter(|e| e.end == time && (e.work > 0 || time == 0));
    let done: Vec<String> = done
        .filter(|e| e.end == time && !e.gives.is_empty())
        .map(|e| format!("PE {} sends {}", e.number, e.gives))
        .collect();
    let sentence = |what: &[String], verb: &str| match what {
        [] => String::new(),
        what => format!("{}{verb}. ", what.join(", ")),
    };
    let text = sentence(&done, "")
        + &sentence(
            &busy,
            if busy.len() == 1 {
                " multiplies"
            } else {
                " multiply"
            },
        );
    format!("After {time} products in a row. {}", text.trim_end())
}

/// `A^a B^b`, without factors of exponent 0 and without exponents of 1.
fn product([a, b]: [u64; 2]) -> String {
    let power = |name: &str, exponent: u64| match exponent {
        0 => None,
        1 => Some(name.to_owned()),
        _ => Some(format!("{name}^{exponent}")),
    };
    let factors = [power("A", a), power("B", b)].into_iter().flatten();
    factors.collect::<Vec<_>>().join(" ")
}
