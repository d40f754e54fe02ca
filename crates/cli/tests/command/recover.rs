//! Tests of `sunzi recover`.

use crate::place::{Place, error_line, json_lines, small_key};
use predicates::str::contains;

/// The first example of go-ethereum's crypto tests.
const HASH: &str = "0xce0677bb30baa8cf067c88db9811f4333d131bf8bcf12fe7065d211dce971008";
const SIGNATURE: &str = "0x90f27b8b488db00b00606796d2987f6a5f59ae62ea05effe84fef5b8b0e549984a691139ad57a3f0b906637673aa2f\
                         63d1f55cb1a69199d4009eea23ceaddc93";
const KEY: &str = "02e32df42865e97135acfb65f3bae71bdc86f4d49150ad6a440b6f15878109880a";
const ADDRESS: &str = "0xa19d069d48d2e9392ec2bB41eCaB0A72119d633b";

#[test]
fn addresses_in_order() {
    let place = Place::with(small_key());
    let line = |signature: &str, v: &str| {
        format!("{{\"hash\":\"{HASH}\",\"signature\":\"{signature}\"{v}}}\n")
    };
    let zeros = format!("0x{}", "00".repeat(65));
    let input = [
        line(&format!("{SIGNATURE}01"), ""),
        line(SIGNATURE, ",\"v\":28"),
        line(&zeros, ""),
        String::from("[]\n\n"),
        line(SIGNATURE, ",\"v\":38"),
        line(SIGNATURE, ",\"v\":5"),
    ];
    place.write("lines", input.concat());
    let lines = json_lines(&mut place.run("recover --json lines"), 1);
    assert_eq!(lines.len(), 6);
    for k in [0, 1, 4] {
        assert_eq!(lines[k]["address"], ADDRESS, "{}", lines[k]);
        assert_eq!(lines[k]["public_key"], KEY);
    }
    assert_eq!(lines[4]["line"], 6);
    for k in [2, 3, 5] {
        assert!(lines[k]["error"].is_string(), "{}", lines[k]);
    }
    place
        .run("recover lines")
        .assert()
        .code(1)
        .stdout(format!("{ADDRESS}\n{ADDRESS}\n\n\n{ADDRESS}\n\n"))
        .stderr(contains("line 7: v is 5"));
    place.write("one", line(SIGNATURE, ",\"v\":1"));
    place
        .run("recover --public-keys --low-s one")
        .assert()
        .code(0)
        .stdout(format!("{KEY}\n"));
    place.write("empty", "");
    let error = error_line(&mut place.run("recover empty"), 2);
    assert!(error.contains("nothing to recover"), "{error}");
}
