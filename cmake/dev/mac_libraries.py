"""mac_libraries.py PARTS: the libraries of PARTS/wheels as PARTS/lib, the wheels' licences as PARTS/licences, and as PARTS/link a copy of
each library to link with. In that copy its own name is @rpath/FILE instead of where its wheel was made. The copy is never run: changing
it breaks its signature."""
import re
import sys
import zipfile
from pathlib import Path

WANTED = re.compile(r".*/(lib(zmq|sodium|glfw|png|z\.)[^/]*\.dylib)")


def main(parts):
    for wheel in sorted((parts / "wheels").glob("*.whl")):
        with zipfile.ZipFile(wheel) as packed:
            for name in packed.namelist():
                if ".dist-info/" in name and "LICENSE" in name:
                    (parts / "licences" / "-".join([wheel.name.split("-")[0], Path(name).name])).write_bytes(packed.read(name))
            for name in filter(WANTED.fullmatch, packed.namelist()):
                file = WANTED.fullmatch(name)[1]
                library, theirs = packed.read(name), f"/DLC/{name}".encode()
                (parts / "lib" / file).write_bytes(library)
                (parts / "link" / file).write_bytes(library.replace(theirs, f"@rpath/{file}".encode().ljust(len(theirs), b"\0")))


main(Path(sys.argv[1]))
