// Queries and invalid requests: JSON that scripts rely on, exit codes, and errors that say what to
// do.
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "protocol/messages/spec/settings.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

std::set<std::string> keys_of(const nlohmann::json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

bool has_terminals() {
  int terminal = -1;
  int other = -1;
  if (::openpty(&terminal, &other, nullptr, nullptr, nullptr) != 0) {
    WARN("SKIPPED: no terminal can be made here (/dev/pts)");
    return false;
  }
  ::close(terminal);
  ::close(other);
  return true;
}

// The program's output on a pseudo-terminal.
std::string on_terminal(const std::vector<std::string>& arguments, const char* no_color) {
  int terminal = -1;
  const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  REQUIRE(pid >= 0);
  if (pid == 0) {
    if (no_color != nullptr) ::setenv("NO_COLOR", no_color, 1);
    if (no_color == nullptr) ::unsetenv("NO_COLOR");
    const std::string program = (bin_dir() / "ringside").string();
    std::vector<char*> pointers{const_cast<char*>(program.c_str())};
    for (const auto& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);
    ::execv(program.c_str(), pointers.data());
    ::_exit(127);
  }
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::read(terminal, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(terminal);
  ::waitpid(pid, nullptr, 0);
  return text;
}

}  // namespace

TEST_CASE("every command has help") {
  CliRig rig;
  const auto ringside = (bin_dir() / "ringside").string();
  const auto help = launch::capture({ringside, "--help"}, kPatienceNs).value();
  CHECK(help.exit_code == 0);
  for (const char* command : {"run", "sweep", "list", "show", "tail", "export", "stop", "delete",
                              "data", "presets", "doctor"}) {
    INFO(command);
    CHECK(help.output.find(std::string("\n  ") + command + " ") != std::string::npos);
    const auto own = launch::capture({ringside, command, "--help"}, kPatienceNs).value();
    CHECK(own.exit_code == 0);
    CHECK(own.output.find("Usage: ringside " + std::string(command)) != std::string::npos);
  }
  CHECK(launch::capture({ringside, "--version"}, kPatienceNs)->output.starts_with("ringside "));
}

TEST_CASE("invalid requests exit with 2, start nothing and say what is valid") {
  CliRig rig;
  const auto experiment = rig.experiment(2, {});
  const auto refused = [&](std::vector<std::string> arguments, const std::string& hint) {
    const auto captured = rig.ringside(arguments);
    INFO(captured.errors);
    CHECK(captured.exit_code == 2);
    CHECK(captured.output.empty());
    CHECK(captured.errors.find(hint) != std::string::npos);
  };
  refused({"run", "dmeo"}, "\"demo\"");
  refused({"lisst"}, "did you mean \"ringside list\"?");
  refused({"renaem", "1", "best"}, "did you mean \"ringside rename\"?");
  refused({"sweep", "demo", "--world", "1", "--repeat", "5"}, "did you mean \"--repeats\"?");
  refused({"sweep", "demo", "--worlds=1"}, "did you mean \"--world\"?");
  refused({"run", experiment, "--set", "train.epoch=3"}, "epochs");
  refused({"run", experiment, "--set", "devices.kind=tpu"}, "cpu");
  refused({"run", experiment, "--set", "devices.kind=cuda", "--set", "devices.world_size=100"},
          "100");
  refused({"run", (rig.path() / "missing.toml").string()}, "missing.toml");
  refused({"show", "2031"}, "no runs");
  refused({"frobnicate"}, "frobnicate");
  CHECK(!std::filesystem::exists(rig.runs()));
}

TEST_CASE("a runs folder that cannot be written is reported before anything starts") {
  CliRig rig;
  const auto experiment = rig.experiment(1, {});
  std::ofstream(rig.path() / "file") << "x";
  const auto ringside = (bin_dir() / "ringside").string();
  const auto captured = launch::capture({ringside, "run", experiment, "--runs-dir",
                                         (rig.path() / "file/runs").string()},
                                        kPatienceNs)
                            .value();
  CHECK(captured.exit_code == 2);
  CHECK(captured.errors.find("--runs-dir") != std::string::npos);
}

TEST_CASE("list, show, tail and export agree about a finished run") {
  CliRig rig;
  const auto experiment = rig.experiment(2, {"--steps=40", "--step-ms=1"});
  const std::string odd =
      "odd \"name\" $(touch " + (rig.path() / "side").string() + "); \xE2\x82\xAC\n=1+1";
  REQUIRE(rig.ringside({"run", experiment, "--name", odd}).exit_code == 0);
  CHECK(!std::filesystem::exists(rig.path() / "side"));
  const auto listed = rig.json_of({"list", "--json"});
  REQUIRE(listed.size() == 1);
  CHECK(listed[0].at("name") == odd);
  CHECK(keys_of(listed[0]) == std::set<std::string>{"id",
                                                    "number",
                                                    "name",
                                                    "folder",
                                                    "state",
                                                    "detail",
                                                    "live",
                                                    "recipe",
                                                    "model",
                                                    "data",
                                                    "script",
                                                    "starred",
                                                    "tags",
                                                    "note",
                                                    "world_size",
                                                    "global_batch",
                                                    "steps",
                                                    "steps_planned",
                                                    "seconds",
                                                    "train_seconds",
                                                    "samples_per_s",
                                                    "val_accuracy",
                                                    "best_val_accuracy",
                                                    "final_loss",
                                                    "broken_loss",
                                                    "loss_not_finite",
                                                    "baseline",
                                                    "speedup",
                                                    "efficiency",
                                                    "fair",
                                                    "started",
                                                    "last_seen",
                                                    "lost_records",
                                                    "problem"});
  const auto shown = rig.json_of({"show", "#1", "--json"});
  CHECK(shown.at("ranks").size() == 2);
  CHECK(shown.at("ranks").at(1).at("exit_code") == 0);
  CHECK(shown.at("ranks").at(1).at("cpus").is_null());  // it names none
  CHECK(shown.at("spec").at("devices").at("world_size") == 2);
  CHECK(shown.at("log").at("skipped_bytes") == 0);
  const auto exported =
      rig.json_of({"export", "last", "--csv", (rig.path() / "csv").string(), "--json"});
  CHECK(exported.at("rows") == shown.at("log").at("records"));
  CHECK(exported.at("files").at(0).at("rows") == 80);
  const auto beside = rig.json_of({"export", "last", "--json"});
  CHECK(beside.at("rows") == exported.at("rows"));
  CHECK(std::filesystem::exists(std::filesystem::path(shown.at("folder").get<std::string>()) /
                                "export" / "steps.csv"));
  const auto tailed = rig.ringside({"tail", "last", "--json", "--all"});
  CHECK(static_cast<std::size_t>(std::count(tailed.output.begin(), tailed.output.end(), '\n')) ==
        exported.at("rows").get<std::size_t>());
  const auto lines = rig.ringside({"tail", "last", "-n", "3"});
  CHECK(std::count(lines.output.begin(), lines.output.end(), '\n') == 3);
  const auto of_one = rig.ringside({"tail", "last", "--rank", "1", "--since", "1h"}).output;
  CHECK(of_one.find("rank 1") != std::string::npos);
  CHECK(of_one.find("rank 0") == std::string::npos);
  CHECK(of_one.find("step 1 ") != std::string::npos);
  CHECK(rig.ringside({"tail", "last", "--since", "0s"}).output.empty());
  const auto never = rig.ringside({"tail", "last", "--since", "soon"});
  CHECK(never.exit_code == 2);
  CHECK(never.errors.find("10m") != std::string::npos);
  const auto no_terminal = rig.ringside({"tail", "last", "--live"});
  CHECK(no_terminal.exit_code == 2);
  CHECK(no_terminal.errors.find("ringside show last") != std::string::npos);
  CHECK(rig.ringside({"show", "last"}).output.find("odd \"name\"") != std::string::npos);
}

TEST_CASE("a run is named and tagged by its number, and found by its tag") {
  CliRig rig;
  REQUIRE(rig.ringside({"run", rig.experiment(1, {})}).exit_code == 0);
  const auto told = rig.json_of({"label", "1", "--name", "best so far", "--tag", "keep,slow",
                                 "--tag", "lr", "--note", "as printed", "--json"});
  CHECK(told.at("name") == "best so far");
  CHECK(told.at("tags") == nlohmann::json({"keep", "slow", "lr"}));
  CHECK(rig.json_of({"list", "--filter", "tags:slow", "--json"}).size() == 1);
  const auto less =
      rig.ringside({"label", "last", "--untag", "slow", "--untag", "never", "--note", ""});
  CHECK(less.output == "#1 best so far\ntags  keep, lr\nnote  –\n");
  CHECK(rig.json_of({"list", "--filter", "tags:slow", "--json"}).empty());
  CHECK(rig.ringside({"label", "#1", "--name", ""}).output.find("best so far") ==
        std::string::npos);
  CHECK(rig.ringside({"label", "9", "--tag", "x"}).exit_code == 2);
  CHECK(rig.ringside({"label", "1", "--note", "\xff"}).exit_code == 2);
}

TEST_CASE("notes are written at steps of a run, shown with it, and removed") {
  CliRig rig;
  support::make_run(rig.runs(), "20261121T134005Z-000001", support::demo_small(1));
  const auto told =
      rig.json_of({"label", "1", "--note-at", "41=lower rate", "--note-at", "8=a=b", "--json"});
  CHECK(told.at("chart_notes") == nlohmann::json::parse(R"([{"step": 7, "text": "a=b"},
                                                            {"step": 40, "text": "lower rate"}])"));
  CHECK(rig.ringside({"label", "1"}).output.find("at step 41  lower rate\n") != std::string::npos);
  CHECK(rig.ringside({"show", "1"}).output.find("lower rate") != std::string::npos);
  const auto tables = rig.json_of({"show", "1", "--json"}).at("tables");
  CHECK(std::ranges::any_of(tables, [](const auto& table) {
    return table.at("id") == "chart_notes" && table.at("rows").size() == 2;
  }));
  CHECK(rig.ringside({"label", "1", "--note-at", "41="}).output.find("lower rate") ==
        std::string::npos);
  for (const char* bad : {"x=y", "41", "0=before", "=y"}) {
    const auto refused = rig.ringside({"label", "1", "--note-at", bad});
    CHECK(refused.exit_code == 2);
    CHECK(refused.errors.find("STEP=TEXT") != std::string::npos);
  }
}

TEST_CASE("runs are renamed, tagged, starred, deleted and restored by their numbers") {
  CliRig rig;
  for (int i = 1; i <= 3; ++i)
    support::make_run(rig.runs(), "20261121T13400" + std::to_string(i) + "Z-000001",
                      support::demo_small(1));
  const auto found = [&](const std::string& filter) {
    return rig.json_of({"list", "--json", "--filter", filter}).size();
  };
  CHECK(rig.json_of({"rename", "2", "the best", "--json"}).at("name") == "the best");
  CHECK(rig.json_of({"tag", "keep,slow", "1", "3", "--json"}).size() == 2);
  CHECK(found("tag:keep") == 2);
  CHECK(rig.ringside({"tag", "slow", "3", "--off"}).output.find("tags  keep\n") !=
        std::string::npos);
  CHECK(found("tag:slow") == 1);
  CHECK(rig.json_of({"label", "2", "--star", "--json"}).at("starred") == true);
  CHECK(found("is:starred best") == 1);
  CHECK(rig.ringside({"label", "2", "--unstar"}).exit_code == 0);
  CHECK(found("is:starred") == 0);
  // An invalid number leaves all runs unchanged.
  CHECK(rig.ringside({"tag", "new", "1", "9"}).exit_code == 2);
  CHECK(found("tag:new") == 0);
  CHECK(rig.ringside({"tag", "\xff", "1"}).exit_code == 2);
  CHECK(rig.ringside({"label", "1", "--tag", "\xff"}).exit_code == 2);
  CHECK(rig.ringside({"rm", "1", "9"}).exit_code == 2);
  CHECK(rig.json_of({"list", "--json"}).size() == 3);
  CHECK(rig.ringside({"rm", "1", "S-99"}).exit_code == 2);
  CHECK(rig.ringside({"rm", "--runs", "1"}).exit_code == 2);
  CHECK(rig.json_of({"list", "--json"}).size() == 3);
  const auto gone = rig.ringside({"delete", "1", "3", "1"});
  CHECK(gone.exit_code == 0);
  const std::string undo = " --runs-dir " + rig.runs().string() + ").\n";
  CHECK(gone.output == "#1 is in the trash (ringside restore 1" + undo +
                           "#3 is in the trash (ringside restore 3" + undo);
  CHECK(rig.json_of({"list", "--json"}).size() == 1);
  CHECK(rig.ringside({"restore", "1", "S-99"}).exit_code == 2);
  CHECK(rig.json_of({"list", "--json"}).size() == 1);
  CHECK(rig.ringside({"restore", "1", "3"}).output == "#1 was restored.\n#3 was restored.\n");
  CHECK(rig.json_of({"list", "--json"}).size() == 3);
  CHECK(rig.ringside({"restore", "1"}).exit_code == 2);
}

TEST_CASE("a list has columns of logged values, and is filtered and sorted by them") {
  CliRig rig;
  auto options = support::demo_small(2);
  options.metrics = 3;
  support::make_run(rig.runs(), "20261121T134005Z-000001", options);
  support::make_run(rig.runs(), "20261121T134006Z-000001", support::demo_small(1));
  const auto listed = rig.json_of(
      {"list", "--json", "--columns", "number,images_per_s,lr", "--filter", "images_per_s>1"});
  REQUIRE(listed.size() == 1);
  CHECK(listed[0].at("logged.images_per_s").get<double>() > 1);
  CHECK(listed[0].at("optimizer.lr").is_number());
  const auto sorted = rig.json_of({"list", "--json", "--sort", "images_per_s"});
  CHECK(sorted.at(0).at("number") == 1);
  const auto unknown = rig.ringside({"list", "--sort", "images_per_x"});
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.errors.find("images_per_s") != std::string::npos);
}

TEST_CASE("a list shows the matching runs in the requested order and columns") {
  CliRig rig;
  for (const char* option : {"--filter=state:failed", "--columns=number", "--sort=name"})
    CHECK(rig.ringside({"list", option}).output.find("`ringside run demo` makes one") !=
          std::string::npos);
  CHECK(rig.ringside({"list", "--json", "--sort", "name"}).output == "[]\n");
  for (const int ranks : {2, 1})
    REQUIRE(rig.ringside({"run", rig.experiment(ranks, {"--steps=5"}), "--name",
                          "with " + std::to_string(ranks)})
                .exit_code == 0);
  const auto names = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"list", "--json"});
    std::vector<std::string> found;
    for (const auto& run : rig.json_of(options)) found.push_back(run.at("name"));
    return found;
  };
  using Names = std::vector<std::string>;
  CHECK(names({}) == Names{"with 1", "with 2"});
  CHECK(names({"--filter", "ranks<2"}) == Names{"with 1"});
  CHECK(names({"--filter", "state:finished devices.world_size>=2 with"}) == Names{"with 2"});
  CHECK(names({"--filter", "state!=finished"}).empty());
  CHECK(names({"--sort", "world_size", "--reverse"}) == Names{"with 2", "with 1"});
  CHECK(names({"--reverse"}) == Names{"with 2", "with 1"});
  CHECK(names({"--sort", "name", "-n", "1"}) == Names{"with 1"});
  const auto columns = rig.json_of({"list", "--json", "--columns", "number,ranks,optimizer.lr"});
  CHECK(keys_of(columns.at(0)) == std::set<std::string>{"number", "optimizer.lr", "world_size"});
  // A custom program's learning rate is unknown.
  CHECK(columns.at(0).at("optimizer.lr").is_null());
  const auto text = rig.ringside({"list", "--columns", "name,ranks", "--filter", "with"}).output;
  CHECK(text.find("with 1") != std::string::npos);
  CHECK(text.find("state") == std::string::npos);
  CHECK(rig.ringside({"list", "--filter", "ranks>9"}).output == "None of 2 runs fits ranks>9.\n");
  const auto unknown = rig.ringside({"list", "--filter", "stat:failed"});
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.errors.find("did you mean \"state\"?") != std::string::npos);
}

TEST_CASE("tail shows the right times before and after a reboot") {
  CliRig rig;
  ::setenv("TZ", "UTC", 1);
  constexpr std::int64_t kSecondNs = 1'000'000'000;
  constexpr std::int64_t kMidnightNs = 1'795'219'200 * kSecondNs;
  const auto folder = support::make_folder(rig.runs(), "20261121T010000Z-000001", {});
  {
    support::LogSink log(folder, kMidnightNs + 3600 * kSecondNs, 500 * kSecondNs);
    messages::RankState state;
    state.state = messages::State::kStarting;
    state.wall_ns = kMidnightNs + 3600 * kSecondNs;
    log.accept({0, kNoRank, 0, 500 * kSecondNs}, state);
    // The clock shows half past five, twenty seconds after the reboot.
    state.state = messages::State::kQueued;
    state.wall_ns = kMidnightNs + 19'800 * kSecondNs;
    log.accept({0, kNoRank, 0, 20 * kSecondNs}, state);
    log.accept({0, kNoRank, 1, 21 * kSecondNs}, messages::Notice{{}, "plan", "resumed"});
  }
  const std::string text = rig.ringside({"tail", "last", "--all", "--no-follow"}).output;
  ::unsetenv("TZ");
  INFO(text);
  CHECK(text.find("01:00:00.000  run  starting") != std::string::npos);
  CHECK(text.find("05:30:00.000  run  queued") != std::string::npos);
  CHECK(text.find("05:30:01.000  run  ") != std::string::npos);
}

TEST_CASE("show lists the scalars that the program logged, as text and as JSON") {
  CliRig rig;
  auto options = support::demo_small(2);
  options.metrics = 3;
  support::make_run(rig.runs(), "20261121T134005Z-000001", options);
  const auto text = rig.ringside({"show", "last"}).output;
  CHECK(text.find("Metrics that the program logged") != std::string::npos);
  CHECK(text.find("\ntrain/perplexity ") != std::string::npos);
  const auto tables = rig.json_of({"show", "last", "--json"}).at("tables");
  const auto metrics = std::find_if(tables.begin(), tables.end(),
                                    [](const auto& table) { return table["id"] == "metrics"; });
  REQUIRE(metrics != tables.end());
  REQUIRE(metrics->at("rows").size() == 3);
  const auto& row = metrics->at("rows").at(0);
  CHECK(row.at("name") == "images_per_s");
  CHECK(row.at("ranks") == 2);
  CHECK(row.at("values") == 48);
  CHECK(row.at("latest").get<double>() == Approx(1397).margin(20));
  CHECK(row.at("step") == 119);
  CHECK(row.at("mean") == true);
}

TEST_CASE("presets --settings lists every setting, as a table and as JSON") {
  const std::string ringside = (bin_dir() / "ringside").string();
  const std::string table =
      launch::capture({ringside, "presets", "--settings"}, kPatienceNs)->output;
  const auto json = nlohmann::json::parse(
      launch::capture({ringside, "presets", "--settings", "--json"}, kPatienceNs)->output);
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 120);
  const auto& all = messages::settings();
  REQUIRE(json.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(all[i].key);
    CHECK(json[i]["key"] == all[i].key);
    CHECK(json[i]["label"] == all[i].field.label);
    CHECK(json[i]["meaning"] == all[i].field.meaning);
    CHECK(json[i]["min"].is_number() == messages::has_range(all[i].field));
    CHECK(table.find("\n" + all[i].key + " ") != std::string::npos);
  }
  const auto lr = std::find_if(json.begin(), json.end(),
                               [](const auto& one) { return one["key"] == "optimizer.lr"; });
  CHECK((*lr)["default"] == 0.01);
  CHECK((*lr)["max"] == 1e6);
}

TEST_CASE("doctor and presets answer in JSON") {
  CliRig rig;
  const auto ringside = (bin_dir() / "ringside").string();
  const auto presets =
      nlohmann::json::parse(launch::capture({ringside, "presets", "--json"}, kPatienceNs)->output);
  CHECK(std::any_of(presets.begin(), presets.end(),
                    [](const auto& preset) { return preset["name"] == "demo"; }));
  const auto doctor = nlohmann::json::parse(rig.ringside({"doctor", "--json"}).output);
  CHECK(doctor.at("cores").get<int>() >= 1);
  CHECK(doctor.at("programs").at(0).at("name") == "ringside-agent");
  CHECK(doctor.at("programs").at(0).at("problem") == "");
}

TEST_CASE("doctor names the PyTorch that the trainer was built with, and that of python3") {
  CliRig rig;
  const auto installed = rig.path() / "packages/torch-2.13.7.dist-info";
  std::filesystem::create_directories(installed);
  std::ofstream(installed / "METADATA") << "Metadata-Version: 2.1\nName: torch\nVersion: 2.13.7\n";
  const auto ask = [&](const std::string& setting, std::vector<std::string> words) {
    words.insert(words.begin(), {(bin_dir() / "ringside").string(), "doctor"});
    return launch::capture(words, kPatienceNs, {}, {setting})->output;
  };
  const std::string packages = "PYTHONPATH=" + (rig.path() / "packages").string();
  const auto json = nlohmann::json::parse(ask(packages, {"--json"}));
  CHECK(json.at("python").at("torch") == "PyTorch 2.13.7");
  CHECK(json.at("python").at("version").get<std::string>().starts_with("Python 3."));
  const std::string text = ask(packages, {});
  CHECK(text.find(", PyTorch 2.13.7\n") != text.npos);
  if (std::filesystem::exists(bin_dir() / "ringside-trainer"))
    CHECK(json.at("programs").at(1).at("torch").get<std::string>().starts_with("PyTorch 2."));
  CHECK(ask("PATH=/nowhere", {}).find("there is no program python3 in PATH") != text.npos);
}

TEST_CASE("only terminals get colors, and NO_COLOR removes them") {
  if (!has_terminals()) return;
  CliRig rig;
  REQUIRE(rig.ringside({"run", rig.experiment(1, {"--steps=2"})}).exit_code == 0);
  const std::vector<std::string> list = {"list", "--runs-dir", rig.runs().string()};
  CHECK(on_terminal(list, nullptr).find("\x1b[") != std::string::npos);
  CHECK(on_terminal(list, "1").find("\x1b[") == std::string::npos);
  CHECK(rig.ringside({"list"}).output.find("\x1b[") == std::string::npos);
}
