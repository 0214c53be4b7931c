# shellcheck shell=sh
# Sourced by the scripts beside it: how they speak, how they fail, and how they install Debian's packages.
# Leaves the working directory at the root of the project.

cd -- "$(dirname -- "$0")/.." || exit

say() {
  printf '%s\n' "$*"
}

# A heading, bold on a terminal.
heading() {
  if [ -t 1 ]; then
    printf '\n\033[1m== %s\033[0m\n' "$*"
  else
    printf '\n== %s\n' "$*"
  fi
}

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

have() {
  command -v "$1" >/dev/null 2>&1
}

seconds() {
  date +%s
}

# Runs a command as root, where that needs no password.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif have sudo && sudo -n true 2>/dev/null; then
    sudo -n "$@"
  else
    return 1
  fi
}

# apt_install NOTE PACKAGE...: says NOTE and installs Debian packages. Fails, without a word, where there is no apt-get
# or no way to be root without a password.
apt_install() {
  have apt-get && as_root true || return 1
  say "$1"
  shift
  # A package list that cannot be refreshed may still be good enough.
  as_root apt-get update -q >&3 || true
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends -o Dpkg::Use-Pty=0 "$@" >&3
}

# Where chatty tools show their progress: to a person. A log needs only what they complain about.
if [ -t 1 ]; then
  exec 3>&1
else
  exec 3>/dev/null
fi
