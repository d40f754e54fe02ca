//! The `sunzi` command.
fn main() {}
