// Random input with a whole session behind the screen: real run folders of every kind are opened,
// replayed, compared, searched, exported, deleted and restored, with the session's threads. Nothing
// is written outside of the test's folder and no program is started. `./dev monkey` continues with
// further seeds under the sanitizers.
#include "tests/gui/ui/monkey.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "gui/session/window/session.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/nonsense.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using test::NullScreen;
namespace fs = std::filesystem;

namespace {

constexpr int kActs = 1600;
constexpr int kActsARun = 120;

std::string id_of(std::size_t number) {
  const std::string two_digits = std::to_string(10 + number);
  return "20261121T1000" + two_digits + "Z-0000" + two_digits;
}

/// One folder of each kind: one rank, eight ranks with that as baseline, 64 ranks, failed, NaN,
/// resumed, damaged log, only settings, nonsense, and a living agent that cannot be reached.
std::vector<std::string> make_runs(const fs::path& runs_dir) {
  std::vector<support::DemoOptions> options{
      support::demo_small(1), support::demo_small(8), support::demo_small(64),
      support::demo_small(8), support::demo_small(2), support::demo_small(4),
      support::demo_small(4), support::demo_small(2), support::demo_small(2)};
  options[3].killed_rank = 5;
  options[4].nan_from = 20;
  options[5].resume_from = 60;
  options[5].resume_to = 120;
  options[8].finish = false;
  std::vector<std::string> ids;
  for (const support::DemoOptions& wanted : options) {
    ids.push_back(id_of(ids.size()));
    const std::string baseline = ids.size() > 1 ? ids.front() : std::string();
    const auto run = support::make_run(runs_dir, ids.back(), wanted, baseline);
    const fs::path texts = run.path() / "attempt_0" / "rank_0";
    fs::create_directories(texts);
    std::ofstream(texts / "stdout", std::ios::binary)
        << "\x1b[32mepoch\x1b[0m 1\rstep 2\nstep 3 \xff\xfe broken\n"
        << std::string(5000, 'x') << "\nstep 4";
    std::ofstream(texts / "stderr") << "warning: ☃\nTraceback (most recent call last):\nError: e\n";
  }
  const runlog::RunFolder damaged(runs_dir / ids[6]);
  const auto size = static_cast<std::streamoff>(fs::file_size(damaged.log_path(0)));
  std::fstream log(damaged.log_path(0), std::ios::in | std::ios::out | std::ios::binary);
  log.seekp(size / 3);
  log.write("damaged", 7);
  log.close();
  fs::resize_file(damaged.log_path(0), static_cast<std::uintmax_t>(size - 100));
  fs::remove(runlog::RunFolder(runs_dir / ids[7]).log_path(0));
  ids.push_back(id_of(9));
  support::LogSink sink(
      support::make_folder(runs_dir, ids.back(), support::demo_spec(support::demo_small(4))));
  support::Nonsense(test::monkey_seed()).play(sink);
  const runlog::RunFolder live(runs_dir / ids[8]);
  REQUIRE(wire::write_agent_endpoint(live.agent_path(), support::agent_endpoint_of(ids[8], true)));
  return ids;
}

/// Keeps the test away from settings, exports and programs of the person who runs it.
void stay_inside(const fs::path& folder) {
  ::setenv("HOME", folder.c_str(), 1);
  for (const char* name : {"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"})
    ::setenv(name, (folder / name).c_str(), 1);
  ::setenv("PATH", (folder / "no programs").c_str(), 1);
}

bool inside(const std::string& path, const fs::path& folder) {
  return path.empty() || fs::path(path).lexically_normal().string().starts_with(folder.string());
}

/// Whether a command starts no program and writes only inside `folder`.
bool harmless(const view::Command& command, const fs::path& folder) {
  if (const auto* wanted = view::as<view::ExportRun>(command)) return inside(wanted->path, folder);
  if (const auto* wanted = view::as<view::SaveImage>(command)) return inside(wanted->path, folder);
  return view::as<view::StartRun>(command) == nullptr &&
         view::as<view::ResumeRun>(command) == nullptr &&
         view::as<view::ProbeLinks>(command) == nullptr &&
         view::as<view::SetAlertCommand>(command) == nullptr;
}

class Trial {
 public:
  using Kind = std::pair<std::size_t, std::size_t>;  ///< group of a command, index in it

  Trial(const fs::path& folder, std::vector<std::string> ids, unsigned seed)
      : folder_(folder),
        ids_(std::move(ids)),
        session_(options_of(folder), [] {}),
        monkey_(screen_, seed) {
    REQUIRE(session_.start());
  }

  void run() {
    for (int i = 0; i < kActs; ++i) {
      if (i % kActsARun == 0) open_another();
      session_.update();
      screen_.input = session_.input();
      monkey_.act();
      places_.insert(static_cast<int>(screen_.input.page));
      carry_out(screen_.commands());
    }
  }

  const NullScreen& screen() const { return screen_; }
  const std::set<int>& places() const { return places_; }
  const std::set<Kind>& kinds() const { return kinds_; }

 private:
  static session::Session::Options options_of(const fs::path& folder) {
    session::Session::Options options;
    options.runs_dir = folder / "runs";
    return options;
  }

  void carry_out(const view::CommandQueue& commands) {
    view::CommandQueue wanted;
    for (const view::Command& command : commands) {
      kinds_.insert(
          {command.index(), std::visit([](const auto& group) { return group.index(); }, command)});
      if (harmless(command, folder_)) wanted.push_back(command);
    }
    for (const view::WindowCommand& command : session_.execute(wanted)) monkey_.carry_out(command);
  }

  /// Opens every run and every page in turn, whatever was deleted, hidden or left open before.
  void open_another() {
    const std::string& id = ids_[turn_ % ids_.size()];
    view::CommandQueue commands(3, view::UndoTrash{});
    commands.emplace_back(view::SetRunFilter{});
    commands.emplace_back(view::ShowManual{false, {}, {}});  // the manual covers everything
    if (turn_ % 3 == 2) {
      commands.emplace_back(view::Replay{id, 100});
    } else {
      commands.emplace_back(view::OpenRun{id});
    }
    commands.emplace_back(view::MarkRun{id, true});
    if (turn_ % 4 == 2) commands.emplace_back(view::SelectPage{view::Page::kRuns});
    if (turn_ % 4 == 3) commands.emplace_back(view::SelectPage{view::Page::kLaunch});
    (void)session_.execute(commands);
    ++turn_;
  }

  fs::path folder_;
  std::vector<std::string> ids_;
  session::Session session_;
  NullScreen screen_;
  test::Monkey monkey_;
  std::size_t turn_ = 0;
  std::set<int> places_;
  std::set<Kind> kinds_;
};

}  // namespace

TEST_CASE("random input with a whole session breaks nothing") {
  const TempFolder folder;
  stay_inside(folder.path());
  const auto ids = make_runs(folder.path() / "runs");
  const unsigned seed = test::monkey_seed();
  INFO("RINGSIDE_MONKEY_SEED=" << seed);
  Trial trial(folder.path(), ids, seed);
  trial.run();
  CHECK(trial.screen().vertices() > 100);
  CHECK(trial.places().size() >= 3);
  INFO("kinds of commands: " << trial.kinds().size());
  CHECK(trial.kinds().size() >= 20);
}
