#!/bin/sh
# Installs Debian packages where that needs no question: as root, or with sudo that asks for no password.
# Usage: sh tools/apt.sh PACKAGE ...     Fails, saying nothing, where it may not; says what apt-get said where it did not work.
set -eu
command -v apt-get >/dev/null || exit 1
if [ "$(id -u)" -eq 0 ]; then
    as_root="env"
elif sudo -n true 2>/dev/null; then
    as_root="sudo -n env"
else
    exit 1
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { $as_root DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 "$@" </dev/null >"$log" 2>&1; }

echo "Installing $* with apt-get." >&2
apt install -y --no-install-recommends "$@" && exit
apt update || true # one source that is down need not matter
apt install -y --no-install-recommends "$@" && exit
grep '^E:' "$log" >&2
exit 1
