#!/bin/sh
# Makes .venv/ hold the program and what it needs, whether there is no environment yet, a broken one or a good one.
# What it needs is installed as locks/ names it: these versions, with these hashes, and nothing besides.
# Usage: sh tools/environment.sh runtime|dev     (dev adds the tools for tests and checks)
# PYTHON=... picks the interpreter; without it the newest suitable one is taken.
set -eu
cd "$(dirname "$0")/.."
kind=$1
stamp=.venv/.installed-$kind
fresh=no

die() { echo "$1" >&2; exit 1; }
suitable() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
makes_venvs() { "$1" -c 'import ensurepip, venv' 2>/dev/null; }
asked_for() { cat pyproject.toml "locks/$1.txt"; }
identity() { "$1" -c 'import sys; print(sys.version, sys.base_prefix)'; }

# Not interrupted while it was made, not moved since, able to run, and made by the interpreter asked for.
whole() {
    [ ! -e .venv/.unfinished ] && grep -qsF "$(pwd -P)/.venv" .venv/bin/activate &&
        suitable .venv/bin/python && .venv/bin/python -c 'import pip' 2>/dev/null &&
        { [ -z "${PYTHON:-}" ] || [ "$(identity "$PYTHON")" = "$(identity .venv/bin/python)" ]; }
}

choose_python() {
    for condition in makes_venvs true; do
        for python in ${PYTHON:+"$PYTHON"} python3.14 python3.13 python3.12 python3.11 python3; do
            if suitable "$python" && "$condition" "$python"; then return; fi
            [ -z "${PYTHON:-}" ] || break
        done
    done
    suitable "$python" || die "Recount needs Python 3.11 or newer; install it, or name one that is elsewhere: make PYTHON=/path/to/python3.11"
}

install_venv_module() {
    package=python3-venv
    [ "$("$python" -V)" = "$(/usr/bin/python3 -V 2>&1)" ] || package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    if sh tools/apt.sh "$package" && makes_venvs "$python"; then return; fi
    die "Python's venv module is missing: install it (on Debian and Ubuntu, as root: apt-get install $package) and run make again."
}

install() {
    .venv/bin/python -m pip install -q --disable-pip-version-check "$@" && return
    rm -f .venv/.unfinished
    die "The installation did not succeed; pip says why above."
}

[ -z "${PYTHON:-}" ] || suitable "$PYTHON" || die "PYTHON=$PYTHON is not a Python of version 3.11 or newer."
if whole; then
    if asked_for "$kind" | cmp -s - "$stamp" && [ -x .venv/bin/sitegen ]; then exit 0; fi
else
    [ ! -e .venv ] || echo "The environment in .venv/ is incomplete, moved or of another Python: making it anew."
    rm -rf .venv
    choose_python
    makes_venvs "$python" || install_venv_module
    fresh=yes
fi

trap '[ "$fresh" = no ] || rm -rf .venv' EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM
mkdir -p .venv
touch .venv/.unfinished
if [ "$fresh" = yes ]; then
    echo "Making an environment in .venv/ with $("$python" -V)."
    "$python" -m venv .venv || die "The environment could not be made; Python says why above."
else
    .venv/bin/python -m pip uninstall -qq -y sitegen # the name before recountboard, whose note would stay beside
fi
echo "Installing Recount and what it needs into .venv/; the first time takes a minute or two."
install --no-compile --no-deps --require-hashes -r "locks/$kind.txt" # whole, and compiled as it is imported
install --no-deps --no-build-isolation -e .
[ "$kind" = runtime ] || asked_for runtime >.venv/.installed-runtime
asked_for "$kind" >"$stamp"
rm -f .venv/.unfinished
fresh=no
