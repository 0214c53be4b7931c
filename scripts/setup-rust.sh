# shellcheck shell=sh
# Sourced by setup.sh: a Rust compiler, and a way to compile the guest for WebAssembly.
#
# There are two ways. Either the compiler has the target's standard library (rustup brings it), or it is compiled from
# source by Debian's compiler, where the toolchain server is out of reach. The answer is one word in
# .tools/wasm-toolchain, `system` or `debian-build-std`, which `cargo xtask` reads.

target=wasm32-unknown-unknown
choice=.tools/wasm-toolchain
# rustc-web and its siblings are Debian's current Rust, kept up to date for the browsers in a stable release.
debian_packages="rustc-web cargo-web rust-web-src rust-web-llvm rust-web-clippy lld-22"

setup_rust() {
  setup_cargo
  setup_target
}

setup_cargo() {
  have cargo || fail "cargo is missing: install Rust with rustup or your system's packages"
  # rustup without a toolchain, as its packages in distributions leave it.
  if ! cargo --version >/dev/null 2>&1; then
    have rustup || fail "cargo does not start: $(cargo --version 2>&1 | head -n 1)"
    say "Rust: rustup has no toolchain yet, installing stable, about a minute"
    rustup default stable || fail "rustup could not install a toolchain: see above, then run ./just setup again"
  fi
  wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
  found=$(cargo --version | cut -d ' ' -f 2)
  at_least "$found" "$wanted" ||
    fail "Rust $found is too old, the project needs $wanted: run \`rustup update stable\` (Debian 12: apt-get install $debian_packages rustfmt-web)"
  setup_component rustfmt cargo fmt
  setup_component clippy cargo clippy
  say "Rust: $found"
}

# setup_component NAME COMMAND...: a part of Rust that a minimal installation lacks. Only checking needs it.
setup_component() {
  name=$1
  shift
  if ! "$@" --version >/dev/null 2>&1; then
    say "Rust: adding $name, a few seconds"
    { have rustup && rustup component add "$name"; } ||
      fail "\`$*\` is missing: install $name as you installed Rust, then run ./just setup again"
  fi
}

setup_target() {
  mkdir -p .tools
  if target_in_sysroot; then
    say "guest: the compiler has the target $target"
    echo system >"$choice"
  elif [ "$(cat "$choice" 2>/dev/null)" = debian-build-std ] && debian_installed; then
    say "guest: Debian's compiler builds the target $target from source"
  elif add_target; then
    echo system >"$choice"
  elif debian_installed || install_debian; then
    say "guest: the first build compiles the standard library as well, about 2 minutes, once"
    echo debian-build-std >"$choice"
  else
    fail "no way to compile for $target on this machine. Either make \`rustup target add $target\` work," \
      "or as root on Debian 12: apt-get install $debian_packages"
  fi
}

target_in_sysroot() {
  directory=$(rustc --print target-libdir --target "$target" 2>/dev/null) &&
    ls "$directory"/libstd-*.rlib >/dev/null 2>&1
}

add_target() {
  have rustup || return 1
  say "guest: adding the target $target with rustup, a few seconds"
  rustup target add "$target" && target_in_sysroot
}

install_debian() {
  # shellcheck disable=SC2086 # a list of words
  apt_install "guest: installing Debian's compiler with apt-get instead, 170 MB, about a minute" $debian_packages &&
    debian_installed
}

debian_installed() {
  # shellcheck disable=SC2086 # a list of words
  have dpkg-query && dpkg-query -W $debian_packages >/dev/null 2>&1 &&
    at_least "$(/usr/bin/rustc --version | cut -d ' ' -f 2)" "$wanted"
}

# at_least FOUND WANTED: compares the first two numbers of versions.
at_least() {
  awk -v found="$1" -v wanted="$2" 'BEGIN {
    split(found, f, "."); split(wanted, w, ".")
    exit !(f[1] > w[1] || (f[1] == w[1] && f[2] + 0 >= w[2] + 0))
  }'
}
