//! Every verdict follows from the figures: altered figures alter it.

use sunzi_papers::PAPERS;
use sunzi_papers::claim::Kind::{
    self, CannotBeCheckedHere, DoesNotHold, Holds, HoldsWithCondition, Misprint, NotReproducedHere,
};
use sunzi_papers::figures::Figures;

/// For a claim, values of its figures with the kind of verdict that they lead to.
type Flip = (&'static str, &'static [(&'static [f64], Kind)]);

/// Judges every claim of a paper on figures that differ, and on no figures.
fn check(paper: &str, flips: &[Flip]) {
    let paper = PAPERS.iter().find(|found| found.name == paper).unwrap();
    let names: Vec<&str> = paper.claims.iter().map(|claim| claim.name).collect();
    let flipped: Vec<&str> = flips.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        names, flipped,
        "each claim has its flips, in the same order"
    );
    for (claim, (name, cases)) in paper.claims.iter().zip(flips) {
        let kinds: Vec<Kind> = cases.iter().map(|(_, kind)| *kind).collect();
        assert!(
            kinds.iter().any(|kind| *kind != kinds[0]),
            "{name} never flips"
        );
        for (values, kind) in *cases {
            let mut figures = Figures::default();
            assert_eq!(values.len(), claim.figures.len(), "{name}");
            for (figure, value) in claim.figures.iter().zip(*values) {
                figures.count(*figure, *value, "altered");
            }
            let verdict = claim.verdict(&figures);
            assert_eq!(verdict.kind(), *kind, "{name} {values:?}: {verdict}");
            let explained = !verdict.explanation().is_empty();
            assert_eq!(explained, *kind != Holds, "{name} {values:?}");
        }
        let unmeasured = claim.verdict(&Figures::default());
        assert_eq!(unmeasured.kind(), CannotBeCheckedHere, "{name}");
        assert_eq!(claim.judge(&[]).kind(), CannotBeCheckedHere, "{name}");
    }
}

/// Flips of a claim about a speedup in "FRNN".
const SPEEDUP: &[(&[f64], Kind)] = &[
    (&[0.5, 6.0], DoesNotHold),
    (&[20_000.0, 6.0], DoesNotHold),
    (&[20_000.0, 30_000.0], Holds),
];

#[test]
fn frnn() {
    check(
        "frnn",
        &[
            (
                "column-l",
                &[
                    (&[19.0, 5.0], Misprint),
                    (&[19.0, 19.0], Holds),
                    (&[18.0, 5.0], DoesNotHold),
                ],
            ),
            ("ratios", &[(&[114.0], Holds), (&[113.0], DoesNotHold)]),
            (
                "rns-times",
                &[(&[3e-4, 800.0], DoesNotHold), (&[0.1, 0.009], Holds)],
            ),
            ("addition", SPEEDUP),
            ("subtraction", SPEEDUP),
            ("multiplication", SPEEDUP),
            ("division-by-constant", SPEEDUP),
            ("euclidean-division", SPEEDUP),
            (
                "sign-detection",
                &[(&[0.01, 0.0005], NotReproducedHere), (&[0.1, 0.2], Holds)],
            ),
            (
                "precision",
                &[
                    (&[244.0, 450.0], NotReproducedHere),
                    (&[450.0, 450.0], Holds),
                    (&[451.0, 450.0], NotReproducedHere),
                ],
            ),
            (
                "algorithm-1",
                &[
                    (&[5.0, 90.0, 0.0], NotReproducedHere),
                    (&[0.0, 0.0, 0.0], Holds),
                    (&[5.0, 90.0, 1.0], NotReproducedHere),
                ],
            ),
            (
                "equation-3",
                &[
                    (&[280.0, 0.0], Misprint),
                    (&[0.0, 0.0], Holds),
                    (&[280.0, 1.0], DoesNotHold),
                ],
            ),
            ("equation-13", &[(&[0.0], Holds), (&[1.0], DoesNotHold)]),
            (
                "network",
                &[
                    (&[0.0, 300.0], Misprint),
                    (&[0.0, 0.0], Holds),
                    (&[1.0, 300.0], DoesNotHold),
                ],
            ),
            (
                "complexity",
                &[
                    (&[560.0, 272.0], NotReproducedHere),
                    (&[200.0, 272.0], Holds),
                ],
            ),
            (
                "signature",
                &[
                    (&[1.849, 0.96, 0.001, 0.3], DoesNotHold),
                    (&[1.849, 0.96, 2.0, 1.9], Holds),
                ],
            ),
            ("prime", &[(&[127.0], DoesNotHold), (&[0.0], Holds)]),
        ],
    );
}

#[test]
fn hierarchical_base_extension() {
    check(
        "hierarchical-base-extension",
        &[
            ("cost-kbe", &[(&[272.0], Holds), (&[271.0], DoesNotHold)]),
            (
                "cost-hbe",
                &[
                    (&[144.0, 128.0, 16.0], HoldsWithCondition),
                    (&[160.0, 128.0, 0.0], Holds),
                    (&[144.0, 64.0, 16.0], DoesNotHold),
                ],
            ),
            (
                "cost-ratio",
                &[
                    (&[0.73, 1.06], HoldsWithCondition),
                    (&[0.73, 0.99], Holds),
                    (&[1.1, 1.3], DoesNotHold),
                ],
            ),
            (
                "main-cost",
                &[(&[20.0, 20.0], Holds), (&[19.0, 20.0], DoesNotHold)],
            ),
            (
                "exactness",
                &[
                    (&[19_612.0, 0.0, 0.0], HoldsWithCondition),
                    (&[0.0, 0.0, 0.0], Holds),
                    (&[19_612.0, 0.0, 1.0], DoesNotHold),
                ],
            ),
            (
                "delta",
                &[
                    (&[2.0, 3.0], HoldsWithCondition),
                    (&[2.0, 2.0], Holds),
                    (&[3.0, 3.0], DoesNotHold),
                ],
            ),
            (
                "time-arithmetic",
                &[(&[16.0], Holds), (&[15.0], DoesNotHold)],
            ),
            (
                "time-gain",
                &[
                    (&[19.0, -15.2], HoldsWithCondition),
                    (&[18.1, 1.0], Holds),
                    (&[12.0, -15.2], DoesNotHold),
                ],
            ),
            ("dsp-saving", &[(&[31.4], Holds), (&[25.0], DoesNotHold)]),
            (
                "faster-and-smaller",
                &[
                    (&[7.0, 4.0], HoldsWithCondition),
                    (&[7.0, 6.0], Holds),
                    (&[3.0, 4.0], DoesNotHold),
                ],
            ),
            (
                "periods",
                &[
                    (&[7.0, 32.9, 1.4], HoldsWithCondition),
                    (&[8.0, 5.1, -2.0], Holds),
                    (&[6.0, 32.9, 8.0], DoesNotHold),
                ],
            ),
            (
                "hardware-dsp",
                &[(&[8.0, 8.0], Holds), (&[0.0, 5.0], NotReproducedHere)],
            ),
            (
                "hardware-cycles",
                &[
                    (&[8.0, 0.0], Holds),
                    (&[6.0, 2.0], HoldsWithCondition),
                    (&[4.0, 4.0], NotReproducedHere),
                    (&[6.0, 1.0], NotReproducedHere),
                ],
            ),
        ],
    );
}

const SUM_OF_RESIDUES: &[Flip] = &[
    (
        "exact",
        &[
            (&[6.2, 12.6, 100.0, 0.0], DoesNotHold),
            (&[0.0, 0.0, 100.0, 0.0], DoesNotHold),
            (&[0.0, 0.0, 0.0, 0.0], Holds),
        ],
    ),
    (
        "chains",
        &[
            (&[1.21, 0.0], HoldsWithCondition),
            (&[0.999, 0.0], Holds),
            (&[1.21, 1.0], DoesNotHold),
            (&[2.5, 0.0], DoesNotHold),
        ],
    ),
    (
        "precision",
        &[
            (&[4.8, 12.4, 0.03], DoesNotHold),
            (&[0.0, 12.4, 0.0], DoesNotHold),
            (&[0.0, 0.0, 0.0], Holds),
        ],
    ),
    (
        "rank",
        &[
            (&[0.0, 79.0, 8.0, 9.0], HoldsWithCondition),
            (&[0.0, 79.0, 8.0, 8.0], Holds),
            (&[1.0, 79.0, 8.0, 9.0], DoesNotHold),
            (&[0.0, 79.0, 9.0, 9.0], DoesNotHold),
        ],
    ),
    (
        "input-range",
        &[
            (&[500.0, 0.0], HoldsWithCondition),
            (&[0.0, 0.0], Holds),
            (&[500.0, 1.0], DoesNotHold),
        ],
    ),
    ("coprime", &[(&[28.0], Holds), (&[27.0], DoesNotHold)]),
    (
        "equation-8",
        &[
            (&[1000.0, 0.0, 0.0], Misprint),
            (&[1000.0, 0.0, 1.0], HoldsWithCondition),
            (&[0.0, 0.0, 0.0], Holds),
            (&[1000.0, 1.0, 0.0], DoesNotHold),
        ],
    ),
    (
        "table-2",
        &[
            (&[10.0, 8.0], Misprint),
            (&[10.0, 10.0], Holds),
            (&[10.0, 7.0], DoesNotHold),
            (&[9.0, 8.0], DoesNotHold),
        ],
    ),
    (
        "condition-22",
        &[
            (&[10.0, 0.0], HoldsWithCondition),
            (&[10.0, 5.0], Holds),
            (&[3.0, 0.0], DoesNotHold),
        ],
    ),
    (
        "sizes-secp256k1",
        &[
            (&[52.0, 308.0], Holds),
            (&[51.0, 308.0], HoldsWithCondition),
            (&[53.0, 308.0], DoesNotHold),
        ],
    ),
    (
        "sizes-ed25519",
        &[
            (&[41.0, 296.0], HoldsWithCondition),
            (&[42.0, 297.0], Holds),
            (&[43.0, 297.0], DoesNotHold),
        ],
    ),
    (
        "memory",
        &[(&[9944.0, 9856.0], Holds), (&[9944.0, 9848.0], DoesNotHold)],
    ),
    ("cycles", &[(&[3.0], Holds), (&[2.0], DoesNotHold)]),
    (
        "latencies",
        &[
            (&[14.0, 4.5, 560.0, 560.1], Misprint),
            (&[14.0, 4.5, 576.0, 560.1], HoldsWithCondition),
            (&[15.0, 0.4, 560.0, 560.1], Holds),
            (&[11.0, 4.5, 560.0, 560.1], DoesNotHold),
        ],
    ),
    (
        "throughput",
        &[
            (&[560.0, 528.0, 520.0], DoesNotHold),
            (&[528.0, 528.0, 520.0], Holds),
        ],
    ),
    (
        "improvements",
        &[
            (&[4.0, -19.3], HoldsWithCondition),
            (&[4.0, 14.8], Holds),
            (&[3.0, -19.3], DoesNotHold),
        ],
    ),
    (
        "products",
        &[(&[88.0, 70.0], Holds), (&[60.0, 70.0], DoesNotHold)],
    ),
    (
        "faster-than-montgomery",
        &[
            (&[1500.0, 1200.0], NotReproducedHere),
            (&[900.0, 1200.0], Holds),
        ],
    ),
    (
        "hardware-cycles",
        &[
            (&[31.0, 24.0, 18.0], Holds),
            (&[31.0, 25.0, 18.0], NotReproducedHere),
        ],
    ),
];

#[test]
fn sum_of_residues() {
    check("sum-of-residues", SUM_OF_RESIDUES);
}

#[test]
fn cube_rsa() {
    check(
        "cube-rsa",
        &[
            ("exponent", &[(&[6.0], Holds), (&[5.0], DoesNotHold)]),
            ("work", &[(&[6.0, 7.0], Holds), (&[5.0, 7.0], DoesNotHold)]),
            (
                "left-out",
                &[(&[16.0, 12.0], Holds), (&[16.0, 11.0], DoesNotHold)],
            ),
            (
                "worst",
                &[
                    (&[2047.0, 4.0], HoldsWithCondition),
                    (&[2044.0, 4.0], Holds),
                    (&[2050.0, 4.0], DoesNotHold),
                ],
            ),
            (
                "average",
                &[
                    (&[1.9, 0.3], DoesNotHold),
                    (&[-1.9, 0.3], Holds),
                    (&[0.1, 0.3], HoldsWithCondition),
                ],
            ),
            (
                "loop-of-e",
                &[
                    (&[1022.0, 21.0, 1022.0], Misprint),
                    (&[21.0, 21.0, 1022.0], Holds),
                    (&[1000.0, 21.0, 1022.0], DoesNotHold),
                ],
            ),
            (
                "squares",
                &[(&[1500.0, 2047.0], DoesNotHold), (&[8e5, 2.1e6], Holds)],
            ),
            (
                "throughput",
                &[(&[1.006, 5.0], DoesNotHold), (&[5.0, 5.0], Holds)],
            ),
            (
                "equal-levels",
                &[(&[1530.0, 3.0], DoesNotHold), (&[5.0, 3.0], Holds)],
            ),
            (
                "no-idle-element",
                &[(&[0.1], DoesNotHold), (&[95.0], Holds)],
            ),
            (
                "efficiency",
                &[
                    (&[1.308], HoldsWithCondition),
                    (&[1.333], Holds),
                    (&[0.9], DoesNotHold),
                ],
            ),
            (
                "faster-than-montgomery",
                &[(&[1533.8, 1532.9], DoesNotHold), (&[1533.8, 300.0], Holds)],
            ),
            (
                "faster-than-binary",
                &[(&[1533.8, 1532.9], DoesNotHold), (&[1533.8, 25.0], Holds)],
            ),
        ],
    );
}

#[test]
fn binary_ternary_inversion() {
    check(
        "binary-ternary-inversion",
        &[
            ("outer-loops", &[(&[0.468], Holds), (&[0.48], DoesNotHold)]),
            ("inner-loops", &[(&[0.745], Holds), (&[0.7], DoesNotHold)]),
            ("emm", &[(&[1.63], Holds), (&[1.7], DoesNotHold)]),
            (
                "ema",
                &[
                    (&[2.57, 3.5], HoldsWithCondition),
                    (&[2.0, 2.53], Holds),
                    (&[2.7, 3.6], DoesNotHold),
                ],
            ),
            (
                "outer-loops-bmi",
                &[(&[0.715], Holds), (&[0.74], DoesNotHold)],
            ),
            (
                "inner-loops-bmi",
                &[(&[0.667], Holds), (&[0.7], DoesNotHold)],
            ),
            ("emm-bmi", &[(&[2.38], Holds), (&[2.5], DoesNotHold)]),
            (
                "ema-bmi",
                &[
                    (&[3.81, 5.2], HoldsWithCondition),
                    (&[3.0, 3.8], Holds),
                    (&[4.0, 5.2], DoesNotHold),
                ],
            ),
            (
                "saving",
                &[(&[31.5, 33.0], Holds), (&[31.5, 25.0], DoesNotHold)],
            ),
            (
                "result",
                &[
                    (&[0.0, 1.9, 976.0, 0.0], HoldsWithCondition),
                    (&[0.0, 1.9, 0.0, 0.0], Holds),
                    (&[1.0, 1.9, 976.0, 0.0], DoesNotHold),
                    (&[0.0, 2.1, 976.0, 0.0], DoesNotHold),
                ],
            ),
            (
                "table-i",
                &[
                    (&[0.0, 12.0, 0.0], Misprint),
                    (&[0.0, 0.0, 0.0], Holds),
                    (&[1.0, 12.0, 0.0], DoesNotHold),
                ],
            ),
            (
                "cox-bits",
                &[
                    (&[0.0, 900.0, 1.0], HoldsWithCondition),
                    (&[0.0, 0.0, 0.0], Holds),
                    (&[1.0, 900.0, 1.0], DoesNotHold),
                ],
            ),
            ("fewer-cox-bits", &[(&[4.0], Holds), (&[6.0], DoesNotHold)]),
            (
                "precomputations",
                &[(&[2.24], Holds), (&[2.5], DoesNotHold)],
            ),
            (
                "complexity",
                &[
                    (&[3.3, 2.0], Holds),
                    (&[3.3, 3.0], DoesNotHold),
                    (&[2.1, 2.0], DoesNotHold),
                ],
            ),
            (
                "hardware-speed",
                &[(&[31.5, 31.8], Holds), (&[10.0, 31.8], NotReproducedHere)],
            ),
            (
                "hardware-area",
                &[(&[11.8, 19.9], NotReproducedHere), (&[2.1, 3.6], Holds)],
            ),
        ],
    );
}
