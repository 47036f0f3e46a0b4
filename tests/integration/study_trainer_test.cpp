// A study with real ranks: two Gloo ranks on CPU slots against one, from the sweep to its files.
#include <algorithm>
#include <csignal>
#include <filesystem>

#include "gui/launch/child.h"
#include "gui/runs/studies/study.h"
#include "protocol/host/files.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

/// A sweep with so little work that a run takes only seconds.
std::vector<std::string> tiny_sweep(const CliRig& rig, std::vector<std::string> more) {
  std::vector<std::string> words{"sweep", "demo", "--quick"};
  for (const std::string& set :
       {std::string("data.train_samples=256"), std::string("data.test_samples=64"),
        std::string("train.epochs=2"), std::string("devices.world_size=1"),
        "data.root=" + (rig.path() / "data").string()}) {
    words.insert(words.end(), {"--set", set});
  }
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void refuses_sweep(const CliRig& rig, std::vector<std::string> words, const char* why) {
  words.insert(words.begin(), "sweep");
  rig.refuses(std::move(words), why);
}

}  // namespace

TEST_CASE("a sweep of settings trains each combination and its table says which is best") {
  CliRig rig;
  const auto captured = rig.ringside(tiny_sweep(
      rig, {"--set", "optimizer.lr=0.000001,0.05", "--set", "batch.size=32,64", "--json"}));
  INFO(captured.errors);
  REQUIRE(captured.exit_code == 0);
  CHECK(captured.errors.find("baseline") == std::string::npos);
  const auto result = last_line_json(captured.output);
  CHECK(result["complete"] == true);
  CHECK(result["runs_finished"] == 4);
  REQUIRE(result["settings"].size() == 4);
  CHECK(result["settings"][0]["setting"] == "optimizer.lr=0.000001 batch.size=32-1");
  int best = 0;
  for (const auto& row : result["settings"]) {
    CHECK(row["devices"] == 1);
    CHECK(row["repeats"] == 1);
    CHECK(row["seconds"].get<double>() > 0);
    for (const char* key : {"val_accuracy", "best_val_accuracy", "val_loss", "train_loss"})
      CHECK(row[key].is_number());
    CHECK_FALSE(row.contains("speedup"));
    if (row["best"] == true) ++best;
  }
  CHECK(best == 1);
  // A learning rate of almost zero trains less than another.
  const auto by_loss = rig.json_of({"show", "S-01", "--best", "val_loss", "--json"});
  CHECK(by_loss["result"].get<std::string>().starts_with(
      "Best by final validation loss: optimizer.lr=0.05 "));
  const auto shown = rig.ringside({"show", "S-01"});
  CHECK(shown.output.find("--repeats 3` measures it") != std::string::npos);
  CHECK(shown.output.find("optimizer.lr") != std::string::npos);
  CHECK(rig.ringside({"show", "S-01", "--best", "speed"}).exit_code == 2);
  // The study is complete until more repeats are requested.
  CHECK(rig.ringside({"resume", "S-01"}).exit_code == 0);
  refuses_sweep(rig, {"S-01", "--world", "2"}, "compares settings");
  const auto again = rig.ringside({"sweep", "S-01", "--repeats", "2", "--json"});
  INFO(again.errors);
  REQUIRE(again.exit_code == 0);
  const auto more = last_line_json(again.output);
  CHECK(more["runs_finished"] == 8);
  CHECK(more["settings"][3]["repeats"] == 2);
  // The repeats have different seeds, or they would be equal.
  CHECK(more["settings"][3]["val_loss_deviation"].get<double>() > 0);
  CHECK(more["result"].get<std::string>().find("at 95 %") != std::string::npos);
  const auto folder = (rig.path() / "files").string();
  REQUIRE(rig.ringside({"report", "S-01", "--export", folder}).exit_code == 0);
  CHECK(read_text(folder + "/S-01.csv")->find("set.batch.size") != std::string::npos);
}

TEST_CASE("a command is swept by the names in its arguments") {
  CliRig rig;
  const auto program = rig.path() / "rank.sh";
  REQUIRE(write_text_atomically(
      program, "exec '" + (test_bin_dir() / "fake_rank").string() + "' --step-ms=2 \"$1\"\n"));
  const auto captured = rig.ringside({"sweep", "--devices", "cpu", "--set", "steps=20,40", "--json",
                                      "--", "/bin/sh", program.string(), "--steps={steps}"});
  INFO(captured.errors);
  REQUIRE(captured.exit_code == 0);
  const auto result = last_line_json(captured.output);
  REQUIRE(result["settings"].size() == 2);
  CHECK(result["settings"][1]["set.steps"] == 40);
  CHECK(result["settings"][1]["setting"] == "steps=40-1");
  const auto study = runs::read_study(rig.runs(), "S-01");
  REQUIRE(study);
  const auto spec =
      read_text(rig.runs() / study->settings[1].runs.front() / "spec.toml").value_or("");
  INFO(spec);
  CHECK(spec.find("--steps=40") != std::string::npos);
}

TEST_CASE("an invalid sweep of settings is one clear sentence") {
  CliRig rig;
  const std::string lr = "optimizer.lr=0.1,0.2";
  refuses_sweep(rig, {"demo", "--set", "optimizer.lr=0.1"}, "has one value only");
  refuses_sweep(rig, {"demo", "--set", "optimizer.lrr=0.1,0.2"}, "optimizer.lr");
  refuses_sweep(rig, {"demo", "--set", lr, "--world", "1,2"}, "leave out --world");
  refuses_sweep(rig, {"demo", "--set", lr, "--strong"}, "leave out --strong");
  refuses_sweep(rig, {"e0_bonus", "--set", lr}, "is a study of numbers of devices");
  refuses_sweep(rig, {"demo", "--random", "3"}, "several values");
  refuses_sweep(rig, {"demo", "--set", lr, "--random", "3"}, "only 2 combinations");
  refuses_sweep(rig, {"demo", "--set", "devices.world_size=1,2"}, "--world 1,2,4");
  refuses_sweep(rig, {"--set", "lr=1,2", "--", "true", "{lr}", "{wd}"}, "{wd}");
  refuses_sweep(rig, {"--set", "lr=1,2", "--", "true"}, "has {lr}");
  CHECK_FALSE(std::filesystem::exists(rig.runs() / "studies"));
}

TEST_CASE("a sweep of real ranks measures one, two, and two in bf16") {
  CliRig rig;
  const auto captured = rig.ringside(
      {"sweep", "demo", "--quick", "--world", "1,2", "--repeats", "2", "--both", "--variants",
       "bf16", "--set", "data.train_samples=256", "--set", "data.test_samples=64", "--set",
       "train.epochs=1", "--set", "data.root=" + (rig.path() / "data").string(), "--json"});
  INFO(captured.errors);
  REQUIRE(captured.exit_code == 0);
  const auto result = last_line_json(captured.output);
  CHECK(result["complete"] == true);
  REQUIRE(result["settings"].size() == 4);
  const auto& weak = result["settings"][1];
  CHECK(weak["setting"] == "weak-2");
  CHECK(weak["per_rank_batch"] == 64);
  CHECK(weak["global_batch"] == 128);
  CHECK(weak["steps_per_epoch"] == 2);
  const auto& strong = result["settings"][2];
  CHECK(strong["per_rank_batch"] == 32);
  CHECK(strong["global_batch"] == 64);
  CHECK(strong["steps_per_epoch"] == 4);
  for (const auto& setting : result["settings"]) {
    CHECK(setting["repeats"] == 2);
    CHECK(setting["speedup"].get<double>() > 0);
    CHECK(setting["val_accuracy"].is_number());
  }
  CHECK(weak["efficiency"].get<double>() == Approx(weak["speedup"].get<double>() / 2));
  CHECK(result["settings"][3]["setting"] == "bf16-2");
  CHECK(result["settings"][3]["efficiency"].is_null());
  const auto html = (rig.path() / "study.html").string();
  REQUIRE(rig.ringside({"report", "S-01", "--html", html}).exit_code == 0);
  CHECK(read_text(html)->find("bf16-2") != std::string::npos);
}
