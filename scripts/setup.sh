#!/bin/sh
# `./just setup`: brings what the project needs and this machine lacks. Asks for no password, and repeats nothing that
# is done. What it brings stays outside the sources: in rustup, in .tools/, in node_modules/, in Debian's packages.
set -eu
# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=scripts/setup-rust.sh
. scripts/setup-rust.sh

setup_tools() {
  have git || fail "git is missing: install it with your system's packages (Debian: apt-get install git)"
  have cc || fail "a C compiler is missing, Rust links with it: install gcc or clang (Debian: apt-get install gcc libc6-dev)"
  have npm || fail "npm is missing: install Node.js, any version, with npm (Debian: apt-get install nodejs npm)"
}

# Installs the packages of a folder as its lockfile says, among them a Node.js. The stamp lies inside node_modules, so both go
# together.
npm_ci() {
  directory=$1
  stamp=$directory/node_modules/.installed-from
  want=$(cksum <"$directory/package-lock.json")
  if [ "$(cat "$stamp" 2>/dev/null)" = "$want" ]; then
    say "$2: as package-lock.json says"
    return
  fi
  say "$2: installing, $3"
  # Not its warnings: they say that this Node.js is too old for Pi, which runs in the one that is installed here.
  (cd "$directory" && npm ci --no-audit --no-fund --loglevel=error) ||
    fail "npm ci failed in $directory: see above, then run ./just setup again"
  "$directory/node_modules/.bin/node" --version >/dev/null 2>&1 || fail "npm did not bring the Node.js of package" \
    "\`node\`: let it run that package's install script (npm config get ignore-scripts), then run ./just setup again"
  say "$want" >"$stamp"
}

setup_npm() {
  npm_ci host-adapter/pi "npm packages" "half a minute or so"
  npm_ci host-adapter/pi/harness/oldest-node "oldest Node.js that Pi runs in" "a few seconds"
}

# The test that drives Pi's real screen needs a terminal without a person.
setup_tmux() {
  if have tmux; then
    say "tmux: $(tmux -V)"
    return
  fi
  apt_install "tmux: installing it with apt-get, about 10 seconds" tmux ||
    say "tmux: missing, and only the test of Pi's screen needs it: install it with your system's packages" \
      "(Debian: sudo apt-get install tmux)"
}

setup_tools
setup_rust
setup_npm
setup_tmux
