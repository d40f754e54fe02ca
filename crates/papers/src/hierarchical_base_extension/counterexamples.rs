//! Cases in which the printed algorithm is wrong or incomplete.

use super::literal::{SmallBase, largest_delta};
use crate::paper::{Counterexample, Demonstration};

/// All counterexamples.
pub(super) static COUNTEREXAMPLES: [Counterexample; 3] = [
    Counterexample {
        name: "far-from-a-power-of-two",
        place: "HBE algorithm, lines 9 to 11",
        statement: "On {31, 29, 27, 25} with w = 5, c = 2, sigma = 1/2, HBE finds a wrong quotient where \
            KBE is right: the condition for HBE is c times as strong. Such bases must be refused.",
        run: far_from_a_power_of_two,
    },
    Counterexample {
        name: "steps-up-to-c",
        place: "HBE algorithm, lines 10 and 15",
        statement: "A step h_i of HBE can be c = 2, where those of KBE are 0 or 1: the table of |-h A| \
            needs c + 1 entries, which the slides do not say.",
        run: steps_up_to_c,
    },
    Counterexample {
        name: "delta-3",
        place: "RNS Montgomery mod P Reduction",
        statement: "delta in {0, 1, 2} needs A >= 9P, which is unstated: with P = 223 and A = 1001, \
            delta reaches 3.",
        run: delta_3,
    },
];

fn far_from_a_power_of_two() -> Demonstration {
    let base = SmallBase::new(&[31, 29, 27, 25], 2, 5);
    let product = base.product();
    let (mut kawamura, mut hierarchical, mut first) = (0u32, 0u32, None);
    for x in 0..product / 2 {
        let found = base.quotients(x);
        kawamura += u32::from(found.kawamura != found.exact);
        if found.hierarchical() != found.exact {
            hierarchical += 1;
            first.get_or_insert((x, found));
        }
    }
    let mut lines = vec![format!(
        "A = 31 * 29 * 27 * 25 = {product}; all {} numbers X < A/2: HBE is wrong for {hierarchical}, KBE \
         for {kawamura}",
        product / 2
    )];
    if let Some((x, found)) = &first {
        let wrong = found.exact.cast_signed() - found.hierarchical().cast_signed();
        lines.push(format!(
            "the first: X = {x}, right quotient h = {}, KBE {}, HBE {}, so HBE returns X + ({wrong}) A",
            found.exact,
            found.kawamura,
            found.hierarchical()
        ));
    }
    Demonstration {
        lines,
        confirmed: hierarchical > 0 && kawamura == 0,
    }
}

fn steps_up_to_c() -> Demonstration {
    let base = SmallBase::new(&[32, 31, 29, 27], 2, 5);
    let found = (0..base.product() / 2).find(|&x| base.quotients(x).rows.contains(&2));
    let lines = found.map(|x| {
        format!(
            "base {{32, 31, 29, 27}}, X = {x}: the steps are {:?}",
            base.quotients(x).rows
        )
    });
    Demonstration {
        confirmed: lines.is_some(),
        lines: lines.into_iter().collect(),
    }
}

fn delta_3() -> Demonstration {
    let (enough, _) = largest_delta(223, 2145);
    let (too_small, _) = largest_delta(223, 1001);
    Demonstration {
        lines: vec![
            String::from("P = 223, all X, Y < 3P, the extension from A to B always returns Q + A"),
            format!("A = 3 * 5 * 11 * 13 = 2145 >= 9P: the largest delta is {enough}"),
            format!("A = 7 * 11 * 13 = 1001 < 9P: the largest delta is {too_small}"),
        ],
        confirmed: enough == 2 && too_small > 2,
    }
}
