#!/bin/sh
# `./just fuzz [KIND [SECONDS]]`: coverage-guided fuzzing of the guest, by default of every kind of input for a minute.
#
# What is found on the way stays in target/fuzz; an input that breaks something is named at the end. It belongs into
# fuzz/corpus/KIND once it is mended, where the tests tell it to all guests ever after.
set -eu
# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

kinds='entries notes words git gh state arguments globs settings story'
kind=${1:-all}
seconds=${2:-60}

case $seconds in
  '' | *[!0-9]*) fail "$seconds is no number of seconds. Usage: ./just fuzz [KIND [SECONDS]]" ;;
esac
case " all $kinds " in
  *" $kind "*) ;;
  *) fail "there is no kind of input called $kind; there are: $kinds" ;;
esac
[ "$kind" = all ] || kinds=$kind

if ! cargo fuzz --version >/dev/null 2>&1; then
  heading "cargo-fuzz: installing it, a minute or so"
  cargo install --locked cargo-fuzz
fi

# A target folder of its own: everything is compiled in another way here.
target=${CARGO_TARGET_DIR:-$PWD/target}/fuzz
export CARGO_TARGET_DIR="$target"

# There is no sanitizer for the compiler that this project uses, and the guest has no unsafe code.
fuzz() {
  cargo fuzz run --sanitizer none "$1" "$2" "fuzz/corpus/$1" -- -max_total_time="$seconds" -max_len=4096 -timeout=10
}

# Its progress is for a person; a log needs only what it comes to, or what it finds.
in_short() {
  log=$2.log
  if fuzz "$1" "$2" >"$log" 2>&1; then
    grep '^Done ' "$log"
  else
    tail -n 60 "$log" >&2
    return 1
  fi
}

[ -t 1 ] && run=fuzz || run=in_short
for name in $kinds; do
  heading "fuzzing $name for $seconds s"
  found=$target/corpus/$name
  mkdir -p "$found"
  "$run" "$name" "$found" || fail "an input breaks $name: it is in fuzz/artifacts/$name"
done
