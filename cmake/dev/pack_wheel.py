"""pack_wheel.py TREE OUT_DIR: makes the wheel ringside-ddp of a tree that bundle.sh and portable/link.py have filled with the command
line, the agent and the window. The same tree gives the same bytes.

The tree stays as it is, in a folder of its own below the environment (lib/ringside-ddp), so that the programs find each other and
none of their libraries can be mistaken for one of the environment's. Older pips take an emptied folder away only where files stood right
in it: LICENSE and NOTICE do. In the environment's bin are scripts of two lines, which start no Python.
The tag says that glibc 2.28 is enough; a tree that asks for more is refused. Its bill of materials stands where the packaging standard
wants it, among the metadata (sboms/), and names what the tree has a licence of."""

import base64
import hashlib
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import sbom

ROOT = Path(__file__).resolve().parents[2]
NAME = "ringside_ddp"
HOME = "lib/ringside-ddp"
GLIBC = 28  # the minor number
COMMANDS = ("ringside", "ringside-agent", "ringside-dashboard")
SCRIPT = """#!/bin/sh
here=$(readlink -f "$0") && exec "${{here%/*}}/../{home}/bin/{command}" "$@"
"""
METADATA = """Metadata-Version: 2.4
Name: ringside-ddp
Version: {version}
Summary: Launches and watches data-parallel training, live per rank, and says why it is not N times faster
License-Expression: MIT
{licences}Classifier: Operating System :: POSIX :: Linux
Requires-Python: >=3.9
"""
WHEEL = """Wheel-Version: 1.0
Generator: ringside
Root-Is-Purelib: false
Tag: {tag}
"""


def files_of(tree):
    return sorted(path for path in tree.rglob("*") if path.is_file())


def check_glibc(tree):
    for path in files_of(tree):
        with open(path, "rb") as file:
            if file.read(4) != b"\x7fELF":
                continue
        symbols = subprocess.run(["objdump", "-T", path], check=True, capture_output=True, text=True).stdout
        newest = max((int(minor) for minor in re.findall(r"GLIBC_2\.(\d+)", symbols)), default=0)
        if newest > GLIBC:
            sys.exit(f"pack_wheel.py: {path} needs glibc 2.{newest}, newer than the 2.{GLIBC} of the wheel's name")


def bill(tree, facts):
    """Of what is in the tree; GLFW is that of the locked package."""
    inside = {path.name for path in files_of(tree / "licences")} - {"GLFW"}
    facts = facts | {"libraries": [library for library in facts["libraries"] if library["name"] in inside]}
    return sbom.bill("ringside-ddp", facts, ["wheel"], inside={"glfw"})


def entries(tree, facts, tag):
    """(name in the wheel, bytes, whether it is a program) of all but the record."""
    version = facts["version"]
    data, info = f"{NAME}-{version}.data", f"{NAME}-{version}.dist-info"
    licences = {name: ROOT / name for name in ("LICENSE", "NOTICE")} | {path.name: path for path in files_of(tree / "licences")}
    for path in files_of(tree):
        if path.parent == tree / "licences":
            continue
        yield f"{data}/data/{HOME}/{path.relative_to(tree)}", path.read_bytes(), os.access(path, os.X_OK)
    for command in COMMANDS:
        if (tree / "bin" / command).exists():
            yield f"{data}/scripts/{command}", SCRIPT.format(home=HOME, command=command).encode(), True
    for name, path in licences.items():
        yield f"{info}/licenses/{name}", path.read_bytes(), False
    yield f"{info}/METADATA", METADATA.format(version=version, licences="".join(f"License-File: {name}\n" for name in licences)).encode(), False
    yield f"{info}/sboms/ringside-ddp.cdx.json", bill(tree, facts).encode(), False
    yield f"{info}/WHEEL", WHEEL.format(tag=tag).encode(), False


def pack(tree, out):
    check_glibc(tree)
    facts = sbom.facts_of(tree / "bin" / "ringside")
    version, tag = facts["version"], f"py3-none-manylinux_2_{GLIBC}_x86_64"
    target = out / f"{NAME}-{version}-{tag}.whl"
    record = []
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        def add(name, content, program):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if program else 0o100644) << 16
            wheel.writestr(entry, content)

        for name, content, program in entries(tree, facts, tag):
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}\n")
            add(name, content, program)
        name = f"{NAME}-{version}.dist-info/RECORD"
        add(name, ("".join(record) + f"{name},,\n").encode(), False)
    return target


if __name__ == "__main__":
    print(pack(Path(sys.argv[1]), Path(sys.argv[2])))
