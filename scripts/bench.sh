#!/bin/sh
# `./just bench`, after a build: measures the component in both hosts beside a projection in TypeScript.
set -eu
# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

heading "the wasmtime side"
# Without `--package`, so that cargo takes what `build` has made (see there).
cargo build --release --example bench
release=${CARGO_TARGET_DIR:-target}/release

heading "benchmark"
npm --silent --prefix host-adapter/pi run bench -- \
  --wasmtime "$release/examples/bench" --component "$release/../component/pi_capsule.wasm" "$@"
