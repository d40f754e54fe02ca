//! `sunzi backends`: what can compute here, and what is chosen.

use crate::args::Common;
use crate::failure::{Outcome, Status};
use crate::output::Output;
use serde::Serialize;
use sunzi_engine::Backend;

/// List the backends: which can run here, what the others lack, which one is chosen
///
/// The fastest one that this processor can run is chosen, unless --backend or the environment
/// variable SUNZI_BACKEND names another. Asking for one that cannot run is an error.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// One line of the list.
#[derive(Debug, Serialize)]
struct Row {
    backend: &'static str,
    available: bool,
    chosen: bool,
    /// How it computes here, or what is missing.
    detail: String,
}

pub(crate) fn run(_: &Args, common: &Common) -> Outcome {
    let forced = common.forced_backend()?;
    let chosen = forced.unwrap_or_else(Backend::best);
    let reason = if forced.is_some() {
        "chosen: asked for"
    } else {
        "chosen: the fastest here"
    };
    let mut output = Output::new();
    for &backend in Backend::ALL {
        let missing = backend.check().err();
        let row = Row {
            backend: backend.name(),
            available: missing.is_none(),
            chosen: backend == chosen,
            detail: missing.map_or_else(|| backend.describe(), |error| error.to_string()),
        };
        if common.json {
            output.json(&row)?;
        } else {
            let state = match (row.chosen, row.available) {
                (true, _) => reason,
                (false, true) => "present",
                (false, false) => "not here",
            };
            output.line(format_args!(
                "{:<12} {state:<26} {}",
                row.backend, row.detail
            ))?;
        }
    }
    output.flush()?;
    Ok(Status::Done)
}
