#include "gui/slurm/job_ends.h"

#include "protocol/host/files.h"
#include "tests/gui/slurm/fake_programs.h"

using namespace ringside;
using namespace ringside::slurm;

namespace {

constexpr const char* kUnknownJob = "slurm_load_jobs error: Invalid job id specified";
constexpr const char* kNoAnswer = "slurm_load_jobs error: Unable to contact slurm controller";

/// One job whose end is unknown and that squeue no longer lists.
struct Forgotten : Rig {
  Forgotten() {
    program("squeue", "");
    submitted("12");
  }
  std::optional<JobReport> end() const { return read_job_file(run)->end; }
};

}  // namespace

TEST_CASE(
    "the end of a job that squeue has forgotten comes from sacct, else from scontrol, else it is "
    "unknown") {
  Forgotten rig;
  rig.program("sacct", "12|NODE_FAIL|n[1-2]");
  SECTION("sacct") {
    rig.look();
    CHECK(rig.end() == JobReport{"NODE_FAIL", "", "n[1-2]"});
    CHECK(rig.called("sacct").starts_with("--jobs=12 --allocations"));
  }
  SECTION("scontrol, where no accounts are kept") {
    rig.failing("sacct", "Slurm accounting storage is disabled");
    rig.program("scontrol", "JobId=12 JobState=COMPLETED Reason=None NodeList=n1");
    rig.look();
    CHECK(rig.end() == JobReport{"COMPLETED", "None", "n1"});
  }
  SECTION("neither knows it") {
    rig.failing("sacct", "Slurm accounting storage is disabled");
    rig.failing("scontrol", kUnknownJob);
    rig.look();
    CHECK(job_of(rig.run)->phase == JobPhase::kCut);
    CHECK(words_of(job_of(rig.run)->report) == "Slurm does not know it any more");
  }
}

TEST_CASE("an end is not stored while Slurm does not answer, and is asked for again") {
  Forgotten rig;
  SECTION("the controller does not answer") {
    rig.program("sacct", "");
    rig.failing("scontrol", kNoAnswer);
  }
  SECTION("the accounts do not answer, and the controller has forgotten it") {
    rig.failing("sacct", "sacct: error: Problem talking to the database: Connection refused");
    rig.failing("scontrol", kUnknownJob);
  }
  SECTION("scontrol says nothing") {
    rig.program("sacct", "");
    rig.program("scontrol", "");
  }
  rig.look();
  CHECK_FALSE(rig.end());
  CHECK(is_open(rig.run));
  rig.program("sacct", "12|COMPLETED|n1");
  rig.later();
  rig.look();
  CHECK(rig.end() == JobReport{"COMPLETED", "", "n1"});
}

TEST_CASE("cancelling the question for an end stores nothing") {
  Forgotten rig;
  rig.program("sacct", "");
  rig.failing("scontrol", kUnknownJob);
  keep_ends(open_jobs(rig.run.path().parent_path()), {}, {}, 2 * kForgetNs, [] { return true; });
  CHECK_FALSE(rig.end());
  CHECK(rig.called("sacct").empty());
}

TEST_CASE("the end of an old job is not stored for the job that was submitted meanwhile") {
  Forgotten rig;
  const auto newer = rig.temp.path() / "newer.json";
  REQUIRE(write_text_atomically(newer, to_text(JobFile{"13", {}, 5, {}})));
  rig.temp.write("bin/sacct", "#!/bin/sh\ncp '" + newer.string() + "' '" +
                                  (rig.run.path() / "place.json").string() +
                                  "'\necho '12|TIMEOUT|n1'\n");
  std::filesystem::permissions(rig.temp.path() / "bin/sacct", std::filesystem::perms::owner_all);
  rig.look();
  CHECK(read_job_file(rig.run)->job == "13");
  CHECK_FALSE(rig.end());
}
