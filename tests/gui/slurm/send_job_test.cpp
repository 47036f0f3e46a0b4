#include "gui/slurm/send_job.h"

#include "protocol/host/files.h"
#include "tests/gui/slurm/fake_programs.h"

using namespace ringside;
using namespace ringside::slurm;

namespace {

const std::vector<std::string> kArgv{"sbatch", "--parsable", "--job-name=ringside-a", "slurm.sh"};
constexpr const char* kLost =
    "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation";

void script(const Rig& rig, const std::string& name, const std::string& text) {
  rig.temp.write("bin/" + name, "#!/bin/sh\n" + text);
  std::filesystem::permissions(rig.temp.path() / "bin" / name, std::filesystem::perms::owner_all);
}

}  // namespace

TEST_CASE(
    "sbatch gets the values of the job, and no variables that make it wait or use another "
    "cluster") {
  const Rig rig;
  const Variable wait("SBATCH_WAIT", "1");
  const Variable clusters("SBATCH_CLUSTERS", "other");
  const auto seen = (rig.temp.path() / "seen").string();
  script(rig, "sbatch", "env > '" + seen + "'\necho \"$*\" >> '" + seen + "'\necho 12\n");
  CHECK(send_job(kArgv, {"RINGSIDE_SLURM_RUN=/r"}, {}).value() == "12");
  const std::string text = read_text(seen).value();
  CHECK(text.find("RINGSIDE_SLURM_RUN=/r\n") != std::string::npos);
  CHECK(text.find("--parsable --job-name=ringside-a slurm.sh\n") != std::string::npos);
  CHECK(text.find("SBATCH_") == std::string::npos);
}

TEST_CASE("the number that sbatch printed is the job's, whatever happens before or after it") {
  Rig rig;
  rig.failing("squeue", "timed out");
  SECTION("a child keeps its output open") { script(rig, "sbatch", "sleep 100 &\necho 12\n"); }
  SECTION("a child prints without end") { script(rig, "sbatch", "yes >&2 &\necho 12\n"); }
  SECTION("it does not end") { script(rig, "sbatch", "echo 12\nexec sleep 100\n"); }
  SECTION("it fails") { script(rig, "sbatch", "echo 12\necho 'quota: no mail' >&2\nexit 1\n"); }
  SECTION("a signal ends it") { script(rig, "sbatch", "echo 12\nkill -KILL $$\n"); }
  SECTION("the site prints more before it") { rig.program("sbatch", "3 of 10 jobs\nWelcome\n12"); }
  SECTION("the site prints more after it") { rig.program("sbatch", "12;cluster\n\nNext: 13:00"); }
  SECTION("the site's sbatch prints a sentence") {
    rig.program("sbatch", "Submitted batch job 12 on cluster c");
  }
  CHECK(send_job(kArgv, {}, "9", 3'000'000'000).value() == "12");
}

TEST_CASE("if several numbers were printed, the job's number is the one that the queue has") {
  Rig rig;
  rig.program("sbatch", "12\n4711");
  SECTION("the queue has it by its name") { rig.program("squeue", "12|PENDING||Priority"); }
  SECTION("without an answer it is the last one, as those before it are the site's") {
    rig.program("sbatch", "4711\n12");
    rig.failing("squeue", "timed out");
  }
  CHECK(send_job(kArgv, {}, "9").value() == "12");
}

TEST_CASE("a job that was accepted without printing its number is found by its name") {
  Rig rig;
  rig.program("squeue", "13|PENDING||Priority");
  SECTION("because nothing was printed") { rig.program("sbatch", ""); }
  SECTION("because another line was printed") { rig.program("sbatch", "Thank you"); }
  SECTION("because a signal ended sbatch") { script(rig, "sbatch", "kill -KILL $$\n"); }
  CHECK(send_job(kArgv, {}, "9").value() == "13");
}

TEST_CASE("a job whose number sbatch could not print is found by its name") {
  Rig rig;
  // The second line is the run's previous job, the last one another message of squeue.
  rig.program("squeue", "13|PENDING||Priority\n9|COMPLETED|n1|None\nslurm_load_jobs: slow");
  SECTION("because the controller was slow") { rig.failing("sbatch", kLost); }
  SECTION("because it was terminated") { script(rig, "sbatch", "exec sleep 1000\n"); }
  CHECK(send_job(kArgv, {}, "9", 200'000'000).value() == "13");
  CHECK(rig.called("squeue").ends_with(" --name=ringside-a\n"));
}

TEST_CASE("if the job is not found, the error says that it may be in the queue, and how to check") {
  Rig rig;
  rig.failing("sbatch", kLost);
  auto argv = kArgv;
  std::string name = "ringside-a";
  SECTION("only the earlier one is listed") { rig.program("squeue", "9|COMPLETED|n1|None"); }
  SECTION("squeue does not answer either") { rig.failing("squeue", "timed out"); }
  SECTION("a name that a person chose is not looked for") {
    rig.program("squeue", "13|PENDING||Priority");
    argv.insert(argv.end() - 1, "--job-name=mine");
    name = "mine";
  }
  const auto sent = send_job(argv, {}, "9");
  REQUIRE_FALSE(sent);
  CHECK(sent.error().message.starts_with("sbatch: sbatch: error: Batch job submission failed"));
  CHECK(sent.error().message.find("`squeue --me --name=" + name + "`") != std::string::npos);
}

TEST_CASE("a job that sbatch refused is not looked for") {
  Rig rig;
  rig.failing("sbatch", "sbatch: error: invalid partition specified: x");
  rig.program("squeue", "13|PENDING||Priority");
  const auto sent = send_job(kArgv, {}, {});
  REQUIRE_FALSE(sent);
  CHECK(sent.error().message == "sbatch: sbatch: error: invalid partition specified: x");
  CHECK(rig.called("squeue").empty());
}
