#!/usr/bin/env bash
# Raises the version by the changesets, wherever the version is written.
set -euo pipefail
cd "$(dirname "$0")/.."

# In a repository with workspaces, changesets overlooks the package at the root.
manifest=$(cat package.json)
npm pkg delete workspaces
npx changeset version
version=$(node -p 'require("./package.json").version')
printf '%s\n' "$manifest" >package.json
npm pkg set "version=$version"

sed -i "s/^export const packageVersion = '.*';/export const packageVersion = '$version';/" src/shared/version.ts
# The first row of the table of versions in the README.
sed -i -E "0,/^\| [0-9]+\.[0-9]+ \|/s//| ${version%.*} |/" README.md
npm install --package-lock-only --ignore-scripts
