# The system's packages: the purpose of each group, and installing missing ones. Sourced by ./dev.
# Names are Debian's and Ubuntu's.

packages_build=(g++ cmake ninja-build pkg-config ccache mold git python3 python3-venv
  libzmq3-dev libcli11-dev libfmt-dev libtomlplusplus-dev nlohmann-json3-dev libexpected-dev
  libisal-dev libssl-dev libcurl4-openssl-dev libarchive-dev libjpeg-dev libpng-dev zlib1g-dev libfontconfig-dev libmd4c-dev
  libglfw3-dev libgl-dev libopengl-dev)
packages_run=(libgl1-mesa-dri fonts-inter fonts-jetbrains-mono)
packages_test=(catch2 xvfb xdotool procps iproute2 weston libsquashfuse-dev squashfs-tools)
packages_slurm=(slurmctld slurmd slurm-client munge)
packages_ssh=(openssh-server) # starts sshd on some systems, so only on request
packages_deb=(dpkg-dev lintian)
packages_fuzz=(clang libclang-rt-dev)
packages_bench=(xauth libxkbcommon-x11-0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-render-util0 libxcb-xinerama0)
packages_lint=(clang-format-14 clang-tidy-14)

setup_packages() { # <package>...
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    packages_by_hand "$@"
    return
  fi
  local missing
  mapfile -t missing < <(packages_missing "$@")
  ((${#missing[@]})) || return 0

  note "Installing with apt-get: ${missing[*]}"
  local root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "These packages are missing and neither root nor sudo is at hand: ${missing[*]}"
    root=(sudo)
  fi
  "${root[@]}" apt-get update -qq || note "apt-get update failed; trying with the lists that are there"
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
    >"$log_dir/apt.log" 2>&1 || {
    tail -n 20 "$log_dir/apt.log" >&2
    die "apt-get could not install them; the whole output is in $log_dir/apt.log"
  }
}

packages_missing() { # <package>...
  local installed package
  installed=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' 2>/dev/null)"
  for package; do
    [[ $installed == *" installed:$package "* ]] || echo "$package"
  done
}

# Lists what is missing once if no package manager is known, and leaves the check to the configure step.
packages_by_hand() {
  [[ ! -e $log_dir/packages_named ]] || return 0
  note "This is not Debian or Ubuntu. Under whatever names they have here, these packages are needed:"
  printf '    %s\n' "$@"
  touch "$log_dir/packages_named"
}
