"""mac_test.py FOLDER: looks at the programs for macOS that `./dev mac` has put there; none of them is run. Each is for arm64 and macOS
11, is signed by the linker (arm64 starts nothing unsigned), and finds its libraries: in the system, or in FOLDER/lib."""
import struct
import sys
import unittest
from pathlib import Path

ARM64 = 0x0100000C
EXECUTE = 2
LOAD_DYLIB, RPATH, SIGNATURE, BUILD_VERSION = 0xC, 0x8000001C, 0x1D, 0x32
SYSTEM = {"/usr/lib/libSystem.B.dylib", "/System/Library/Frameworks/OpenGL.framework/Versions/A/OpenGL"}
BESIDE = {"ringside": {"zmq", "z"}, "ringside-dashboard": {"zmq", "z", "png", "glfw"}}


def slice_of(data):
    """The part for arm64 of a file for several processors."""
    if data[:4] != b"\xca\xfe\xba\xbe":
        return data
    for at in range(8, 8 + 20 * struct.unpack_from(">I", data, 4)[0], 20):
        processor, _, begin, size, _ = struct.unpack_from(">5I", data, at)
        if processor == ARM64:
            return data[begin:begin + size]
    raise AssertionError("it has no part for arm64")


class Program:
    def __init__(self, file):
        data = slice_of(file.read_bytes())
        magic, self.processor, _, self.kind, count = struct.unpack_from("<5I", data)
        assert magic == 0xFEEDFACF, f"{file} is no program of macOS"
        self.commands = []
        at = 32
        for _ in range(count):
            command, size = struct.unpack_from("<2I", data, at)
            self.commands.append((command, data[at:at + size]))
            at += size

    def texts(self, wanted):
        return [body[struct.unpack_from("<I", body, 8)[0]:].split(b"\0")[0].decode() for command, body in self.commands if command == wanted]


class MacTest(unittest.TestCase):
    folder = None

    def test_each_program_is_complete(self):
        for name, beside in BESIDE.items():
            with self.subTest(name):
                program = Program(self.folder / "bin" / name)
                self.assertEqual((program.processor, program.kind), (ARM64, EXECUTE))
                (version,) = (struct.unpack_from("<2I", body, 8) for command, body in program.commands if command == BUILD_VERSION)
                self.assertEqual(version, (1, 11 << 16))
                self.assertIn(SIGNATURE, dict(program.commands))
                self.assertEqual(program.texts(RPATH), ["@executable_path/../lib"])
                libraries = [text.removeprefix("@rpath/") for text in program.texts(LOAD_DYLIB) if text not in SYSTEM]
                self.assertEqual({library.removeprefix("lib").split(".")[0].rstrip("0123456789") for library in libraries}, beside)
                for library in libraries:
                    self.assertTrue((self.folder / "lib" / library).is_file(), library)

    def test_each_library_finds_its_own_beside_it(self):
        for file in (self.folder / "lib").iterdir():
            for library in Program(file).texts(LOAD_DYLIB):
                with self.subTest(f"{file.name}: {library}"):
                    if library.startswith("@loader_path/"):
                        self.assertTrue((file.parent / library.removeprefix("@loader_path/")).is_file())
                    else:
                        self.assertTrue(library.startswith(("/usr/lib/", "/System/Library/")))

    def test_presets_and_manual_are_there(self):
        for part in ("presets", "manual"):
            self.assertTrue(any((self.folder / "share/ringside" / part).iterdir()))


if __name__ == "__main__":
    MacTest.folder = Path(sys.argv.pop())
    unittest.main()
