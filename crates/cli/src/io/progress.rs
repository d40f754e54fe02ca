//! The progress bar, which is shown on standard error if that is a terminal and the run is not quiet.

use crate::failure::is_quiet;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::io::IsTerminal;

/// Whether a bar would be visible. Otherwise it is not worth counting the items in advance.
pub(crate) fn is_visible() -> bool {
    !is_quiet() && std::io::stderr().is_terminal()
}

/// A progress bar with the rate and the time left or, if the total is not known, a counter with
/// the rate and the elapsed time.
pub(crate) fn bar(total: Option<u64>, verb: &'static str) -> ProgressBar {
    let rate = |state: &ProgressState, text: &mut dyn core::fmt::Write| {
        let _ = write!(text, "{:.0}/s", state.per_sec());
    };
    let target = if is_quiet() {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    };
    let (bar, template) = match total {
        Some(total) => (
            ProgressBar::with_draw_target(Some(total), target),
            "{msg} [{bar:30}] {human_pos}/{human_len}  {rate}  {eta} left",
        ),
        None => (
            ProgressBar::with_draw_target(None, target),
            "{msg} {spinner} {human_pos}  {rate}  {elapsed}",
        ),
    };
    let style = ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
        .with_key("rate", rate);
    bar.with_style(style).with_message(verb)
}
