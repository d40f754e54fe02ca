//! Bulk jobs: zones, JSON Web Tokens, signatures and certificates of SSH, and vector sets of ACVP, which are only read. The
//! first byte says which.

#![no_main]

mod ssh;
mod tokens;
mod zones;

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use sunzi_engine::{Backend, Engine};
use sunzi_jobs::acvp::VectorSet;
use sunzi_pk::keys::Algorithms;

static ALGORITHMS: LazyLock<Algorithms> =
    LazyLock::new(|| Algorithms::new(&Engine::new(Backend::best()).expect("it is present")));

fuzz_target!(|input: &[u8]| {
    let Some((choice, rest)) = input.split_first() else {
        return;
    };
    match choice % 4 {
        0 => zones::run(rest),
        1 => tokens::run(rest),
        2 => ssh::run(rest),
        _ => {
            let _ = VectorSet::from_json(rest);
        }
    }
});
