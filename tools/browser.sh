#!/bin/sh
# Finds a Chromium for the tests, or installs one, and prints its path; prints nothing for Playwright's own download.
# SITEGEN_BROWSER=... names one. Where none can be had, CI fails; elsewhere the browser tests are left to skip themselves.
set -eu
cd "$(dirname "$0")/.."

runs() { "$1" --version >/dev/null 2>&1; }
installed() {
    for name in chromium chromium-browser google-chrome google-chrome-stable; do
        if runs "$name"; then command -v "$name"; return; fi
    done
    return 1
}
playwrights_own() {
    .venv/bin/python -c 'from playwright.sync_api import sync_playwright as playwright
with playwright() as drivers: drivers.chromium.launch().close()' 2>/dev/null
}
download() {
    echo "Downloading Chromium with Playwright." >&2
    .venv/bin/playwright install chromium >/dev/null 2>&1 && playwrights_own
}

if [ -n "${SITEGEN_BROWSER:-}" ]; then
    runs "$SITEGEN_BROWSER" || { echo "SITEGEN_BROWSER=$SITEGEN_BROWSER does not run." >&2; exit 1; }
    command -v "$SITEGEN_BROWSER"
elif installed; then :
elif sh tools/apt.sh chromium && installed; then :
elif playwrights_own || download; then :
else
    echo "No Chromium for the browser tests: install it (on Debian, as root: apt-get install chromium), or name one in SITEGEN_BROWSER." >&2
    case ${CI:-} in true | 1) exit 1 ;; esac
fi
