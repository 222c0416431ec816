#!/usr/bin/env bash
# Prints the CycloneDX list of all packages that an install of a tarball brings.
set -euo pipefail
tarball=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cd "$folder"
echo '{ "name": "site", "version": "0.0.0", "private": true }' >package.json
npm install --silent --ignore-scripts "$tarball"
npm sbom --sbom-format=cyclonedx
