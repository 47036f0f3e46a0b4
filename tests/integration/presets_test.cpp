// Every preset at its quick scale, end to end, as a person runs it; the report must show what its
// experiment is about.
#include <algorithm>
#include <csignal>

#include "gui/launch/presets.h"
#include "protocol/host/files.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"

using namespace ringside;
using namespace ringside::testing;
using nlohmann::json;

namespace {

constexpr std::int64_t kQuickNs = 14 * kPatienceNs;

// One runs folder with its own data, and the programs of the build.
class Bench {
 public:
  ~Bench() {
    for (const pid_t pid : processes_with(folder_.path().string())) ::kill(pid, SIGKILL);
  }

  launch::Captured ringside(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), (bin_dir() / "ringside").string());
    arguments.insert(arguments.end(), {"--runs-dir", (folder_.path() / "runs").string()});
    auto captured = launch::capture(arguments, kQuickNs);
    REQUIRE(captured);
    return std::move(*captured);
  }

  json run(const std::vector<std::string>& arguments) const {
    std::vector<std::string> all{"run"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.insert(all.end(), {"--set", "data.root=" + (folder_.path() / "data").string(), "--json"});
    const auto captured = ringside(all);
    INFO(captured.errors);
    REQUIRE(captured.exit_code == 0);
    return last_line_json(captured.output);
  }

  json json_of(const std::vector<std::string>& arguments) const {
    const auto captured = ringside(arguments);
    INFO(captured.errors);
    REQUIRE(captured.exit_code == 0);
    return json::parse(captured.output);
  }

  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TempFolder folder_;
};

// The table of the requested run (the last of the report), or of all runs.
json table(const json& report, const std::string& id) {
  const std::string asked = report.at("runs").back();
  for (const auto& one : report.at("tables")) {
    if (one.at("id") == id && (one.at("run").is_null() || one.at("run") == asked))
      return one.at("rows");
  }
  return json::array();
}

// A table of `show`.
json shown_table(const json& shown, const std::string& id) {
  for (const auto& one : shown.at("tables")) {
    if (one.at("id") == id) return one.at("rows");
  }
  return json::array();
}

json card(const json& report) { return table(report, "card").back(); }

bool found(const json& report, const std::string& code) {
  const auto rows = table(report, "findings");
  return std::any_of(rows.begin(), rows.end(),
                     [&](const json& row) { return row.at("code") == code; });
}

std::string matches(const json& report, const std::string& what) {
  const auto rows = table(report, "published");
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const json& one) { return one.at("what") == what; });
  return row == rows.end() ? "" : row->at("matches").get<std::string>();
}

// Runs the preset and returns its report, after checks that apply to every preset. `more`: options
// for figures that need a fixed size, which would be smaller on a busy machine.
json quick(const Bench& bench, const std::string& name, std::size_t runs,
           std::vector<std::string> more = {}) {
  more.insert(more.begin(), {name, "--quick"});
  const auto result = bench.run(more);
  REQUIRE(result.at("runs").size() == runs);
  for (const auto& run : result["runs"]) {
    INFO(run.dump());
    CHECK(run.at("state") == "finished");
  }
  const auto report = bench.json_of({"report", "last", "--json"});
  REQUIRE(report.at("runs").size() == runs);
  CHECK(report["runs"].back() == result.at("experiment"));
  CHECK(card(report).at("state") == "finished");
  for (const auto& row : table(report, "published")) {
    INFO(row.dump());
    CHECK(row.at("matches") != "differs");
  }
  if (name.starts_with("e")) {
    CHECK(card(report).at("preset") == name);
    CHECK(!table(report, "published").empty());
    CHECK(!table(report, "experiment").empty());
  }
  const auto text = bench.ringside({"report", "last"});
  CHECK(text.exit_code == 0);
  CHECK(text.output.find("Settings and outcome of each run") != std::string::npos);
  CHECK(bench.ringside({"show", "last"}).exit_code == 0);
  return report;
}

}  // namespace

TEST_CASE("quick: demo", "[presets]") {
  const Bench bench;
  const auto report = quick(bench, "demo", 2);
  CHECK(card(report).at("scaling") == "strong");
  CHECK(card(report).at("speedup").is_number());
  // The waterfall leads from the ideal to the measured speedup, exact to the nanosecond.
  const auto parts = table(report, "waterfall");
  REQUIRE(parts.size() > 4);
  std::int64_t lost = 0;
  for (std::size_t i = 1; i + 1 < parts.size(); ++i)
    lost += parts.at(i).at("lost_ns").get<std::int64_t>();
  CHECK(parts.front().at("run_ns").get<std::int64_t>() + lost ==
        parts.back().at("run_ns").get<std::int64_t>());
}

TEST_CASE("quick: mnist", "[presets]") {
  const Bench bench;
  CHECK(card(quick(bench, "mnist", 2)).at("scaling") == "weak");
}

TEST_CASE("quick: shapes_resnet18", "[presets]") {
  const Bench bench;
  quick(bench, "shapes_resnet18", 2);
}

TEST_CASE("quick: e0_baseline", "[presets]") {
  const Bench bench;
  const auto report = quick(bench, "e0_baseline", 1);
  CHECK(card(report).at("global_batch") == 32);
  CHECK(table(report, "goal_gate").at(0).at("goal") == "decided");
}

TEST_CASE("quick: e0_ddp2: rank 1 waits while rank 0 validates, a gate is judged", "[presets]") {
  const Bench bench;
  const auto report = quick(bench, "e0_ddp2", 2);
  CHECK(card(report).at("global_batch_nominal") == 64);
  CHECK(card(report).at("accuracy_delta").is_number());
  const auto ranks = table(report, "ranks");
  CHECK(ranks.at(1).at("idle_seconds").get<double>() > 0.0);
  CHECK(ranks.at(0).at("idle_seconds") == 0.0);
  const auto evaluation = table(report, "evaluation");
  CHECK(evaluation.at(0).at("counted") == 128);
  CHECK(table(report, "goal_gate").size() == 3);
  CHECK(found(report, "batch_grew"));
}

TEST_CASE("quick: e0_ddp4: rank 0 validates there too", "[presets]") {
  const Bench bench;
  const auto report = quick(bench, "e0_ddp4", 2);
  CHECK(table(report, "evaluation").at(0).at("counted") == 128);
  CHECK(table(report, "ranks").at(1).at("idle_seconds").get<double>() > 0.0);
}

TEST_CASE("a run of e0_baseline is the baseline of e0_ddp2, and no other is trained", "[presets]") {
  const Bench bench;
  const auto baseline = bench.run({"e0_baseline", "--quick", "--set", "data.train_samples=256"});
  const auto result = bench.run({"e0_ddp2", "--quick", "--set", "data.train_samples=256"});
  REQUIRE(result.at("runs").size() == 1);
  CHECK(result.at("speedup").is_number());
  const auto report = bench.json_of({"report", "last", "--json"});
  CHECK(report.at("runs").at(0) == baseline.at("experiment"));
  CHECK(!found(report, "unfair_baseline"));
  // Both speedups are in show, too.
  const auto shown = bench.json_of({"show", "last", "--json"});
  bool both = false;
  for (const auto& one : shown.at("tables")) {
    if (one.at("id") != "published") continue;
    for (const auto& row : one.at("rows"))
      both = both || (row.at("what") == "speedup" && row.at("ours").is_number() &&
                      row.at("by_our_clock").is_number() && row.at("clock").is_string());
  }
  CHECK(both);
}

TEST_CASE("quick: e1_links: a loss per rank, and the drop of the learning rate where it was used",
          "[presets]") {
  const Bench bench;
  const auto report = quick(bench, "e1_links", 1);
  CHECK(matches(report, "parameters") == "equal, recorded");
  const auto epochs = table(report, "epochs");
  REQUIRE(epochs.size() == 3);
  CHECK(epochs.at(1).at("lr_first").get<double>() == Approx(0.02));
  CHECK(epochs.at(2).at("lr_first").get<double>() == Approx(0.002));
  CHECK(table(report, "rank_losses").at(0).at("gap").is_number());
  CHECK(table(report, "shards").at(1).at("order") == "new");
  CHECK(!found(report, "order_repeated"));
  // There is a single test at the end, of the last file saved after epochs 0 and 2.
  CHECK(epochs.at(1).at("val_accuracy").is_null());
  CHECK(epochs.at(2).at("val_accuracy").is_number());
  const auto timeline = table(report, "timeline");
  REQUIRE(timeline.size() == 3);
  CHECK(timeline.at(1).at("epoch") == 1);
  CHECK(timeline.at(2).at("epoch") == 3);
}

TEST_CASE("quick: e1_single", "[presets]") {
  const Bench bench;
  CHECK(card(quick(bench, "e1_single", 1)).at("global_batch") == 16);
}

TEST_CASE("quick: e1_dp2: one process takes the batch", "[presets]") {
  const Bench bench;
  const auto report = quick(bench, "e1_dp2", 1);
  CHECK(card(report).at("parallel") == "dp");
  CHECK(card(report).at("global_batch") == 16);
}

TEST_CASE("quick: e1_set_epoch: one study of two runs, and its gain is judged", "[presets]") {
  const Bench bench;
  const auto report = quick(bench, "e1_set_epoch", 2);
  const auto runs = table(report, "card");
  CHECK(runs.at(0).at("ranks") == 2);
  CHECK(runs.at(1).at("ranks") == 2);
  CHECK(runs.at(1).at("accuracy_delta").is_number());
  CHECK(matches(report, "accuracy_delta").ends_with(", at other settings"));
  const auto pairs = table(report, "ablation");
  CHECK(pairs.at(0).at("gain") == runs.at(1).at("accuracy_delta"));
  // Only the run without set_epoch repeats its order; otherwise they are equal.
  CHECK(!found(report, "order_repeated"));
  CHECK(!found(report, "unfair_baseline"));
  bool repeated = false;
  for (const auto& one : report.at("tables")) {
    if (one.at("id") != "findings" || one.at("run") != report.at("runs").at(0)) continue;
    for (const auto& row : one.at("rows")) repeated |= row.at("code") == "order_repeated";
  }
  CHECK(repeated);
}

TEST_CASE("quick: e1_shuffle_grid: the grid as published, a quarter of the samples moves",
          "[presets]") {
  const Bench bench;
  const auto report = quick(bench, "e1_shuffle_grid", 1);
  CHECK(matches(report, "migration") == "equal, recorded");
  const auto grid = table(report, "ownership");
  REQUIRE(grid.size() == 2);
  CHECK(grid.at(0).at("rank_0") == "4 7 2 1");
  CHECK(grid.at(0).at("rank_1") == "0 3 5 6");
  CHECK(grid.at(1).at("rank_0") == "5 2 7 1");
  CHECK(grid.at(1).at("rank_1") == "4 6 3 0");
  const auto samples = bench.json_of({"show", "last", "--samples", "--json"});
  const auto checks = shown_table(samples, "sampling");
  CHECK(checks.at(0).at("result") == "passed");
  CHECK(checks.at(1).at("detail") == "50.0 % expected, 25.0 % seen in epoch 2");
  CHECK(shown_table(samples, "first_samples").at(0).at("after") == "5 2 7 1");
  CHECK(shown_table(samples, "ownership") == grid);
}

TEST_CASE("quick: e1_padding: repeats are counted, and taken out again", "[presets]") {
  const Bench bench;
  const auto report = quick(bench, "e1_padding", 1);
  const auto all = table(report, "evaluation").back();
  CHECK(all.at("counted") == 102);
  CHECK(all.at("repeats") == 2);
  CHECK(all.at("exact_counted") == 100);
  CHECK(found(report, "repeats_counted"));
  const auto samples = bench.json_of({"show", "last", "--samples", "--json"});
  const auto validation = shown_table(samples, "validation").back();
  CHECK(validation.at("counted") == 102);
  CHECK(validation.at("padded_samples") == 2);
  CHECK(validation.at("exact") == all.at("exact"));
}

TEST_CASE("quick: e2_single", "[presets]") {
  const Bench bench;
  CHECK(matches(quick(bench, "e2_single", 1), "parameters") == "equal, recorded");
}

TEST_CASE("quick: e2_dp4: one process", "[presets]") {
  const Bench bench;
  const auto report = quick(bench, "e2_dp4", 1);
  CHECK(card(report).at("parallel") == "dp");
  CHECK(card(report).at("processes") == 1);
}

TEST_CASE("quick: e2_dp4_256: a row of its own", "[presets]") {
  const Bench bench;
  CHECK(card(quick(bench, "e2_dp4_256", 1)).at("global_batch") == 16);
}

TEST_CASE("quick: e2_ddp2", "[presets]") {
  const Bench bench;
  CHECK(card(quick(bench, "e2_ddp2", 2)).at("backend") == "gloo");
}

TEST_CASE("quick: e2_ddp4", "[presets]") {
  const Bench bench;
  quick(bench, "e2_ddp4", 2);
}

TEST_CASE("quick: e2_ddp4_syncbn: the companion's variant, against plain BatchNorm", "[presets]") {
  const Bench bench;
  const auto report = quick(bench, "e2_ddp4_syncbn", 2);
  CHECK(card(report).at("speedup").is_number());
  CHECK(!found(report, "unfair_baseline"));
}

TEST_CASE("quick: e2_ddp4_amp: autocast, against fp32 on as many ranks", "[presets]") {
  const Bench bench;
  const auto report = quick(bench, "e2_ddp4_amp", 2);
  CHECK(card(report).at("precision") == "bf16");
  CHECK(table(report, "card").at(0).at("precision") == "fp32");
  CHECK(table(report, "card").at(0).at("ranks") == 2);
  CHECK(card(report).at("speedup").is_number());
}

TEST_CASE("quick: e3_mnist: 1, 2 and 4 ranks in one view, a checkpoint each epoch", "[presets]") {
  const Bench bench;
  const auto result = bench.run({"e3_mnist", "--quick", "--set", "data.train_samples=3000"});
  REQUIRE(result.at("runs").size() == 3);
  std::vector<std::string> asked{"report", "--json"};
  for (const auto& run : result["runs"]) {
    CHECK(run.at("state") == "finished");
    asked.push_back(run.at("id"));
  }
  const auto report = bench.json_of(asked);
  CHECK(table(report, "timeline").size() == 3);
  const auto scaling = table(report, "weak_scaling");
  REQUIRE(scaling.size() == 3);
  const std::vector<int> updates{94, 47, 24};
  for (std::size_t i = 0; i < updates.size(); ++i) {
    CHECK(scaling.at(i).at("steps_per_epoch") == updates[i]);
    CHECK(scaling.at(i).at("training_seconds").is_number());
    CHECK(scaling.at(i).at("val_accuracy").is_number());
    CHECK(scaling.at(i).at("speedup").is_number() == (i > 0));
  }
}

TEST_CASE("quick: e3_crash: a rank crashes in epoch 2, and the run finishes", "[presets]") {
  const Bench bench;
  const auto report = quick(bench, "e3_crash", 1, {"--set", "data.train_samples=3000"});
  const auto timeline = table(report, "timeline");
  const auto again = std::find_if(timeline.begin(), timeline.end(), [](const json& row) {
    return row.at("what") == "resumed, attempt 1";
  });
  REQUIRE(again != timeline.end());
  CHECK(again->at("step") == 47);
}

TEST_CASE("a run of two ranks goes on with one: resume RUN --set devices.world_size=1",
          "[presets]") {
  const Bench bench;
  const auto started =
      bench.run({"e3_mnist", "--quick", "--set", "baseline.mode=none", "--set",
                 "devices.world_size=2", "--set", "train.epochs=100000", "--detach"});
  const std::filesystem::path folder = started.at("runs").at(0).at("folder").get<std::string>();
  REQUIRE(wait_until(120,
                     [&] { return std::filesystem::exists(folder / "checkpoints/epoch_002.pt"); }));
  REQUIRE(bench.ringside({"stop", "last"}).exit_code == 0);
  const auto before = bench.json_of({"show", "last", "--json"});
  auto spec = messages::parse_run_spec(read_text(folder / "spec.toml").value(), "spec").value();
  spec.train.epochs = before.at("epochs").back().at("epoch").get<std::int64_t>() + 3;
  REQUIRE(write_text_atomically(folder / "spec.toml", messages::to_toml(spec)));
  const auto refused = bench.ringside({"resume", "last", "--set", "train.epochs=3"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.errors.find("devices.* and limits.*") != std::string::npos);
  const auto resumed =
      bench.ringside({"resume", "last", "--set", "devices.world_size=1", "--json"});
  INFO(resumed.errors);
  REQUIRE(resumed.exit_code == 0);
  const auto run = last_line_json(resumed.output).at("runs").at(0);
  CHECK(run.at("state") == "finished");
  CHECK(run.at("world_size") == 1);
  CHECK(run.at("val_accuracy").is_number());
  const auto timeline = table(bench.json_of({"report", "last", "--json"}), "timeline");
  CHECK(timeline.front().at("ranks") == 2);
  const auto again = std::find_if(timeline.begin(), timeline.end(), [](const json& row) {
    return row.at("what") == "resumed, attempt 1";
  });
  REQUIRE(again != timeline.end());
  CHECK(again->at("ranks") == 1);
  const auto after = bench.json_of({"show", "last", "--json"});
  CHECK(after.at("steps") > before.at("steps"));
  CHECK(after.at("steps_planned") >= after.at("steps"));
}

TEST_CASE("quick: e4_slurm: 32 of 33, and the checkpoint's name has the ranks", "[presets]") {
  const Bench bench;
  const auto report = quick(bench, "e4_slurm", 2);
  CHECK(card(report).at("scaling") == "strong");
  CHECK(card(report).at("global_batch_nominal") == 33);
  CHECK(card(report).at("global_batch") == 32);
  CHECK(found(report, "batch_cut"));
  CHECK(found(report, "order_repeated"));
  const auto path = table(report, "timeline").back().at("path").get<std::string>();
  CHECK(path.find("2ranks_") != std::string::npos);
}

TEST_CASE("presets and run say what this machine lacks, and suggest a way out", "[presets]") {
  const Bench bench;
  const auto listed =
      launch::capture({(bin_dir() / "ringside").string(), "presets", "--json"}, kQuickNs).value();
  REQUIRE(listed.exit_code == 0);
  bool grid = false;
  for (const auto& preset : json::parse(listed.output)) {
    for (const char* key :
         {"name", "title", "ranks", "model", "data", "can_run", "why_not", "then"})
      CHECK(preset.contains(key));
    CHECK(preset.at("can_run").get<bool>() == preset.at("why_not").get<std::string>().empty());
    grid = grid || (preset.at("name") == "e1_shuffle_grid" && preset.at("can_run") == true);
  }
  CHECK(grid);
  const auto refused = bench.ringside({"run", "e2_ddp4", "--set", "devices.world_size=64"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.errors.find("needs 64 GPUs") != std::string::npos);
  CHECK(refused.errors.find("run e2_ddp4 --quick") != std::string::npos);
  CHECK(bench.ringside({"report", "last"}).exit_code == 2);
  CHECK(bench.ringside({"resume", "last"}).exit_code == 2);
}

TEST_CASE("every preset has its case here", "[presets]") {
  const auto text = read_text(source_dir() / "tests/integration/presets_test.cpp").value();
  const auto all = launch::presets().value();
  for (const auto& preset : all) {
    INFO(preset.name);
    CHECK((text.find("\"quick: " + preset.name + "\"") != std::string::npos ||
           text.find("\"quick: " + preset.name + ":") != std::string::npos));
  }
}

TEST_CASE("e1_padding evaluates weights that another run has trained, and trains nothing",
          "[presets]") {
  const Bench bench;
  const auto trained = bench.run({"mnist", "--quick", "--set", "baseline.mode=none", "--set",
                                  "data.train_samples=300", "--set", "data.test_samples=100"});
  const std::string folder = trained.at("runs").at(0).at("folder");
  const auto judged = bench.run(
      {"e1_padding", "--set", "devices.kind=cpu", "--set", "model.name=convnet", "--set",
       "data.name=digits", "--set", "data.mean=[]", "--set", "data.std=[]", "--set",
       "data.train_samples=300", "--set", "data.test_samples=100", "--set", "data.workers=1",
       "--set", "model.init_from=" + folder + "/checkpoints/epoch_002.pt"});
  CHECK(judged.at("runs").at(0).at("state") == "finished");
  const auto report = bench.json_of({"report", "last", "--json"});
  const auto all = table(report, "evaluation").back();
  CHECK(all.at("counted") == 102);
  CHECK(all.at("exact_counted") == 100);
  CHECK(all.at("exact").get<double>() ==
        Approx(trained.at("runs").at(0).at("val_accuracy").get<double>()));
  const auto missing =
      bench.ringside({"run", "e1_padding", "--quick", "--set", "model.init_from=/nowhere.pt"});
  CHECK(missing.exit_code == 2);
  CHECK(missing.errors.find("/nowhere.pt") != std::string::npos);
}

TEST_CASE("a stopped run is resumed in its folder from its checkpoint, a finished one is not",
          "[presets]") {
  const Bench bench;
  const auto started = bench.run({"mnist", "--quick", "--set", "baseline.mode=none", "--set",
                                  "train.epochs=100000", "--detach"});
  const std::filesystem::path folder = started.at("runs").at(0).at("folder").get<std::string>();
  CHECK(bench.ringside({"resume", "last"}).exit_code == 2);
  REQUIRE(wait_until(120,
                     [&] { return std::filesystem::exists(folder / "checkpoints/epoch_001.pt"); }));
  REQUIRE(bench.ringside({"stop", "last"}).exit_code == 0);
  const auto before = bench.json_of({"show", "last", "--json"});
  CHECK(before.at("state") == "stopped");
  // The run gets two more epochs instead of a hundred thousand.
  auto spec = messages::parse_run_spec(read_text(folder / "spec.toml").value(), "spec").value();
  spec.train.epochs = before.at("epochs").back().at("epoch").get<std::int64_t>() + 3;
  REQUIRE(write_text_atomically(folder / "spec.toml", messages::to_toml(spec)));
  const auto resumed = bench.ringside({"resume", "last", "--json"});
  INFO(resumed.errors);
  REQUIRE(resumed.exit_code == 0);
  CHECK(last_line_json(resumed.output).at("runs").at(0).at("state") == "finished");
  const auto report = bench.json_of({"report", "last", "--json"});
  const auto timeline = table(report, "timeline");
  const auto again = std::find_if(timeline.begin(), timeline.end(), [](const json& row) {
    return row.at("what") == "resumed, attempt 1";
  });
  REQUIRE(again != timeline.end());
  CHECK(again->at("step").get<std::int64_t>() >= before.at("steps").get<std::int64_t>());
  CHECK(std::filesystem::exists(folder / "attempt_1"));
  const auto over = bench.ringside({"resume", "last"});
  CHECK(over.exit_code == 2);
  CHECK(over.errors.find("nothing left to do") != std::string::npos);
}
