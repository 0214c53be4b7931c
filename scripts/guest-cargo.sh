#!/bin/sh
# cargo for the guest's target, with the compiler that `./just setup` chose: scripts/guest-cargo.sh clippy --lib
set -eu
# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

command=$1
shift
if [ "$(cat .tools/wasm-toolchain 2>/dev/null)" = debian-build-std ]; then
  # First in PATH, because a cargo finds its clippy there.
  PATH=/usr/bin:$PATH
  export PATH RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=std,panic_abort
fi
exec cargo "$command" --target wasm32-unknown-unknown --profile guest --package pi-capsule "$@"
