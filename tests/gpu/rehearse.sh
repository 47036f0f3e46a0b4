#!/usr/bin/env bash
# rehearse.sh BUILD_DIR PYTHON ARCHIVE [STAGES]: unpacks the archive elsewhere and runs its day with an empty
# environment, on CPU slots and on a simulated GPU. STAGES: only these stages, for both.
set -euo pipefail

test_bin=$(realpath "$1")/tests/bin
python=$2
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
archive=$(realpath "$3")
stages=${4:+--stages $4}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/day" "$work/use" "$work/home"
tar -C "$work/day" -xzf "$archive"
cd "$work/day"
failed=0
rehearse() { # <on> [NAME=VALUE]...
  echo "== rehearsed on $1"
  # shellcheck disable=SC2086  # the stages are two words
  env -i PATH=/usr/bin:/bin HOME="$work/home" "${@:2}" "$python" -B day.py --on "$1" --small --budget 3000 --keep-runs first \
    --out "$work/out" $stages || failed=1
}
rehearse cpu
rehearse fake FAKE_GPUS=1 FAKE_USE="$work/use" LD_PRELOAD="$test_bin/fake_gpu/libcuda.so.1" LD_LIBRARY_PATH="$test_bin/fake_driver"

# The archive of results must contain what a report needs.
lines=$(wc -l <"$work/out/results.jsonl")
"$python" -B "$here/report.py" "$work/out" >"$work/report.md" 2>&1 || failed=1
rows=$(grep -c '^| `' "$work/report.md" || true)
((rows == lines)) || { echo "the report has $rows rows for $lines results" >&2; cat "$work/report.md" >&2; failed=1; }
cp "$work/report.md" "$work/into.md"
if "$python" -B "$here/report.py" "$work/out" --into "$work/into.md" 2>/dev/null || ! cmp -s "$work/report.md" "$work/into.md"; then
  echo "a rehearsal was reported as results of a GPU" >&2
  failed=1
fi
[[ -e $work/out/runs-first.tar.xz  ]] || { echo "the runs of the stage first did not come back" >&2; failed=1; }
exit "$failed"
