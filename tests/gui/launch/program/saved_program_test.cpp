// The stored text and package versions of a program, with which its run can be reproduced.
#include "gui/launch/program/saved_program.h"

#include "gui/launch/child.h"
#include "protocol/base/byte_file.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::launch;

namespace {

// A Python with one package, a script with a module beside it, and another module elsewhere.
struct KeptProject {
  TempFolder folder;
  messages::ProgramSpec program;
  runlog::RunFolder run{folder.path() / "run"};
  KeptProject() {
    write("work/venv/bin/python", "#!/bin/sh\n");
    std::filesystem::permissions(folder.path() / "work/venv/bin/python",
                                 std::filesystem::perms::owner_all);
    write("work/venv/lib/python3.11/site-packages/torch-2.11.0+cpu.dist-info/METADATA", "");
    write("work/venv/lib/python3.11/site-packages/old_one-1.0-py3.11.egg-info/x", "");
    write("work/train.py", "import model\nkey = 'hf_0123456789abcdef'\n");
    write("work/model.py", "width = 1\n");
    write("conf.yaml", "secret: in-the-environment\n");
    program.cwd = (folder.path() / "work").string();
    program.argv = {"venv/bin/python", "train.py", "--config=../conf.yaml"};
    program.environment = {"MY_PASSWORD=in-the-environment"};
    std::filesystem::create_directory(run.path());
  }
  void write(const std::string& name, const std::string& text) { folder.write(name, text); }
  void git(std::vector<std::string> words) {
    std::vector<std::string> argv{
        "/usr/bin/git", "-C", program.cwd, "-c", "user.name=x", "-c", "user.email=x@localhost"};
    argv.insert(argv.end(), words.begin(), words.end());
    const auto ran = capture(argv, 60'000'000'000);
    REQUIRE(ran);
    INFO(ran->errors);
    REQUIRE(ran->exit_code == 0);
  }
  Result<SavedProgram> keep() {
    keep_program(run, program);
    return saved_program(run);
  }
};

}  // namespace

TEST_CASE("S10: a run stores the text of its program and its package versions, without secrets") {
  KeptProject project;
  const auto kept = project.keep();
  REQUIRE(kept);
  const std::string outside = (project.folder.path() / "conf.yaml").string();
  CHECK(kept->files ==
        std::map<std::string, std::string>{{"train.py", "import model\nkey = '[redacted]'\n"},
                                           {"model.py", "width = 1\n"},
                                           {outside, "secret: [redacted]\n"}});
  CHECK(kept->redacted == std::vector<std::string>{outside, "train.py"});
  CHECK(kept->left_out.empty());
  CHECK(kept->packages ==
        std::map<std::string, std::string>{{"torch", "2.11.0+cpu"}, {"old_one", "1.0"}});
  CHECK(kept->python == (project.folder.path() / "work/venv/bin/python").string());
  CHECK(kept->commit.empty());
  CHECK(summary_of(*kept) == "3 files, 2 packages");
  using std::filesystem::perms;
  CHECK(std::filesystem::status(project.run.path() / "program.json").permissions() ==
        (perms::owner_read | perms::owner_write));
}

TEST_CASE("uncommitted changes are stored beside the commit") {
  if (!std::filesystem::exists("/usr/bin/git")) return;
  KeptProject project;
  project.write("work/.gitignore", "venv\n");
  project.git({"init", "-q", "-b", "trunk"});
  project.git({"add", "-A"});
  project.git({"commit", "-q", "-m", "one"});
  auto kept = project.keep();
  REQUIRE(kept);
  CHECK(kept->commit.size() == 40);
  CHECK(kept->branch == "trunk");
  CHECK(kept->uncommitted.empty());
  project.write("work/model.py", "width = 2\npassword = 'hunter22'\n");
  kept = project.keep();
  REQUIRE(kept);
  CHECK(kept->uncommitted.find("-width = 1\n+width = 2\n+password = '[redacted]'\n") !=
        std::string::npos);
  CHECK(kept->files.at("model.py") == "width = 2\npassword = '[redacted]'\n");
  CHECK(summary_of(*kept) == "commit " + kept->commit.substr(0, 12) +
                                 " of trunk with uncommitted changes, 3 files, 2 packages");
}

TEST_CASE("files whose text cannot be stored are listed with the reason") {
  KeptProject project;
  project.write("work/model.py", "# \xff\n");
  project.write("conf.yaml", std::string((1 << 20) + 1, 'x'));
  const auto kept = project.keep();
  REQUIRE(kept);
  CHECK(kept->left_out ==
        std::map<std::string, std::string>{
            {"model.py", "it is not UTF-8"},
            {(project.folder.path() / "conf.yaml").string(), "it is larger than 1 MiB"}});
}

TEST_CASE("the reason why a program was not stored is reported") {
  KeptProject project;
  project.program.keep_source = false;
  CHECK(project.keep().error().message == "the text of its program was not kept");
  project.program.keep_source = true;
  project.program.argv = {"sh", "-c", "python train.py"};
  CHECK(project.keep().error().message ==
        "the text of its program is not known: what sh starts is not followed");
  project.write("run/program.json", "{\"files\": 1}");
  CHECK(saved_program(project.run).error().message ==
        (project.run.path() / "program.json").string() + " is damaged");
}
