// A program counts as the same by its content, not only by its command line.
#include "gui/launch/program/program_files.h"

#include "gui/launch/launchers/launchers.h"
#include "gui/launch/program/saved_program.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::launch;
using runlog::ProgramFiles;

namespace {

// A Python with one package, and a script with modules beside it.
struct Project {
  TempFolder folder;
  messages::ProgramSpec program;
  Project() {
    write("venv/bin/python", "#!/bin/sh\n");
    std::filesystem::permissions(folder.path() / "venv/bin/python",
                                 std::filesystem::perms::owner_all);
    write("venv/lib/python3.11/site-packages/torch-2.11.0.dist-info/METADATA", "");
    write("train.py", "import os, model as m\nfrom parts import loss\nfrom parts.deep import x\n");
    write("model.py", "width = 1\n");
    write("other.py", "nothing to do with it\n");
    write("parts/__init__.py", "");
    write("parts/loss.py", "from . import scale\nfrom .deep import y as z\n");
    write("parts/scale.py", "s = 1\n");
    write("parts/deep.py", "x = y = 1\n");
    write("conf.yaml", "lr: 1\n");
    program.cwd = folder.path().string();
    program.argv = {"venv/bin/python", "train.py", "--config=conf.yaml", "--lr", "0.1"};
  }
  void write(const std::string& name, const std::string& text) { folder.write(name, text); }
  ProgramFiles files() const { return program_files(program); }
};

}  // namespace

TEST_CASE("options of Python itself are skipped with their values") {
  using Words = std::vector<std::string>;
  const Words plain{"python3", "-u", "-W",  "ignore", "--check-hash-based-pycs",
                    "default", "-X", "dev", "t.py",   "-m"};
  CHECK(script_in(plain) == "t.py");
  CHECK(script_in(Words{"python3", "-u", "-m", "t"}).empty());
  CHECK(script_in(Words{"python3", "-", "t.py"}).empty());
  CHECK(script_in(Words{"python3", "-X"}).empty());
  CHECK(behind_python_options(Words{"env", "python3", "-Wignore", "-m", "t"}, 1) == 3);
  CHECK(behind_python_option(plain, 1) == 2);
  CHECK(behind_python_option(plain, 8) == 8);
}

TEST_CASE("a program consists of its script, its local imports, its settings and its packages") {
  Project project;
  const ProgramFiles files = project.files();
  CHECK(files.unknown.empty());
  std::vector<std::string> names;
  for (const auto& [name, content] : files.parts) names.push_back(name);
  CHECK(names == std::vector<std::string>{"conf.yaml", "model.py", "packages", "parts/__init__.py",
                                          "parts/deep.py", "parts/loss.py", "parts/scale.py",
                                          "train.py"});
  CHECK(other_files(runlog::parse_program_files(text_of(files)), files).empty());
}

TEST_CASE("editing any part makes another program, and editing an unused file beside it does not") {
  const std::vector<std::pair<const char*, const char*>> edits = {
      {"train.py", "train.py was edited since"},
      {"model.py", "model.py was edited since"},
      {"parts/scale.py", "parts/scale.py was edited since"},
      {"conf.yaml", "conf.yaml was edited since"},
      {"other.py", ""},
      {"venv/lib/python3.11/site-packages/numpy-2.dist-info/METADATA",
       "the packages of its Python have changed since"},
  };
  for (const auto& [file, why] : edits) {
    INFO(file);
    Project project;
    const ProgramFiles then = project.files();
    project.write(file, "import os, model as m\nfrom parts import loss\nchanged = 2\n");
    CHECK(other_files(then, project.files()) == why);
  }
}

TEST_CASE("the packages of a Python behind a shim of pyenv are those of its version") {
  Project project;
  const auto python = project.folder.path() / "pyenv/shims/python3";
  project.write("pyenv/shims/python3", "#!/bin/sh\n");
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  project.write("pyenv/version", "3.11.7\n");
  project.write(
      "pyenv/versions/3.11.7/lib/python3.11/site-packages/torch-2.11.0.dist-info/METADATA", "");
  project.write("pyenv/versions/3.12.1/lib/python3.12/site-packages/torch-2.8.0.dist-info/METADATA",
                "");
  project.program.argv[0] = python.string();
  project.program.environment = {"PYENV_VERSION="};
  const ProgramFiles then = project.files();
  CHECK(then.unknown.empty());
  project.write(".python-version", "3.12.1\n");
  CHECK(other_files(then, project.files()) == "the packages of its Python have changed since");
}

TEST_CASE("an unknown program is not equal to itself") {
  Project project;
  const std::string unknown = "it is not known whether its program is the same: ";
  project.program.argv = {"sh", "-c", "python train.py"};
  CHECK(other_files(project.files(), project.files()) ==
        unknown + "what sh starts is not followed");
  project.program.argv = {"nice", "venv/bin/python", "train.py"};
  CHECK(other_files(project.files(), project.files()) ==
        unknown + "what nice starts is not followed");
  project.program.argv = {"venv/bin/python", "gone.py"};
  CHECK(other_files(project.files(), project.files()).starts_with(unknown));
  project.program.argv = {"venv/bin/python", "-m", "parts.loss"};
  CHECK(project.files().parts.contains("parts/scale.py"));
  std::filesystem::remove_all(project.folder.path() / "venv/lib");
  CHECK(project.files().unknown.find("packages") != std::string::npos);
}

TEST_CASE("a run's program is recorded with it and compared with today's") {
  Project project;
  const runlog::RunFolder run(project.folder.path() / "run");
  std::filesystem::create_directories(run.path());
  CHECK(changed_since(run, project.program).find("they were not noted") != std::string::npos);
  keep_program(run, project.program);
  CHECK(changed_since(run, project.program).empty());
  project.write("model.py", "width = 2\n");
  CHECK(changed_since(run, project.program) == "model.py was edited since");
  CHECK(edited_since(run, project.program) == "model.py was edited since");
  std::filesystem::remove(run.path() / "program_files");
  CHECK_FALSE(changed_since(run, project.program).empty());
  CHECK(edited_since(run, project.program).empty());
  CHECK(changed_since(run, {}).empty());
}
