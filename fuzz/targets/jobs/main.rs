//! Bulk jobs: zones, JSON Web Tokens, and signatures and certificates of SSH. The first byte says which.

#![no_main]

mod ssh;
mod tokens;
mod zones;

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::keys::Algorithms;

static ALGORITHMS: LazyLock<Algorithms> =
    LazyLock::new(|| Algorithms::new(&Engine::new(Backend::best()).expect("it is present")));

fuzz_target!(|input: &[u8]| {
    let Some((choice, rest)) = input.split_first() else {
        return;
    };
    match choice % 3 {
        0 => zones::run(rest),
        1 => tokens::run(rest),
        _ => ssh::run(rest),
    }
});
