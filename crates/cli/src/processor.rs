//! The processor that this runs on.

use sunzi_engine::InstructionLimit;

/// The name of the processor, or of its architecture if the system does not tell the name; and the limit of
/// instructions, if there is one.
pub(crate) fn processor_name() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    match InstructionLimit::get() {
        InstructionLimit::Ifma => name.into(),
        limit => format!("{name}, limited to {limit}"),
    }
}
