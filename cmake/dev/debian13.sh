# Runs commands of ./dev on Debian 13 (g++ 14, Catch2 3, Python 3.13), in a separate root in the cache. Sourced by
# ./dev.

# Runs ./dev ARGS on a copy of this tree there; what it built is kept for the next time.
on_debian13() { # <argument of ./dev>...
  local root=$cache/debian-13
  ((EUID == 0)) && unshare --mount true || die "a root of Debian 13 needs root, and the right to mount"
  setup_packages debootstrap
  mkdir -p "$root"
  exec 8<"$root"
  flock --nonblock 8 || die "$root is in use by another command"
  [[ -e $root/complete ]] || {
    find "$root" -xdev -mindepth 1 -delete
    stage "Fetching Debian 13" debootstrap --variant=minbase --include=ca-certificates,git trixie "$root" >"$log_dir/debian13.log" &&
      touch "$root/complete" || die "it could not be fetched; the whole output is in $log_dir/debian13.log"
  }
  mkdir -p "$root/ringside"
  # Files that were deleted here are deleted there too, except build outputs. All files get a new time (-m), since one
  # edited here while an older copy was compiled there would count as built. ccache recognizes unchanged files.
  find "$root/ringside" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
  git -C "$source_dir" ls-files -z --cached --others --exclude-standard |
    tar -C "$source_dir" --null --files-from=- --ignore-failed-read -cf - | tar -C "$root/ringside" -xmf -
  unshare --mount --pid --fork --kill-child --propagation private bash -c '
    set -e
    root=$1
    shift
    mount -t proc proc "$root/proc"
    for path in /dev /sys /etc/resolv.conf /etc/hosts /etc/ssl/certs; do
      [[ -e $root$path ]] || touch "$root$path"
      mount --rbind "$path" "$root$path"
    done
    exec chroot "$root" env -u DISPLAY -u WAYLAND_DISPLAY -u RINGSIDE_CACHE_DIR -u XDG_CACHE_HOME HOME=/root USER=root LC_ALL=C.UTF-8 \
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin /ringside/dev "$@"
  ' bash "$root" "$@"
}
