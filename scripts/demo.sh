#!/bin/sh
# `./just demo`, after a build: one session in the real Pi, and then the same component in the other host, on the session
# file that Pi wrote. Everything it writes is in target/demo/, anew each time.
set -eu
# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

out=target/demo
rm -rf "$out"

# Without `--package`, so that cargo takes what `build` has made (see there).
capsule() {
  heading "pi-capsule $*"
  cargo run --quiet --release --bin pi-capsule -- "$@"
}

heading "Pi, with a scripted model"
npm --silent --prefix host-adapter/pi run demo -- --out "$out"
session=$(find "$out" -name '*.jsonl')
[ -f "$session" ] || fail "the demo left no session file in $out"

capsule footer
capsule windows "$session"
