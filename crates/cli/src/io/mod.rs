//! Reading and writing: files, standard input and output, the terminal, and signals.

pub(crate) mod answers;
pub(crate) mod atomic;
pub(crate) mod calibration;
pub(crate) mod csv;
pub(crate) mod files;
pub(crate) mod interrupt;
pub(crate) mod key_files;
pub(crate) mod key_ring;
pub(crate) mod lines;
pub(crate) mod messages;
pub(crate) mod number;
pub(crate) mod one_line;
pub(crate) mod output;
pub(crate) mod pipeline;
pub(crate) mod progress;
pub(crate) mod tally;
pub(crate) mod targets;
pub(crate) mod zone_keys;
