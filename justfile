# The tasks of this project. `./just` lists them, `./just NAME` runs one. What takes more than a few lines is in scripts/.

set positional-arguments
set no-exit-message

npm := "npm --silent --prefix " + quote(justfile_directory() / "host-adapter/pi") + " run"
npm_web := "npm --silent --prefix " + quote(justfile_directory() / "host-adapter/web") + " run"

[private]
list:
    @{{ quote(just_executable()) }} --justfile {{ quote(justfile()) }} --list --unsorted

# Bring what the build needs and this machine lacks: Rust target, npm packages, tmux, chromium. Repeat it at will.
setup:
    @scripts/setup.sh

# Build everything: the component, the pi-capsule command, the npm package, the web page.
build: setup
    @scripts/build.sh

# See it work: a scripted session in the real Pi, then its windows and footer as another host shows them.
demo: build
    @scripts/demo.sh

# Build everything and check all of it: format, lints, types and tests.
test: build
    @scripts/test.sh

# Start Pi with this extension where you are; `./just pi --scripted` needs no model account.
[no-cd]
pi *ARGS: build
    @{{ npm }} pi -- "$@"

# Read session files in the browser: serves the page to this machine and prints its address.
web *PORT: build
    @{{ npm_web }} serve -- "$@"

# Format all sources.
fmt:
    cargo fmt --all
    cd host-adapter/pi && npm exec --offline -- biome check --write .
    cd host-adapter/web && ../pi/node_modules/.bin/biome check --write .

# Draw the pictures of the README anew, from real runs.
picture: build
    @{{ npm }} picture
    @{{ npm_web }} screenshot

# Write the reference of the world, docs/wit.md, anew from wit/.
reference:
    @cargo xtask reference

# Measure size, start and speed on this machine.
measure *ARGS: build
    @{{ npm }} measure -- "$@"

# Compare with a TypeScript projection that keeps nothing, on branches of up to 100 MB; takes some minutes.
bench *ARGS: build
    @scripts/bench.sh "$@"

# Build the component with cargo-component, and compare its world with that of the usual build. Installs the tool if it is not
# there, which takes a quarter of an hour.
cargo-component: build
    @scripts/cargo-component.sh --install

# Feed the guest with inputs that nobody would think of: all kinds a minute each, or `just fuzz KIND SECONDS`.
fuzz *ARGS:
    @scripts/fuzz.sh "$@"

# Make what a release consists of, twice, and compare: this folder against a clean clone of the last commit.
release-check: build
    @scripts/release-check.sh

# Remove all that `build` made. The tools and packages that `setup` brought stay.
clean:
    cargo clean
    rm -rf host-adapter/pi/component host-adapter/pi/transpiler host-adapter/web/dist
