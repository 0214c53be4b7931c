#!/bin/sh
# `./just build`: the component, the pi-capsule command, the npm package, in this order, as each needs the one before.
set -eu
# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

heading "component"
component=$(cargo xtask component)
component=$(printf '%s\n' "$component" | tail -n 1)
say "$component"

heading "pi-capsule command"
cargo build --release --package pi-capsule-host

heading "npm package"
npm --silent --prefix host-adapter/pi run build -- "$component"
