# What is done often. `just` lists it; https://just.systems

_default:
    @just --list

# Serve on 127.0.0.1:50051, metrics on 127.0.0.1:9464.
serve *FLAGS:
    cargo run --release -p hashlane-server -- {{ FLAGS }}

# The `hashlane` tool.
tool *ARGUMENTS:
    cargo run --release -p hashlane-client -- {{ ARGUMENTS }}

test *FILTER:
    cargo test --workspace -- {{ FILTER }}

# What to run before a commit.
check:
    .ci/run format clippy test docs

fmt:
    cargo fmt --all

# One benchmark of the engine: occupancy, messages, ragged, ...
bench NAME='occupancy':
    cargo bench -p hashlane-engine --bench {{ NAME }}

# What a byte costs the server, beside hashing inline and not at all.
compare *FLAGS:
    cargo build --release -p hashlane-server --features measure
    cargo run --release -p hashlane-loadtest -- compare {{ FLAGS }}

# The calls in the kernels' disassembly (there must be none).
kernels:
    .ci/run kernels

# The table in docs/settings.md.
settings:
    cargo build --release -p hashlane-server
    .ci/check-settings "${CARGO_TARGET_DIR:-target}/release/hashlane-server" --write

# The container image, with the engine that is there.
image ENGINE='docker':
    {{ ENGINE }} build -f deploy/container/Dockerfile -t hashlane:dev .

# hashlane with Prometheus and Grafana.
up:
    docker compose -f deploy/compose/compose.yaml up --build

# Everything, as CI does it.
ci:
    .ci/run
