//! A module for OpenSSL 3 and later: programs that sign through OpenSSL from many threads have their operations computed
//! in batches by Sunzi, without a change.
//!
//! It is loaded as a provider that offers no algorithms. When it is loaded it replaces functions of OpenSSL's methods for
//! RSA and for keys of curves: x^d modulo n, the private operations around it, and signing of a digest. Keys, paddings,
//! encodings, checks and errors stay OpenSSL's. A [gatherer](sunzi_gather) makes batches of the calls; what does not
//! pay, is refused or fails is computed by the replaced functions. `openssl/README.md` is for those who run it.
//!
//! | module | what is there |
//! |---|---|
//! | `provider`, `load` | OpenSSL loads the module: settings are read, hooks are set |
//! | `methods` | OpenSSL's methods, written to in place |
//! | `module` | what the hooks use |
//! | `hooks`, `paused` | the functions; RSA inside asynchronous jobs |
//! | `keys` | what hangs on each of OpenSSL's keys |
//! | `operation`, `signer` | operations, and batches of them by the engine |
//! | `measures` | from which size they pay |
//! | `jobs` | asynchronous jobs |
//! | `forks`, `report`, `settings`, `kinds`, `ffi` | forks, statistics, settings, kinds of operations, OpenSSL's functions |

#![cfg(target_os = "linux")]
// The border to C.
#![allow(unsafe_code)]

#[cfg(feature = "faults")]
mod faults;
mod ffi;
mod forks;
mod hooks;
mod jobs;
mod keys;
mod kinds;
mod load;
mod measures;
mod methods;
mod module;
mod operation;
mod paused;
mod provider;
mod report;
mod settings;
mod signer;

use std::alloc::System;

use zeroizing_alloc::ZeroAlloc;

/// What is freed is wiped. The memory is that of C's `malloc`, which is right in a forked child.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<System> = ZeroAlloc(System);
