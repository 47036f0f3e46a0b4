# Tests, lint and measurements. Sourced by ./dev.

# A screen for the tests that open a window, where there is none: ended by its process id when this script ends.
start_screen() {
  [[ -z ${DISPLAY:-} ]] && command -v Xvfb >/dev/null || return 0
  local number_file=$log_dir/xvfb-display
  : >"$number_file"
  Xvfb -displayfd 3 -screen 0 1920x1080x24 -nolisten tcp -noreset 3>"$number_file" >"$log_dir/xvfb.log" 2>&1 &
  screen_pid=$!
  trap 'kill "$screen_pid" 2>/dev/null || true' EXIT
  local deadline=$((SECONDS + 20))
  until [[ -s $number_file ]]; do
    if ((SECONDS >= deadline)) || ! kill -0 "$screen_pid" 2>/dev/null; then
      note "Xvfb did not start (see $log_dir/xvfb.log); tests that need a window will say so."
      return 0
    fi
    sleep 0.05
  done
  DISPLAY=":$(tr -d '[:space:]' <"$number_file")"
  export DISPLAY
}

# How the sanitizers of the presets asan and tsan report; a finding ends the program.
watch_closely() {
  local leaks=$source_dir/tests/support/leaks.supp races=$source_dir/tests/support/races.supp
  export LSAN_OPTIONS="suppressions=$leaks:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}"
  export TSAN_OPTIONS="suppressions=$races:halt_on_error=1:second_deadlock_stack=1${TSAN_OPTIONS:+:$TSAN_OPTIONS}"
  export UBSAN_OPTIONS="print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
  export ASAN_OPTIONS="detect_stack_use_after_return=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
}

ctest_of() { # <preset> <ctest argument>...
  ctest --test-dir "$source_dir/build/$1" --output-on-failure --no-tests=error -j "$(nproc)" "${@:2}"
}

run_tests() { # <preset> <ctest argument>...
  watch_closely
  start_screen
  stage "Testing ($1)" ctest_of "$@"
}

# Each test so many times, or until it fails: three times as many at once as there are cores, beside a busy loop on each.
# What a failed one printed is in the output and, with all others, in LastTest.log of the preset's build folder.
repeat_tests() { # <times> <preset> <ctest argument>...
  local times=$1 core
  shift
  watch_closely
  start_screen
  busy_pids=()
  for ((core = $(nproc); core > 0; core--)); do
    while :; do :; done &
    busy_pids+=("$!")
  done
  trap 'kill "${busy_pids[@]}" ${screen_pid:-} 2>/dev/null || true' EXIT
  stage "Testing ($1), each $times times" ctest_of "$1" --repeat "until-fail:$times" -j $(($(nproc) * 3)) "${@:2}"
}

# One monkey after the other, each from the next seed, until the time is over: the screen alone, a whole session behind
# it, and at the end the real window.
monkeys() { # <seconds> <first seed>
  local bin=$source_dir/build/asan/tests/bin until=$((SECONDS + $1)) seed=$2
  local window=$(($1 / 4))
  until=$((until - window))
  while ((SECONDS < until)); do
    note "RINGSIDE_MONKEY_SEED=$seed"
    RINGSIDE_MONKEY_SEED=$seed "$bin/gui_ui_test" "a monkey*"
    RINGSIDE_MONKEY_SEED=$seed "$bin/gui_session_monkey_test"
    seed=$((seed + 1))
  done
  note "RINGSIDE_MONKEY_SEED=$seed, in the real window"
  RINGSIDE_MONKEY_SEED=$seed RINGSIDE_MONKEY_SECONDS=$window "$bin/integration_dashboard" "[.monkey]"
}

monkey() { # [<seconds> [<first seed>]]
  build asan gui_ui_test gui_session_monkey_test integration_dashboard
  watch_closely
  stage "Random input" monkeys "${1:-600}" "${2:-1}"
}

own_sources() {
  git -C "$source_dir" ls-files --cached --others --exclude-standard -- '*.h' '*.cpp'
}

check_format() {
  local formatter
  formatter=$(command -v clang-format-14 || command -v clang-format) || die "clang-format 14 is missing"
  [[ $("$formatter" --version) == *" 14."* ]] ||
    die "clang-format 14 is needed, other versions format differently: $("$formatter" --version)"
  local wrong
  wrong=$(cd "$source_dir" && own_sources | xargs -r -n 40 -P "$(nproc)" "$formatter" --dry-run 2>&1 |
    { grep 'clang-format-violations' || true; } | cut -d: -f1 | sort -u)
  [[ -z $wrong ]] || die $'not formatted ('"$formatter"$' -i FILE does it):\n'"$wrong"
}

lint() {
  configure lint
  stage "Formatting" check_format
  stage "Structure" python3 -B "$source_dir/tests/structure/check_structure.py" "$source_dir"
  stage "clang-tidy" python3 -B "$source_dir/cmake/dev/tidy.py" "$source_dir" "$source_dir/build/lint"
}

bench() {
  start_screen
  "$source_dir/tests/bench/run" "$source_dir/build/release" "$@"
}

can_fuzz() {
  command -v clang++ >/dev/null &&
    echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
    clang++ -fsanitize=fuzzer -x c++ - -o /dev/null 2>/dev/null
}

# Every fuzz target for so long, from its seeds and from what earlier runs came upon. A finding is kept as a file and
# named; the target's program with that file as its argument makes it again.
fuzz_each() { # <seconds>
  local bin=$source_dir/build/fuzz/fuzz program name log failed=0
  "$bin/fuzz_seeds" "$bin/seeds"
  for program in "$bin"/fuzz_*; do
    name=${program##*/fuzz_}
    [[ $name != seeds ]] || continue
    log=$log_dir/fuzz-$name.log
    mkdir -p "$bin/corpus/$name" "$bin/findings"
    if "$program" -max_total_time="$1" -timeout=20 -print_final_stats=1 -artifact_prefix="$bin/findings/$name-" \
      "$bin/corpus/$name" "$bin/seeds/$name" >"$log" 2>&1; then
      note "$name: $(awk '/number_of_executed_units/ {all = $2} /average_exec_per_sec/ {print all " inputs, " $2 " a second"}' "$log")"
    else
      failed=1
      tail -n 30 "$log" >&2
      note "$name: a finding, see $log"
    fi
  done
  return "$failed"
}

fuzz() { # [<minutes for each target>]
  if ! can_fuzz; then
    setup_packages "${packages_fuzz[@]}"
    can_fuzz || die "clang++ with libFuzzer is needed"
  fi
  build fuzz fuzz
  export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}" UBSAN_OPTIONS="print_stacktrace=1"
  stage "Fuzzing" fuzz_each "$(awk -v minutes="${1:-10}" 'BEGIN { printf "%d", minutes * 60 }')"
}

scripts_torch() { # fetches the Python that scripts are trained with, unless it is there
  [[ -e $(torch_root full)/complete ]] || fetch_environment "$(find_python)" torch-full ||
    die "PyTorch for scripts could not be fetched. Is the Python package index reachable (see pip's message above)?"
}

insight() { # [--groups | --what-if] [<trials> [<seed>]] | --try [<program>...]
  build release programs
  if [[ ${1:-} == --what-if ]]; then
    stage "Judging predictions" python3 -B "$source_dir/tests/insight/whatif_trials.py" \
      --build "$source_dir/build/release" --trials "${2:-60}" ${3:+--seed "$3"}
    return
  fi
  if [[ ${1:-} == --groups ]]; then
    scripts_torch
    stage "Judging what is said of groups" python3 -B "$source_dir/tests/insight/group_trials.py" \
      --build "$source_dir/build/release" --python "$(torch_root full)/bin/python" --trials "${2:-72}" ${3:+--seed "$3"}
    return
  fi
  if [[ ${1:-} == --try ]]; then
    scripts_torch
    stage "Judging what is tried" python3 -B "$source_dir/tests/insight/try_trials.py" \
      --build "$source_dir/build/release" --python "$(torch_root full)/bin/python" "${@:2}"
    return
  fi
  stage "Judging what is said of delayed ranks" python3 -B "$source_dir/tests/insight/trials.py" \
    --build "$source_dir/build/release" --trials "${1:-60}" ${2:+--seed "$2"}
}

soak() { # [<minutes> [<seed>]]
  build release programs fake_rank
  stage "Soaking" python3 -B "$source_dir/tests/soak/soak.py" --build "$source_dir/build/release" \
    --minutes "${1:-10}" ${2:+--seed "$2"}
}
