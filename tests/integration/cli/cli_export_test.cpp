// `ringside export` and `ringside report --html` as scripts use them: what is written where, and
// what is refused.
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "gui/runs/find_run.h"
#include "protocol/host/files.h"
#include "protocol/runlog/log_format.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"

namespace fs = std::filesystem;
using namespace ringside;
using namespace ringside::testing;

namespace {

struct ExportRig : CliRig {
  ExportRig() {
    REQUIRE(ringside({"run", experiment(2, {"--steps=30", "--step-ms=1"})}).exit_code == 0);
  }

  std::string at(const std::string& name) const { return (path() / name).string(); }

  void refuses(const std::vector<std::string>& arguments, const std::string& hint) const {
    const auto captured = ringside(arguments);
    INFO(captured.errors);
    CHECK(captured.exit_code == 2);
    CHECK(captured.output.empty());
    CHECK(captured.errors.find(hint) != std::string::npos);
  }
};

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

bool has_open(pid_t pid, const fs::path& file) {
  std::error_code gone;
  for (const auto& open : fs::directory_iterator("/proc/" + std::to_string(pid) + "/fd", gone)) {
    if (fs::read_symlink(open.path(), gone) == file) return true;
  }
  return false;
}

}  // namespace

TEST_CASE(
    "only the chosen tables are written, and the error for a wrong name suggests the nearest") {
  ExportRig rig;
  const auto exported =
      rig.json_of({"export", "last", "--csv", rig.at("out"), "--tables", "epochs,steps", "--json"});
  REQUIRE(exported.at("files").size() == 2);
  CHECK(exported.at("files").at(0).at("name") == "steps.csv");
  CHECK(exported.at("files").at(0).at("rows") == 60);
  CHECK(entries(rig.path() / "out") == 2);
  rig.refuses({"export", "last", "--csv", rig.at("new"), "--tables", "step"}, "\"steps\"");
  rig.refuses({"export", "last", "--csv", rig.at("new"), "--tables", ""}, "--tables");
  CHECK_FALSE(fs::exists(rig.path() / "new"));
}

TEST_CASE("the chosen steps of a run are exported as one trace") {
  ExportRig rig;
  const auto exported =
      rig.json_of({"export", "last", "--trace", rig.at("t.json"), "--steps", "10-19", "--json"});
  CHECK(exported.at("files").at(0).at("name") == "t.json");
  const auto trace = nlohmann::json::parse(read_text(rig.path() / "t.json").value());
  std::set<std::string> steps;
  for (const auto& event : trace.at("traceEvents")) {
    const std::string name = event.at("name");
    if (name.starts_with("step ")) steps.insert(name);
  }
  CHECK(steps.size() == 10);
  CHECK(steps.contains("step 19"));
  rig.refuses({"export", "last", "--trace", rig.at("t.json")}, "exists already");
  CHECK(rig.ringside({"export", "last", "--trace", rig.at("t.json"), "--force"}).exit_code == 0);
  rig.refuses({"export", "last", "--trace", rig.at("u.json"), "--steps", "x"}, "write 100-300");
  rig.refuses({"export", "last", "--trace", rig.at("u.json"), "--steps", "900-901"}, "newest step");
  CHECK_FALSE(fs::exists(rig.path() / "u.json"));
}

TEST_CASE(
    "an option without its path does not take the next option as its value, and a study is "
    "reported") {
  ExportRig rig;
  const std::string missing = "its path is missing";
  rig.refuses({"export", "last", "--csv", "--force"}, missing);
  rig.refuses({"export", "last", "--tensorboard", "--json"}, missing);
  rig.refuses({"export", "last", "--trace", "--json"}, missing);
  rig.refuses({"report", "last", "--html", "--json"}, missing);
  CHECK(rig.ringside({"export", "last", "--csv", rig.at("./--csv")}).exit_code == 0);
  rig.refuses({"export", "s1", "--csv", rig.at("new")}, "`ringside report S-01 --export DIR`");
}

TEST_CASE("two runs are compared as tables, as JSON and as a page") {
  ExportRig rig;
  rig.refuses({"compare", "last"}, "two runs or more");
  rig.refuses({"compare", "last", "last"}, "two runs or more");
  REQUIRE(rig.ringside({"run", rig.experiment(2, {"--steps=30", "--step-ms=1"})}).exit_code == 0);
  const auto shown = rig.ringside({"compare", "1", "2"});
  CHECK(shown.exit_code == 0);
  CHECK(shown.output.find("Final figures") != std::string::npos);
  const auto json =
      rig.json_of({"compare", "1", "2", "--baseline", "2", "--metrics", "time", "--json"});
  CHECK(json.at("baseline") == json.at("runs").at(1));
  const auto& rows = json.at("tables").at(1).at("rows");
  REQUIRE(rows.size() == 2);
  CHECK(rows.at(0).at("figure") == "Time, s");
  CHECK(rows.at(0).at("ratio").is_number());
  CHECK(rows.at(1).at("ratio").is_null());
  rig.refuses({"compare", "1", "2", "--metrics", "tim"}, "\"time\"");
  rig.refuses({"compare", "1", "2", "--baseline", "9"}, "#9");
  rig.refuses({"compare", "1", "2", "--force"}, "--html");
  CHECK(rig.ringside({"compare", "1", "2", "--html", rig.at("c.html")}).exit_code == 0);
  CHECK(fs::file_size(rig.path() / "c.html") > 5000);
  rig.refuses({"compare", "1", "2", "--html", rig.at("c.html")}, "--force");
}

TEST_CASE("a rank without a loss has empty cells, not nan") {
  ExportRig rig;
  REQUIRE(rig.ringside({"export", "last", "--csv", rig.at("out"), "--tables", "steps"}).exit_code ==
          0);
  const std::string steps = read_text(rig.path() / "out" / "steps.csv").value();
  CHECK(steps.find("nan") == std::string::npos);
}

TEST_CASE("CSV files of a person or of another run are replaced only with --force") {
  ExportRig rig;
  std::ofstream(rig.path() / "notices.csv") << "mine";
  rig.refuses({"export", "last", "--csv", rig.path().string()}, "--force");
  CHECK(read_text(rig.path() / "notices.csv").value() == "mine");
  REQUIRE(rig.ringside({"export", "last", "--csv", rig.at("out")}).exit_code == 0);
  REQUIRE(rig.ringside({"run", rig.experiment(1, {"--steps=3"})}).exit_code == 0);
  rig.refuses({"export", "last", "--csv", rig.at("out"), "--tables", "steps"}, "steps.csv");
  CHECK(rig.json_of({"export", "last", "--csv", rig.at("out"), "--force", "--json"})
            .at("files")
            .at(0)
            .at("rows") == 3);
  CHECK(rig.ringside({"export", "last", "--csv", rig.at("out")}).exit_code == 0);
  rig.refuses({"export", "last", "--tensorboard", rig.at("tb"), "--force"}, "--force");
}

TEST_CASE("each rank has a folder with TensorBoard files") {
  ExportRig rig;
  const auto exported = rig.json_of({"export", "last", "--tensorboard", rig.at("tb"), "--json"});
  CHECK(exported.at("folder") == rig.at("tb"));
  CHECK(exported.at("values").get<int>() > 2 * 30 * 4);
  std::vector<std::string> names;
  for (const auto& file : exported.at("files")) {
    const auto name = file.at("name").get<std::string>();
    names.push_back(name.substr(0, name.find('/')));
    CHECK(fs::file_size(rig.path() / "tb" / name) == file.at("size_bytes"));
  }
  CHECK(std::count(names.begin(), names.end(), "rank_0") == 1);
  CHECK(std::count(names.begin(), names.end(), "rank_1") == 1);
  CHECK(entries(rig.path() / "tb") == names.size());
  CHECK(rig.ringside({"export", "last", "--tensorboard", rig.at("tb")}).exit_code == 0);
  CHECK(entries(rig.path() / "tb" / "rank_0") == 1);
  rig.refuses({"export", "last", "--tensorboard", rig.at("x"), "--csv", rig.at("y")}, "--csv");
  rig.refuses({"export", "last", "--tensorboard", rig.at("x"), "--tables", "steps"}, "--tables");
  rig.refuses({"export", "last", "--tensorboard", ""}, "--tensorboard is empty");
  std::ofstream(rig.path() / "tb" / "rank_1" / "events.out.tfevents.1.host") << "x";
  rig.refuses({"export", "last", "--tensorboard", rig.at("tb")}, "tfevents.1.host");
}

TEST_CASE("a report is one HTML file, and an older one is replaced only on request") {
  ExportRig rig;
  const fs::path file = rig.path() / "new" / "report.html";
  const auto written = rig.json_of({"report", "last", "--html", file.string(), "--json"});
  CHECK(written.at("file") == file.string());
  CHECK(fs::file_size(file) == written.at("size_bytes"));
  CHECK(entries(file.parent_path()) == 1);
  const std::string page = read_text(file).value();
  CHECK(page.starts_with("<!DOCTYPE html>"));
  CHECK(page.find("<svg") != std::string::npos);
  CHECK(page.find("Written by ringside") != std::string::npos);
  // The report quotes command lines and errors, so only its owner may read it.
  CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  std::ofstream(file) << "mine";
  rig.refuses({"report", "last", "--html", file.string()}, "--force");
  CHECK(read_text(file).value() == "mine");
  CHECK(rig.ringside({"report", "last", "--html", file.string(), "--force"}).exit_code == 0);
  CHECK(fs::file_size(file) > 10'000);
  rig.refuses({"report", "last", "--html", rig.path().string()}, "is a folder");
  rig.refuses({"report", "last", "--html", rig.path().string(), "--force"}, "is a folder");
  REQUIRE(::mkfifo(rig.at("pipe").c_str(), 0600) == 0);
  fs::create_symlink(file, rig.path() / "link");
  fs::create_symlink("nowhere", rig.path() / "dangling");
  for (const char* name : {"pipe", "link", "dangling"}) {
    const auto before = fs::symlink_status(rig.path() / name).type();
    rig.refuses({"report", "last", "--html", rig.at(name), "--force"}, "is not a regular file");
    CHECK(fs::symlink_status(rig.path() / name).type() == before);
  }
  rig.refuses({"report", "last", "--html", ""}, "--html is empty");
  rig.refuses({"report", "last", "--force"}, "--html");
  rig.refuses({"report", "nothing", "--html", rig.at("x.html")}, "nothing");
  std::ofstream(rig.path() / "flat") << "x";
  const auto failed = rig.ringside({"report", "last", "--html", rig.at("flat/x.html")});
  CHECK(failed.exit_code == 1);
  CHECK(failed.errors.find("flat") != std::string::npos);
}

TEST_CASE(
    "attempts of a restarted run have a column, or folders of their own, or only the last is "
    "exported") {
  CliRig rig;
  REQUIRE(
      rig.ringside({"run", rig.experiment(1, {"--steps=6", "--fail-at=3", "--before-attempt=1"}),
                    "--set", "limits.restarts=1"})
          .exit_code == 0);
  const auto rows_of_steps = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"export",   "last",  "--csv", (rig.path() / "csv").string(),
                                       "--tables", "steps", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return rig.json_of(arguments).at("rows").get<int>();
  };
  const int all = rows_of_steps({});
  CHECK(rows_of_steps({"--last-attempt"}) == 6);
  CHECK(all > 6);
  rig.json_of({"export", "last", "--tensorboard", (rig.path() / "tb").string(), "--json"});
  CHECK(fs::exists(rig.path() / "tb" / "rank_0"));
  CHECK(fs::exists(rig.path() / "tb" / "rank_0_attempt_1"));
  const auto last = rig.json_of({"export", "last", "--tensorboard", (rig.path() / "tb2").string(),
                                 "--last-attempt", "--json"});
  CHECK(last.at("values") > 0);
  CHECK_FALSE(fs::exists(rig.path() / "tb2" / "rank_0"));
  CHECK(fs::exists(rig.path() / "tb2" / "rank_0_attempt_1"));
}

TEST_CASE(
    "R10: an export of a truncated or damaged log says what is missing, on stderr and in JSON") {
  CliRig rig;
  runlog::RunFolder run("/");
  const auto exported = [&](const std::string& missing) {
    const auto captured =
        rig.ringside({"export", "last", "--csv", (rig.path() / "csv").string(), "--json"});
    CHECK(captured.exit_code == 0);
    INFO(captured.errors);
    CHECK(captured.errors.find(missing) != std::string::npos);
    CHECK(captured.errors.empty() == missing.empty());
    const auto log = nlohmann::json::parse(captured.output).at("log");
    CHECK(log.at("damage").get<std::string>().find(missing) != std::string::npos);
    CHECK(rig.ringside({"show", "last"}).output.find(missing) != std::string::npos);
    return log;
  };
  rig.json_of({"run", rig.experiment(2, {"--steps=50"}), "--json"});
  run = runlog::RunFolder(rig.json_of({"show", "last", "--json"}).at("folder").get<std::string>());
  const auto whole = exported("");
  CHECK(whole.at("cut_off") == false);
  CHECK(whole.at("last_record").at("record").is_string());

  const std::string text = text_of(run.log_path(0));
  std::string damaged = text;
  damaged[text.size() / 2] = static_cast<char>(damaged[text.size() / 2] ^ 1);
  REQUIRE(write_text_atomically(run.log_path(0), damaged));
  const auto skipped = exported("Damaged parts of the log were skipped");
  CHECK(skipped.at("skipped_bytes") > 0);
  CHECK(skipped.at("first_skipped") <= text.size() / 2);

  // The log ends within its last record, which is the end of the run.
  REQUIRE(write_text_atomically(run.log_path(0), text.substr(0, text.size() - 1)));
  const auto cut = exported("The end of the run is missing in the log");
  CHECK(cut.at("cut_off") == true);
  CHECK(cut.at("tail_bytes") > 0);
  CHECK(cut.at("last_record").at("record").is_string());
  // A log that has begun is never reported as never begun, however little is left.
  REQUIRE(write_text_atomically(run.log_path(0), text.substr(0, 60)));
  std::filesystem::remove_all(run.attempt_dir(0));
  const auto none = rig.json_of({"show", "last", "--json"});
  CHECK(none.at("detail").get<std::string>().find("never started") == std::string::npos);
}

TEST_CASE(
    "Ctrl-C cancels an export cleanly: nothing half-written is left, exit code 128 + the signal") {
  ExportRig rig;
  const auto found = runs::find_run(rig.runs(), "last");
  REQUIRE(found);
  // The log takes many seconds to read but little disk space: its holes are just too small to be
  // skipped.
  const fs::path log = fs::canonical(found->folder.log_path(0));
  {
    std::fstream holes(log, std::ios::binary | std::ios::in | std::ios::out);
    const auto step = static_cast<std::streamoff>(runlog::kLeastHoleBytes) - 65'536;
    for (std::streamoff at = step; at < std::streamoff{32} << 30; at += step)
      holes.seekp(at).put('x');
  }
  const fs::path out = rig.path() / "out";
  const std::string option = GENERATE(as<std::string>(), "--csv", "--tensorboard", "--html");
  const bool report = option == "--html";
  const int signal = option == "--csv" ? SIGINT : SIGTERM;
  const std::string to = (report ? out / "report.html" : out).string();
  const pid_t pid =
      rig.start({report ? "report" : "export", "last", option, to}, rig.path() / "told");
  REQUIRE(wait_until(50, [&] { return has_open(pid, log); }));
  CHECK(entries(out) == (report ? 0U : 1U));
  ::kill(pid, signal);
  CHECK(rig.wait_exit(pid) == 128 + signal);
  CHECK(entries(out) == 0);
  CHECK(text_of(rig.path() / "told").empty());
}
