#!/bin/sh
# `./just test`, after a build: every check there is, one after the other. The first one that fails ends it, named.
set -eu
# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

started=$(seconds)
count=0

check() {
  count=$((count + 1))
  title=$1
  shift
  heading "$title"
  "$@" || fail "$title: failed. The command was: $*"
}

npm_run() {
  npm --silent --prefix "host-adapter/$1" run "$2"
}

# What compiles wasmtime names the whole workspace: for a part of it cargo picks other features, and compiles it again.
check "Rust format" cargo fmt --all --check
check "Rust lints" cargo clippy --release --workspace --all-targets -- -D warnings
check "Rust lints, the library without the command" \
  cargo clippy --release --workspace --lib --no-default-features -- -D warnings
check "Rust lints, the guest for WebAssembly" cargo xtask clippy
check "Dependencies" cargo xtask dependencies
check "Rust documentation" env RUSTDOCFLAGS="-D warnings" cargo doc --release --workspace --no-deps
check "Rust examples in the documentation" cargo test --release --workspace --doc
# In the release profile, which the build has just compiled: wasmtime takes minutes, and is slow without optimisation. All
# tests of a program in one process, since each process compiles the component again.
check "Rust tests" cargo test --release --workspace --lib --bins --tests --examples
check "The example of an embedding" cargo run --quiet --release --example embed -- \
  "${CARGO_TARGET_DIR:-target}/component/pi_capsule.wasm" tests/fixtures/sessions/capsule.jsonl
check "The template, copied" scripts/template.sh
check "The build of cargo-component, where that is" scripts/cargo-component.sh
check "Fuzzing, a short run of every kind" scripts/fuzz.sh all 3
check "TypeScript format and lints" npm_run pi lint
check "TypeScript types" npm_run pi check
check "TypeScript tests" npm_run pi test
check "Web page, format and lints" npm_run web lint
check "Web page, types" npm_run web check
check "Web page, tests in a browser" npm_run web test
check "Benchmark, a short run in both hosts" scripts/bench.sh --entries 1000 --runs 1

heading "all $count checks passed in $(($(seconds) - started)) s"
