# The steps of `.ci/run`, one by one. `just` without a recipe lists them.

default:
    @just --list

# Everything a reviewer would run.
ci:
    .ci/run

# What needs no test run: format, lints, rules of the code base, generated files, dependencies, documentation.
check: deny
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- --deny warnings
    cargo xtask tidy
    cargo xtask crds --check
    RUSTDOCFLAGS="--deny warnings" cargo doc --workspace --no-deps --locked --quiet

# Licences, sources and versions of dependencies.
deny:
    cargo deny --locked check bans licenses sources

# All tests, or those of one package: `just test network-services-api`.
test package="":
    cargo test --locked {{ if package == "" { "--workspace" } else { "--package " + package } }}

# Write the files that are generated: resource definitions and their differences to the reference.
crds:
    cargo xtask crds

# Build real API servers for tests and print their folder; export it as KUBEBUILDER_ASSETS.
kube-assets:
    cargo xtask kube-assets
