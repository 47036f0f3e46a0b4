// Tests how the window opens invalid, damaged and unusual run folders; no window is opened.
#include "gui/session/window/session.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include "gui/runs/chosen_baseline.h"
#include "gui/runs/run_figures.h"
#include "gui/view/live/event_strip.h"
#include "protocol/host/files.h"
#include "protocol/runlog/crc32c.h"
#include "protocol/runlog/log_format.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/nonsense.h"
#include "tests/support/session_until.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::session;
namespace fs = std::filesystem;

namespace {

struct Opened {
  explicit Opened(const std::string& run, const std::optional<remote::Address>& machine = {})
      : session(options(run, machine), [] {}) {
    started = session.start();
  }

  Session::Options options(const std::string& run, const std::optional<remote::Address>& machine) {
    // The test must not read the settings of the person who runs it.
    ::setenv("XDG_CONFIG_HOME", (folder.path() / "config").c_str(), 1);
    Session::Options wanted;
    wanted.runs_dir = folder.path() / "runs";
    wanted.run = run;
    if (machine) wanted.machine = OtherMachine{*machine, "", wanted.runs_dir};
    return wanted;
  }

  /// Updates until `holds` returns true for the input of the screen.
  template <class Holds>
  bool until(Holds&& holds) {
    return testing::until(session, holds);
  }
  std::string banner() {
    const auto input = session.input();
    if (input.live.model == nullptr) return {};
    return view::plain(
        view::build_event_strip(*input.live.model, input.live.context, {}).first.main);
  }

  TempFolder folder;
  Session session;
  Result<void> started;
};

support::DemoOptions small() { return support::demo_small(2); }

runlog::RunFolder a_run(const TempFolder& folder) {
  return support::make_run(folder.path(), "20261121T100000Z-aaaaaa", small());
}

bool unreadable(const view::ScreenInput& input) { return !input.live.context.unreadable.empty(); }
bool loaded(const view::ScreenInput& input) {
  return input.live.model != nullptr && input.live.model->newest_common_step() == 119;
}

}  // namespace

TEST_CASE("a folder that is not a run folder is refused with the name of the missing file") {
  const TempFolder folder;
  fs::create_directories(folder.path() / "photos");
  for (const fs::path& path : {folder.path() / "photos", folder.path() / "not there"}) {
    const Opened opened(path.string());
    REQUIRE_FALSE(opened.started);
    CHECK(opened.started.error().message.find(path.string()) != std::string::npos);
    CHECK(opened.started.error().message.find("spec.toml") != std::string::npos);
  }
}

TEST_CASE("the first dropped file is opened, and a message names the ignored ones") {
  Opened opened("");
  REQUIRE(opened.started);
  const TempFolder elsewhere;
  const std::string run = a_run(elsewhere).path().string();
  SECTION("a file in a run folder stands for the folder") {
    opened.session.open_dropped({run + "/node_0.log"});
    REQUIRE(opened.until(loaded));
    CHECK(opened.session.input().message.text.find("outside the list") != std::string::npos);
  }
  SECTION("several files") {
    opened.session.open_dropped({run, elsewhere.path().string()});
    REQUIRE(opened.until(loaded));
    CHECK(opened.session.input().message.text.find("first of 2 dropped items") !=
          std::string::npos);
  }
  SECTION("files of another tool are followed") {
    elsewhere.write("metrics.csv", "step,loss\n1,0.5\n");
    const std::string table = (elsewhere.path() / "metrics.csv").string();
    opened.session.open_dropped({table});
    REQUIRE(opened.until([&](const view::ScreenInput& input) {
      return input.message.text == "Following " + table + "…";
    }));
    // The program that imports them is not beside this test.
    REQUIRE(opened.until([](const view::ScreenInput& input) {
      return input.message.text.find("ringside") != std::string::npos &&
             input.message.tone == view::Tone::kError;
    }));
  }
  SECTION("a file that belongs to no run") {
    opened.session.open_dropped({"/etc/hostname"});
    REQUIRE(opened.until([](const view::ScreenInput& input) {
      return input.message.text.find("/etc/hostname") != std::string::npos;
    }));
    CHECK(opened.session.input().message.text.find("spec.toml") != std::string::npos);
  }
}

TEST_CASE("copies of another machine's runs are not edited, nor are local files followed there") {
  ::setenv("RINGSIDE_SSH", "/bin/false", 1);  // asked for by threads of the session
  Opened opened("", remote::Address{"", "box", 0});
  REQUIRE(opened.started);
  CHECK(opened.session.input().runs.elsewhere == "Connecting to ssh://box…");
  const auto said = [&] { return opened.session.input().message.text; };
  for (const view::Command& command :
       view::CommandQueue{view::EditLabels{"20261121T100000Z-aaaaaa", "another name", {}, {}},
                          view::ImportRun{}, view::WatchFolder{}}) {
    (void)opened.session.execute({command});
    CHECK(said().find("On ssh://box") == 0);
    CHECK(said().find("only by its own ringside") != std::string::npos);
  }
  // The state of the connection is shown first, at any time.
  REQUIRE(opened.until([](const view::ScreenInput& input) {
    return input.runs.elsewhere.find("Connecting") == std::string::npos;
  }));
  CHECK(opened.session.input().runs.elsewhere.find("ssh://box") != std::string::npos);
  const TempFolder elsewhere;
  elsewhere.write("metrics.csv", "step,loss\n1,0.5\n");
  opened.session.open_dropped({elsewhere.path().string()});
  CHECK(opened.until([](const view::ScreenInput& input) {
    return input.message.text.find("in a window of this machine") != std::string::npos;
  }));
}

TEST_CASE("the error for a log of a newer version names the required version") {
  const TempFolder folder;
  const auto run = a_run(folder);
  std::fstream log(run.log_path(0), std::ios::in | std::ios::out | std::ios::binary);
  std::string header(runlog::kFileHeaderBytes, '\0');
  log.read(header.data(), static_cast<std::streamsize>(header.size()));
  const std::uint16_t version = 9;
  std::memcpy(header.data() + 8, &version, sizeof version);
  const auto bytes = std::as_bytes(std::span(header)).first(header.size() - 4);
  const std::uint32_t crc = runlog::crc32c(bytes);
  std::memcpy(header.data() + header.size() - 4, &crc, sizeof crc);
  log.seekp(0);
  log.write(header.data(), static_cast<std::streamsize>(header.size()));
  log.close();
  Opened opened(run.path().string());
  REQUIRE(opened.started);
  REQUIRE(opened.until(unreadable));
  CHECK(opened.banner().find("format version 9") != std::string::npos);
}

TEST_CASE("a log that cannot be read shows the reason") {
  const TempFolder folder;
  const auto run = a_run(folder);
  fs::remove(run.log_path(0));
  fs::create_directory(run.log_path(0));
  Opened opened(run.path().string());
  REQUIRE(opened.started);
  REQUIRE(opened.until(unreadable));
  CHECK(opened.banner().find("node_0.log") != std::string::npos);
}

TEST_CASE("a partly copied run shows the parts that exist: settings alone, or a truncated log") {
  const TempFolder folder;
  const auto run = a_run(folder);
  SECTION("settings alone") {
    fs::remove(run.log_path(0));
    Opened opened(run.path().string());
    REQUIRE(opened.started);
    CHECK(opened.until([](const view::ScreenInput& input) {
      return input.live.context.contact == view::Contact::kInterrupted;
    }));
    CHECK(opened.banner().starts_with(view::label::kAgentGone));
  }
  SECTION("half of the log") {
    fs::resize_file(run.log_path(0), fs::file_size(run.log_path(0)) / 2);
    Opened opened(run.path().string());
    REQUIRE(opened.started);
    CHECK(opened.until([](const view::ScreenInput& input) {
      return input.live.context.contact == view::Contact::kInterrupted &&
             input.live.model->newest_common_step() > 10;
    }));
    CHECK_FALSE(unreadable(opened.session.input()));
  }
  SECTION("half of the settings") {
    std::ofstream(run.spec_path(), std::ios::app) << "\n[trai";
    const Opened opened(run.path().string());
    REQUIRE_FALSE(opened.started);
    CHECK(opened.started.error().message.find("spec.toml") != std::string::npos);
  }
}

TEST_CASE("settings of a newer version are refused, with the likely reason") {
  const TempFolder folder;
  const auto run = a_run(folder);
  std::ofstream(run.spec_path(), std::ios::app) << "\n[hyperdrive]\nlevel = 9\n";
  const Opened opened(run.path().string());
  REQUIRE_FALSE(opened.started);
  CHECK(opened.started.error().message.find("hyperdrive") != std::string::npos);
  CHECK(opened.started.error().message.find("newer") != std::string::npos);
}

TEST_CASE("a machine with an invalid address is not opened, and the error is shown") {
  const TempFolder folder;
  const auto run = a_run(folder);
  Opened opened(run.path().string());
  REQUIRE(opened.started);
  CHECK(opened.session.execute({view::SelectMachine{"ssh://-oProxyCommand=x"}}).empty());
  CHECK(opened.session.input().message.tone == view::Tone::kError);
  CHECK(opened.session.execute({view::SelectMachine{"ssh://box"}}).size() == 1);
  // Choosing this machine again changes nothing.
  CHECK(opened.session.execute({view::SelectMachine{}}).empty());
  CHECK(opened.session.page() == view::Page::kRuns);
}

TEST_CASE("a place that is chosen on the board is selected in the form, with its settings") {
  const TempFolder folder;
  Opened opened(a_run(folder).path().string());
  REQUIRE(opened.started);
  CHECK(opened.session.execute({view::SelectMachine{"", view::Page::kLaunch, "gpu"}}).empty());
  CHECK(opened.session.page() == view::Page::kLaunch);
  opened.session.execute({view::EditField{"batch.size", "48"}, view::WatchMachine{"ssh://box"}});
  const view::SelectMachine away{"ssh://box", view::Page::kLaunch, "gpu"};
  REQUIRE(opened.session.execute({away}).size() == 1);
  const CarriedState carried = opened.session.carried_to(away);
  REQUIRE(carried.settings);
  CHECK(carried.settings->batch.size == 48);
  CHECK(carried.settings->devices.ids.empty());
  CHECK(carried.partition == "gpu");
  CHECK_FALSE(opened.session.carried_to(view::SelectMachine{"ssh://box"}).settings);
}

TEST_CASE("an open run whose folder is deleted stays on the screen with a message") {
  const TempFolder folder;
  const auto run = a_run(folder);
  Opened opened(run.path().string());
  REQUIRE(opened.started);
  REQUIRE(opened.until(loaded));
  CHECK_FALSE(unreadable(opened.session.input()));
  fs::remove_all(run.path());
  REQUIRE(opened.until(unreadable));
  CHECK(opened.banner().find("is gone") != std::string::npos);
  CHECK(opened.session.input().live.model->newest_common_step() == 119);
  // Commands that need the folder show an error and change nothing.
  (void)opened.session.execute({view::ExportRun{}});
  CHECK(opened.until(
      [](const view::ScreenInput& input) { return input.message.tone == view::Tone::kError; }));
}

TEST_CASE("runs with absurd times and numbers are opened and replayed like others") {
  const TempFolder folder;
  const auto run = support::make_folder(folder.path(), "20261121T100000Z-aaaaaa",
                                        support::demo_spec(support::demo_small(4)));
  {
    support::LogSink sink(run);
    messages::Notice notice;
    notice.text = "from the end of time";
    for (const std::int64_t at : {std::int64_t{1}, std::numeric_limits<std::int64_t>::max(),
                                  std::numeric_limits<std::int64_t>::min()})
      sink.accept({0, kNoRank, 0, at}, notice);
    support::Nonsense(1).play(sink);
  }
  Opened opened(run.path().string());
  REQUIRE(opened.started);
  const auto all_read = [](const view::ScreenInput& input) {
    return input.live.model->notices_seen() == 3 && input.live.model->revision() > 400;
  };
  CHECK(opened.until(all_read));
  (void)opened.session.execute({view::Replay{run.path().string(), 100}});
  CHECK(opened.until([](const view::ScreenInput& input) {
    return input.live.context.replaying && input.live.model->notices_seen() > 0;
  }));
  (void)opened.session.execute({view::SeekReplay{0.5}, view::Pause{true}, view::SeekReplay{0}});
  (void)opened.session.execute({view::Pause{false}, view::SeekReplay{1}});
  CHECK(opened.until(all_read));
}

TEST_CASE("a run name may have any characters") {
  const TempFolder folder;
  for (const std::string& name :
       {std::string("\u202Egnp.evil \u2066x"), std::string("日本語 🦀 \u0301\u0301\u0301"),
        std::string("line\nbreak\ttab\x1b[31m"), std::string(4096, 'x'),
        std::string("%s%n \"'`$(id)")}) {
    auto spec = support::demo_spec(small());
    spec.name = name;
    const auto run = support::make_folder(folder.path(), "20261121T100000Z-bbbbbb", spec);
    Opened opened(run.path().string());
    REQUIRE(opened.started);
    opened.session.update();
    CHECK(opened.session.input().live.model->spec().name == name);
  }
}

TEST_CASE("the open run is compared with another run of the same work on request") {
  Opened opened("");
  const fs::path runs = opened.folder.path() / "runs";
  support::make_run(runs, "20261121T100000Z-aaaaaa", support::demo_small(1));
  support::make_run(runs, "20261121T101000Z-bbbbbb", support::demo_small(1));
  auto other = support::demo_small(1);
  other.epochs = 2;
  support::make_run(runs, "20261121T102000Z-cccccc", other);
  const auto four = support::make_run(runs, "20261121T110000Z-dddddd", support::demo_small(4));
  auto spec = support::demo_spec(support::demo_small(1));
  spec.model.name = "resnet18";
  spec.devices.world_size = 4;
  spec.baseline.run = "20261121T100000Z-aaaaaa";
  REQUIRE(write_text_atomically(four.spec_path(), messages::to_toml(spec)));
  opened.session.execute({view::OpenRun{"20261121T110000Z-dddddd"},
                          view::SelectPage{view::Page::kRuns},
                          view::SelectPage{view::Page::kLive}});
  REQUIRE(opened.until(
      [](const view::ScreenInput& input) { return input.live.context.baselines.size() == 2; }));
  const auto input = opened.session.input();
  CHECK(input.live.baseline.id == "20261121T100000Z-aaaaaa");
  CHECK(input.live.context.baselines[0].id == "20261121T101000Z-bbbbbb");
  CHECK(input.live.context.baselines[0].label.starts_with("#2, 1 rank, "));
  opened.session.execute({view::CompareWith{"20261121T101000Z-bbbbbb"}});
  REQUIRE(opened.until([](const view::ScreenInput& now) {
    return now.live.baseline.id == "20261121T101000Z-bbbbbb" &&
           now.live.baseline.model->newest_common_step() > 0;
  }));
  opened.session.execute({view::OpenRun{"20261121T101000Z-bbbbbb"}});
  REQUIRE(opened.until(
      [](const view::ScreenInput& now) { return now.live.context.baseline_of == "#4"; }));
  opened.session.execute({view::OpenRun{"20261121T100000Z-aaaaaa"}});
  CHECK(opened.session.input().live.context.baseline_of.empty());
  // The chosen baseline applies from then on, here and in every list and report.
  opened.session.execute({view::OpenRun{"20261121T110000Z-dddddd"}});
  CHECK(opened.session.input().live.baseline.id == "20261121T101000Z-bbbbbb");
  CHECK(runs::baseline_folder(four, spec)->id() == "20261121T101000Z-bbbbbb");
  opened.session.execute({view::OpenRun{"20261121T100000Z-aaaaaa"}});
  CHECK(opened.session.input().live.context.baselines.empty());
  // The choice holds until that run is deleted, also while the other run is open, and again if the
  // run is restored.
  opened.session.execute({view::OpenRun{"20261121T110000Z-dddddd"}});
  const auto compared_with = [](std::string id) {
    return [id = std::move(id)](const view::ScreenInput& now) {
      return now.live.baseline.id == id && now.live.baseline.model != nullptr;
    };
  };
  REQUIRE(compared_with("20261121T101000Z-bbbbbb")(opened.session.input()));
  const auto look = [&] {
    opened.session.execute(
        {view::SelectPage{view::Page::kRuns}, view::SelectPage{view::Page::kLive}});
  };
  fs::rename(runs / "20261121T101000Z-bbbbbb", opened.folder.path() / "elsewhere");
  look();
  CHECK(opened.until(compared_with("20261121T100000Z-aaaaaa")));
  fs::rename(runs / "20261121T100000Z-aaaaaa", opened.folder.path() / "first");
  look();
  CHECK(opened.until([](const view::ScreenInput& now) {
    return now.live.baseline.id == "20261121T100000Z-aaaaaa" && now.live.baseline.model == nullptr;
  }));
  fs::rename(opened.folder.path() / "first", runs / "20261121T100000Z-aaaaaa");
  look();
  CHECK(opened.until(compared_with("20261121T100000Z-aaaaaa")));
}
