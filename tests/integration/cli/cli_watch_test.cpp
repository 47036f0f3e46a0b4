// `ringside watch` and `ringside import`: real processes with growing files, and their results.
#include <algorithm>
#include <csignal>
#include <fstream>

#include "gui/export/tf_events.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

namespace fs = std::filesystem;

std::string events(double wall_s, std::int64_t step, float loss) {
  std::string file;
  const exporting::TaggedValue values[] = {{"train/loss", loss}, {"val/acc", 0.5F}};
  exporting::append_scalars(file, wall_s, step, values);
  return file;
}

void append(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary | std::ios::app) << text;
}

nlohmann::json list_of(const CliRig& rig) { return rig.json_of({"list", "--json"}); }

/// Number of steps of the only run, read by the list from its log.
int steps_of(const CliRig& rig) {
  const auto listed = list_of(rig);
  return listed.empty() ? 0 : listed[0].at("steps").get<int>();
}

}  // namespace

TEST_CASE("watch follows a growing event file until it is stopped, and does not change it") {
  const CliRig rig;
  const fs::path file = rig.path() / "logs/exp/events.out.tfevents.1";
  append(file, events(1.7e9, 0, 1));
  const auto begun = rig.ringside({"watch", file.parent_path().string(), "--detach", "--json"});
  INFO(begun.errors);
  REQUIRE(begun.exit_code == 0);
  const auto run = last_line_json(begun.output).at("runs").at(0);
  CHECK(run.at("state") == "training");
  append(file, events(1.7e9 + 60, 1, 0.5F) + events(1.7e9 + 120, 2, 0.25F));
  REQUIRE(wait_until(20, [&] { return steps_of(rig) == 3; }));
  const auto listed = list_of(rig);
  REQUIRE(listed.size() == 1);
  CHECK(listed[0].at("live") == true);
  CHECK(listed[0].at("name") == "exp");
  CHECK(listed[0].at("samples_per_s").is_null());
  const auto stopped = rig.ringside({"stop", "last"});
  INFO(stopped.errors);
  CHECK(stopped.exit_code == 0);
  const auto shown = rig.json_of({"show", "last", "--json"});
  CHECK(shown.at("state") == "stopped");
  CHECK(shown.at("final_loss") == 0.25);
  CHECK(fs::file_size(file) == 3 * events(1.7e9, 0, 1).size());
  const auto csv = rig.path() / "csv";
  REQUIRE(rig.ringside({"export", "last", "--csv", csv.string()}).exit_code == 0);
  CHECK(text_of(csv / "scalars.csv").find("val/acc") != std::string::npos);
  CHECK(rig.ringside({"resume", "last"}).errors.find("ringside watch") != std::string::npos);
  CHECK(rig.ringside({"show", "last"}).output.find("from files of another tool") !=
        std::string::npos);
}

TEST_CASE("Ctrl-C ends the watching in order, and an empty path is waited for") {
  CliRig rig;
  fs::create_directories(rig.path() / "logs");
  const pid_t pid =
      rig.start({"watch", (rig.path() / "logs").string(), "--json"}, rig.path() / "out");
  append(rig.path() / "logs/version_0/metrics.csv", "epoch,step,train_loss\n0,0,1\n0,1,0.5\n");
  REQUIRE(wait_until(20, [&] { return steps_of(rig) == 2; }));
  ::kill(pid, SIGINT);
  CHECK(rig.wait_exit(pid) == 128 + SIGINT);
  const auto result = last_line_json(text_of(rig.path() / "out"));
  CHECK(result.at("runs").at(0).at("state") == "stopped");
  CHECK(list_of(rig)[0].at("name") == "version_0");
}

TEST_CASE("deleting the followed folder, or the run, is reported, and ends the watching") {
  CliRig rig;
  const fs::path folder = rig.path() / "logs/exp";
  append(folder / "metrics.csv", "step,loss\n0,1\n1,0.5\n");
  const fs::path errors = rig.path() / "errors";
  const pid_t pid =
      rig.start({"watch", (rig.path() / "logs").string(), "--json"}, rig.path() / "out", errors);
  REQUIRE(wait_until(20, [&] { return steps_of(rig) == 2; }));
  SECTION("the followed folder") {
    fs::remove_all(folder);
    CHECK(wait_until(10, [&] {
      return text_of(errors).find("metrics.csv: it was deleted; what was read") !=
             std::string::npos;
    }));
    CHECK(rig.ringside({"show", "last"}).output.find("it was deleted; what was read of it") !=
          std::string::npos);
    ::kill(pid, SIGINT);
    CHECK(rig.wait_exit(pid) == 128 + SIGINT);
  }
  SECTION("everything") {
    fs::remove_all(rig.path() / "logs");
    CHECK(wait_until(10, [&] {
      return text_of(errors).find("logs: it is not there any more; it is waited for") !=
             std::string::npos;
    }));
    ::kill(pid, SIGINT);
    CHECK(rig.wait_exit(pid) == 128 + SIGINT);
  }
  SECTION("the run") {
    const auto listed = list_of(rig);
    REQUIRE(remove_folder(rig.runs() / listed.at(0).at("id").get<std::string>()));
    CHECK(rig.wait_exit(pid) == 0);
    CHECK(text_of(errors).find("the folder of its run was deleted: it is followed no more") !=
          std::string::npos);
  }
}

TEST_CASE("import reads a table, and copies a run folder from elsewhere") {
  const CliRig rig;
  append(rig.path() / "metrics.csv", "step,loss,val_acc\n0,1,0.5\n1,0.5,0.75");
  const auto imported =
      rig.json_of({"import", (rig.path() / "metrics.csv").string(), "--name", "mine", "--json"});
  CHECK(imported.at("runs").at(0).at("state") == "stopped");
  const auto listed = list_of(rig);
  REQUIRE(listed.size() == 1);
  CHECK(listed[0].at("name") == "mine");
  CHECK(listed[0].at("steps") == 2);
  const fs::path folder = listed[0].at("folder").get<std::string>();
  const fs::path elsewhere = rig.path() / "usb" / folder.filename();
  fs::create_directories(elsewhere.parent_path());
  fs::rename(folder, elsewhere);
  CHECK(list_of(rig).empty());
  REQUIRE(rig.ringside({"import", elsewhere.string()}).exit_code == 0);
  CHECK(list_of(rig).size() == 1);
}

TEST_CASE("a step of a table keeps its number in every command, and no device is claimed") {
  const CliRig rig;
  append(rig.path() / "metrics.csv", "step,loss,val_acc\n4,1,0.25\n5,0.5,0.75\n");
  REQUIRE(rig.ringside({"import", (rig.path() / "metrics.csv").string()}).exit_code == 0);
  const auto shown = rig.json_of({"show", "last", "--json"});
  CHECK(shown.at("steps") == 2);
  CHECK(shown.at("ranks").at(0).at("newest_step") == 5);
  CHECK(shown.at("spec").at("devices").at("kind") != "cpu");
  const std::string text = rig.ringside({"show", "last"}).output;
  INFO(text);
  CHECK(text.find(", of step 5 alone") != std::string::npos);
  CHECK(text.find(" on cpu") == std::string::npos);
  CHECK(text.find(" 6  ") == std::string::npos);
  const auto tables = rig.json_of({"report", "last", "--json"}).at("tables");
  const auto logged = std::find_if(tables.begin(), tables.end(),
                                   [](const auto& one) { return one.at("id") == "metrics"; });
  REQUIRE(logged != tables.end());
  CHECK(logged->at("rows").at(0).at("step") == 5);
  const std::string told = rig.ringside({"tail", "last", "--all", "--no-follow"}).output;
  INFO(told);
  CHECK(told.find("val_acc = 0.750000  step 5\n") != std::string::npos);
  CHECK(told.find("step 5  loss 0.5") != std::string::npos);
  CHECK(told.find("step 6") == std::string::npos);
  REQUIRE(rig.ringside({"export", "last", "--csv", (rig.path() / "csv").string()}).exit_code == 0);
  CHECK(text_of(rig.path() / "csv/steps.csv").find(",5,") != std::string::npos);
}

TEST_CASE(
    "import keeps intact data beside damage, reports what is missing first, and keeps all steps") {
  const CliRig rig;
  const fs::path logs = rig.path() / "logs";
  append(logs / "a/events.out.tfevents.1",
         events(1.7e9, -1, 3) + events(1.7e9, 1'700'000'000'000, 1));
  append(logs / "b/events.out.tfevents.1", events(1.7e9, 0, 3) + "some damage here, of any length");
  append(logs / "b/events.out.tfevents.1", events(1.7e9, 1, 1));
  append(logs / "c/training_log.csv", "epoch;loss;note\n0;1,5;x\n1;0,5;y\n");
  append(logs / "d/notes.csv", "name,size\na,1\n");
  const auto imported = rig.ringside({"import", logs.string(), "--json"});
  INFO(imported.errors);
  REQUIRE(imported.exit_code == 0);
  const auto result = last_line_json(imported.output);
  CHECK(result.at("runs").size() == 3);
  const auto& left_out = result.at("left_out");
  REQUIRE(left_out.size() == 3);
  CHECK(left_out[0].at("file") == (logs / "b/events.out.tfevents.1").string());
  CHECK(left_out[0].at("place") == "byte " + std::to_string(events(1.7e9, 0, 3).size()));
  CHECK(left_out[0].at("count") == 1);
  CHECK(left_out[0].at("expected") == false);
  CHECK(imported.errors.find("warning: " + (logs / "b/events.out.tfevents.1").string()) == 0);
  CHECK(imported.errors.find("note: " + (logs / "d/notes.csv").string()) != std::string::npos);
  const auto csv = rig.path() / "csv";
  for (const auto& run : list_of(rig)) {
    const std::string id = run.at("id");
    REQUIRE(rig.ringside({"export", id, "--csv", (csv / id).string()}).exit_code == 0);
    const std::string values = text_of(csv / id / "scalars.csv");
    if (run.at("name") == "a") {
      CHECK(values.find(",-1,") != std::string::npos);
      CHECK(values.find(",1700000000000,") != std::string::npos);
      const auto shown = rig.ringside({"show", id}).output;
      CHECK(shown.find("1,700,000,000,000") != std::string::npos);
      CHECK(shown.find("not valid") == std::string::npos);
    }
    if (run.at("name") == "b") {
      const auto shown = rig.ringside({"show", id}).output;
      CHECK(shown.find("a record is damaged") < shown.find("Metrics"));
    }
  }
  CHECK(list_of(rig).size() == 3);
}

TEST_CASE("import uses the named column, and no more runs than requested") {
  const CliRig rig;
  append(rig.path() / "odd.csv", "tokens_seen,loss\n100,1\n200,0.5\n");
  CHECK(rig.ringside({"import", (rig.path() / "odd.csv").string(), "--step", "tokens_seen"})
            .exit_code == 0);
  CHECK(list_of(rig).size() == 1);
  const auto missing =
      rig.ringside({"import", (rig.path() / "odd.csv").string(), "--step", "nothing"});
  CHECK(missing.exit_code == 2);
  CHECK(missing.errors.find("no column is called nothing, but: tokens_seen, loss") !=
        std::string::npos);
  for (const char* name : {"a", "b", "c"})
    append(rig.path() / "runs_of" / name / "metrics.csv", "step,loss\n0,1\n");
  const auto limited = rig.ringside({"import", (rig.path() / "runs_of").string(), "--limit", "2"});
  CHECK(limited.exit_code == 0);
  CHECK(limited.errors == "warning: c: a run is beyond the first 2\n");
  CHECK(list_of(rig).size() == 3);
}

TEST_CASE("watch continues after damage, and with the file of a restarted program") {
  CliRig rig;
  const fs::path file = rig.path() / "logs/events.out.tfevents.1";
  append(file, events(1.7e9, 0, 1));
  const pid_t pid =
      rig.start({"watch", (rig.path() / "logs").string(), "--json"}, rig.path() / "out");
  REQUIRE(wait_until(20, [&] { return steps_of(rig) == 1; }));
  append(file, "some damage here, of any length");
  append(rig.path() / "logs/events.out.tfevents.2", events(1.7e9 + 60, 1, 0.5F));
  REQUIRE(wait_until(20, [&] { return steps_of(rig) == 2; }));
  append(file, events(1.7e9 + 120, 2, 0.25F));
  REQUIRE(wait_until(20, [&] { return steps_of(rig) == 3; }));
  ::kill(pid, SIGINT);
  CHECK(rig.wait_exit(pid) == 128 + SIGINT);
  const auto result = last_line_json(text_of(rig.path() / "out"));
  CHECK(result.at("runs").at(0).at("state") == "stopped");
  CHECK(result.at("left_out").at(0).at("count") == 1);
}

TEST_CASE("a path that cannot be followed is one error with exit code 2, and leaves no run") {
  const CliRig rig;
  append(rig.path() / "bad.csv", std::string("\0\0step,loss\n1,1\n", 16));
  append(rig.path() / "events.out.tfevents.9", "nonsense, long enough");
  append(rig.path() / "notes.txt", "x");
  append(rig.path() / "empty.csv", "step,loss\n");
  for (const std::string command : {"watch", "import"}) {
    for (const char* name : {"bad.csv", "events.out.tfevents.9", "notes.txt", "missing"}) {
      INFO(command << " " << name);
      const auto refused = rig.ringside({command, (rig.path() / name).string()});
      CHECK(refused.exit_code == 2);
      CHECK(refused.output.empty());
      CHECK(std::count(refused.errors.begin(), refused.errors.end(), '\n') == 1);
    }
  }
  CHECK(rig.ringside({"import", (rig.path() / "empty.csv").string()}).exit_code == 2);
  CHECK(rig.ringside({"watch", (rig.path() / "empty.csv").string(), "--detach"}).exit_code == 2);
  CHECK(list_of(rig).empty());
}
