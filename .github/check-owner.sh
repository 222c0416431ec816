#!/usr/bin/env bash
# Fails if a tarball of the package still contains the placeholder for the owner of the repository.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

tar -xzf "$1" -C "$folder"
if found=$(cd "$folder" && grep -rlw OWNER .); then
  printf 'Replace OWNER by the account that owns the repository. It is in:\n%s\n' "$found" >&2
  exit 1
fi
