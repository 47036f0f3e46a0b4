// Alert commands: real programs, which record their arguments and environment.
#include "gui/session/alerts/alert_caller.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gui/model/run_model.h"
#include "protocol/base/clock.h"
#include "tests/support/catch.h"
#include "tests/support/demo_run.h"
#include "tests/support/failed_run.h"
#include "tests/support/only_path.h"
#include "tests/support/patience.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::session;
using support::OnlyPath;
namespace fs = std::filesystem;

namespace {

/// An executable script, and the file that it writes to.
class Program {
 public:
  Program(const fs::path& folder, const std::string& name, const std::string& more = "")
      : path_(folder / name), told_(folder / (name + ".told")) {
    std::ofstream(path_) << "#!/bin/sh\n"
                         << "{ echo call; for a in \"$@\"; do echo \"arg=$a\"; done; env | grep "
                            "'^RINGSIDE_'; echo end; } >> '"
                         << told_.string() << "'\n"
                         << more << "\n";
    fs::permissions(path_, fs::perms::owner_all);
  }
  std::string path() const { return path_.string(); }
  std::string told() const {
    std::ostringstream text;
    text << std::ifstream(told_).rdbuf();
    return text.str();
  }
  bool was_told(const std::string& line) const {
    return ("\n" + told()).find("\n" + line + "\n") != std::string::npos;
  }

 private:
  fs::path path_;
  fs::path told_;
};

AlertFacts some_facts() {
  AlertFacts facts;
  facts.alert = "diverged";
  facts.severity = "error";
  facts.text = "The loss $(touch pwned) \"rose\"; <b>&";
  facts.run = "20261121T134005Z-7f3a1c";
  facts.run_name = "a `name` with 'quotes' and = signs";
  facts.run_folder = "/runs/x";
  facts.rank = "2";
  facts.step = "41";
  return facts;
}

AlertSettings calling(const std::vector<std::string>& argv) {
  AlertSettings settings;
  settings.command = argv;
  return settings;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

}  // namespace

TEST_CASE("A command gets its own arguments and the facts, unchanged and without a shell") {
  const TempFolder folder;
  const Program program(folder.path(), "tell");
  AlertCaller caller({});
  caller.post(calling({program.path(), "$HOME", "two words"}), {some_facts()});
  caller.finish();
  CHECK(caller.take_problems().empty());
  CHECK(program.was_told("arg=$HOME"));
  CHECK(program.was_told("arg=two words"));
  CHECK(program.was_told("RINGSIDE_ALERT=diverged"));
  CHECK(program.was_told("RINGSIDE_ALERT_SEVERITY=error"));
  CHECK(program.was_told("RINGSIDE_ALERT_TEXT=The loss $(touch pwned) \"rose\"; <b>&"));
  CHECK(program.was_told("RINGSIDE_RUN=20261121T134005Z-7f3a1c"));
  CHECK(program.was_told("RINGSIDE_RUN_NAME=a `name` with 'quotes' and = signs"));
  CHECK(program.was_told("RINGSIDE_RUN_DIR=/runs/x"));
  CHECK(program.was_told("RINGSIDE_RANK=2"));
  CHECK(program.was_told("RINGSIDE_STEP=41"));
  CHECK(count_of(program.told(), "call") == 1);
}

TEST_CASE("Without a command or notifications nothing is called") {
  AlertCaller caller({});
  caller.post({}, {some_facts()});
  caller.finish();
  CHECK(caller.take_problems().empty());
}

TEST_CASE("An alert command that fails is reported once, with the end of its output") {
  const TempFolder folder;
  const Program program(folder.path(), "fail", "echo first >&2; echo no network >&2; exit 7");
  int woken = 0;
  AlertCaller caller([&] { ++woken; });
  for (int i = 0; i < 3; ++i) caller.post(calling({program.path()}), {some_facts()});
  caller.finish();
  const auto problems = caller.take_problems();
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].find("ended with 7: no network") != std::string::npos);
  CHECK(woken == 1);
  CHECK(count_of(program.told(), "call") == 3);
  CHECK(caller.take_problems().empty());
}

TEST_CASE("An alert command that does not exist is reported once") {
  AlertCaller caller({});
  caller.post(calling({"/no/such/program"}), {some_facts(), some_facts()});
  caller.post(calling({"no-such-program-at-all"}), {some_facts()});
  caller.finish();
  CHECK(caller.take_problems().size() == 2);
}

TEST_CASE(
    "A command that takes too long is ended with its child processes, and nothing waits for it") {
  const TempFolder folder;
  const Program program(folder.path(), "slow", "sleep 100 & wait");
  AlertSettings settings = calling({program.path()});
  settings.limit_s = 2;
  AlertCaller caller({});
  const std::int64_t begin_ns = mono_now_ns();
  caller.post(settings, {some_facts()});
  CHECK(mono_now_ns() - begin_ns < 2'000'000'000);  // posting does not wait
  caller.finish();
  CHECK(mono_now_ns() - begin_ns < testing::kPatienceNs);  // not a hundred seconds
  const auto problems = caller.take_problems();
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].find("did not respond in time") != std::string::npos);
}

TEST_CASE("Closing ends the running command and discards the waiting ones") {
  const TempFolder folder;
  const Program program(folder.path(), "slow", "sleep 100");
  std::int64_t begin_ns = mono_now_ns();
  {
    AlertCaller caller({});
    caller.post(calling({program.path()}), {some_facts(), some_facts()});
    while (program.told().find("end") == std::string::npos &&
           mono_now_ns() - begin_ns < testing::kPatienceNs)
      std::this_thread::yield();
    begin_ns = mono_now_ns();
  }
  CHECK(mono_now_ns() - begin_ns < testing::kPatienceNs);  // not a hundred seconds
  CHECK(count_of(program.told(), "call") == 1);
}

TEST_CASE("Alerts above the limit are not sent, and their number is reported") {
  const TempFolder folder;
  const Program program(folder.path(), "tell");
  AlertCaller caller({});
  caller.post(calling({program.path()}),
              std::vector<AlertFacts>(AlertCaller::kMostWaiting + 40, some_facts()));
  CHECK(caller.take_problems().size() == 1);
}

TEST_CASE("A notification is sent by notify-send, and its text is not interpreted") {
  const TempFolder folder;
  const std::string tools = "/usr/bin:/bin";
  AlertSettings settings;
  settings.notify = true;
  SECTION("notify-send") {
    const Program program(folder.path(), "notify-send");
    const OnlyPath path(folder.path().string() + ":" + tools);
    AlertCaller caller({});
    caller.post(settings, {some_facts()});
    caller.finish();
    CHECK(caller.take_problems().empty());
    CHECK(program.was_told("arg=--urgency=critical"));
    CHECK(program.was_told("arg=--"));
    CHECK(program.was_told("arg=Ringside: a `name` with 'quotes' and = signs"));
    CHECK(program.was_told(
        "arg=The loss $(touch pwned) \"rose\"; &lt;b&gt;&amp;"));  // servers interpret markup
  }
  SECTION("not installed") {
    const OnlyPath path(folder.path().string() + ":relative");
    AlertCaller caller({});
    caller.post(settings, {some_facts(), some_facts()});
    caller.finish();
    const auto problems = caller.take_problems();
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].find("no program notify-send in PATH") != std::string::npos);
  }
}

TEST_CASE(
    "One alert of a kind is sent and the others are counted, and the end of the run is sent as its "
    "end") {
  const support::DemoOptions options = support::demo_small(4);
  model::RunModel model(support::demo_spec(options));
  support::play_demo(options, model);
  view::RunContext context;
  context.id = "run";
  std::vector<analysis::Alert> fresh(4);
  for (Rank rank = 0; rank < 3; ++rank) {
    fresh[static_cast<std::size_t>(rank)].kind = analysis::AlertKind::kRankSilent;
    fresh[static_cast<std::size_t>(rank)].rank = rank;
    fresh[static_cast<std::size_t>(rank)].severity = messages::Severity::kError;
  }
  fresh[3].kind = analysis::AlertKind::kRunFailed;
  const auto facts = facts_of(fresh, model, context, "/runs/run");
  REQUIRE(facts.size() == 1);
  CHECK(facts[0].alert == "rank_silent");
  CHECK(facts[0].rank == "0");
  CHECK(facts[0].step.empty());
  CHECK(facts[0].also == 2);
  CHECK(facts[0].severity == "error");
  const AlertFacts end = end_facts(model, context, "/runs/run");
  CHECK(end.alert == "run_finished");
  CHECK(end.severity == "info");
  CHECK(end.text.starts_with("The run finished after 120 steps"));
  CHECK(end.step == "119");
  const AlertFacts gone = end_facts(model::RunModel(), context, "/runs/run");
  CHECK(gone.alert == "run_interrupted");
  CHECK(gone.severity == "error");
}

TEST_CASE("Notices with different codes at the same time are all sent") {
  model::RunModel model;
  std::vector<analysis::Alert> fresh(4);
  const char* const codes[] = {"gpu_advice", "gpu_0_xid_48", "gpu_advice", "gpu_1_xid_48"};
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    fresh[i].kind = analysis::AlertKind::kNotice;
    fresh[i].code = codes[i];
    fresh[i].text = codes[i];
  }
  const auto facts = facts_of(fresh, model, {}, "/runs/run");
  REQUIRE(facts.size() == 2);
  CHECK(facts[0].also == 1);
  CHECK(facts[1].text.find("gpu_0_xid_48") != std::string::npos);
  CHECK(facts[1].also == 1);  // of the other GPU
}

TEST_CASE("The end of a run with a NaN loss is an error, unless its settings allow it") {
  support::DemoOptions options = support::demo_small(2);
  options.steps = 30;
  options.nan_from = 20;
  auto spec = support::demo_spec(options);
  for (const char* stop_on : {"none", "never"}) {
    spec.train.stop_on = stop_on;
    model::RunModel model(spec);
    support::play_demo(options, model);
    const AlertFacts end = end_facts(model, {}, "/runs/run");
    CHECK(end.alert == "run_finished");
    CHECK(end.severity == (spec.train.stop_on == "none" ? "error" : "info"));
    CHECK(end.text.find("with a loss of NaN or Inf") != std::string::npos);
  }
}

TEST_CASE("The alert command gets the cause, not the ranks that failed because of it") {
  const auto facts = [](const std::vector<Rank>& failed, const std::string& verdict,
                        model::RunModel& model) {
    support::play_failure(failed, verdict, model);
    analysis::AlertLimits limits;
    limits.live = false;
    return facts_of(analysis::alerts(model, model.last_ns(), limits), model, {}, "/runs/run");
  };
  SECTION("the cause is a node, which the end of the run names") {
    model::RunModel model;
    CHECK(facts({0, 1}, support::kNodeGone, model).empty());
    const AlertFacts end = end_facts(model, {}, "/runs/run");
    CHECK(end.alert == "run_failed");
    CHECK(end.text.find(support::kNodeGone) != std::string::npos);
    CHECK(end.rank.empty());
  }
  SECTION("the cause is a rank that reported after the ranks it brought down") {
    model::RunModel model;
    const auto told = facts({0, 1, 3}, "node 1 (b): rank 3: exit code 1", model);
    REQUIRE(told.size() == 1);
    CHECK(told[0].alert == "rank_failed");
    CHECK(told[0].rank == "3");
    CHECK(told[0].also == 2);
  }
}
