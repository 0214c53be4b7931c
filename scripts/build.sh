#!/bin/sh
# `./just build`: the components, the pi-capsule command, the npm package, the web page, in this order, as each needs the ones
# before.
set -eu
# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

heading "component"
component=$(cargo xtask component)
component=$(printf '%s\n' "$component" | tail -n 1)
say "$component"

heading "other components: the examples, and the guest that hosts are tested with"
for folder in examples/todo examples/template tests/conformance/probe; do
  cargo xtask component "$folder"
done

heading "pi-capsule command"
# With the rest of the workspace: for one package alone cargo picks other features, and the tests would have to compile
# wasmtime, ten minutes of processor time, again.
cargo build --release --workspace

heading "npm package"
npm --silent --prefix host-adapter/pi run build -- "$component"

heading "web page"
npm --silent --prefix host-adapter/web run build -- "$component"
