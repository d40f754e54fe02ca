//! Tests of the command as users run it: files, streams, exit codes and messages.

mod backends;
mod bench;
mod encryption;
mod explain_program;
mod hostile_streams;
mod hypercube;
mod interrupt;
mod key;
mod kill;
mod memory;
mod place;
mod powmod;
mod sign_files;
mod sign_stream;
mod verify;
