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

# Installs the packages of a folder as its lockfile says. The stamp lies inside node_modules, so both go together.
npm_ci() {
  directory=$1
  stamp=$directory/node_modules/.installed-from
  want=$(cksum <"$directory/package-lock.json")
  if [ "$(cat "$stamp" 2>/dev/null)" = "$want" ]; then
    say "$2: as package-lock.json says"
    return
  fi
  say "$2: installing those of package-lock.json, $3"
  # Not its warnings: they say that this Node.js is too old for Pi, which runs in the one that is installed here.
  (cd "$directory" && npm ci --no-audit --no-fund --loglevel=error) ||
    fail "npm ci failed in $directory: see above, then run ./just setup again"
  say "$want" >"$stamp"
}

# The web page is built and tested with the tools of the Pi adapter, Node.js among them.
setup_npm() {
  for folder in host-adapter/pi host-adapter/pi/harness/oldest-node; do
    npm_ci "$folder" "npm packages of $folder" "half a minute or so"
    "$folder/node_modules/.bin/node" --version >/dev/null 2>&1 || fail "npm did not bring the Node.js of package" \
      "\`node\`: let it run that package's install script (npm config get ignore-scripts), remove" \
      "$folder/node_modules, then run ./just setup again"
  done
  npm_ci host-adapter/web "npm packages of host-adapter/web" "a few seconds"
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

# The tests of the web page need a browser without a window.
setup_chromium() {
  if [ -x /usr/bin/chromium ]; then
    say "chromium: $(/usr/bin/chromium --version 2>/dev/null)"
    return
  fi
  apt_install "chromium: installing it with apt-get, about half a minute" chromium ||
    say "chromium: missing, and only the tests of the web page need it: install it with your system's packages" \
      "(Debian: sudo apt-get install chromium)"
}

setup_tools
setup_rust
setup_npm
setup_tmux
setup_chromium
