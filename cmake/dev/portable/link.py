"""link.py BUILD_DIR TREE: links the programs of a release build once more, into TREE, for glibc 2.28 and newer. link.py --licences
BUILD_DIR FOLDER: only the licences of what is compiled into them. link.py --trainer TREE BUILD_DIR...: the trainer of each build, for
the LibTorch of that build, into TREE/libexec/torch-VERSION, and the script that chooses among them.

The objects are the build's own; only the libraries differ. An object does not contain the version of a function that it needs: the
linker takes it from the library, here from stubs of glibc with no version after 2.28. Functions that those lack are in old_glibc.c.
The C++ library, ZeroMQ, libsodium, zlib and libpng are linked statically; OpenGL, fontconfig and GLFW are loaded when the window
starts, so that a machine without them runs everything else. GLFW, one for X11 and one for Wayland, comes from the package glfw of this
Python. The licences of all included code go to TREE/licences."""

import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
NEWEST = (2, 28)
NEWEST_HERE = (2, 37)
PROGRAMS = ("bin/ringside", "bin/ringside-agent", "bin/ringside-dashboard")
LIBRARY = "lib/libringside_rank.so"
GLFW = ("x11", "wayland")

# Shared libraries on the link lines of the build, and their replacements.
INSTEAD = {
    "libzmq": ["{work}/never.o", "{libs}/libzmq.a", "{libs}/libsodium.a"],
    "libfmt": ["{work}/fmt.o"],
    "libpng": ["{libs}/libpng.a", "{libs}/libz.a"],
    "libz": ["{libs}/libz.a"],
    "libmd4c": ["{libs}/libmd4c.so"],
    "libjpeg": ["{libs}/libjpeg.a"],
    "libdl": [], "libtomlplusplus": [], "libglfw": [], "libGLX": [], "libOpenGL": [], "libGL": [], "libfontconfig": [],
}
# Libraries that the trainer and ringside-data stay linked to, as in their build.
KEPT = {"libc10", "libcrypto", "libcurl", "libc10_cuda", "libcudart", "libisal", "libnccl", "libtorch_cpu", "libtorch_cuda"}
# ZeroMQ's archive also contains transports that are not used here.
NEVER = r"(pgm_|gss_|GSS_|Norm[A-Z]|NORM_)\w*$"
# Prefixes of functions that are loaded at run time, and the libraries that may have them.
LATER = {
    "Fc[A-Z]": ['"libfontconfig.so.1"'],
    "gl[A-Z]": ['"libOpenGL.so.0"', '"libGL.so.1"'],
    "glfw": ['given("WAYLAND_DISPLAY") && !given("DISPLAY") ? "$ORIGIN/../lib/libglfw-wayland.so" : "$ORIGIN/../lib/libglfw-x11.so"'],
}


# Third-party code that ends up in the programs, by its names in NOTICE, and the system's packages whose file of licences speaks of it.
TRAINER_PARTS = {"ISA-L": "libisal-dev", "libarchive": "libarchive-dev", "libjpeg-turbo": "libjpeg62-turbo-dev"}
PARTS = {"CLI11": "libcli11-dev", "GCC's run-time libraries": "libstdc++-12-dev", "JSON for Modern C++": "nlohmann-json3-dev",
         "MD4C": "libmd4c-dev", "fmt": "libfmt-dev", "libpng": "libpng-dev", "libsodium": "libsodium-dev", "libzmq": "libzmq3-dev",
         "tl-expected": "libexpected-dev", "toml++": "libtomlplusplus-dev", "zlib": "zlib1g-dev"}


def said(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def undefined(file, *options):
    return {line.split()[-1] for line in said("nm", "-u", *options, file).splitlines() if line.strip().startswith("U ")}


def exported(library):
    """(name, version, kind, size) of the symbols of a glibc library, each in its newest version that is old enough."""
    best = {}
    for line in said("readelf", "--dyn-syms", "-W", library).splitlines():
        parts = line.split()
        if len(parts) < 8 or parts[6] in ("UND", "ABS") or parts[3] not in ("FUNC", "IFUNC", "OBJECT", "TLS"):
            continue
        match = re.fullmatch(r"(\w+)@@?GLIBC_([\d.]+)", parts[7])
        if match:
            version = tuple(int(part) for part in match[2].split("."))
            if version <= NEWEST and version > best.get(match[1], ((),))[0]:
                best[match[1]] = (version, parts[3], int(parts[2], 0))
    return sorted((name, *found) for name, found in best.items())


def make_stub(work, name, symbols):
    lines, versions = [], sorted({version for _, version, _, _ in symbols})
    for number, (symbol, version, kind, size) in enumerate(symbols):
        text = "GLIBC_" + ".".join(map(str, version))
        section = {"OBJECT": ".data", "TLS": '.section .tdata,"awT"'}.get(kind, ".text")
        kind = {"OBJECT": "object", "TLS": "tls_object"}.get(kind, "function")
        lines.append(f"{section}\n.globl s{number}\n.type s{number},@{kind}\n.size s{number},{max(size, 1)}\ns{number}: .zero {max(size, 1)}\n"
                     f".symver s{number},{symbol}@@{text},remove\n")
    source, script = work / "stub.s", work / "stub.map"
    source.write_text("".join(lines))
    script.write_text("".join("GLIBC_" + ".".join(map(str, version)) + " {};\n" for version in versions))
    options = [f"-Wl,--version-script={script}"] if versions else []
    said("gcc", "-shared", "-nostdlib", "-fuse-ld=bfd", f"-Wl,-soname,{name}", *options, "-o", work / "stubs" / name, source)


def system(library):
    return Path(said("gcc", f"-print-file-name={library}").strip()).resolve()


def make_stubs(work):
    (work / "stubs").mkdir()
    for name in ("libc.so.6", "libm.so.6"):
        make_stub(work, name, exported(system(name)))
    # The functions of these libraries are now in libc.so.6; on an old machine the libraries must be present.
    for name in ("libpthread.so.0", "libdl.so.2", "librt.so.1"):
        make_stub(work, name, [])


def make_never(work, libs):
    names = sorted(name for name in undefined(libs / "libzmq.a") if re.match(NEVER, name))
    (work / "never.s").write_text(".text\n" + "".join(f".globl {name}\n.hidden {name}\n{name}:\n" for name in names) +
                                  "movl $1, %eax\nret\n.section .note.GNU-stack\n")
    said("gcc", "-c", "-o", work / "never.o", work / "never.s")


def make_later(work, program):
    """An object with the functions of LATER that the program needs: each calls the library's function, or returns 0 if it is
    missing."""
    wanted = undefined(program, "-D")
    parts = ["#include <dlfcn.h>\n#include <stdlib.h>\nstatic void* nothing(void) { return 0; }\n"
             "static int given(const char* name) { const char* const value = getenv(name); return value && *value; }\n"]
    loading = []
    for prefix, libraries in LATER.items():
        names = sorted(name for name in wanted if re.match(prefix + r"\w*$", name) and "@" not in name)
        if not names:
            continue
        loading.append("  library = 0;\n" + "".join(f"  if (!library) library = dlopen({one}, RTLD_NOW | RTLD_GLOBAL);\n" for one in libraries))
        for name in names:
            parts.append(f'__attribute__((visibility("hidden"))) void* at_{name} = (void*)nothing;\n'
                         f'__asm__(".text\\n.globl {name}\\n.hidden {name}\\n.type {name},@function\\n{name}: jmp *at_{name}(%rip)\\n");\n')
            loading.append(f'  if (library && (found = dlsym(library, "{name}"))) at_{name} = found;\n')
    if not loading:
        return []
    parts.append("__attribute__((constructor)) static void look(void) {\n  void *library, *found;\n" + "".join(loading) + "}\n")
    (work / "later.c").write_text("".join(parts))
    said("gcc", "-O1", "-fPIC", "-c", "-o", work / "later.o", work / "later.c")
    return [str(work / "later.o")]


def line_of(build, target):
    """Arguments of the build's own link line."""
    line = said("ninja", "-C", build, "-t", "commands", "-s", target).splitlines()[-1]
    return [word.replace("\\$", "$") for word in shlex.split(line.removeprefix(": && ").removesuffix(" && :"))]


def words_of(build, work, libs, target, out, kept=()):
    """The words of the build's own line of linking with other libraries, but for those of `kept`."""
    words = []
    for word in line_of(build, target):
        match = re.fullmatch(r"/\S*/(lib[A-Za-z0-9+_]*)\.so[\d.]*|-l(dl)", word)
        name = match and re.sub(r"(png)\d+$", r"\1", match[1] or "libdl")
        if match and name not in kept:
            words += [each.format(work=work, libs=libs) for each in INSTEAD[name]]
        elif not word.startswith("-fuse-ld"):
            words.append(word)
    words[words.index("-o") + 1] = str(out)
    return words


def relink(build, work, libs, target, out):
    program = not target.endswith(".so")
    words = words_of(build, work, libs, target, out)
    later = make_later(work, Path(build) / target) if program else []
    old = work / ("program.o" if program else "library.o")
    # An archive is named twice so that the last object that needs it finds it.
    twice = [word for word in words if word.endswith(".a")]
    said(*words, *later, *twice, "-fuse-ld=bfd", "-s", "-static-libstdc++", "-static-libgcc", f"-L{work}/stubs",
         *(["-Wl,--wrap=__libc_start_main"] if program else []), "-nodefaultlibs", "-Wl,--start-group", "-l:libstdc++.a", "-lgcc",
         "-lgcc_eh", str(old), "-l:libc.so.6", "-l:libm.so.6", "-l:libc_nonshared.a", "-Wl,--end-group", "-l:ld-linux-x86-64.so.2",
         "-Wl,--no-as-needed", "-l:libpthread.so.0", "-l:libdl.so.2", "-l:librt.so.1", cwd=build)


def copy_licences(parts, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    docs = Path("/usr/share/doc")
    for part, package in parts.items():
        shutil.copy(docs / re.sub(r"-12-", "-" + said("gcc", "-dumpversion").strip() + "-", package) / "copyright", folder / part)


def keep_licences(build, folder, glfw=None):
    """`glfw`: the folder of the package, where it is brought along."""
    copy_licences(PARTS, folder)
    if glfw:
        shutil.copy(next(glfw.parent.glob("glfw-*.dist-info/**/LICENSE*")), folder / "GLFW")
    for unit in json.loads((Path(build) / "compile_commands.json").read_text()):
        if unit["file"].endswith("/imgui.cpp"):
            shutil.copy(Path(unit["file"]).parent / "LICENSE.txt", folder / "Dear ImGui")


def check_machine():
    """Headers of a newer glibc rename functions that 2.28 has, and the compiler's C++ library may use the new names too."""
    here = os.confstr("CS_GNU_LIBC_VERSION").split()[-1]
    if tuple(map(int, here.split("."))) > NEWEST_HERE:
        print(f"link.py: this machine has glibc {here}; the wheel of programs is made on Debian 12 (2.36)", file=sys.stderr)
        sys.exit(77)


def link(build, tree):
    check_machine()
    package = importlib.util.find_spec("glfw")
    if not package:
        sys.exit(f"link.py: {sys.executable} has no package glfw; './dev wheel' makes one that has")
    glfw = Path(package.origin).parent
    libs = system("libzmq.a").parent
    with tempfile.TemporaryDirectory(prefix="ringside-link-") as folder:
        work = Path(folder)
        make_stubs(work)
        make_never(work, libs)
        said("g++", "-std=c++20", "-O2", "-fPIC", "-c", "-o", work / "fmt.o", HERE / "fmt.cpp")
        for name, options in (("library.o", []), ("program.o", ["-DPROGRAM"])):
            said("gcc", "-O2", "-fPIC", *options, "-c", "-o", work / name, HERE / "old_glibc.c")
        shutil.rmtree(tree / "lib", ignore_errors=True)
        (tree / "lib").mkdir()
        for target in (*PROGRAMS, LIBRARY):
            built = "bin/" + Path(target).name
            if (Path(build) / built).exists():
                relink(build, work, libs, built, tree / target)
        shutil.copy(system("libmd4c.so"), tree / "lib" / "libmd4c.so.0")
        for kind in GLFW:
            shutil.copy(glfw / kind / "libglfw.so", tree / "lib" / f"libglfw-{kind}.so")
    keep_licences(build, tree / "licences", glfw)


def relink_shared(build, work, libs, name, folder):
    words = [word for word in words_of(build, work, libs, f"bin/{name}", folder / name, KEPT) if "-rpath," not in word]
    said(*words, *(word for word in words if word.endswith(".a")), work / "old.o", "-s", "-fuse-ld=bfd", "-Wl,--allow-shlib-undefined",
         "-Wl,-rpath,$ORIGIN/../lib:$ORIGIN/../../lib", cwd=build)


def link_trainers(tree, builds):
    """The trainer shares its C++ library with LibTorch, so that is neither linked in nor replaced; nor is glibc. ISA-L has no archive."""
    libs = system("libzmq.a").parent
    shutil.rmtree(tree, ignore_errors=True)
    (tree / "bin").mkdir(parents=True)
    shutil.copy(HERE.parent / "ringside-trainer.sh", tree / "bin" / "ringside-trainer")
    (tree / "lib").mkdir()
    shutil.copy(system("libisal.so"), tree / "lib" / "libisal.so.2")
    with tempfile.TemporaryDirectory(prefix="ringside-link-") as folder:
        work = Path(folder)
        make_never(work, libs)
        said("gcc", "-O2", "-fPIC", "-c", "-o", work / "old.o", HERE / "old_glibc.c")
        for build in builds:
            folder = tree / re.search(r"^RINGSIDE_TORCH_PROGRAMS:INTERNAL=(.*)$", (Path(build) / "CMakeCache.txt").read_text(), re.M)[1]
            folder.mkdir(parents=True)
            relink_shared(build, work, libs, "ringside-trainer", folder)
            if (Path(build) / "bin" / "ringside-trainer-cuda.so").exists():
                relink_shared(build, work, libs, "ringside-trainer-cuda.so", folder)
        relink_shared(builds[0], work, libs, "ringside-data", tree / "bin")
    copy_licences({part: package for part, package in PARTS.items() if part != "MD4C"} | TRAINER_PARTS, tree / "licences")


if __name__ == "__main__":
    try:
        if sys.argv[1] == "--licences":
            keep_licences(sys.argv[2], Path(sys.argv[3]))
        elif sys.argv[1] == "--trainer":
            link_trainers(Path(sys.argv[2]).resolve(), sys.argv[3:])
        else:
            link(sys.argv[1], Path(sys.argv[2]).resolve())
    except subprocess.CalledProcessError as failed:
        sys.exit(f"link.py: {shlex.join(map(str, failed.cmd))[:300]} ...\n{failed.stderr}")
