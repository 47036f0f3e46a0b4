// `ringside sweep` and continuing a study: order, table, resume, more settings, a lost file,
// hostile requests. With fake ranks; study_trainer_test.cpp uses real ones.
#include <algorithm>
#include <csignal>
#include <fstream>
#include <iomanip>
#include <sstream>

#include "gui/runs/catalogue.h"
#include "gui/runs/studies/study.h"
#include "protocol/host/files.h"
#include "protocol/wire/agent_endpoint.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace ringside;
using namespace ringside::testing;
using nlohmann::json;

namespace {

std::vector<std::string> sweep_of(const std::string& what, std::vector<std::string> more) {
  std::vector<std::string> arguments{"sweep", what};
  arguments.insert(arguments.end(), more.begin(), more.end());
  arguments.emplace_back("--json");
  return arguments;
}

std::string short_run(const CliRig& rig) {
  return rig.experiment(2, {"--steps=30", "--step-ms=2"});
}

std::vector<std::string> names_in_order(const CliRig& rig) {
  std::vector<std::string> names;
  auto all = runs::read_summaries(rig.runs()).value();
  for (auto run = all.rbegin(); run != all.rend(); ++run)
    names.push_back(run->name.substr(run->name.find("·") + 3));
  return names;
}

}  // namespace

TEST_CASE("a sweep trains repeat by repeat, the baseline first, and prints its table") {
  CliRig rig;
  const auto captured =
      rig.ringside(sweep_of(short_run(rig), {"--world", "2,3", "--repeats", "2", "--name", "x"}));
  INFO(captured.errors);
  REQUIRE(captured.exit_code == 0);
  const json result = last_line_json(captured.output);
  CHECK(result["study"] == "S-01");
  CHECK(result["complete"] == true);
  CHECK(result["runs_finished"] == 6);
  REQUIRE(result["settings"].size() == 3);
  CHECK(result["settings"][0]["setting"] == "baseline-1");
  CHECK(result["settings"][0]["speedup"] == Approx(1));
  CHECK(result["settings"][1]["repeats"] == 2);
  CHECK(result["settings"][2]["devices"] == 3);
  CHECK(result["settings"][1]["speedup"].get<double>() > 0);
  CHECK(names_in_order(rig) == std::vector<std::string>{"baseline · 1/2", "strong 2 · 1/2",
                                                        "strong 3 · 1/2", "baseline · 2/2",
                                                        "strong 2 · 2/2", "strong 3 · 2/2"});
  // Each run is compared with the baseline of its own repeat.
  const auto all = runs::read_summaries(rig.runs()).value();
  CHECK(all[0].baseline == all[2].folder.id());
  CHECK(all[3].baseline == all[5].folder.id());
  const auto shown = rig.ringside({"show", "S-01"});
  CHECK(shown.exit_code == 0);
  CHECK(shown.output.find("all finished") != std::string::npos);
  // The sentence has the same number as the table, in JSON, text and files.
  const auto sentence = result["result"].get<std::string>();
  INFO(sentence);
  const json& largest = result["settings"][2];
  std::ostringstream speedup;
  speedup << " on 3 ranks: " << std::fixed << std::setprecision(2)
          << largest["speedup"].get<double>() << "× ± ";
  CHECK(sentence.find(speedup.str()) != std::string::npos);
  CHECK(sentence.find("2 runs against 2 of the baseline. ") != std::string::npos);
  CHECK(largest["speedup_deviation"].get<double>() > 0);
  CHECK(result.contains("fair"));
  CHECK(shown.output.find(sentence) != std::string::npos);
  const auto files = rig.path() / "files";
  REQUIRE(rig.ringside({"report", "S-01", "--export", files.string()}).exit_code == 0);
  CHECK(read_text(files / "S-01.md").value().find(sentence) != std::string::npos);
  CHECK(rig.ringside({"list"}).output.find("S-01") != std::string::npos);
  CHECK(rig.json_of({"list", "--studies", "--json"})[0]["planned"] == 6);
  // The study is complete, so nothing is trained again.
  const auto again = rig.ringside({"resume", "S-01", "--json"});
  CHECK(again.exit_code == 0);
  CHECK(runs::read_summaries(rig.runs())->size() == 6);
}

TEST_CASE("a sweep writes its study as files, and the report writes them again on request") {
  CliRig rig;
  const auto folder = rig.path() / "figures";
  const auto captured = rig.ringside(
      sweep_of(short_run(rig), {"--world", "2", "--repeats", "1", "--export", folder.string()}));
  INFO(captured.errors);
  REQUIRE(captured.exit_code == 0);
  for (const char* name : {"S-01.html", "S-01.md", "S-01.csv", "S-01_runs.csv", "S-01_speedup.svg",
                           "S-01_efficiency.svg", "S-01_time.svg"}) {
    INFO(name);
    CHECK(std::filesystem::file_size(folder / name) > 100);
    CHECK(captured.errors.find(name) != std::string::npos);
  }
  rig.refuses({"report", "S-01", "--export", folder.string()}, "exists already");
  CHECK(rig.ringside({"report", "S-01", "--export", folder.string(), "--force"}).exit_code == 0);
  rig.refuses({"report", "last", "--export", folder.string()}, "are for a study");
}

TEST_CASE("a run writes its report and its tables") {
  CliRig rig;
  const auto folder = rig.path() / "run";
  const auto captured = rig.ringside({"run", short_run(rig), "--export", folder.string()});
  INFO(captured.errors);
  REQUIRE(captured.exit_code == 0);
  const auto all = runs::read_summaries(rig.runs()).value();
  REQUIRE(!all.empty());
  CHECK(std::filesystem::exists(folder / (all[0].folder.id() + ".html")));
  CHECK(std::filesystem::exists(folder / all[0].folder.id() / "steps.csv"));
}

TEST_CASE("equal existing runs are reused, and --fresh trains them again") {
  CliRig rig;
  const std::string experiment = short_run(rig);
  REQUIRE(rig.ringside(sweep_of(experiment, {"--world", "2", "--repeats", "1"})).exit_code == 0);
  const auto again = rig.ringside(sweep_of(experiment, {"--world", "2", "--repeats", "2"}));
  INFO(again.errors);
  REQUIRE(again.exit_code == 0);
  CHECK(again.errors.find("equal runs that are there already count") != std::string::npos);
  CHECK(last_line_json(again.output)["study"] == "S-02");
  CHECK(runs::read_summaries(rig.runs())->size() == 4);
  REQUIRE(
      rig.ringside(sweep_of(experiment, {"--world", "2", "--repeats", "1", "--fresh"})).exit_code ==
      0);
  CHECK(runs::read_summaries(rig.runs())->size() == 6);
}

TEST_CASE("a setting can be added later, and a lost study is rebuilt from its runs") {
  CliRig rig;
  REQUIRE(rig.ringside(sweep_of(short_run(rig), {"--world", "2", "--repeats", "1"})).exit_code ==
          0);
  std::filesystem::remove_all(rig.runs() / "studies");
  const auto more = rig.ringside({"sweep", "s1", "--world", "3", "--json"});
  INFO(more.errors);
  REQUIRE(more.exit_code == 0);
  const json result = last_line_json(more.output);
  CHECK(result["study"] == "S-01");
  REQUIRE(result["settings"].size() == 3);
  CHECK(result["settings"][2]["setting"] == "strong-3");
  CHECK(runs::read_summaries(rig.runs())->size() == 3);
  CHECK(std::filesystem::exists(rig.runs() / "studies/S-01.toml"));
}

TEST_CASE("a deleted run is trained again, and no run counts twice") {
  CliRig rig;
  REQUIRE(rig.ringside(sweep_of(short_run(rig), {"--world", "2", "--repeats", "2"})).exit_code ==
          0);
  const auto before = runs::read_study(rig.runs(), "S-01")->settings[1].runs;
  std::filesystem::remove_all(rig.runs() / before[0]);
  CHECK(rig.json_of({"show", "S-01", "--json"})["complete"] == false);
  const auto more = rig.ringside({"sweep", "S-01", "--world", "3", "--json"});
  INFO(more.errors);
  REQUIRE(more.exit_code == 0);
  CHECK(last_line_json(more.output)["complete"] == true);
  const auto after = runs::read_study(rig.runs(), "S-01")->settings[1].runs;
  CHECK(after[1] == before[1]);
  CHECK(after[0] != before[0]);
  CHECK(after[0] != after[1]);
}

TEST_CASE("a failed run does not end its study, and continuing trains it again") {
  CliRig rig;
  // Runs fail while this file exists.
  const auto stop = rig.path() / "stop";
  std::ofstream(stop) << "x";
  const auto program = rig.path() / "rank.sh";
  std::ofstream(program) << "if [ -e '" << stop.string()
                         << "' ] && [ \"$RANK\" = 1 ]; then exit 3; fi\n"
                         << "exec '" << (test_bin_dir() / "fake_rank").string()
                         << "' --steps=30 --step-ms=2\n";
  const auto experiment = (rig.path() / "failing.toml").string();
  std::ofstream(experiment) << "name = \"test\"\n[program]\nargv = [\"/bin/sh\", \""
                            << program.string()
                            << "\"]\n[devices]\nkind = \"cpu\"\n[limits]\ngrace_s = 1\n";
  const auto first = rig.ringside(sweep_of(experiment, {"--world", "2", "--repeats", "2"}));
  INFO(first.errors);
  CHECK(first.exit_code == 1);
  json result = last_line_json(first.output);
  CHECK(result["runs_finished"] == 2);
  CHECK(result["settings"][1]["seconds"].is_null());
  CHECK(result["settings"][1]["note"].get<std::string>().find("failed") != std::string::npos);
  std::filesystem::remove(stop);
  const auto second = rig.ringside({"resume", "S-01", "--json"});
  INFO(second.errors);
  REQUIRE(second.exit_code == 0);
  result = last_line_json(second.output);
  CHECK(result["complete"] == true);
  CHECK(runs::read_study(rig.runs(), "S-01")->settings[1].left_out.size() == 2);
}

TEST_CASE("a stopped study continues with the runs that never began") {
  CliRig rig;
  const auto gate = rig.path() / "gate";
  const std::string experiment =
      rig.experiment(2, {"--steps=200", "--step-ms=5", "--gate=" + gate.string(), "--gate-at=199"});
  REQUIRE(
      rig.ringside({"sweep", experiment, "--world", "2", "--repeats", "2", "--detach"}).exit_code ==
      0);
  REQUIRE(wait_until(20, [&] {
    const auto all = runs::read_summaries(rig.runs());
    return all && all->size() == 4 && all->back().state.word == "training";
  }));
  const auto busy = rig.ringside({"resume", "S-01"});
  CHECK(busy.exit_code == 2);
  CHECK(busy.errors.find("goes on") != std::string::npos);
  const auto stopped = rig.ringside({"stop", "S-01", "--json"});
  INFO(stopped.errors);
  REQUIRE(stopped.exit_code == 0);
  const json told = last_line_json(stopped.output);
  CHECK(told["study"] == "S-01");
  CHECK(told["stopped"] >= 1);
  std::ofstream(gate) << "it was stopped";
  const auto waiting = runs::read_study(rig.runs(), "S-01")->settings[1].runs;
  const auto second = rig.ringside({"resume", "S-01", "--json"});
  INFO(second.errors);
  REQUIRE(second.exit_code == 0);
  CHECK(last_line_json(second.output)["complete"] == true);
  // Runs that never began keep their folders.
  CHECK(runs::read_study(rig.runs(), "S-01")->settings[1].runs == waiting);
}

TEST_CASE("if two programs extend a study at once, one is refused, and nothing is lost") {
  CliRig rig;
  const auto gate = rig.path() / "gate";
  std::ofstream(gate) << "open";
  const std::string experiment =
      rig.experiment(2, {"--steps=30", "--step-ms=2", "--gate=" + gate.string(), "--gate-at=29"});
  REQUIRE(rig.ringside(sweep_of(experiment, {"--world", "2", "--repeats", "1"})).exit_code == 0);
  std::filesystem::remove(gate);
  const auto add = [&](const char* output) {
    return rig.start({"sweep", "S-01", "--world", "3", "--detach"}, rig.path() / output);
  };
  const pid_t one = add("one");
  const pid_t other = add("other");
  const std::pair codes = std::minmax({rig.wait_exit(one), rig.wait_exit(other)});
  CHECK(codes.first == 0);
  // A program that starts after the other has finished finds nothing to add.
  CHECK((codes.second == 2 || codes.second == 0));
  const auto study = runs::read_study(rig.runs(), "S-01");
  REQUIRE(study);
  CHECK(study->settings.size() == 3);
  CHECK(study->find("strong-3") != nullptr);
  CHECK(study->runs() == 3);
  CHECK(runs::read_summaries(rig.runs())->size() == 3);
  CHECK(rig.ringside({"stop", "S-01"}).exit_code == 0);
}

TEST_CASE("a stop between two runs stops the study") {
  CliRig rig;
  const auto gate = rig.path() / "gate";
  const auto first = rig.path() / "first";
  // The baseline, with one rank, ends on request; all other runs continue.
  const auto program = rig.path() / "rank.sh";
  const std::string rank = "exec '" + (test_bin_dir() / "fake_rank").string() + "' ";
  std::ofstream(program) << "if [ -e '" << first.string() << "' ]; then " << rank
                         << "--steps=1000000 --step-ms=5; fi\n: > '" << first.string() << "'\n"
                         << rank << "--steps=30 --step-ms=2 --gate='" << gate.string()
                         << "' --gate-at=29\n";
  const auto experiment = (rig.path() / "study.toml").string();
  std::ofstream(experiment) << "name = \"test\"\n[program]\nargv = [\"/bin/sh\", \""
                            << program.string()
                            << "\"]\n[devices]\nkind = \"cpu\"\n[limits]\ngrace_s = 1\n";
  REQUIRE(
      rig.ringside({"sweep", experiment, "--world", "2", "--repeats", "2", "--detach"}).exit_code ==
      0);
  const auto study = runs::read_study(rig.runs(), "S-01");
  REQUIRE(study);
  const runlog::RunFolder baseline(rig.runs() / study->baseline_run());
  REQUIRE(wait_for_steps(baseline, 0, 20, 20));
  const auto agent = wire::read_agent_endpoint(baseline.agent_path());
  REQUIRE(agent);
  // The agent has not yet noticed that the baseline is over: no run is active, and the next has not
  // begun.
  ::kill(agent->agent_pid, SIGSTOP);
  std::ofstream(gate) << "open";
  CHECK(wait_until(20, [&] { return ranks_and_helpers(baseline).empty(); }));
  const pid_t stop = rig.start({"stop", "S-01"}, rig.path() / "stopped");
  ::kill(agent->agent_pid, SIGCONT);
  CHECK(rig.wait_exit(stop) == 0);
  const auto ended = runs::read_summaries(rig.runs());
  for (const auto& run : ended.value()) {
    INFO(run.folder.id() << " " << run.state.detail);
    CHECK(run.state.ended);
    if (run.folder.id() != baseline.id()) CHECK(run.state.word == "stopped");
  }
}

TEST_CASE("a study is written as files") {
  CliRig rig;
  REQUIRE(rig.ringside(sweep_of(short_run(rig), {"--world", "2", "--repeats", "1"})).exit_code ==
          0);
  const auto at = [&](const char* name) { return (rig.path() / name).string(); };
  const auto written =
      rig.ringside({"report", "S-01", "--html", at("a.html"), "--md", at("a.md"), "--svg",
                    at("a.svg"), "--csv", at("a.csv"), "--metric", "time"});
  INFO(written.errors);
  REQUIRE(written.exit_code == 0);
  for (const char* name : {"a.html", "a.md", "a.svg", "a.csv"})
    CHECK(std::filesystem::file_size(at(name)) > 100);
  rig.refuses({"report", "S-01", "--svg", at("a.svg")}, "--force");
  rig.refuses({"report", "S-01", "--svg", at("b.svg"), "--metric", "speed"}, "speedup");
  rig.refuses({"report", "last", "--svg", at("b.svg")}, "for a study");
}

TEST_CASE("a deleted study leaves its runs or takes them with it, and can be restored completely") {
  CliRig rig;
  REQUIRE(rig.ringside(sweep_of(short_run(rig), {"--world", "2", "--repeats", "1"})).exit_code ==
          0);
  const auto count = [&] { return runs::read_summaries(rig.runs())->size(); };
  const json alone = rig.json_of({"delete", "s1", "--json"});
  CHECK(alone["deleted"] == "S-01");
  CHECK(alone["runs"].empty());
  CHECK(count() == 2);
  CHECK(runs::list_studies(rig.runs()).empty());
  rig.refuses({"show", "S-01"}, "ringside delete S-01 --restore");
  const auto back = rig.ringside({"delete", "S-01", "--restore"});
  CHECK(back.exit_code == 0);
  CHECK(back.output.find("was restored") != std::string::npos);
  CHECK(rig.json_of({"show", "S-01", "--json"})["complete"] == true);
  const json all = rig.json_of({"delete", "S-01", "--runs", "--json"});
  CHECK(all["runs"].size() == 2);
  CHECK(count() == 0);
  CHECK(rig.json_of({"delete", "S-01", "--restore", "--runs", "--json"})["runs"].size() == 2);
  CHECK(count() == 2);
  CHECK(rig.json_of({"show", "S-01", "--json"})["complete"] == true);
  rig.refuses({"delete", "S-02"}, "there is S-01");
  rig.refuses({"delete", "S-02", "--restore"}, "no deleted study");
  // A single run is deleted by its number, and is restored by its id, its number, or as the only
  // one.
  const json one = rig.json_of({"delete", "1", "--json"});
  CHECK(count() == 1);
  // The other run has no speedup without its baseline, and is named.
  CHECK(one["baseline_of"] == json::array({rig.json_of({"show", "2", "--json"})["id"]}));
  rig.json_of({"delete", "1", "--restore", "--json"});
  CHECK(rig.json_of({"delete", "1", "--json"})["baseline_of"].size() == 1);
  rig.json_of({"delete", "1", "--restore", "--json"});
  CHECK(rig.ringside({"rm", "1", "2"}).output.find("speedup") == std::string::npos);
  CHECK(rig.ringside({"restore", "1", "2"}).exit_code == 0);
  CHECK(rig.ringside({"rm", "1"}).output.find("Without it #2 has no speedup.") !=
        std::string::npos);
  rig.refuses({"delete", "last", "--runs"}, "for a study");
  rig.refuses({"delete", "2031", "--restore"}, "no deleted run");
  const std::string id = one["deleted"];
  for (const std::string& name : {id, std::string("1"), std::string("last")}) {
    CHECK(rig.json_of({"delete", name, "--restore", "--json"})["restored"] == id);
    CHECK(count() == 2);
    rig.json_of({"delete", id, "--json"});
  }
}

TEST_CASE("hostile requests are one clear error each, and start nothing") {
  CliRig rig;
  const std::string experiment = short_run(rig);
  rig.refuses({"sweep", experiment, "--world", "0"}, "from 1 to 4096");
  rig.refuses({"sweep", experiment, "--world", "9999"}, "from 1 to 4096");
  rig.refuses({"sweep", experiment, "--world", "2,2"}, "given twice");
  rig.refuses({"sweep", experiment, "--world", ""}, "not a number of devices");
  rig.refuses({"sweep", experiment}, "--world");
  rig.refuses({"sweep", experiment, "--world", "1"}, "more than one device");
  rig.refuses({"sweep", experiment, "--world", "2", "--variants", "fp17"}, "fp16");
  rig.refuses({"sweep", "dmeo", "--world", "2"}, "demo");
  rig.refuses({"sweep", "e0_bonsu", "--world", "2"}, "e0_bonus");
  rig.refuses({"sweep", "S-09", "--world", "2"}, "no study");
  rig.refuses({"show", "S-09"}, "no study");
  rig.refuses({"stop", "S-09"}, "no study");
  rig.refuses({"resume", "S-09"}, "no study");
  CHECK_FALSE(std::filesystem::exists(rig.runs() / "studies"));
}
