#!/bin/sh
# Installs the tools that check scripts and pages into tests/scripts/node_modules/, in the versions of the lock file
# there, and the Node that runs them where none is at hand: from a Python package, which needs no rights. Where they
# cannot be had, CI fails; elsewhere the tests that need them skip.
# Usage: sh tools/node.sh     once tools/environment.sh has made .venv/
set -eu
cd "$(dirname "$0")/.."
folder=tests/scripts
stamp=$folder/node_modules/.installed

suitable() { # a node that takes a plain .js for the module that it is, with an npm beside it
    "$1" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' 2>/dev/null &&
        "$(dirname "$1")/npm" --version >/dev/null 2>&1
}

choose_node() {
    for node in .venv/bin/node "$(command -v node || true)"; do
        if [ -n "$node" ] && suitable "$node"; then return; fi
    done
    echo "Installing Node into .venv/."
    .venv/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r locks/node.txt || return 1
    node=.venv/bin/node
    suitable "$node"
}

install_tools() {
    echo "Installing the tools that check scripts and pages into $folder/node_modules/."
    "$(dirname "$node")/npm" ci --prefix "$folder" --loglevel=error >/dev/null || return 1
    cp "$folder/package-lock.json" "$stamp"
}

if cmp -s "$folder/package-lock.json" "$stamp" && choose_node; then exit 0; fi
if choose_node && install_tools; then exit 0; fi
echo "Node 20.19 or newer with npm could not be had, or npm could not install what $folder/package-lock.json names." >&2
case ${CI:-} in true | 1) exit 1 ;; esac
echo "Tests that need it are skipped." >&2
