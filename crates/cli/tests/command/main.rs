//! Tests of the command as users run it: files, streams, exit codes and messages.

mod agree;
mod backends;
mod bench;
mod bls;
mod curve_keys;
mod dnssec;
mod ecdsa;
mod edwards;
mod encryption;
mod explain_curve;
mod explain_network;
mod explain_program;
mod formats;
mod hostile_key;
mod hostile_streams;
mod hypercube;
mod interrupt;
mod jwt;
mod key;
mod key_safety;
mod kill;
mod manual;
mod memory;
mod papers;
mod place;
mod powmod;
mod prime;
mod random_bases;
mod recover;
mod redundancy;
#[cfg(target_os = "linux")]
mod remnants;
mod sign_files;
mod sign_stream;
mod ssh;
mod verify;
