#include "protocol/runlog/whole_argv.h"

#include <cstdlib>
#include <optional>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using Argv = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

class StateHome {
 public:
  explicit StateHome(const fs::path& path) { ::setenv("XDG_STATE_HOME", path.c_str(), 1); }
  StateHome(const StateHome&) = delete;
  StateHome& operator=(const StateHome&) = delete;
  ~StateHome() {
    before_ ? ::setenv("XDG_STATE_HOME", before_->c_str(), 1) : ::unsetenv("XDG_STATE_HOME");
  }

 private:
  std::optional<std::string> before_ = [] {
    const char* set = std::getenv("XDG_STATE_HOME");
    return set == nullptr ? std::nullopt : std::optional<std::string>(set);
  }();
};

}  // namespace

TEST_CASE("S10: a command line with secrets is stored separately, readable only by its owner") {
  const TempFolder folder;
  const StateHome state(folder.path());
  const Argv argv{"train", "--api-key=a\nb c", ""};
  const Argv stored{"train", "--api-key=[redacted]", ""};
  REQUIRE(runlog::keep_whole_argv(runlog::RunFolder("/runs/20261121T134005Z-7f3a1c"), argv));
  CHECK(runlog::whole_argv("20261121T134005Z-7f3a1c", stored).value() == argv);
  const fs::path home = folder.path() / "ringside" / "arguments";
  CHECK(fs::status(home).permissions() == fs::perms::owner_all);
  CHECK(fs::status(home / "20261121T134005Z-7f3a1c").permissions() ==
        (fs::perms::owner_read | fs::perms::owner_write));
  // Without a secret nothing is looked up; the command line of another run, or a different command
  // line, is unknown.
  CHECK(runlog::whole_argv("x", {"train"}).value() == Argv{"train"});
  for (const auto& unknown :
       {runlog::whole_argv("x", stored),
        runlog::whole_argv("20261121T134005Z-7f3a1c", {"other", "--api-key=[redacted]", ""})}) {
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().kind == ErrorKind::kRequest);
  }
}

TEST_CASE(
    "S10: a stored command line is deleted with its run, but not when the runs are out of reach") {
  const TempFolder folder;
  const StateHome state(folder.path());
  const Argv argv{"train", "--api-key=12345678"};
  const Argv stored{"train", "--api-key=[redacted]"};
  for (const char* run : {"runs/a", "runs/b", "disk/c", "mount/d", "runs/e"}) {
    fs::create_directories(folder.path() / run);
    REQUIRE(runlog::keep_whole_argv(runlog::RunFolder(folder.path() / run), argv));
  }
  fs::remove_all(folder.path() / "runs/a");
  fs::remove_all(folder.path() / "disk");
  fs::remove_all(folder.path() / "mount/d");  // as if it were not mounted
  fs::rename(folder.path() / "runs/e", folder.path() / "e");
  REQUIRE(runlog::keep_whole_argv(runlog::RunFolder(folder.path() / "e"), argv));
  runlog::forget_deleted_runs();
  CHECK_FALSE(runlog::whole_argv("a", stored));
  CHECK(runlog::whole_argv("b", stored));
  CHECK(runlog::whole_argv("c", stored));
  CHECK(runlog::whole_argv("d", stored));
  CHECK(runlog::whole_argv("e", stored));
  const fs::path home = folder.path() / "ringside" / "arguments";
  CHECK(std::distance(fs::directory_iterator(home), {}) == 8);
}

TEST_CASE("words that are not text are passed to the program, and the settings remain text") {
  const TempFolder folder;
  const StateHome state(folder.path() / "state");
  const runlog::RunFolder run(folder.path() / "runs/a");
  fs::create_directories(run.path());
  messages::ProgramSpec program;
  program.argv = {"train", "r\xE9sum\xE9.txt", "\xFF"};
  program.environment = {"NAME=\xC3"};
  const auto stored = runlog::without_secrets(run, program);
  REQUIRE(stored);
  CHECK(stored->argv == Argv{"train", "r\xEF\xBF\xBDsum\xEF\xBF\xBD.txt", "\xEF\xBF\xBD"});
  CHECK(stored->environment == Argv{"NAME=\xEF\xBF\xBD"});
  const auto whole = runlog::with_secrets(run, *stored);
  REQUIRE(whole);
  CHECK(whole->argv == program.argv);
  CHECK(whole->environment == program.environment);
  // A word that looks like one with a hidden part is stored, too.
  const runlog::RunFolder other(folder.path() / "runs/b");
  program.argv = {"train", "[redacted]", "\xEF\xBF\xBD"};
  program.environment = {};
  const auto same = runlog::without_secrets(other, program);
  REQUIRE(same);
  REQUIRE(runlog::with_secrets(other, *same));
  CHECK(runlog::with_secrets(other, *same)->argv == program.argv);
}

TEST_CASE("S10: secrets of the environment are stored with those of the command line") {
  const TempFolder folder;
  const StateHome state(folder.path() / "state");
  const runlog::RunFolder run(folder.path() / "runs/a");
  fs::create_directories(run.path());
  messages::ProgramSpec program;
  program.argv = {"python", "train.py", "--hf-token", "hunter-22"};
  program.environment = {"WANDB_API_KEY=hunter-23", "LR=0.1"};
  const auto stored = runlog::without_secrets(run, program);
  REQUIRE(stored);
  CHECK(stored->argv == Argv{"python", "train.py", "--hf-token", "[redacted]"});
  CHECK(stored->environment == Argv{"WANDB_API_KEY=[redacted]", "LR=0.1"});
  const auto whole = runlog::with_secrets(run, *stored);
  REQUIRE(whole);
  CHECK(whole->argv == program.argv);
  CHECK(whole->environment == program.environment);
  // There is no stored command for other settings.
  auto other = *stored;
  other.environment.push_back("MORE=1");
  REQUIRE_FALSE(runlog::with_secrets(run, other));
  CHECK(runlog::with_secrets(run, other).error().kind == ErrorKind::kRequest);
  // Without a secret nothing is stored.
  const runlog::RunFolder plain(folder.path() / "runs/b");
  program.argv = {"train"};
  program.environment = {"LR=0.1"};
  CHECK(runlog::without_secrets(plain, program)->environment == program.environment);
  CHECK_FALSE(fs::exists(folder.path() / "state/ringside/arguments/b"));
  CHECK(runlog::with_secrets(plain, program)->argv == program.argv);
}
