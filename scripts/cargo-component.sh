#!/bin/sh
# `./just cargo-component`, after a build: `cargo component build` makes a component of the same world as the usual build.
#
# With `--install` the tool is installed if it is missing. Without, its absence is said, and nothing else is done: it takes a
# quarter of an hour to compile, longer than everything else together.
set -eu
# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

if ! cargo component --version >/dev/null 2>&1; then
  if [ "${1-}" != --install ]; then
    say "cargo-component is not on this machine, so its build was not compared; ./just cargo-component installs it."
    exit 0
  fi
  heading "cargo-component: installing it, a quarter of an hour"
  cargo install --locked cargo-component
fi

# It writes bindings of its own into the sources, which nothing uses.
trap 'rm -f src/bindings.rs' EXIT
target=${CARGO_TARGET_DIR:-$PWD/target}
usual=$target/component/pi_capsule.wasm
# A target folder of its own: cargo-component puts the component in the place of the core module.
CARGO_TARGET_DIR=$target/cargo-component cargo component build \
  --package pi-capsule --lib --target wasm32-unknown-unknown --profile guest
other=$target/cargo-component/wasm32-unknown-unknown/guest/pi_capsule.wasm

cargo xtask world "$usual" >"$usual.wit"
cargo xtask world "$other" >"$other.wit"
diff "$usual.wit" "$other.wit" >&2 || fail "cargo component build makes a component of another world"
say "cargo component build makes a component of the same world."
