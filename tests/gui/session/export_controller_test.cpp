// Exports as the window does them, without a window: real folders, real jobs, and every outcome.
#include "gui/session/export_controller.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "gui/view/window/sheet_labels.h"
#include "protocol/host/files.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"
#include "tests/support/temp_folder.h"

namespace fs = std::filesystem;
using namespace ringside;

namespace {

constexpr const char* kRun = "20261121T134005Z-7f3a1c";

/// The controller with what a session provides for it.
struct Rig {
  explicit Rig(Step steps = 40) {
    auto options = support::demo_small(2);
    options.steps = steps;
    run = support::make_run(folder.path(), kRun, options).path();
  }

  /// Waits until the export has ended and calls its completion.
  void finish() {
    std::unique_lock lock(mutex);
    while (jobs.running("export")) {
      const bool woken = wakes.wait_for(lock, testing::kPatience, [&] { return woke > 0; });
      REQUIRE(woken);
      woke = 0;
      lock.unlock();
      jobs.finish();
      lock.lock();
    }
  }
  void ask_for(view::ExportRun wanted) {
    rig.apply(wanted, run.string());
    finish();
  }
  view::ExportInput question() const {
    view::ExportInput input;
    rig.fill(input);
    return input;
  }

  TempFolder folder;
  fs::path run;
  std::mutex mutex;
  std::condition_variable wakes;
  int woke = 0;
  std::function<void()> wake = [this] {
    const std::lock_guard lock(mutex);
    ++woke;
    wakes.notify_one();
  };
  session::MessageLine line;
  session::Jobs jobs{wake};
  session::ExportController rig{folder.path(), jobs, wake, line};
};

view::ExportRun of(view::ExportKind kind, const fs::path& to = {}) {
  view::ExportRun wanted;
  wanted.kind = kind;
  wanted.path = to.string();
  return wanted;
}

bool says(const view::Message& message, const std::string& text) {
  return message.text.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("the export question is about the open run or the named one") {
  Rig made;
  made.rig.apply(view::AskExport{}, made.run.string());
  CHECK(made.question().asking);
  CHECK(made.question().facts.label == "#1");
  CHECK(made.question().facts.folder == (made.run / "export").string());
  CHECK(made.question().facts.tables.size() == 10);
  made.rig.apply(view::AskExport{{}, false}, made.run.string());
  CHECK_FALSE(made.question().asking);
  made.rig.apply(view::AskExport{{kRun}}, "");
  CHECK(made.question().asking);
  made.rig.apply(view::AskExport{}, "");
  CHECK_FALSE(made.question().asking);
  REQUIRE(made.line.shown().number == 1);
  CHECK(says(made.line.shown(), "no run to export"));
}

TEST_CASE("each kind of export is written to the run's folder by default") {
  Rig made;
  made.ask_for(of(view::ExportKind::kCsv));
  CHECK(fs::exists(made.run / "export" / "shards.csv"));
  CHECK(made.line.shown().tone == view::Tone::kOk);
  CHECK(says(made.line.shown(), "rows in 10 files"));
  CHECK(made.line.shown().share < 0);
  made.ask_for(of(view::ExportKind::kTensorBoard));
  CHECK(fs::exists(made.run / "export" / "tensorboard" / "rank_1"));
  CHECK(says(made.line.shown(), "values in"));
  made.ask_for(of(view::ExportKind::kHtml));
  CHECK(read_text(made.run / "export" / "report.html")->starts_with("<!DOCTYPE html>"));
  CHECK((std::filesystem::status(made.run / "export" / "report.html").permissions() &
         ~std::filesystem::perms::owner_all) == std::filesystem::perms::none);
  CHECK(says(made.line.shown(), "report.html"));
  CHECK(made.line.shown().copies == (made.run / "export" / "report.html").string());
  CHECK(made.line.shown().action == view::label::kOpenExported);
  CHECK(made.rig.share() == 1);
  made.ask_for(of(view::ExportKind::kTrace));
  CHECK(read_text(made.run / "export" / "trace.json")->starts_with("{\"displayTimeUnit\":"));
  CHECK(says(made.line.shown(), "events in 1 file"));
}

TEST_CASE(
    "exports of a copied run are not written to its folder, which may be removed at any time") {
  Rig made;
  const fs::path exports = made.folder.path() / "kept" / "box";
  session::ExportController rig{made.folder.path(), made.jobs, made.wake, made.line, exports};
  rig.apply(view::AskExport{}, made.run.string());
  view::ExportInput question;
  rig.fill(question);
  CHECK(question.facts.folder == (exports / kRun).string());
  rig.apply(of(view::ExportKind::kCsv), made.run.string());
  made.finish();
  CHECK(fs::exists(exports / kRun / "steps.csv"));
  CHECK_FALSE(fs::exists(made.run / "export"));
}

TEST_CASE("several runs are exported into a folder each, and into one report") {
  Rig made;
  constexpr const char* kOther = "20261121T150000Z-bbbbbb";
  support::make_run(made.folder.path(), kOther, support::demo_small(1));
  made.rig.apply(view::AskExport{{kRun, kOther}}, "");
  const view::ExportFacts facts = made.question().facts;
  CHECK(facts.label == "2 runs");
  CHECK(facts.folder == (made.folder.path() / "exports").string());
  REQUIRE(facts.ids.size() == 2);
  const fs::path to = made.folder.path() / "out";
  auto wanted = of(view::ExportKind::kCsv, to);
  wanted.ids = facts.ids;
  wanted.tables = {"steps"};
  made.ask_for(wanted);
  CHECK(says(made.line.shown(), "Exported 2 runs to " + to.string()));
  CHECK(made.line.shown().copies == to.string());
  for (const char* id : {kRun, kOther}) CHECK(fs::exists(to / id / "steps.csv"));
  CHECK_FALSE(made.question().asking);
  wanted = of(view::ExportKind::kTrace, to);
  wanted.ids = facts.ids;
  made.ask_for(wanted);
  for (const char* id : {kRun, kOther}) CHECK(fs::exists(to / id / "trace.json"));
  wanted = of(view::ExportKind::kHtml, to / "report.html");
  wanted.ids = facts.ids;
  made.ask_for(wanted);
  const auto page = read_text(to / "report.html");
  REQUIRE(page);
  for (const char* id : {kRun, kOther}) CHECK(page->find(id) != std::string::npos);
  // One unknown run exports none.
  made.rig.apply(view::AskExport{{kRun, "nothing"}}, "");
  CHECK_FALSE(made.question().asking);
  CHECK(made.line.shown().tone == view::Tone::kError);
}

TEST_CASE("only the chosen tables are written, to the chosen folder") {
  Rig made;
  auto wanted = of(view::ExportKind::kCsv, made.folder.path() / "out");
  wanted.tables = {"steps", "ranks"};
  made.ask_for(wanted);
  CHECK(fs::exists(made.folder.path() / "out" / "steps.csv"));
  CHECK_FALSE(fs::exists(made.folder.path() / "out" / "epochs.csv"));
  wanted.tables = {"stepps"};
  made.ask_for(wanted);
  CHECK(made.line.shown().tone == view::Tone::kError);
  CHECK(says(made.line.shown(), "\"steps\""));
}

TEST_CASE("tables of another export are replaced only on request") {
  Rig made;
  made.folder.write("out/steps.csv", "mine");
  made.ask_for(of(view::ExportKind::kCsv, made.folder.path() / "out"));
  CHECK(read_text(made.folder.path() / "out" / "steps.csv").value() == "mine");
  CHECK(says(made.line.shown(), "steps.csv is not of an earlier export of this run"));
  REQUIRE(made.line.shown().command);
  CHECK(made.line.shown().action == view::label::kReplace);
  made.ask_for(*view::as<view::ExportRun>(*made.line.shown().command));
  CHECK(read_text(made.folder.path() / "out" / "steps.csv")->starts_with("run,node,rank"));
  made.ask_for(of(view::ExportKind::kCsv));
  made.ask_for(of(view::ExportKind::kCsv));
  CHECK(says(made.line.shown(), "rows in 10 files"));
}

TEST_CASE("an existing report is replaced only on request") {
  Rig made;
  const fs::path file = made.folder.path() / "r.html";
  made.folder.write("r.html", "mine");
  made.ask_for(of(view::ExportKind::kHtml, file));
  CHECK(read_text(file).value() == "mine");
  CHECK(says(made.line.shown(), "exists already"));
  REQUIRE(made.line.shown().command);
  CHECK(made.line.shown().action == view::label::kReplace);
  made.ask_for(*view::as<view::ExportRun>(*made.line.shown().command));
  CHECK(read_text(file)->starts_with("<!DOCTYPE html>"));
  made.ask_for(of(view::ExportKind::kHtml, made.folder.path()));
  CHECK(says(made.line.shown(), "is a folder"));
}

TEST_CASE("an export that is cancelled leaves no files and reports it") {
  const auto kind = GENERATE(view::ExportKind::kCsv, view::ExportKind::kTensorBoard,
                             view::ExportKind::kHtml, view::ExportKind::kTrace);
  Rig made;
  const fs::path to = made.folder.path() / "out";
  made.rig.apply(of(kind, to), made.run.string());
  CHECK(made.line.shown().action == view::label::kCancel);
  CHECK(made.line.shown().share == 0);
  made.rig.apply(std::get<view::ExportCommand>(*made.line.shown().command), "");
  made.finish();
  // The export may have finished before it was cancelled; then its files exist and the message says
  // so.
  const bool given_up = says(made.line.shown(), "cancelled");
  CHECK(given_up == !fs::exists(kind == view::ExportKind::kCsv           ? to / "steps.csv"
                                : kind == view::ExportKind::kTensorBoard ? to / "rank_0"
                                                                         : to));
  if (kind == view::ExportKind::kCsv || kind == view::ExportKind::kTensorBoard)
    CHECK((!fs::exists(to) || given_up == fs::is_empty(to)));
}

TEST_CASE("a file that cannot be written is reported with its name") {
  Rig made;
  made.folder.write("file", "x");
  made.ask_for(of(view::ExportKind::kCsv, made.folder.path() / "file" / "out"));
  CHECK(made.line.shown().tone == view::Tone::kError);
  CHECK(says(made.line.shown(), "out"));
  made.ask_for(of(view::ExportKind::kTensorBoard, "here"));
  CHECK(says(made.line.shown(), "must start with /"));
  made.rig.apply(view::ExportRun{{"nothing"}}, "");
  CHECK(made.line.shown().tone == view::Tone::kError);
}
