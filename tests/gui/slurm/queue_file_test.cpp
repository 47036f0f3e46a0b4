#include "gui/slurm/queue_file.h"

#include "protocol/runlog/copy_mark.h"
#include "tests/gui/slurm/fake_programs.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::slurm;

namespace {

constexpr std::int64_t kS = 1'000'000'000;
constexpr std::int64_t kNow = 1'700'000'000 * kS;

}  // namespace

TEST_CASE("squeue is asked again 30 s after it answered, not before") {
  CHECK(is_due({}, kNow));
  const QueueFile file = after_answer("1|RUNNING|n1|None\n", kNow);
  CHECK_FALSE(is_due(file, kNow));
  CHECK_FALSE(is_due(file, kNow + 29 * kS));
  CHECK(is_due(file, kNow + 30 * kS));
  CHECK(is_due(file, kNow - 1));  // the clock was set back
}

TEST_CASE(
    "while squeue does not answer it is asked less and less often, and its last answer stays") {
  QueueFile file = after_answer("1|RUNNING|n1|None\n", kNow);
  std::int64_t now = kNow;
  for (const std::int64_t pause_s : {60, 120, 240, 480, 600, 600}) {
    file = after_failure(file, "squeue: timed out", now);
    CAPTURE(pause_s);
    CHECK_FALSE(is_due(file, now + (pause_s - 1) * kS));
    CHECK(is_due(file, now + pause_s * kS));
    now += pause_s * kS;
  }
  CHECK(file.queue.contains("1"));
  CHECK(file.problem == "squeue: timed out");
  CHECK(file.answered_wall_ns == kNow);
  const QueueFile again = after_answer("", now);
  CHECK(again.failures == 0);
  CHECK(again.problem.empty());
  CHECK(again.queue.empty());
}

TEST_CASE("a queue file reads back as it was written, and other text gives an empty one") {
  const QueueFile file = after_failure(
      after_answer("1|PENDING||Resources\n2|RUNNING|n[1-2]|None\n", kNow), "no", kNow + kS);
  const QueueFile read = parse_queue_file(to_text(file));
  CHECK(read.asked_wall_ns == file.asked_wall_ns);
  CHECK(read.asked_wall_ns == kNow + kS);
  CHECK(read.answered_wall_ns == kNow);
  // The file is of a version without the time of the answer.
  CHECK(parse_queue_file(R"({"asked_wall_ns": 5, "jobs": {}})").answered_wall_ns == 5);
  CHECK(read.failures == 1);
  CHECK(read.problem == "no");
  CHECK(read.queue == file.queue);
  for (const char* wrong : {"", "{", "[]", R"({"asked_wall_ns": 5})", R"({"jobs": {"1": [2]}})"})
    CHECK(parse_queue_file(wrong).asked_wall_ns == 0);
}

TEST_CASE(
    "copied runs use the queue of their own machine, and Slurm is not asked about them here") {
  Rig rig;
  const auto runs = rig.run.path().parent_path();
  rig.submitted("12");
  rig.program("squeue", "12|COMPLETED|n1|None");
  rig.look();
  REQUIRE(job_of(rig.run)->report.state == "COMPLETED");
  const std::string calls = rig.called("squeue");
  REQUIRE(runlog::mark_copy(rig.run, {"ssh://box", {}}));
  // The other machine has not reported yet: a job of the same number on this machine is a different
  // one.
  CHECK(job_of(rig.run)->report.state.empty());
  rig.later();
  rig.look();
  CHECK(rig.called("squeue") == calls);
  const std::string there = to_text(after_answer("12|PENDING||Resources\n", kNow));
  CHECK(keep_copied_queue(runs, there).value());
  CHECK_FALSE(keep_copied_queue(runs, there).value());
  CHECK(job_of(rig.run)->report.state == "PENDING");
  CHECK(job_of(rig.run)->reported_wall_ns == kNow);
  CHECK(queue_of(runlog::RunFolder(runs / ".." / "own")).queue.at("12").state == "COMPLETED");
}

TEST_CASE(
    "the recorded end of a copied run's job holds, whatever that machine's queue said before") {
  Rig rig;
  const auto runs = rig.run.path().parent_path();
  REQUIRE(keep_copied_queue(runs, to_text(after_answer("12|PENDING||Resources\n", kNow))));
  REQUIRE(write_job_file(rig.run, {"12", {}, 1, JobReport{"CANCELLED by 0", "None", {}}}));
  const auto job = job_of(rig.run);
  REQUIRE(job);
  CHECK(job->phase == JobPhase::kCancelled);
  // The user's name on the other machine is not known here.
  CHECK(words_of(job->report) == "cancelled by uid 0");
  // The queue is newer than the file of this machine's own job: somebody requeued it by hand.
  std::filesystem::remove(runs / ".slurm_queue.json");
  note_state("12", {"PENDING", "Resources", {}});
  CHECK(job_of(rig.run)->phase == JobPhase::kWaiting);
}
