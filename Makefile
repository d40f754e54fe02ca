# `make run` and `make test` are all that a newcomer needs.

.PHONY: run test test-limits test-peers test-crypto-mb test-ed25519-simd test-long kill-test faults transient-faults persistent-faults memory division constant-time lint lint-quick lint-default clean
.PHONY: bench bench-avx512 bench-avx2 bench-crypto-mb bench-ed25519-simd bench-rns
.PHONY: check check-vectors check-deps check-advisories check-targets check-msrv check-api api
.PHONY: check-packages check-pages check-rooms fuzz fuzz-check fuzz-corpora taint taint-every hostile miri sanitizers aarch64 big-endian narrow python python-every python-long python-bench nightly wheel c-library c-header command install openssl-module openssl-check openssl
.PHONY: abi check-abi dist dist-check dist-install-check
.PHONY: explorer check-explorer hardware hardware-check hardware-quick timing timing-every check-page site check-site

# Most targets compile once what they compile: the compiler need not keep half of its work for the next time. All
# targets agree on this, as one that did not would compile everything anew.
export CARGO_INCREMENTAL ?= 0

# The profile of the Python package, the C library, the module for OpenSSL and the program for valgrind.
export SUNZI_PROFILE ?= release

# The crates that are meant for publishing.
LIBRARIES = --package sunzi-rns --package sunzi-field --package sunzi-program --package sunzi-engine --package sunzi-pk
# The oldest Rust that is supported, as Cargo.toml states it.
MSRV = $(shell sed -n 's/^rust-version = "\(.*\)"$$/\1.0/p' Cargo.toml)

# Builds the command, makes a key, signs over a thousand real files, verifies them with OpenSSL.
run:
	@scripts/run.sh

# Every test. OpenSSL, which some compare with, is built from source: that takes a C compiler,
# Perl and make. At the end it names
# what could not be tested on this machine. The example is compiled with the tests.
test:
	@scripts/test.sh --workspace --locked --features sunzi-pk/signature --
	"$${CARGO_TARGET_DIR:-target}/debug/examples/verify_ballots" 20

# A part of the tests at each limit of instructions (SUNZI_INSTRUCTIONS), as on lesser processors; LIMITS may name some.
# After `make test` it compiles nothing, and takes some minutes.
test-limits:
	@scripts/test-limits.sh $(LIMITS)

# Tests of the libraries that `sunzi bench` compares with, and of the comparison. AWS-LC, GMP,
# libsecp256k1, blst and arkworks are also built from source, for which m4 is needed. The whole workspace is selected as
# by `make test`, so that what this has compiled is not compiled again.
PEERS = --workspace --locked --features sunzi-pk/signature,sunzi-cli/peers
test-peers:
	cargo test $(PEERS) --test peers
	cargo test $(PEERS) --test command bench

# Every test, including those that take minutes, which are marked #[ignore].
test-long:
	@scripts/test.sh --workspace --locked --release -- --include-ignored

# A hundred times SIGKILL at random moments of a run over 100,000 files, and of one over 100,000
# messages, each time with a resumption. Takes minutes; part of `make test-long`.
kill-test:
	cargo test --release --locked --package sunzi-cli --test command -- --ignored --nocapture kill::

# A million faults, each a flipped bit at a random place of a batch of signatures, decryptions or
# agreements, spread over all devices that this processor has; SUNZI_FAULTS sets another number. Takes
# about an hour of one core.
faults: transient-faults persistent-faults

transient-faults:
	SUNZI_FAULTS=$${SUNZI_FAULTS:-1000000} cargo test --release --locked --package sunzi-pk \
		--test faults -- --nocapture no_result_leaves_after_a_fault

# The other mode: 100,000 faults that stay, each a flipped bit of the memory that is kept between operations (tables,
# constants, plans, programs, keys) for a whole batch, over all schemes and devices. Takes about an hour of one core.
persistent-faults:
	SUNZI_FAULTS=$${SUNZI_FAULTS:-100000} cargo test --release --locked --package sunzi-memory-faults

# The peak memory of every verb on a gigabyte of hostile or random input of each kind; above 200 MiB
# it is an error. Takes up to half an hour; needs Python.
memory:
	cargo build --release --locked --package sunzi-cli
	@scripts/memory.py "$${CARGO_TARGET_DIR:-target}/release/sunzi"

# Whether the kernels of the release build, or of the profile SUNZI_PROFILE, divide secret numbers, or move them under a mask:
# there must be no such instruction. It is compiled as the program for valgrind is.
division:
	RUSTC_WORKSPACE_WRAPPER=$(CURDIR)/scripts/assuming-adx.sh CARGO_PROFILE_RELEASE_DEBUG=line-tables-only cargo test \
		--profile $(SUNZI_PROFILE) --locked --package sunzi-taint --package sunzi-constant-time --test division -- --nocapture

# Whether the time of secret operations depends on secrets: in the statistics of 100,000 timings of each operation, |t|
# above 4.5, twice, means a dependence, which is an error. Takes some minutes, on a machine without other work.
constant-time: division
	cargo run --release --locked --package sunzi-constant-time --features statistics

# Powers, signing, agreement and decryption under valgrind, with secrets marked as undefined: no branch and no
# address of the release build may depend on them, but for those in tests/taint/allowed.supp. Needs
# valgrind.
taint:
	@scripts/taint.sh

# The same with all operations on all backends, also on `float`.
taint-every:
	@scripts/taint.sh --every

# Nearly a hundred thousand made and damaged key files, signatures, ciphertexts, powers and lines, the
# same at every run, whose answers are compared with OpenSSL's, num-bigint's and serde_json's. A panic, a
# wrong answer or an input that takes a second of a processor is an error. Debug assertions are on.
hostile:
	cargo test --workspace --locked --features sunzi-pk/signature --test hostile

# The tests of sunzi-rns and sunzi-field in miri, which finds undefined behaviour. What it skips,
# scripts/miri-skipped.txt says. Needs nightly Rust with the components miri and rust-src. Takes minutes.
miri:
	@scripts/miri.sh

# Tests of sunzi-engine and sunzi-pk that reach unsafe code and threads, with the address sanitizer and with
# the thread sanitizer. Needs nightly Rust with the component rust-src. Takes some twenty minutes of two
# processors, most of them for compiling.
sanitizers:
	@scripts/sanitizers.sh

# Tests of the libraries compiled for other processors: 64-bit ARM and IBM Z (whose highest byte comes first), in qemu, and
# 32-bit x86. Each says what it left out. The first two need gcc-aarch64-linux-gnu or gcc-s390x-linux-gnu, and qemu-user, of
# Debian. SOUNDNESS/processors.md has the counts and the times.
aarch64 big-endian narrow:
	@scripts/processors.sh $@

# Every fuzz target in fuzz/ for FUZZ_SECONDS each, as many at a time as there are processors; FUZZ_TARGETS
# may name some.
FUZZ_SECONDS = 600
fuzz:
	@scripts/fuzz.sh $(FUZZ_SECONDS) $(FUZZ_TARGETS)

# The same, but for five seconds each.
fuzz-check:
	@scripts/fuzz.sh 5

# The corpora in the repository, fuzz/corpora, made anew from what `make fuzz` has found.
fuzz-corpora:
	@scripts/fuzz.sh --corpora

# The C library: built, and its examples and tests in C and C++ compiled and run, also with the address
# sanitizer. Needs Python for test vectors.
c-library:
	@scripts/c-library.sh

# Whether the command's completions and manual pages are where shells and man look for them, once installed.
command:
	@scripts/command.sh

# The C library's header, made anew from its sources.
c-header:
	SUNZI_WRITE_HEADER=1 cargo test --locked --package sunzi-c-header the_header_is_up_to_date

# Installs the command with its completions and manual pages, and the C library with its header, its manual
# page and its files for pkg-config and CMake, below PREFIX. `cargo install --path crates/cli` installs the
# command alone.
PREFIX = /usr/local
install:
	@scripts/command.sh --install "$(DESTDIR)$(PREFIX)"
	@scripts/c-library.sh --install "$(DESTDIR)$(PREFIX)" "$(PREFIX)"

# What a release has, from the last commit into dist/: programs, libraries, wheels, crates, lists of what is inside, sums.
# ONLY=command-x86_64,wheel-x86_64 builds some; `scripts/dist.sh --list` names all. Takes about half an hour of one
# processor; RELEASING.md has the sizes.
dist:
	@scripts/dist.sh $(if $(ONLY),--only $(ONLY))

# The same once more elsewhere, and whether the bytes are the same.
dist-check:
	@scripts/dist-check.sh $(ONLY)

# What is in dist/, installed on bare systems in folders: Debian, Alpine, and one that has nothing at all. Needs root, and
# Debian's debootstrap, qemu-user-static and qemu-utils.
dist-install-check:
	@scripts/dist-install-check.sh

# The module for the OpenSSL that is installed (openssl/README.md): says where it is, and how to configure it. Needs
# OpenSSL's headers and pkg-config.
openssl-module:
	@scripts/openssl-module.sh

# Tests of the module with unmodified programs: the part that takes at most three minutes, and all of it with
# handshakes measured. Needs a C compiler and Python, too.
openssl-check:
	@scripts/openssl.sh

openssl:
	@scripts/openssl.sh --all --measure

# The Python package: its wheel, in python/dist.
wheel:
	@scripts/python.sh --wheel

# The wheel installed in fresh virtual environments of every Python from 3.11 that is there, its tests and
# its types in the first of them; in all of them with python-every, which also has Ray and JAX.
python:
	@scripts/python.sh

python-every:
	@scripts/python.sh --every

# The tests of the Python package that take minutes: Paillier on 10,000 numbers, against phe and Python's pow.
python-long:
	@scripts/python.sh --long

# The Python package beside gmpy2, phe and OpenSSL, on this machine and in one run. ARGS=--quick takes
# minutes instead of an hour; ARGS=--help says what else there is.
python-bench:
	@scripts/python.sh --compare $(ARGS)

# Formatting, clippy and documentation. Clippy with the features of the libraries that `sunzi bench` compares with, and of
# the explorer's page, builds these.
LINT_FEATURES = $(QUICK_LINT_FEATURES),sunzi-cli/peers,sunzi-explorer-page/page
QUICK_LINT_FEATURES = sunzi-pk/signature,sunzi-constant-time/statistics
lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked --features $(LINT_FEATURES) -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items --locked

# The same without these.
lint-quick:
	@$(MAKE) --no-print-directory lint LINT_FEATURES=$(QUICK_LINT_FEATURES)

# The lints of code that is there only without the optional features.
lint-default:
	cargo clippy --workspace --all-targets --locked -- -D warnings

# What takes too long for each change, or guards against rare mistakes, and is run once before a release: some hours of
# two processors. An interrupted run goes on where it was, and target/nightly/report.html has outcomes, times and
# figures. ARGS are options of scripts/nightly.py, such as `--hours 2`.
nightly:
	@scripts/nightly.py $(ARGS)

# What continuous integration checks besides tests and lints. The nightly checks are the public API, dependencies, the
# oldest Rust, and packages.
check: check-pages check-rooms check-vectors check-targets check-abi

# Whether every link, heading, path and make target that a page names exists. Needs Python.
check-pages:
	@scripts/check-pages.py

# Whether the crates, and the modules of the engine, use only what docs/architecture.md says, without a circle.
check-rooms:
	@scripts/check-rooms.py

# Whether vectors/*.json are what the models in vectors/models compute, and NIST's vectors and phe's numbers
# as their packages have them. Needs Python with pip.
check-vectors:
	python3 -B vectors/generate.py --check
	python3 -B scripts/cavp.py --check
	python3 -B scripts/phe.py --check

# Whether dependencies satisfy deny.toml. Needs cargo-deny.
check-deps:
	cargo deny --locked check bans licenses sources

# Whether there are security advisories on dependencies. Needs cargo-deny, and access to GitHub for
# the database of advisories.
check-advisories:
	cargo deny --locked check advisories

# Whether the libraries compile for other processors and systems; none of them needs a C compiler. The command does, for
# its allocator, and is left out. TARGETS may name others: `make nightly` has all.
TARGETS = aarch64-apple-darwin
check-targets:
	cargo check --locked --target wasm32-unknown-unknown --package sunzi-rns --package sunzi-field \
		--package sunzi-explorer
	for target in $(TARGETS); do \
		cargo check --locked --target $$target $(LIBRARIES) || exit 1; \
	done

# Whether the oldest supported Rust compiles the libraries and the command.
check-msrv:
	cargo +$(MSRV) check --locked $(LIBRARIES) --package sunzi-cli

# Whether the public API is as listed in api/; `make api` lists it anew. Needs cargo-public-api.
check-api:
	@scripts/api.sh --check

api:
	@scripts/api.sh

# Whether the C library's declarations and the Python package's signatures are as listed in api/; `make abi` lists them
# anew. Needs Python. `make c-library` compares the symbols that the library exports.
check-abi:
	@scripts/abi.py --check

abi:
	@scripts/abi.py

# Whether the libraries can be published: they are packed, and compiled from the packages. Cargo
# keeps a package of a name and version that it has unpacked once, even when its content has changed;
# what earlier runs left is therefore removed.
check-packages: PACKAGES = "$${CARGO_TARGET_DIR:-target}/packages"
check-packages:
	rm -rf $(PACKAGES) "$${CARGO_HOME:-$$HOME/.cargo}"/registry/src/-*/sunzi-*
	cargo publish --workspace --dry-run --locked --allow-dirty --target-dir $(PACKAGES)

# The cores in hardware/: lint, simulation, proofs, synthesis, and hardware/report.md; keeps simulations and
# counts of sources that have not changed. Installs its tools into hardware/.venv; takes Python, and
# iverilog, g++ and make, which root gets from Debian.
hardware:
	hardware/setup.sh
	hardware/run.py all

# The same without synthesis, with fewer operands, and with the cycles in hardware/report.json compared.
hardware-check:
	hardware/setup.sh
	hardware/run.py check

# The same for one configuration of each core, without proofs.
hardware-quick:
	hardware/setup.sh
	hardware/run.py check --first

# The clocks of the cores after place and route for an ECP5, in hardware/report.md: 20 minutes on two idle cores, as estimated.
# Fails if one is more than a tenth below its floor in hardware/cores.py. Runs whose sources have not changed are kept.
timing:
	hardware/setup.sh timing
	hardware/run.py timing

# The same with the large designs.
timing-every:
	hardware/setup.sh timing
	hardware/run.py timing --every

# Measures Sunzi, OpenSSL, AWS-LC and GMP (built from source) on this machine, in one run.
bench:
	cargo run --release --locked --package sunzi-cli --features peers -- bench

# The same as on processors that have AVX-512 but no IFMA, and on those with AVX2: backends, OpenSSL and AWS-LC use no
# more than these. ARGS are options of `sunzi bench`.
bench-avx512:
	SUNZI_INSTRUCTIONS=avx512 OPENSSL_ia32cap=:~0x200000 \
		cargo run --release --locked --package sunzi-cli --features peers -- bench $(ARGS)
bench-avx2:
	SUNZI_INSTRUCTIONS=avx2 OPENSSL_ia32cap=:~0xd0230000 \
		cargo run --release --locked --package sunzi-cli --features peers -- bench $(ARGS)

# The same with Intel's crypto_mb, of which it fetches the library from the Python packages ipp-crypto and
# intel-cmplr-lib-rt; ARGS are options of `sunzi bench`. Needs Python with pip, and AVX-512 IFMA.
bench-crypto-mb:
	@scripts/bench-crypto-mb.sh $(ARGS)

# Whether crypto_mb is called in the right way: its results are OpenSSL's.
test-crypto-mb:
	@scripts/bench-crypto-mb.sh --test

# The same with ed25519-simd, which verifies Ed25519 signatures in the lanes of AVX-512 IFMA, and is compiled for such
# processors alone. ARGS are options of `sunzi bench`, such as `--only Ed25519-verify`.
bench-ed25519-simd:
	@scripts/bench-ed25519-simd.sh $(ARGS)

# Whether ed25519-simd is called in the right way: its verdicts on OpenSSL's signatures.
test-ed25519-simd:
	@scripts/bench-ed25519-simd.sh --test

# Measures the operations in residues and those of GMP, which is built from source with a C
# compiler, make and m4.
bench-rns:
	cargo run --release --locked --package sunzi-bench-rns --features gmp

# The explorer page, target/explorer/index.html: residue number systems to try out, without a network.
# `sunzi papers --explore DIR` writes the same page, if sunzi was built with the feature `explorer`.
explorer:
	@scripts/explorer.sh

# Whether the explorer page works in Chromium, by mouse, keyboard and screen reader, in light and dark and
# at the width of a phone. Needs Node.js and Chromium; the script installs what is missing, or says that
# the check was skipped.
check-explorer:
	@scripts/explorer.sh --check

# Opens the page of `sunzi papers --quick` in a headless Chromium, in light, dark, print and at the width
# of a phone; the pictures are in target/check-page. Needs Python; installs Chromium where it may.
check-page:
	@scripts/check-page.sh

# The web site, target/site: all pages, references, plots, the explorer, and the documentation of the libraries. It needs
# no server and loads nothing from elsewhere. Needs Python; the generator comes from the package index, in fixed versions.
site:
	@scripts/site.sh

# The same, and whether it works in a headless Chromium, in light, dark and at the width of a phone, and all its links
# lead somewhere; the pictures are in target/check-site. Needs Python; installs Chromium where it may.
check-site:
	@scripts/site.sh --check

clean:
	cargo clean
