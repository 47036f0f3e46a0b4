// The preflight checks of a custom program, its interpreter and its script, which only read files.
#include <filesystem>
#include <fstream>
#include <string>

#include "gui/launch/preflight/preflight.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using launch::Verdict;
namespace fs = std::filesystem;

namespace {

/// A virtual environment with those files of `python3 -m venv` that the checks read.
class FakeEnvironment {
 public:
  FakeEnvironment() {
    fs::create_directories(root() / "bin");
    std::ofstream(root() / "bin/python3") << "#!/bin/sh\n";
    fs::permissions(root() / "bin/python3", fs::perms::owner_all);
    std::ofstream(root() / "pyvenv.cfg") << "home = /usr/bin\nversion = 3.11.2\n";
    std::ofstream(root() / "train.py") << "print(1)\n";
    program.argv = {"python3", "train.py", "--lr", "0.1"};
    program.cwd = root().string();
    program.environment = {"PATH=" + (root() / "bin").string()};
  }
  void add_torch(const std::string& version) const {
    const fs::path folder = root() / "lib/python3.11/site-packages/torch";
    fs::create_directories(folder);
    std::ofstream(folder / "version.py")
        << "from typing import Optional\n__version__ = '" << version << "'\ncuda = None\n";
  }
  fs::path root() const { return folder_.path(); }

  messages::ProgramSpec program;

 private:
  TempFolder folder_;
};

const launch::Check* find(const std::vector<launch::Check>& checks, const char* title) {
  for (const launch::Check& check : checks) {
    if (check.title == title) return &check;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("an interpreter is reported with its version, and the script with its path") {
  const FakeEnvironment fake;
  const auto checks = launch::check_script(fake.program);
  REQUIRE(find(checks, launch::titles::kProgram) != nullptr);
  CHECK(find(checks, launch::titles::kProgram)->detail ==
        (fake.root() / "bin/python3").string() + ", Python 3.11.2");
  REQUIRE(find(checks, launch::titles::kScript) != nullptr);
  CHECK(find(checks, launch::titles::kScript)->detail == (fake.root() / "train.py").string());
  CHECK(find(checks, launch::titles::kTorch) == nullptr);  // it may be elsewhere
}

TEST_CASE("torch is reported if it lies beside the interpreter") {
  const FakeEnvironment fake;
  fake.add_torch("2.11.0+cpu");
  const auto checks = launch::check_script(fake.program);
  REQUIRE(find(checks, launch::titles::kTorch) != nullptr);
  CHECK(find(checks, launch::titles::kTorch)->detail.starts_with("2.11.0+cpu in "));
}

TEST_CASE("a module beside the script with the name of our package is reported") {
  FakeEnvironment fake;
  fs::create_directories(fake.root() / "src");
  std::ofstream(fake.root() / "src/train.py") << "print(1)\n";
  CHECK(find(launch::check_script(fake.program), launch::titles::kPackage) == nullptr);
  std::ofstream(fake.root() / "ringside_rank.py") << "x = 1\n";
  const std::string module = (fake.root() / "ringside_rank.py").string();
  for (const std::vector<std::string>& argv : {std::vector<std::string>{"python3", "train.py"},
                                               {"python3", "-m", "pkg"},
                                               {"python3", "-c", "print(1)"}}) {
    fake.program.argv = argv;
    const auto checks = launch::check_script(fake.program);
    const auto* const result_text = find(checks, launch::titles::kPackage);
    REQUIRE(result_text != nullptr);
    CHECK(result_text->verdict == Verdict::kWarning);
    CHECK(result_text->detail.find(module) != std::string::npos);
    CHECK(launch::refuse_failures(checks));
  }
  // Python searches beside the script, not in the working folder.
  fake.program.argv = {"python3", "src/train.py"};
  CHECK(find(launch::check_script(fake.program), launch::titles::kPackage) == nullptr);
  fs::create_directories(fake.root() / "src/ringside_rank");
  CHECK(find(launch::check_script(fake.program), launch::titles::kPackage) != nullptr);
}

TEST_CASE("a missing program, a folder and a file that is not executable are told apart") {
  FakeEnvironment fake;
  const auto refused = [&fake](const std::string& program) {
    fake.program.argv = {program};
    const auto checks = launch::check_script(fake.program);
    REQUIRE(checks.size() == 1);
    CHECK(checks[0].verdict == Verdict::kFail);
    return result_text(checks[0]);
  };
  CHECK(refused("no-such-program").find("no program no-such-program in PATH") != std::string::npos);
  CHECK(refused("python").find("here it is called python3") != std::string::npos);
  CHECK(refused("./no-such-program").find("No such file") != std::string::npos);
  CHECK(refused("./bin").find("is a folder") != std::string::npos);
  CHECK(refused("./train.py").find("chmod +x") != std::string::npos);
}

TEST_CASE("a script is looked up in the working folder, and a module or a command is not a file") {
  FakeEnvironment fake;
  fake.program.argv = {"python3", "-u", "-W", "ignore", "missing.py"};
  const auto missing = launch::check_script(fake.program);
  REQUIRE(find(missing, launch::titles::kScript) != nullptr);
  CHECK(find(missing, launch::titles::kScript)->verdict == Verdict::kFail);
  CHECK(find(missing, launch::titles::kScript)->detail ==
        (fake.root() / "missing.py").string() + " is not there");
  for (const std::vector<std::string>& argv :
       {std::vector<std::string>{"python3", "-m", "pkg"}, {"python3", "-c", "print(1)"}}) {
    fake.program.argv = argv;
    const auto checks = launch::check_script(fake.program);
    CHECK(checks.size() == 1);
    CHECK(launch::refuse_failures(checks));
  }
}
