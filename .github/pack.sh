#!/usr/bin/env bash
# Packs the built package into a folder, without the fields of package.json that only its development needs.
set -euo pipefail
destination=$(realpath "$1")
cd "$(dirname "$0")/.."
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

npm pack --silent --ignore-scripts --pack-destination "$stage" >/dev/null
tar -xzf "$stage"/*.tgz -C "$stage"
cd "$stage/package"
npm pkg delete scripts devDependencies workspaces overrides allowScripts
npm pack --silent --ignore-scripts --pack-destination "$destination"
