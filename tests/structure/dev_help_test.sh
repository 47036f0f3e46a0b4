#!/usr/bin/env bash
# dev_help_test.sh SOURCE_DIR: `./dev COMMAND --help` prints the usage of ./dev and begins nothing.
set -euo pipefail

dev=$1/dev
usage=$("$dev" help)
[[ $usage == "Usage: ./dev COMMAND"* ]] || { echo "FAILED: ./dev help: $usage" >&2; exit 1; }
for command in run test build setup lint bench wheel deb bundle help; do
  for option in --help -h; do
    [[ $("$dev" "$command" "$option" 2>&1) == "$usage" ]] || { echo "FAILED: ./dev $command $option" >&2; exit 1; }
  done
done
! "$dev" nothing >/dev/null 2>&1 || { echo "FAILED: an unknown command is not refused" >&2; exit 1; }
