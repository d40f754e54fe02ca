//! The progress bar: on standard error, and only if that is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::io::IsTerminal;

/// Whether anybody would see a bar. Counting the work ahead is only worth it then.
pub(crate) fn is_visible() -> bool {
    std::io::stderr().is_terminal()
}

/// A bar towards `total`, or a counter if the end is not known, with rate and time left.
pub(crate) fn bar(total: Option<u64>, verb: &'static str) -> ProgressBar {
    let rate = |state: &ProgressState, text: &mut dyn core::fmt::Write| {
        let _ = write!(text, "{:.0}/s", state.per_sec());
    };
    let (bar, template) = match total {
        Some(total) => (
            ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr()),
            "{msg} [{bar:30}] {human_pos}/{human_len}  {rate}  {eta} left",
        ),
        None => (
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()),
            "{msg} {spinner} {human_pos}  {rate}  {elapsed}",
        ),
    };
    let style = ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
        .with_key("rate", rate);
    bar.with_style(style).with_message(verb)
}
