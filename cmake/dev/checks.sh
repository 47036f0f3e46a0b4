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

ctest_release() { # <ctest argument>...
  ctest --test-dir "$source_dir/build/release" --output-on-failure --no-tests=error -j "$(nproc)" "$@"
}

run_tests() { # <ctest argument>...
  start_screen
  stage "Testing" ctest_release "$@"
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
  configure release
  stage "Formatting" check_format
  stage "Structure" python3 -B "$source_dir/tests/structure/check_structure.py" "$source_dir"
  stage "clang-tidy" python3 -B "$source_dir/cmake/dev/tidy.py" "$source_dir" "$source_dir/build/release"
}

bench() {
  start_screen
  "$source_dir/tests/bench/run" "$source_dir/build/release" "$@"
}
