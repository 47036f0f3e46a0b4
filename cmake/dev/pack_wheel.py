"""pack_wheel.py TREE OUT_DIR: makes the wheel ringside-ddp of a tree that bundle.sh and portable/link.py have filled with the command
line, the agent and the window. pack_wheel.py TREE OUT_DIR RINGSIDE: makes the wheel ringside-ddp-trainer of a tree that link.py has filled with
trainers; RINGSIDE is the command line built with them, which knows the version. The same tree gives the same bytes.

The tree stays as it is, in a folder of its own below the environment (lib/ringside-ddp), so that the programs find each other and
none of their libraries can be mistaken for one of the environment's. Older pips take an emptied folder away only where files stood right
in it: LICENSE and NOTICE do. In the environment's bin are scripts of two lines, which start no Python.
The tag says which glibc is enough; a tree that asks for more is refused. The trainer's is that of the C++ library which it shares with
LibTorch, GCC 12's: Ubuntu 22.04 has both. Its bill of materials stands where the packaging standard
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
HOME = "lib/ringside-ddp"
# The minor number of the newest glibc that each wheel may ask for, what a wheel says of itself, and of which locked packages it is made.
GLIBC = {"ringside-ddp": 28, "ringside-ddp-trainer": 35}
ABOUT = {
    "ringside-ddp": """Summary: Launches and watches data-parallel training, live per rank, and says why it is not N times faster
Provides-Extra: trainer
Requires-Dist: ringside-ddp-trainer=={version} ; extra == "trainer"
""",
    "ringside-ddp-trainer": """Summary: Trains the presets of ringside-ddp with the torch of the environment
Requires-Dist: ringside-ddp=={version}
""",
}
LOCKS = {"ringside-ddp": ["wheel"], "ringside-ddp-trainer": ["torch-full", "torch-newest"]}
COMMANDS = ("ringside", "ringside-agent", "ringside-dashboard", "ringside-trainer")
SCRIPT = """#!/bin/sh
here=$(readlink -f "$0") && exec "${{here%/*}}/../{home}/bin/{command}" "$@"
"""
METADATA = """Metadata-Version: 2.4
Name: {name}
Version: {version}
{about}License-Expression: MIT
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


def check_glibc(tree, most):
    for path in files_of(tree):
        with open(path, "rb") as file:
            if file.read(4) != b"\x7fELF":
                continue
        symbols = subprocess.run(["objdump", "-T", path], check=True, capture_output=True, text=True).stdout
        newest = max((int(minor) for minor in re.findall(r"GLIBC_2\.(\d+)", symbols)), default=0)
        if newest > most:
            sys.exit(f"pack_wheel.py: {path} needs glibc 2.{newest}, newer than the 2.{most} of the wheel's name")


def bill(name, tree, facts):
    """Of what is in the tree; GLFW is that of the locked package."""
    inside = {path.name for path in files_of(tree / "licences")} - {"GLFW"}
    facts = facts | {"libraries": [library for library in facts["libraries"] if library["name"] in inside]}
    return sbom.bill(name, facts, LOCKS[name], inside={"glfw"})


def entries(name, tree, facts, tag):
    """(name in the wheel, bytes, whether it is a program) of all but the record."""
    version = facts["version"]
    stem = f"{name.replace('-', '_')}-{version}"
    data, info = f"{stem}.data", f"{stem}.dist-info"
    licences = {name: ROOT / name for name in ("LICENSE", "NOTICE")} | {path.name: path for path in files_of(tree / "licences")}
    for path in files_of(tree):
        if path.parent == tree / "licences":
            continue
        yield f"{data}/data/{HOME}/{path.relative_to(tree)}", path.read_bytes(), os.access(path, os.X_OK)
    for command in COMMANDS:
        if (tree / "bin" / command).exists():
            yield f"{data}/scripts/{command}", SCRIPT.format(home=HOME, command=command).encode(), True
    for file, path in licences.items():
        yield f"{info}/licenses/{file}", path.read_bytes(), False
    files = "".join(f"License-File: {file}\n" for file in licences)
    about = ABOUT[name].format(version=version)
    yield f"{info}/METADATA", METADATA.format(name=name, version=version, about=about, licences=files).encode(), False
    yield f"{info}/sboms/{name}.cdx.json", bill(name, tree, facts).encode(), False
    yield f"{info}/WHEEL", WHEEL.format(tag=tag).encode(), False


def pack(name, tree, out, ringside):
    check_glibc(tree, GLIBC[name])
    facts = sbom.facts_of(ringside)
    tag = f"py3-none-manylinux_2_{GLIBC[name]}_x86_64"
    stem = f"{name.replace('-', '_')}-{facts['version']}"
    target = out / f"{stem}-{tag}.whl"
    record = []
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        def add(name, content, program):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if program else 0o100644) << 16
            wheel.writestr(entry, content)

        for path, content, program in entries(name, tree, facts, tag):
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(content)}\n")
            add(path, content, program)
        path = f"{stem}.dist-info/RECORD"
        add(path, ("".join(record) + f"{path},,\n").encode(), False)
    return target


if __name__ == "__main__":
    tree, out = map(Path, sys.argv[1:3])
    if len(sys.argv) > 3:
        print(pack("ringside-ddp-trainer", tree, out, sys.argv[3]))
    else:
        print(pack("ringside-ddp", tree, out, tree / "bin" / "ringside"))
