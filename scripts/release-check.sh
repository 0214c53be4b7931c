#!/bin/sh
# `./just release-check`, after a build: what a release consists of, made from a clean clone of the last commit and compared
# with what this folder makes; the same inputs have to give the same bytes. Leaves it in target/release-artifacts.
set -eu
# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

target=${CARGO_TARGET_DIR:-$PWD/target}
export CARGO_TARGET_DIR="$target"
artifacts=$target/release-artifacts
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
here=$PWD

grep -q "^## $version\b" CHANGELOG.md || fail "CHANGELOG.md has no section for $version, the version in Cargo.toml"

clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
git clone --quiet --no-hardlinks "$here" "$clone/pi-capsule"
# Not part of the inputs: the lockfile says what is in it.
for package in pi web; do
  ln -s "$here/host-adapter/$package/node_modules" "$clone/pi-capsule/host-adapter/$package/node_modules"
done

# Makes everything from the folder $1 into the folder $2.
make_artifacts() {
  rm -rf "$2"
  mkdir -p "$2"
  (
    cd "$1"
    component=$(cargo xtask component)
    component=$(printf '%s\n' "$component" | tail -n 1)
    cp "$component" "$2/"
    npm --silent --prefix host-adapter/pi run build -- "$component"
    npm --silent --prefix host-adapter/web run build -- "$component"
    cp host-adapter/web/dist/index.html "$2/pi-capsule-$version.html"
    cd host-adapter/pi
    npm --silent pack --ignore-scripts --pack-destination "$2" >/dev/null
    cd ../rust
    cargo package --quiet --offline --no-verify
    cp "$CARGO_TARGET_DIR/package/pi-capsule-host-$version.crate" "$2/"
  )
}

heading "from this folder"
make_artifacts "$here" "$artifacts"
heading "from a clean clone"
# With a folder of its own for what cargo builds, which stays: what changes is built anew, under another path.
CARGO_TARGET_DIR=$target/release-check make_artifacts "$clone/pi-capsule" "$clone/artifacts"

# In the place of its sources, where cargo picks the same features as always, and need not compile wasmtime again.
heading "the packed crate, compiled and tried"
rm -rf "$clone/pi-capsule/host-adapter/rust"
mkdir "$clone/pi-capsule/host-adapter/rust"
tar -xzf "$artifacts/pi-capsule-host-$version.crate" --strip-components=1 -C "$clone/pi-capsule/host-adapter/rust"
(
  cd "$clone/pi-capsule"
  cargo run --quiet --release --example embed -- \
    "$artifacts/pi_capsule.wasm" tests/fixtures/sessions/capsule.jsonl
)

have sha256sum || sha256sum() { shasum -a 256 "$@"; }
cd "$artifacts"
[ -f "pi-capsule-$version.tgz" ] || fail "host-adapter/pi/package.json has another version than Cargo.toml, $version"
for artifact in *; do
  cmp "$artifact" "$clone/artifacts/$artifact" ||
    fail "$artifact is another one when it is made from a clean clone: is something not committed, or not reproducible?"
done
sha256sum ./* >"$clone/sums"
mv "$clone/sums" SHA256SUMS
heading "the same, byte for byte, in $artifacts"
cat SHA256SUMS
