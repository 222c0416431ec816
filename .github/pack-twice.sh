#!/usr/bin/env bash
# Builds and packs the package twice, and fails unless both tarballs are identical.
# The first one stays in the folder "package".
set -euo pipefail
cd "$(dirname "$0")/.."
again=$(mktemp -d)
trap 'rm -rf "$again"' EXIT

rm -rf package
for folder in package "$again"; do
  mkdir -p "$folder"
  npm run --silent build
  .github/pack.sh "$folder"
done
cmp package/*.tgz "$again"/*.tgz
sha256sum package/*.tgz
