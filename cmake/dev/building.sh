# Configures and compiles, and shows progress. Sourced by ./dev.

# Reads Ninja's output: writes it to a file and shows progress, on a terminal in one changing line, otherwise every half
# minute. The remaining time is estimated from finished units, so it is rough at first.
follow_build() { # <file for the whole output>
  local line terminal= began=$SECONDS said=-30 at_once
  [[ ! -t 2 ]] || terminal=1
  at_once=$(nproc)
  while IFS= read -r line; do
    printf '%s\n' "$line"
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    local built=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]} spent=$((SECONDS - began)) text
    text="$built of $all steps"
    # The first units finish at once or block all others, so they allow no estimate.
    ((built <= 2 * at_once || spent < 10)) || text+=", about $(((spent * (all - built) / built + 59) / 60)) min left"
    if [[ -n $terminal ]]; then
      printf '\r   %-50s' "$text" >&2
    elif ((SECONDS - said >= 30 && built < all)); then
      said=$SECONDS
      note "   $text"
    fi
  done >"$1"
  [[ -z $terminal ]] || printf '\r%-54s\r' '' >&2
}

# Prints the first lines of the errors of a compiler or linker.
first_errors() { # <file with the whole output>
  grep -E -m 20 '(error|undefined reference|ld:|Killed|No space left|FAILED:)' "$1" | cut -c1-400 >&2 || tail -n 20 "$1" >&2
}

configure() { # <preset>
  local log=$log_dir/configure-$1.log
  (cd "$source_dir" && cmake --preset "$1" -DRINGSIDE_CACHE_DIR="$cache" \
    -DRINGSIDE_TORCH_DIR="${RINGSIDE_TORCH_DIR:-}" -DRINGSIDE_IMGUI_DIR="${RINGSIDE_IMGUI_DIR:-}") >"$log" 2>&1 || {
    cat "$log" >&2
    die "configuring failed; this is also in $log"
  }
}

compile() { # <preset> [<target>...]
  local log=$log_dir/build-$1.log targets=()
  configure "$1"
  (($# == 1)) || targets=(--target "${@:2}")
  cmake --build "$source_dir/build/$1" -j "$(nproc)" "${targets[@]}" 2>&1 | follow_build "$log" || {
    first_errors "$log"
    die "compiling failed; the whole output is in $log"
  }
}

build() { stage "Building ($1${2:+: ${*:2}})" compile "$@"; } # <preset> [<target>...]

# The command line is finished long before the trainer, so its availability is announced first.
build_programs() {
  local ringside=$source_dir/build/release/bin/ringside
  if [[ ! -x $ringside ]]; then
    build release ringside
    note "Already there while the rest is built: $ringside presets"
  fi
  build release programs
}

# Maximum cost of compiling the programs, as a multiple of tests/bench/build_reference.cpp; see RESULTS.md.
build_cost_limit=120

cpu_seconds() { # <command>...: processor time of it and its children, in seconds; its output goes to standard error
  local TIMEFORMAT='%U %S' spent
  spent=$({ time "$@" 1>&2 2>&3 3>&-; } 3>&2 2>&1) || return
  awk '{ printf "%.1f", $1 + $2 }' <<<"$spent"
}

# Builds the programs and prints the cost. The limit applies only if the compiler cache supplied almost nothing.
build_cost() {
  local log=$log_dir/build-cost.log reference spent units hits
  configure release
  : >"$log"
  spent=$(CCACHE_STATSLOG=$log cpu_seconds compile release programs) || die "compiling failed"
  # The mean of three: one compilation of five seconds differs by a tenth from the next.
  reference=$(for _ in 1 2 3; do
    cpu_seconds "${CXX:-c++}" -std=c++20 -O2 -c "$source_dir/tests/bench/build_reference.cpp" -o /dev/null
    echo
  done | awk '{ sum += $1 } END { printf "%.1f", sum / NR }')
  units=$(ninja -C "$source_dir/build/release" -t commands programs | grep -c -- ' -c ')
  hits=$(grep -c -E '^(direct|preprocessed)_cache_hit' "$log" || true)
  note "Compiling the programs: $spent s of processor time, the reference $reference s; $units units, $hits from the cache"
  awk -v spent="$spent" -v reference="$reference" -v hits="$hits" -v limit="$build_cost_limit" -v units="$units" -v log_lines="$(wc -l <"$log")" 'BEGIN {
    if (hits > units / 50 || log_lines < units / 2) { print "build cost: not judged, this build was not from the start"; exit 0 }
    printf "build cost: %.0f times the reference, at most %d\n", spent / reference, limit
    exit spent / reference > limit
  }'
}
