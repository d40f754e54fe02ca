//! Any input gets an answer.

use super::answer;

/// The views, with inputs that they accept.
const VIEWS: [(&str, &[(&str, &str)]); 11] = [
    (
        "residues",
        &[
            ("moduli", "3,5,7"),
            ("x", "23"),
            ("y", "4"),
            ("operation", "+"),
        ],
    ),
    (
        "count",
        &[("moduli", "3,5,7"), ("x", "23"), ("direction", "next")],
    ),
    ("riddle", &[("moduli", "3,5,7"), ("residues", "2,3,2")]),
    (
        "extension",
        &[
            ("source", "31,29,27,25"),
            ("target", "32,23,19,17"),
            ("x", "2"),
            ("columns", "2"),
            ("sigma", "1/2"),
            ("kept", ""),
        ],
    ),
    (
        "product",
        &[
            ("p", "223"),
            ("a", "3,5,11,13"),
            ("b", "32,31,29"),
            ("x", "P"),
            ("y", "2*P"),
            ("excess", "on"),
        ],
    ),
    (
        "cube",
        &[
            ("cubes", "2"),
            ("form", "plain"),
            ("n", "3233"),
            ("m", "65"),
            ("e", "2753"),
        ],
    ),
    (
        "inversion",
        &[
            ("algorithm", "btmi"),
            ("p", "1009"),
            ("a", "P-1"),
            ("base", "61, 59, 55"),
        ],
    ),
    (
        "network",
        &[
            ("p", "1009"),
            ("kind", "f32"),
            ("width", ""),
            ("x", "5"),
            ("y", "P-1"),
        ],
    ),
    (
        "published",
        &[
            ("source", "31, 29, 27, 25"),
            ("target", "32, 23, 19, 17"),
            ("x", "A-1"),
        ],
    ),
    ("sum", &[("curve", "secp256k1"), ("t", ""), ("z", "p+1")]),
    (
        "sample",
        &[("curve", "secp160k1"), ("t", ""), ("seed", "1")],
    ),
];

#[test]
fn every_input_may_be_anything() {
    let long = "7".repeat(5000);
    let many = "3,".repeat(3000);
    let hostile = [
        "",
        " ",
        "0",
        "1",
        "2",
        "-1",
        "1e400",
        "NaN",
        "on",
        "2^2047",
        "2^66-1",
        "2^66-1, 2^66-5",
        "0,0",
        "1,1",
        "2,2",
        "2,3",
        "65537",
        "\u{0}",
        "😀",
        "٣",
        "<script>",
        "\"",
        "p",
        "M",
        "A",
        "(((((",
        "0x",
        "0xg",
        "1/2",
        "3, 5, 7, 11, 13, 17, 19, 23",
        "18446744073709551615",
        "18446744073709551616",
        "340282366920938463463374607431768211456",
        &long,
        &many,
    ];
    for (name, fields) in VIEWS {
        let ask = |fields: &[(&str, &str)]| {
            let answer = answer(name, fields);
            assert!(answer["view"].is_object() != answer["refused"].is_object());
            answer
        };
        assert!(ask(fields)["view"].is_object(), "{name}");
        for at in 0..fields.len() {
            for text in hostile {
                let mut changed = fields.to_vec();
                changed[at].1 = text;
                let answer = ask(&changed);
                let refused = &answer["refused"]["message"];
                assert!(answer["view"].is_object() || !refused.as_str().unwrap().is_empty());
            }
        }
    }
}

#[test]
fn unknown_views_and_fields_of_other_kinds_are_refused() {
    for (name, fields) in [
        ("", "{}"),
        ("nothing", "{}"),
        ("residues", ""),
        ("residues", "[1"),
        ("residues", "{\"x\": 5}"),
        ("residues", "null"),
    ] {
        let answer = sunzi_explorer::view(name, fields);
        assert!(answer.contains("\"refused\""), "{name} {fields}: {answer}");
    }
}
