#!/usr/bin/env python3
"""Runs clang-tidy over our sources: tidy.py SOURCE_DIR BUILD_DIR.

It checks the unity units of the build, with many files each, since it spends most of its time in headers. The folders with
LibTorch, whose headers take minutes, and the tests are left out. A unit is checked again only if one of its files, a header
of ours that it includes, or the configuration has changed: BUILD_DIR/tidy records units that passed.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

LEFT_OUT = re.compile(r"^(trainer/(models|dist|cuda|engine|check)|tests|CMakeFiles)/")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def fingerprint(root, name, seen):
    """Adds `name` and every header of ours that it includes, directly or not, to `seen`, as name -> contents."""
    path = root / name
    if name in seen or not path.is_file():
        return
    seen[name] = path.read_bytes()
    for header in INCLUDE.findall(seen[name].decode("utf-8", "replace")):
        fingerprint(root, header, seen)


def digest(root, name, command):
    seen = {}
    fingerprint(root, name, seen)
    key = hashlib.sha256((root / ".clang-tidy").read_bytes() + pathlib.Path(__file__).read_bytes() + command.encode())
    for part in sorted(seen):
        key.update(part.encode() + b"\0" + seen[part])
    return key.hexdigest()


def main():
    root, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    tidy = shutil.which("clang-tidy-14") or shutil.which("clang-tidy")
    if not tidy:
        sys.exit("clang-tidy 14 is missing")
    passed = build / "tidy"
    passed.mkdir(exist_ok=True)
    pending = {}
    total = 0
    for entry in json.loads((build / "compile_commands.json").read_text()):
        name = os.path.relpath(entry["file"], root)
        place = os.path.relpath(entry["file"], build)
        if name.startswith("..") or LEFT_OUT.search(name if place.startswith("..") else place):
            continue
        total += 1
        key = digest(root, name, entry["command"])
        if not (passed / key).exists():
            pending[name] = key
    print(f"{total} units, {len(pending)} of them changed since they last passed", flush=True)

    def check(name):
        # The commands are for g++: clang does not know all of its warning options.
        return subprocess.run(
            [tidy, "-p", str(build), "--quiet", "--extra-arg=-Wno-unknown-warning-option", "--extra-arg=-Wno-error", name],
            cwd=root, capture_output=True, text=True, check=False)

    failed = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, result in zip(pending, pool.map(check, pending)):
            if result.returncode:
                failed.append(name)
                print(result.stdout or result.stderr, flush=True)
            else:
                (passed / pending[name]).touch()
    if failed:
        sys.exit(f"clang-tidy found something in: {' '.join(failed)}")


if __name__ == "__main__":
    main()
