// Writing the stored program of a run into a new folder, and comparing it with the present one.
#include "gui/launch/program/made_again.h"

#include "gui/launch/program/program_files.h"
#include "protocol/host/files.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::launch;

namespace {

namespace fs = std::filesystem;

// A run of a script with a module beside it and a settings file elsewhere.
struct MadeAgainProject {
  TempFolder folder;
  messages::RunSpec spec;
  runlog::RunFolder run{folder.path() / "run"};
  SavedProgram kept;
  MadeAgainProject() {
    folder.write("work/venv/bin/python", "#!/bin/sh\n");
    fs::permissions(folder.path() / "work/venv/bin/python", fs::perms::owner_all);
    folder.write(package("torch", "2.11.0"), "");
    folder.write("work/train.py", "import parts.model\npassword = 'hunter22'\n");
    folder.write("work/parts/model.py", "width = 1\n");
    folder.write("conf.yaml", "lr: 1\n");
    spec.program.cwd = (folder.path() / "work").string();
    spec.program.argv = {"venv/bin/python",
                         (folder.path() / "work/train.py").string(),
                         "--config",
                         "../conf.yaml",
                         "--also=../conf.yaml",
                         "--lr=0.1"};
    fs::create_directory(run.path());
    keep_program(run, spec.program);
    kept = saved_program(run).value();
  }
  static std::string package(const std::string& name, const std::string& version) {
    return "work/venv/lib/python3.11/site-packages/" + name + "-" + version + ".dist-info/METADATA";
  }
  ProgramChanges changes() const { return changes_since(run, kept, spec.program); }
};

}  // namespace

TEST_CASE("the files of a run are written with matching paths in the command line") {
  const MadeAgainProject project;
  const fs::path into = project.folder.path() / "again";
  const auto settings = write_again(project.kept, project.spec, into);
  REQUIRE(settings);
  CHECK(*settings == into / "run.toml");
  CHECK(read_text(into / "parts/model.py").value() == "width = 1\n");
  CHECK(read_text(into / "train.py").value() == "import parts.model\npassword = '[redacted]'\n");
  const fs::path outside =
      "outside" / fs::path(project.folder.path() / "conf.yaml").relative_path();
  CHECK(read_text(into / outside).value() == "lr: 1\n");
  const auto spec = messages::parse_run_spec(read_text(*settings).value(), "run.toml");
  REQUIRE(spec);
  CHECK(spec->program.cwd == into.string());
  CHECK(spec->program.argv ==
        std::vector<std::string>{(project.folder.path() / "work/venv/bin/python").string(),
                                 "train.py", "--config", outside.string(),
                                 "--also=" + outside.string(), "--lr=0.1"});
}

TEST_CASE("existing files are not overwritten, and nothing is written outside of the folder") {
  MadeAgainProject project;
  CHECK(write_again(project.kept, project.spec, project.folder.path() / "work").error().message ==
        "there is something in " + (project.folder.path() / "work").string() +
            " already; give a folder that is new or empty");
  project.kept.files["a/../../b.py"] = "";
  const fs::path into = project.folder.path() / "again";
  CHECK(write_again(project.kept, project.spec, into).error().message ==
        "a kept file leads out of the folder: a/../../b.py");
  CHECK_FALSE(fs::exists(into));
}

TEST_CASE("changes since a run are reported by file and by package") {
  MadeAgainProject project;
  ProgramChanges changes = project.changes();
  CHECK(changes.unknown.empty());
  CHECK(changes.edited.empty());
  CHECK(changes.gone.empty());
  CHECK(changes.packages.empty());
  project.folder.write("work/train.py", "import parts.model\npassword = 'hunter23'\n");
  fs::remove(project.folder.path() / "work/parts/model.py");
  project.folder.write(MadeAgainProject::package("numpy", "2.0"), "");
  const fs::path torch = project.folder.path() / MadeAgainProject::package("torch", "2.11.0");
  fs::rename(torch.parent_path(),
             (project.folder.path() / MadeAgainProject::package("torch", "2.12.0")).parent_path());
  changes = project.changes();
  CHECK(changes.edited == std::vector<std::string>{"train.py"});
  CHECK(changes.gone == std::vector<std::string>{"parts/model.py"});
  std::string packages;
  for (const auto& one : changes.packages)
    packages += one.name + " " + one.then + ">" + one.now + " ";
  CHECK(packages == "torch 2.11.0>2.12.0 numpy >2.0 ");
  fs::remove(project.folder.path() / "work/train.py");
  CHECK(project.changes().unknown == "its script is not found");
}
