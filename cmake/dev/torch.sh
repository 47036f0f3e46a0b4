# Fetches LibTorch: the torch wheel and its dependencies, from the Python package index, into a private environment in
# the cache; and into another one the reader with which a test checks our TensorBoard files. Sourced by ./dev. A folder
# is named by the hash of its lock file and is complete if it contains the stamp `complete`.

# Chooses the set of packages: full (2.11 with CUDA, for machines with GPUs) if it was requested or can be used, else
# lean (the newest release).
torch_set() {
  if [[ ${RINGSIDE_CUDA:-} == 1 || ${CI:-} == true ]] || [[ -e /proc/driver/nvidia/version ]] ||
    ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'; then
    echo full
  else
    echo lean
  fi
}

environment_root() { # <name of the lock file>
  echo "$cache/$1-$(sha256sum <"$source_dir/cmake/lock/$1.txt" | cut -c1-12)"
}
torch_root() { environment_root "torch-$1"; } # <set>

# Installs the packages of a lock file, or those that match, into a separate environment.
fetch_environment() { # <python> <name of the lock file> [<pattern of packages> <folder>]
  local root=${4:-$(environment_root "$2")}
  mkdir -p "$cache"
  (
    # Two processes would write to the same folder; the second waits here and then finds it complete.
    flock 9
    [[ ! -e $root/complete ]] || exit 0
    rm -rf "$root"
    "$1" -m venv "$root" &&
      awk -v wanted="${3:+^($3)==}" '/^[a-z]/ { on = $0 ~ wanted } on || wanted == ""' "$source_dir/cmake/lock/$2.txt" |
      "$root/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-cache-dir \
        --only-binary=:all: --require-hashes -r /dev/stdin &&
      touch "$root/complete"
  ) 9>"$cache/.$2.lock"
}

# Finds a Python that the lock files support and that can create environments; prefers the system's own to others on the
# path.
find_python() {
  local candidate
  for candidate in /usr/bin/python3 "$(command -v python3 || true)" python3.13 python3.12 python3.11 python3.10; do
    [[ -n $candidate ]] || continue
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))' \
      >/dev/null 2>&1; then
      command -v "$candidate"
      return
    fi
  done
  return 1
}

setup_torch() {
  [[ -z ${RINGSIDE_TORCH_DIR:-} ]] || { note "LibTorch: using RINGSIDE_TORCH_DIR=$RINGSIDE_TORCH_DIR"; return; }
  local set root python
  set=$(torch_set)
  root=$(torch_root "$set")
  # The full set also serves as the lean one.
  if [[ $set == lean && -e $(torch_root full)/complete ]]; then return; fi
  if [[ -e $root/complete ]]; then return; fi

  python=$(find_python) || die "No Python 3.10 to 3.13 with venv and pip was found. Install one, or name an existing" \
    "LibTorch with RINGSIDE_TORCH_DIR=<site-packages/torch or LibTorch folder>."
  local size=1.3
  [[ $set == lean ]] || size=4.7
  note "Fetching LibTorch ($set set, $size GB when unpacked) into $root"
  fetch_environment "$python" "torch-$set" ||
    die "LibTorch could not be fetched. Is the Python package index reachable (see pip's message above)? On a machine" \
      "without it, name an existing LibTorch with RINGSIDE_TORCH_DIR=<site-packages/torch or LibTorch folder>."
}

# Fetches the newest PyTorch for the preset `newest`, with which the trainer is also built and tested.
setup_newest() {
  local python
  [[ -e $(torch_root newest)/complete ]] || note "Fetching the newest PyTorch (5 GB when unpacked)"
  { python=$(find_python) && fetch_environment "$python" torch-newest; } ||
    die "It could not be fetched: it is for Python 3.11 to 3.13. Is the Python package index reachable (see pip's message above)?"
}

# Compiles and links against a PyTorch, of which 1.5 GB of 5 are enough for that. Set and preset have one name.
build_with_core() { # <set> <target>...
  local python root
  root=$(torch_root "$1")
  [[ -e $root/complete ]] || root+=-core
  { python=$(find_python) &&
    fetch_environment "$python" "torch-$1" 'torch|nvidia-(cuda-(cccl|crt|runtime)|nccl-cu13)' "$root"; } ||
    die "It could not be fetched: it is for Python 3.11 to 3.13. Is the Python package index reachable (see pip's message above)?"
  RINGSIDE_TORCH_DIR=$(echo "$root"/lib/python3*/site-packages/torch) build "$@"
}
# What names PyTorch's distributed and CUDA parts, which is where releases differ.
build_newest_core() { build_with_core newest trainer_dist ringside-trainer-cuda; }

# The PyTorch releases that the wheel of trainers serves: rows of lock file and preset.
trainer_sets=(full newest)

# Only for `./dev test`; without it that one test is SKIPPED.
setup_tensorboard() {
  local python
  [[ ! -e $(environment_root tensorboard)/complete ]] || return 0
  note "Fetching TensorBoard's reader (110 MB when unpacked) for the test of the export"
  { python=$(find_python) && fetch_environment "$python" tensorboard; } ||
    note "TensorBoard's reader could not be fetched; the test that needs it says SKIPPED."
}

setup_wheel() {
  local python
  { python=$(find_python) && fetch_environment "$python" wheel; } ||
    die "What makes the wheels could not be fetched. Is the Python package index reachable (see pip's message above)?"
}

# Only for `./dev test --scripts`: frameworks besides the existing PyTorch, and the oldest and the newest PyTorch.
# Without them those cases are SKIPPED.
setup_scripts() {
  local python root torch packages version
  root=$(environment_root scripts)
  torch=$(torch_root full)
  [[ -e $torch/complete ]] || {
    note "The frameworks need PyTorch itself: fetching the full set (4.7 GB when unpacked)"
    { python=$(find_python) && fetch_environment "$python" torch-full; } || return 0
  }
  if [[ ! -e $root/complete ]]; then
    note "Fetching Lightning, Transformers, Accelerate, timm, TensorBoard and wandb (700 MB when unpacked)"
    fetch_environment "$torch/bin/python" scripts ||
      { note "They could not be fetched; the cases that need them say SKIPPED."; return 0; }
  fi
  packages=$("$torch/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  echo "$packages" >"$("$root/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/torch.pth"
  for version in oldest newest; do
    [[ -e $(torch_root "$version")/complete ]] || note "Fetching the $version PyTorch of scripts (5 GB when unpacked)"
    fetch_environment "$torch/bin/python" "torch-$version" ||
      note "It could not be fetched (the oldest is for Python 3.11 alone); the cases that need it are left out."
  done
}
