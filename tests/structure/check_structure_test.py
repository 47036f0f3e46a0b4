#!/usr/bin/env python3
"""Plants one violation at a time in a small tree and expects exactly that one to be found."""
import pathlib
import tempfile
import unittest

import check_structure

RULES = check_structure.read_rules(pathlib.Path(__file__).parent / "rules.txt")


def page_of(half, *more):
    """The README of a half: a row for each of its folders, then these lines."""
    rows = [f"| `{folder}` | something |" for folder in RULES["folders"] if folder.startswith(half + "/")]
    return "\n".join(["| Folder | What lives there |", "|---|---|", *rows, "", *more]) + "\n"


CLEAN = {
    "protocol/README.md": page_of("protocol", "The other half is [here](../gui/README.md#rows), the rest https://elsewhere/."),
    "trainer/README.md": page_of("trainer", "`trainer/engine/loop.cpp`, `trainer/*/loop.*`, `spec.toml` and `a / b` are named."),
    "gui/README.md": page_of("gui", "| a panel | `gui/ui/panel.cpp` |"),
    "protocol/base/result.h": "#include <string>\n",
    "protocol/wire/socket.cpp": '#include <zmq.h>\n#include "protocol/messages/codec.h"\n#include "protocol/base/result.h"\n',
    "trainer/engine/loop.cpp": '#include <torch/torch.h>\n#include "trainer/core/shard.h"\n#include "protocol/wire/socket.h"\n',
    "gui/ui/panel.cpp": '#include <imgui.h>\n#include "gui/view/chart.h"\n',
    "gui/window/main.cpp": '#include "gui/ui/panel.h"\n',
    "gui/model/comments.h": "// The median.\n// Of all ranks.\nint a;  ///< of one rank\nint b;  ///< a rank and\n"
    "        ///< It is long.\nauto c = \"// Of\";  // Often.\n",
    "tests/gui/view/chart_test.cpp": '#include "gui/view/chart.h"\n#include "tests/support/catch.h"\n',
    "tests/promises.md": "| R1 | kept | 1 case | |\n| S7 | later | no test: nothing to test | |\n",
    "tests/gui/model/kept_test.cpp": 'TEST_CASE("R1: kept") {}\n',
    "gui/view/live/loss.cpp": '#include "gui/view/chart/chart.h"\n#include "gui/view/live/loss.h"\n',
    "gui/view/chart/chart.h": '#include "gui/view/words.h"\n',
    "trainer/python/ringside_rank/__init__.py": "from . import _session\nfrom ._values import number\n",
    "trainer/python/ringside_rank/_session.py": "def open():\n    import ringside_rank._values\n",
    "trainer/python/ringside_rank/_values.py": "import os\nfrom ..elsewhere import _session\n",
    "gui/runs/watch_linux.cpp": "int fd = ::inotify_init1(0);\n",
    "gui/runs/watch_mac.cpp": "return status.st_mtimespec.tv_sec;\n",
    "protocol/host/network.cpp": 'std::ifstream routes("/proc/net/route");\n',
    "tests/integration/both_test.cpp": '#include "gui/runs/source.h"\n#include "trainer/agent/agent.h"\n',
}
OFFENCES = {
    "a lower folder includes a higher one": ("protocol/base/a.h", '#include "protocol/messages/codec.h"\n'),
    "a neighbour that is not in the row": ("gui/model/a.h", '#include "gui/view/chart.h"\n'),
    "gui includes trainer": ("gui/launch/a.cpp", '  #  include "trainer/core/shard.h"\n'),
    "trainer includes gui": ("trainer/agent/a.cpp", "#include <gui/model/model.h>\n"),
    "a test of gui includes trainer": ("tests/gui/launch/a_test.cpp", '#include "trainer/core/shard.h"\n'),
    "ZeroMQ outside protocol/wire": ("trainer/agent/a.cpp", "#include <zmq.h>\n"),
    "ImGui outside gui/ui": ("gui/view/a.cpp", "#include <imgui.h>\n"),
    "ImPlot in a test of gui/view": ("tests/gui/view/a_test.cpp", "#include <implot.h>\n"),
    "LibTorch in trainer/core": ("trainer/core/a.cpp", "#include <ATen/ATen.h>\n"),
    "CUDA outside trainer/cuda": ("trainer/engine/a.cpp", "#include <cuda_runtime_api.h>\n"),
    "a folder without a row": ("protocol/misc/a.h", "\n"),
    "a test whose name ctest splits": ("tests/gui/view/a_test.cpp", 'TEST_CASE(\n    "one thing; "\n    "another") {}\n'),
    "a test whose name looks like an option": ("tests/gui/view/a_test.cpp", 'TEST_CASE("--help helps") {}\n'),
    "a promise without a test": ("tests/promises.md", "| R1 | kept | | |\n| R2 | forgotten | | |\n"),
    "a promise that has a test after all": ("tests/promises.md", "| R1 | kept | no test: none | |\n"),
    "a test of no promise": ("tests/gui/view/a_test.cpp", 'TEST_CASE("R1, R99: odd") {}\n'),
    "a README that is missing": ("trainer/README.md", None),
    "a folder that its README leaves out": ("gui/README.md", page_of("gui").replace("| `gui/view` | something |\n", "")),
    "a folder with two rows": ("gui/README.md", page_of("gui", "| `gui/view` | again |")),
    "a row of no folder": ("trainer/README.md", page_of("trainer", "| `trainer/gone` | nothing |")),
    "a row of the other half": ("trainer/README.md", page_of("trainer", "| `gui/view` | views |")),
    "a README that names a file that is not there": ("gui/README.md", page_of("gui", "| a panel | `gui/ui/gone.cpp` |")),
    "a README that names a file without its folder": ("gui/README.md", page_of("gui", "| a panel | `panel.cpp` |")),
    "a README that names a pattern without a file": ("gui/README.md", page_of("gui", "| a panel | `gui/ui/*_gone.cpp` |")),
    "a link that leads nowhere": ("protocol/README.md", page_of("protocol", "[gone](../gui/GONE.md)")),
    "a comment that begins with a preposition": ("gui/model/a.h", "/// Of one rank, ns.\ndouble median();\n"),
    "a comment below another one that begins with a pronoun": ("gui/model/a.h", "int a;  ///< ranks\n/// Its steps.\nint b;\n"),
    "a comment behind code that begins with a pronoun": ("gui/model/a.cpp", "f();  // It is over.\n"),
    "a comment of a test that begins with a conjunction": ("tests/gui/model/a_test.cpp", "  // And so on.\n"),
    "a call that only Linux has": ("gui/runs/a.cpp", "int fd = ::pipe2(ends, O_CLOEXEC);\n"),
    "a folder that only Linux has": ("protocol/host/a.h", 'std::ifstream file("/proc/self/stat");\n'),
    "a time that only Linux has": ("gui/watch/a.cpp", "return status.st_mtim.tv_sec;\n"),
    "a file that is too long": ("protocol/base/a.cpp", "\n" * 501),
}


class CheckStructureTest(unittest.TestCase):
    def offences(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in files.items():
                if text is None:
                    continue
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return list(check_structure.check_tree(root, RULES))

    def test_clean_tree_has_no_offence(self):
        self.assertEqual(self.offences(CLEAN), [])

    def test_each_planted_offence_is_found(self):
        for title, (name, text) in OFFENCES.items():
            with self.subTest(title):
                found = self.offences({**CLEAN, name: text})
                self.assertTrue(found, "nothing was found")
                self.assertTrue(all(line.startswith(name) for line in found), found)

    def test_file_of_the_longest_allowed_length_passes(self):
        self.assertEqual(self.offences({**CLEAN, "protocol/base/a.cpp": "\n" * 500}), [])

    def test_a_folder_holds_so_many_sources_and_no_more(self):
        most = {**CLEAN, **{f"gui/view/part_{number}.h": "" for number in range(40)}}
        self.assertEqual(self.offences(most), [])
        (found,) = self.offences({**most, "gui/view/one_more.cpp": ""})
        self.assertTrue(found.startswith("gui/view: 41 sources"), found)

    def test_a_circle_of_folders_inside_a_folder_is_found(self):
        two = {"gui/view/chart/chart.h": '#include "gui/view/live/loss.h"\n'}
        (found,) = self.offences({**CLEAN, **two})
        self.assertEqual(found, "gui/view: its folders need each other in a circle: chart needs live (gui/view/chart/chart.h:1), "
                                "live needs chart (gui/view/live/loss.cpp:1)")
        three = {"gui/view/words.h": '#include "gui/view/runs/list.h"\n', "gui/view/runs/list.h": '#include "gui/view/live/loss.h"\n'}
        (found,) = self.offences({**CLEAN, **three})
        self.assertIn("live needs chart (gui/view/live/loss.cpp:1), runs needs live (gui/view/runs/list.h:1)",
                      ", ".join(sorted(found.split(": ")[2].split(", "))))

    def test_a_circle_of_python_modules_is_found_wherever_an_import_stands(self):
        package = "trainer/python/ringside_rank/"
        for line in ("from . import _session", "from ._session import open", "import ringside_rank._session",
                     "from ringside_rank import _session", "from ringside_rank._session import open", "def use():\n    from . import _session"):
            with self.subTest(line):
                (found,) = self.offences({**CLEAN, package + "_values.py": line + "\n"})
                self.assertTrue(found.startswith("trainer/python/ringside_rank: its modules need each other in a circle: _session needs "
                                                 f"_values ({package}_session.py:2), _values needs _session"), found)

    def test_a_circle_in_the_rules_is_refused(self):
        with self.assertRaises(SystemExit):
            check_structure.closure({"a": ["b"], "b": ["a"]})


if __name__ == "__main__":
    unittest.main()
