"""pack_wheel.py TREE OUT_DIR: makes the wheel ringside-ddp of a tree that bundle.sh has filled with the command line, the agent and the
window. The same tree gives the same bytes.

The tree stays as it is, in a folder of its own below the environment (lib/ringside-ddp), so that the programs find each other and
none of their libraries can be mistaken for one of the environment's. In its bin are scripts of two lines, which start no Python.
The tag says which glibc the programs ask for."""

import base64
import hashlib
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAME = "ringside_ddp"
HOME = "lib/ringside-ddp"
COMMANDS = ("ringside", "ringside-agent", "ringside-dashboard")
SCRIPT = """#!/bin/sh
here=$(readlink -f "$0") && exec "${{here%/*}}/../{home}/bin/{command}" "$@"
"""
METADATA = """Metadata-Version: 2.4
Name: ringside-ddp
Version: {version}
Summary: Launches and watches data-parallel training, live per rank, and says why it is not N times faster
License-Expression: MIT
License-File: LICENSE
License-File: NOTICE
Classifier: Operating System :: POSIX :: Linux
Requires-Python: >=3.9
"""
WHEEL = """Wheel-Version: 1.0
Generator: ringside
Root-Is-Purelib: false
Tag: {tag}
"""


def files_of(tree):
    return sorted(path for path in tree.rglob("*") if path.is_file())


def newest_glibc(tree):
    """The minor number of the newest glibc 2 that a file of the tree asks for."""
    newest = 17
    for path in files_of(tree):
        with open(path, "rb") as file:
            if file.read(4) != b"\x7fELF":
                continue
        symbols = subprocess.run(["objdump", "-T", path], check=True, capture_output=True, text=True).stdout
        newest = max([newest, *(int(minor) for minor in re.findall(r"GLIBC_2\.(\d+)", symbols))])
    return newest


def version_of(tree):
    said = subprocess.run([tree / "bin" / "ringside", "--version"], check=True, capture_output=True, text=True).stdout
    return re.search(r"\d+(\.\d+)+", said).group()


def entries(tree, version, tag):
    """(name in the wheel, bytes, whether it is a program) of all but the record."""
    data, info = f"{NAME}-{version}.data", f"{NAME}-{version}.dist-info"
    for path in files_of(tree):
        yield f"{data}/data/{HOME}/{path.relative_to(tree)}", path.read_bytes(), os.access(path, os.X_OK)
    for command in COMMANDS:
        if (tree / "bin" / command).exists():
            yield f"{data}/scripts/{command}", SCRIPT.format(home=HOME, command=command).encode(), True
    for name in ("LICENSE", "NOTICE"):
        yield f"{info}/licenses/{name}", (ROOT / name).read_bytes(), False
    yield f"{info}/METADATA", METADATA.format(version=version).encode(), False
    yield f"{info}/WHEEL", WHEEL.format(tag=tag).encode(), False


def pack(tree, out):
    version, tag = version_of(tree), f"py3-none-manylinux_2_{newest_glibc(tree)}_x86_64"
    target = out / f"{NAME}-{version}-{tag}.whl"
    record = []
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        def add(name, content, program):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if program else 0o100644) << 16
            wheel.writestr(entry, content)

        for name, content, program in entries(tree, version, tag):
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}\n")
            add(name, content, program)
        name = f"{NAME}-{version}.dist-info/RECORD"
        add(name, ("".join(record) + f"{name},,\n").encode(), False)
    return target


if __name__ == "__main__":
    print(pack(Path(sys.argv[1]), Path(sys.argv[2])))
