// Tests the state behind the Scaling page: what it finds on disk, and its form.
#include "gui/session/studies/study_controller.h"

#include <algorithm>
#include <semaphore>
#include <utility>

#include "gui/runs/studies/study_trash.h"
#include "gui/session/machines/remote_command.h"
#include "gui/view/scaling/scaling_view.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/gui/slurm/fake_programs.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using session::Jobs;
using session::MessageLine;
using session::StudyController;

namespace {

struct Page {
  explicit Page(const TempFolder& folder, const std::string& elsewhere = {},
                const std::filesystem::path& exports = {})
      : jobs([this] { woken.release(); }),
        studies(
            folder.path(), jobs, line, [] {}, [] { return true; }, elsewhere, exports) {}

  /// Waits until a job has ended and its result was taken, including the waterfall that follows.
  void wait() {
    studies.update();
    do {
      REQUIRE(woken.try_acquire_for(testing::kPatience));
      CHECK(jobs.finish());
      studies.update();
    } while (jobs.running("waterfall"));
  }
  /// Waits until that job has ended, whatever other jobs do.
  void wait_for(const std::string& job) {
    studies.update();
    while (jobs.running(job)) {
      REQUIRE(woken.try_acquire_for(testing::kPatience));
      jobs.finish();
      studies.update();
    }
  }
  view::ScalingInput input() const {
    view::ScalingInput told;
    studies.fill(told);
    return told;
  }
  void ask(const view::StudyCommand& command) { studies.apply(command, rest); }

  std::counting_semaphore<> woken{0};
  MessageLine line;
  std::vector<view::WindowCommand> rest;
  Jobs jobs;
  StudyController studies;
};

/// A page beside a Slurm, for whose nodes studies are planned without an agent: nothing is known
/// about them here.
struct SlurmPage {
  SlurmPage() { slurm.program("sbatch", "1"); }

  slurm::Rig slurm;
  slurm::Variable conf{"SLURM_CONF", "/dev/null"};
  slurm::Variable job{"SLURM_JOB_ID", ""};
  TempFolder folder;
  Page page{folder};
};

std::string study_controller_id_of(int number) {
  return "20261121T1340" + std::to_string(10 + number) + "Z-00000" + std::to_string(number);
}

void write_one(const TempFolder& folder, const std::string& name) {
  runs::Study study;
  study.head = {name, "demo", "demo", 1, 1};
  study.settings = {{"baseline-1", {study_controller_id_of(1)}, {}, {}},
                    {"weak-2", {study_controller_id_of(2)}, {}, {}}};
  support::make_run(folder.path(), study_controller_id_of(1), support::demo_small(1));
  support::make_run(folder.path(), study_controller_id_of(2), support::demo_small(2));
  REQUIRE(runs::write_study(folder.path(), study));
}

}  // namespace

TEST_CASE("an empty folder has no study, and the page shows that it has been read") {
  const TempFolder folder;
  Page page(folder);
  CHECK_FALSE(page.input().looked);
  page.studies.look();
  page.wait();
  CHECK(page.input().looked);
  CHECK(page.input().facts == nullptr);
  CHECK(page.studies.settled());
}

TEST_CASE("the newest study or the chosen one is shown, and only changes update the screen") {
  const TempFolder folder;
  write_one(folder, "S-01");
  write_one(folder, "S-02");
  Page page(folder);
  page.studies.look();
  page.wait();
  REQUIRE(page.input().facts != nullptr);
  CHECK(page.input().facts->study.head.study == "S-02");
  CHECK(page.input().names.size() == 2);
  CHECK(page.input().facts->settings[1].runs.size() == 1);
  REQUIRE(page.input().waterfall != nullptr);
  CHECK(page.input().waterfall->shown);
  CHECK(page.input().waterfall_run == study_controller_id_of(2));
  CHECK(page.input().selected == page.input().facts->settings[1].key);
  CHECK(page.input().waterfall->subtitle.find(" against #") != std::string::npos);
  // The waterfall compares two runs, and also names the mean in the study's table.
  const auto study = view::build_scaling_view(*page.input().facts, view::ScalingMetric::kSpeedup);
  const view::Cell& speedup = view::cell_of(study.table, study.table.rows[1], "speedup");
  CHECK(page.input().waterfall->subtitle.find(", of the study's " + speedup.text) !=
        std::string::npos);
  CHECK(study.result.find("2 GPUs: " + speedup.text) != std::string::npos);
  CHECK_FALSE(page.input().facts->settings[1].runs[0].fair_text.empty());
  const auto revision = page.input().revision;
  page.studies.look();
  page.wait();
  CHECK(page.input().revision == revision);
  page.ask(view::SelectStudy{"S-01"});
  page.wait();
  CHECK(page.input().facts->study.head.study == "S-01");
  page.ask(view::ExportStudy{view::StudyFileKind::kPng});
  CHECK(page.rest.size() == 1);
  page.ask(view::ExportStudy{view::StudyFileKind::kCsv});
  page.wait();
  CHECK(std::filesystem::exists(folder.path() / "studies/S-01_speedup.csv"));
}

TEST_CASE("files of another machine's study go to the exports, not to the copies of its studies") {
  const TempFolder copies;
  const TempFolder exports;
  write_one(copies, "S-01");
  Page page(copies, "ssh://box", exports.path());
  page.studies.look();
  page.wait();
  page.ask(view::ExportStudy{view::StudyFileKind::kPng});
  REQUIRE(page.rest.size() == 1);
  const auto picture = exports.path() / "studies/S-01_speedup.png";
  CHECK(std::get<view::TakePicture>(page.rest.front()).path == picture.string());
  CHECK(std::filesystem::is_directory(picture.parent_path()));
  page.ask(view::ExportStudy{view::StudyFileKind::kCsv});
  page.wait();
  CHECK(std::filesystem::exists(exports.path() / "studies/S-01_speedup.csv"));
  CHECK_FALSE(std::filesystem::exists(copies.path() / "studies/S-01_speedup.csv"));
}

TEST_CASE("when the chosen study is deleted, the newest that is there is shown") {
  const TempFolder folder;
  write_one(folder, "S-01");
  write_one(folder, "S-02");
  Page page(folder);
  page.ask(view::SelectStudy{"S-01"});
  page.wait();
  REQUIRE(page.input().facts->study.head.study == "S-01");
  REQUIRE(runs::trash_study(folder.path(), "S-01", {}));
  page.studies.look();
  page.wait();
  CHECK(page.input().facts->study.head.study == "S-02");
  REQUIRE(runs::trash_study(folder.path(), "S-02", {}));
  page.studies.look();
  page.wait();
  CHECK(page.input().facts == nullptr);
}

// The test has no agent beside it, so nothing can be planned.
TEST_CASE("a form that cannot be planned says why and does not start") {
  const TempFolder folder;
  Page page(folder);
  page.ask(view::AskStudy{true, {}, "e2_table"});
  CHECK(page.input().asking);
  CHECK(page.input().form.fields[3].value == "1,2,4");
  page.wait();
  CHECK_FALSE(page.input().form.problem.empty());
  CHECK_FALSE(page.input().form.can_start);
  page.ask(view::StartStudy{});
  page.ask(view::AskStudy{false, {}, {}});
  CHECK_FALSE(page.input().asking);
  CHECK(page.studies.update());
}

TEST_CASE("a new study is planned as jobs of Slurm, by nodes and GPUs of each") {
  SlurmPage rig;
  Page& page = rig.page;
  page.ask(view::AskStudy{true, {}, {}});
  CHECK(page.input().form.fields.back().key == "slurm.where");
  page.ask(view::EditStudy{"world", "1x1,1x2,2x2"});
  page.ask(view::EditStudy{"repeats", "1"});
  page.ask(view::EditStudy{"slurm.where", "Slurm"});
  page.ask(view::EditStudy{"slurm.gpus_per_node", "2"});
  page.wait_for("study plan");
  const auto lines = page.input().form.lines;
  CHECK(std::count(lines.begin(), lines.end(),
                   "Slurm gets a job for each run (3), each after the end of the one before it.") ==
        1);
  // The test has no agent beside it, which is noticed before anything is sent.
  CHECK(page.input().form.problem.find("ringside-agent") != std::string::npos);
  CHECK_FALSE(page.input().form.can_start);
  CHECK(rig.slurm.called("sbatch").empty());
  page.ask(view::EditStudy{"slurm.gpus_per_node", "x"});
  page.wait_for("study plan");
  CHECK(page.input().form.problem == "GPUs per node: \"x\" is not a whole number");
  page.ask(view::EditStudy{"slurm.gpus_per_node", "2"});
  page.ask(view::EditStudy{"slurm.time", "2"});
  page.wait_for("study plan");
  CHECK(page.input().form.problem.find("too short") != std::string::npos);
}

TEST_CASE("in a window inside an allocation a new study is planned as its steps") {
  slurm::Rig slurm;
  slurm.program("scontrol", "JobId=12 JobState=RUNNING NumNodes=2");
  const slurm::Variable job("SLURM_JOB_ID", "12");
  const slurm::Variable nodes("SLURM_JOB_NUM_NODES", "2");
  const TempFolder folder;
  Page page(folder);
  page.ask(view::AskStudy{true, {}, {}});
  CHECK(page.input().form.fields.back().words.back() == "Slurm job 12");
  page.ask(view::EditStudy{"world", "1x1,1x2,2x1"});
  page.ask(view::EditStudy{"slurm.where", "Slurm job 12"});
  page.wait_for("study plan");
  const auto lines = page.input().form.lines;
  CHECK(std::count(lines.begin(), lines.end(),
                   "Slurm job 12 runs them one after the other as steps.") == 1);
  // Slurm's data about the allocation is kept and does not count as a change of the form.
  CHECK(page.studies.form().slurm.there()->offer().told);
  page.studies.update();
  CHECK_FALSE(page.jobs.running("study plan"));
  page.ask(view::EditStudy{"world", "1,3x1"});
  page.wait_for("study plan");
  CHECK(page.input().form.problem.find("-3x1 needs 3 nodes, and Slurm job 12") !=
        std::string::npos);
  slurm.program("scontrol", "JobId=12 JobState=TIMEOUT Reason=TimeLimit NumNodes=2");
  page.ask(view::EditStudy{"world", "1,2"});
  page.wait_for("study plan");
  CHECK(page.input().form.problem.find("is over: its time limit was reached") != std::string::npos);
  CHECK_FALSE(page.input().form.can_start);
}

TEST_CASE("a study of settings is planned from the rows of the form") {
  SlurmPage rig;
  Page& page = rig.page;
  const auto has_line = [&](const std::string& begin) {
    for (const std::string& line : page.input().form.lines)
      if (line.starts_with(begin)) return true;
    return false;
  };
  page.ask(view::AskStudy{true, {}, {}});
  page.ask(view::EditStudy{"compare", view::kCompareSettings});
  page.ask(view::EditStudy{"slurm.where", "Slurm"});
  page.wait_for("study plan");
  CHECK(page.input().form.problem.starts_with("Vary: which settings have several values?"));
  page.ask(view::EditStudy{"vary.0", "optimizer.lr=0.01,0.03,0.1"});
  page.ask(view::EditStudy{"vary.1", "batch.size=32,64"});
  page.wait_for("study plan");
  CHECK(has_line("A new study: 6 settings × 1 repeat, 6 runs to train"));
  page.ask(view::EditStudy{"random", "3"});
  page.ask(view::EditStudy{"repeats", "2"});
  page.wait_for("study plan");
  CHECK(has_line("A new study: 3 settings × 2 repeats, 6 runs to train"));
  page.ask(view::EditStudy{"random", "7"});
  page.wait_for("study plan");
  CHECK(page.input().form.problem.find("there are only 6 combinations") != std::string::npos);
  page.ask(view::EditStudy{"random", "x"});
  page.wait_for("study plan");
  CHECK(page.input().form.problem == "Draw: \"x\" is not a number from 2 to 200");
  page.ask(view::EditStudy{"random", ""});
  page.ask(view::EditStudy{"vary.0", "optimizer.lrr=0.01,0.03"});
  page.wait_for("study plan");
  CHECK(page.input().form.problem.find("optimizer.lr") != std::string::npos);
  CHECK_FALSE(page.input().form.can_start);
}

TEST_CASE("values of a custom command replace their names in its arguments") {
  SlurmPage rig;
  Page& page = rig.page;
  page.ask(view::AskStudy{true, {}, {}});
  page.ask(view::EditStudy{"recipe", view::kOwnCommand});
  page.ask(view::EditStudy{"compare", view::kCompareSettings});
  page.ask(view::EditStudy{"slurm.where", "Slurm"});
  page.ask(view::EditStudy{"vary.0", "lr=1,2"});
  page.wait_for("study plan");
  CHECK(page.input().form.problem.starts_with("Command: what is to be trained?"));
  page.ask(view::EditStudy{"command", "/bin/true --lr {wd}"});
  page.wait_for("study plan");
  CHECK(page.input().form.problem.find("no argument of the command has {lr}") != std::string::npos);
  page.ask(view::EditStudy{"command", "/bin/true '--lr {lr}'"});
  page.ask(view::EditStudy{"ranks", "2"});
  page.wait_for("study plan");
  const auto lines = page.input().form.lines;
  REQUIRE_FALSE(lines.empty());
  CHECK(lines[0].starts_with("A new study: 2 settings × 1 repeat, 2 runs to train"));
}

TEST_CASE("a study of settings is ranked by the chosen metric, also after it is read again") {
  const TempFolder folder;
  runs::Study study;
  study.head = {"S-01", "demo", "demo", 1, 1};
  study.settings = {{"optimizer.lr=0.01-2", {study_controller_id_of(1)}, {}, {}},
                    {"optimizer.lr=0.03-2", {study_controller_id_of(2)}, {}, {}}};
  support::make_run(folder.path(), study_controller_id_of(1), support::demo_small(2));
  support::make_run(folder.path(), study_controller_id_of(2), support::demo_small(2));
  REQUIRE(runs::write_study(folder.path(), study));
  Page page(folder);
  page.studies.look();
  page.wait();
  REQUIRE(page.input().facts != nullptr);
  const auto revision = page.input().revision;
  page.ask(view::RankSettings{"seconds"});
  CHECK(page.input().facts->best_by == "seconds");
  CHECK(page.input().revision > revision);
  runs::Study more = study;
  more.head.title = "another title";
  REQUIRE(runs::write_study(folder.path(), more));
  page.studies.look();
  page.wait();
  CHECK(page.input().facts->study.head.title == "another title");
  CHECK(page.input().facts->best_by == "seconds");
  // A study of settings grows by repeats.
  page.ask(view::AskStudy{true, "S-01", {}});
  CHECK(page.input().form.title == "More repeats of S-01");
  CHECK(page.input().form.fields[0].value == "2");
}

TEST_CASE(
    "points are added to a study in Slurm's queue with the options of its jobs, or with others") {
  const slurm::Rig slurm;
  const TempFolder folder;
  write_one(folder, "S-07");
  slurm::Options options;
  options.partition = "gpu";
  options.nodes = 1;
  options.more = {"mem=8G"};
  const runlog::RunFolder newest(folder.path() / study_controller_id_of(2));
  REQUIRE(slurm::write_job_file(newest, {"12", options, 1, slurm::JobReport{"COMPLETED", {}, {}}}));
  Page page(folder);
  page.studies.look();
  page.wait();
  page.ask(view::AskStudy{true, "S-07", {}});
  const auto value = [&](const std::string& key) {
    for (const auto& field : page.input().form.fields)
      if (field.key == key) return field.value;
    return std::string("absent");
  };
  CHECK(value("slurm.partition") == "gpu");
  CHECK(value("slurm.sbatch") == "mem=8G");
  CHECK(value("slurm.where") == "absent");
  page.ask(view::EditStudy{"slurm.partition", "large"});
  CHECK(remote::command_of(session::remote_start_study(page.studies.form()).act).words ==
        std::vector<std::string>{"sweep", "S-07", "--slurm", "--partition", "large",
                                 "--sbatch-option", "mem=8G", "--detach"});
}

TEST_CASE("two runs that cannot be trained again are named, and no study is made of them") {
  const TempFolder folder;
  Page page(folder);
  page.ask(view::MeasurePair{"nobody", "knows"});
  page.wait_for("continue study");
  CHECK(page.line.shown().tone == view::Tone::kError);
  CHECK(page.line.shown().text.starts_with("there are no runs in "));
  CHECK(runs::list_studies(folder.path()).empty());
}

TEST_CASE("for another machine the form shows the command that starts the study there") {
  const TempFolder folder;
  Jobs jobs([] {});
  MessageLine line;
  StudyController studies(
      folder.path(), jobs, line, [] {}, [] { return true; }, "ssh://box");
  std::vector<view::WindowCommand> rest;
  const auto form = [&] {
    studies.update();
    view::ScalingInput told;
    studies.fill(told);
    return told.form;
  };
  studies.apply(view::AskStudy{true, {}, {}}, rest);
  const view::StudyFormView asked = form();
  CHECK(asked.can_start);
  REQUIRE_FALSE(asked.lines.empty());
  CHECK(asked.lines.back().starts_with("ringside sweep demo "));
  CHECK(asked.lines.back().find("--on") != std::string::npos);
  // The form offers Slurm of the other machine once it is known to have it.
  CHECK(asked.fields.back().words == std::vector<std::string>{"ssh://box", "Slurm"});
  studies.apply(view::EditStudy{"slurm.where", "Slurm"}, rest);
  studies.apply(view::EditStudy{"slurm.partition", "gpu"}, rest);
  CHECK(form().lines.back().find("--slurm --partition gpu") != std::string::npos);
  // This machine is not checked for it.
  CHECK_FALSE(jobs.running("study plan"));
  studies.apply(view::EditStudy{"slurm.sbatch", "comment=\"no end"}, rest);
  CHECK_FALSE(form().can_start);
  CHECK(form().problem.starts_with("More options: "));
  studies.apply(view::EditStudy{"slurm.sbatch", ""}, rest);
  CHECK(form().can_start);
  studies.apply(view::EditStudy{"world", "x"}, rest);
  CHECK_FALSE(form().can_start);
  CHECK_FALSE(form().problem.empty());
}
