#!/bin/sh
# Copies the template as its README says, and makes a component of the copy.
set -eu
# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -RL examples/template/. "$copy"
component=$(cargo xtask component "$copy")
[ -s "$(printf '%s\n' "$component" | tail -n 1)" ] || fail "no component came of the template"
