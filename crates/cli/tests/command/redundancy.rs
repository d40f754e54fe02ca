//! `--redundancy` of `sign` and `decrypt`.

use crate::place::{Place, error_line, runs, usual_key};

/// Files that make batches of whole groups and some more.
const FILES: usize = 40;

#[test]
fn signatures_and_messages_are_the_same() {
    let place = Place::with(usual_key());
    place.fill(FILES);
    place
        .run("sign -k key.pem files --out plain")
        .assert()
        .code(0);
    place
        .run("encrypt -k public.pem files --out secret")
        .assert()
        .code(0);
    for (k, backend) in ["", "portable", "float", "avx512"].into_iter().enumerate() {
        if !runs(&place, backend) {
            println!("SKIPPED: no backend {backend}");
            continue;
        }
        for more in ["2", "1 --random-bases 3", "0"] {
            let out = format!("out-{k}-{}", &more[..1]);
            let options = format!("-k key.pem --redundancy {more} --out {out}");
            let run = |arguments: String| {
                let mut command = place.run(&arguments);
                let output = command.env("SUNZI_BACKEND", backend).output().unwrap();
                let errors = String::from_utf8(output.stderr).unwrap();
                assert!(output.status.success(), "{errors}");
                assert!(!errors.contains("warning"), "{errors}");
            };
            run(format!("sign files {options}"));
            run(format!("decrypt secret/files {options}"));
            for i in 0..FILES {
                let signature = place.read(&format!("{out}/files/{i:04}.sig"));
                assert_eq!(signature, place.read(&format!("plain/files/{i:04}.sig")));
                let message = place.read(&format!("{out}/secret/files/{i:04}"));
                assert_eq!(message, place.read(&format!("files/{i:04}")));
            }
        }
    }
}

#[test]
fn what_is_refused() {
    let place = Place::with(usual_key());
    place.write("file", "content");
    for verb in ["sign", "decrypt"] {
        for channels in ["5", "-1", "many"] {
            let options = format!("{verb} -k key.pem --redundancy={channels} file");
            place.run(&options).assert().code(2);
        }
        if runs(&place, "radix52") {
            let options = format!("{verb} -k key.pem --redundancy 2 file");
            let error = error_line(place.run(&options).env("SUNZI_BACKEND", "radix52"), 2);
            assert!(error.contains("no redundant channels"), "{error}");
        }
    }
    assert_eq!(place.names("", ".sig"), [""; 0]);
}
