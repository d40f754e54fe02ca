#!/usr/bin/env bash
# Builds the Python package's wheel, installs it in a fresh virtual environment for each Python that is
# there (3.11 or newer), also those of pyenv, and runs the lines of its README; in the first one also its tests and those
# of its types, in all of them with --every. With --wheel it only builds the wheel, into python/dist. With --long it runs
# the tests that take minutes, and with
# --compare ARGUMENTS the comparison with gmpy2, phe and OpenSSL, each with the first Python.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
environments=$target/python
mkdir -p "$environments"

"$python" -m venv "$environments/build"
"$environments/build/bin/pip" install --quiet "maturin>=1.16,<2"
rm -rf python/dist
"$environments/build/bin/maturin" build --profile "${SUNZI_PROFILE:-release}" --locked --quiet \
    --manifest-path python/Cargo.toml --target-dir "$target" --out python/dist
wheel=$(echo python/dist/sunzi-*.whl)
echo "built $wheel"
mode=${1:-}
[ "$mode" != --wheel ] || exit 0

# What the tests need; with --every the first environment also gets Ray and JAX, which are large.
packages="pytest numpy gmpy2 phe cryptography mypy pyarrow fsspec onnx onnxruntime PyJWT"

# An interpreter that runs, of this name: one in the PATH, or the newest of this version that pyenv has, whose shim
# in the PATH runs only where it has been chosen.
interpreter_of() {
    if "$1" -c "" >/dev/null 2>&1; then
        echo "$1"
        return
    fi
    for place in $(ls -d "${PYENV_ROOT:-$HOME/.pyenv}/versions/${1#python}".*/bin/"$1" 2>/dev/null | sort -rV); do
        if "$place" -c "" >/dev/null 2>&1; then
            echo "$place"
            return
        fi
    done
    return 1
}

# The ten lines of the first page.
sed -n '/^```python$/,/^```$/p' python/README.md | sed '/^```/d' >"$environments/readme.py"

tested=
for name in "$python" python3.11 python3.12 python3.13 python3.14; do
    interpreter=$(interpreter_of "$name") || continue
    version=$("$interpreter" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
    environment=$environments/$version
    case " $tested " in *" $version "*) continue ;; esac
    case $version in 3.[0-9] | 3.10) continue ;; esac
    rm -rf "$environment"
    "$interpreter" -m venv "$environment"
    # The wheel needs nothing else: the ten lines, and rows where there is no numpy.
    "$environment/bin/pip" install --quiet "$wheel"
    (
        cd "$environments"
        "$environment/bin/python" readme.py >/dev/null
        "$environment/bin/python" "$OLDPWD/python/tests/without_packages.py"
    )
    if [ -n "$tested" ] && [ "$mode" != --every ]; then
        echo "Python $version: the wheel is installed, and the lines of its README run"
        tested="$tested $version"
        continue
    fi
    # shellcheck disable=SC2086 # Several names.
    "$environment/bin/pip" install --quiet $packages
    [ -n "$tested" ] || [ "$mode" != --every ] || "$environment/bin/pip" install --quiet "ray[data]" jax
    case $mode in
    --long)
        cd "$environments"
        exec "$environment/bin/pytest" -q -s -m slow --rootdir "$OLDPWD/python" "$OLDPWD/python/tests"
        ;;
    --compare)
        cargo build --release --locked --package sunzi-bench-rust-call
        export SUNZI_RUST_CALL=$target/release/sunzi-bench-rust-call
        cd "$environments"
        exec "$environment/bin/python" "$OLDPWD/python/benchmarks/compare.py" "${@:2}"
        ;;
    esac
    (
        # Not from python/, whose folder sunzi would hide the installed package.
        cd "$environments"
        "$environment/bin/pytest" -q -rs --rootdir "$OLDPWD/python" "$OLDPWD/python/tests"
        if [ -z "$tested" ]; then
            printf '[mypy]\n[mypy-ray.*]\nignore_missing_imports = True\n' >mypy.ini
            "$environment/bin/mypy" --strict --config-file mypy.ini --package sunzi
            "$environment/bin/python" -m mypy.stubtest sunzi._sunzi
        fi
    )
    echo "Python $version: the wheel is installed and tested"
    tested="$tested $version"
done
[ -n "$tested" ] || { echo "no Python of version 3.11 or newer is there" >&2; exit 1; }
