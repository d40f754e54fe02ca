#!/usr/bin/env bash
# Makes the web site of the project, target/site: static files, which need no server and ask for nothing from elsewhere.
#   scripts/site.sh              the whole site
#   scripts/site.sh --pages      only its pages anew: what rustdoc and the explorer wrote is taken as it is in the target folder
#   scripts/site.sh --check      the whole site, then scripts/check-site.py on it, in a headless Chromium
# Needs Rust, and Python 3.11 with venv; the generator comes with the fixed versions of site/requirements.txt from the
# package index. The command, if it is in the target folder (`make run` builds it), writes its help and a quick
# report on the papers for the site.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=${1:-}
case $mode in "" | --pages | --check) ;; *) sed -n '2,/^set /{/^#/p}' "$0" >&2; exit 2 ;; esac
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
work=$target/site-work
tools=$work/tools
site=$target/site
mkdir -p "$work"

if ! cmp -s site/requirements.txt "$tools/installed.txt"; then
    rm -rf "$tools"
    "${PYTHON:-python3}" -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement site/requirements.txt
    cp site/requirements.txt "$tools/installed.txt"
fi

if [ "$mode" != --pages ]; then
    libraries=()
    for crate in rns field program engine pk; do libraries+=(--package "sunzi-$crate"); done
    # A folder of its own, as documentation of other crates in target/doc would come along: the first time takes minutes.
    rm -rf "$work/rustdoc/doc"
    cargo doc --locked --no-deps "${libraries[@]}" --target-dir "$work/rustdoc"
    scripts/explorer.sh
elif [ ! -d "$work/rustdoc/doc" ] || [ ! -d "$target/explorer" ]; then
    echo "rustdoc and the explorer have not been there yet: run scripts/site.sh without --pages first" >&2
    exit 1
fi

# The command as it was built last.
program=
for profile in release quick debug; do
    built=$target/$profile/sunzi
    if [ -x "$built" ] && { [ -z "$program" ] || [ "$built" -nt "$program" ]; }; then program=$built; fi
done

pages=$work/pages
rm -rf "$pages"
python3 -B scripts/site-pages.py "$pages"
python3 -B scripts/site-reference.py "$pages/reference" ${program:+"$program"}
"$tools/bin/python" -B scripts/site-plots.py "$pages/plots"

# The report is made once for a program.
report=$work/papers.html
if [ -z "$program" ]; then
    rm -f "$report"
elif [ "$program" -nt "$report" ]; then
    "$program" papers --quick --html "$report" --explorer explorer/index.html >/dev/null
fi
if [ -e "$report" ]; then
    echo '<a href="report.html">The quick report</a>, as the command wrote it on the machine that made this site.'
else
    echo 'The command had not been built when this site was made: `sunzi papers --quick --html papers.html` writes the report.'
fi >"$pages/papers-note.txt"

rm -rf "$work/html"
"$tools/bin/python" -B -m sphinx --builder html --conf-dir site --doctree-dir "$work/doctrees" --fail-on-warning \
    --fresh-env --quiet "$pages" "$work/html"
rm -rf "$work/html/.buildinfo" "$work/html/objects.inv"
python3 -B scripts/site-rustdoc.py "$work/rustdoc/doc" "$work/html"
cp -r "$target/explorer" "$work/html/explorer"
[ ! -e "$report" ] || cp "$report" "$work/html/report.html"
rm -rf "$site"
mv "$work/html" "$site"
echo "the site is in $site: $(find "$site" -name '*.html' | wc -l) pages; open index.html"

if [ "$mode" = --check ]; then
    browser=$(scripts/browser.sh)
    "$tools/bin/pip" install --quiet --disable-pip-version-check "playwright==1.65.2"
    BROWSER=$browser PICTURES=$target/check-site "$tools/bin/python" -B scripts/check-site.py "$site"
fi
