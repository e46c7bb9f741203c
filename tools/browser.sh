#!/bin/sh
# Finds a Chromium that Playwright can drive, or installs one, and prints its path; an empty line stands for
# Playwright's own download. One without windows comes first: a page takes it a third less work. SITEGEN_BROWSER=... names
# one. Where none can be had, CI fails; elsewhere the answer is "none" and the browser tests skip.
set -eu
cd "$(dirname "$0")/.."
packages="chromium-headless-shell libatomic1" # Playwright's driver needs the second, which small machines lack

drives() { # a path, or nothing for Playwright's own
    .venv/bin/python - "$1" 2>/dev/null <<'END'
import sys
from playwright.sync_api import sync_playwright

with sync_playwright() as playwright:
    playwright.chromium.launch(executable_path=sys.argv[1] or None).close()
END
}

installed() {
    for name in chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable; do
        if path=$(command -v "$name") && drives "$path"; then
            echo "$path"
            return
        fi
    done
    return 1
}

download() {
    echo "Downloading Chromium with Playwright." >&2
    .venv/bin/playwright install --only-shell chromium >/dev/null 2>&1
}

if [ -n "${SITEGEN_BROWSER:-}" ]; then
    path=$(command -v "$SITEGEN_BROWSER") && drives "$path" && echo "$path" && exit
    echo "Playwright cannot drive SITEGEN_BROWSER=$SITEGEN_BROWSER." >&2
    exit 1
fi
installed && exit
# shellcheck disable=SC2086 # two packages, two words
sh tools/apt.sh $packages && installed && exit
drives "" && exit
download && drives "" && exit
echo "No Chromium that Playwright can drive: install it (on Debian, as root: apt-get install $packages), or name one in SITEGEN_BROWSER." >&2
case ${CI:-} in true | 1) exit 1 ;; esac
echo none
