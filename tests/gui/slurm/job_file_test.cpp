#include "gui/slurm/job_file.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::slurm;

TEST_CASE("a job file reads back as it was written") {
  const TempFolder temp;
  const runlog::RunFolder folder(temp.path());
  CHECK_FALSE(read_job_file(folder));
  JobFile file{"12",
               {"gpu", "lab", "2:00:00", "high", "a100&ib", 2, 4, {"mem=8G", "exclusive"}},
               1'700'000'000'000'000'001,
               {}};
  REQUIRE(write_job_file(folder, file));
  const auto read = read_job_file(folder);
  REQUIRE(read);
  CHECK(read->job == "12");
  CHECK(read->options.partition == "gpu");
  CHECK(read->options.account == "lab");
  CHECK(read->options.time == "2:00:00");
  CHECK(read->options.qos == "high");
  CHECK(read->options.constraint == "a100&ib");
  CHECK(read->options.nodes == 2);
  CHECK(read->options.gpus_per_node == 4);
  CHECK(read->options.more == file.options.more);
  CHECK(read->submitted_wall_ns == file.submitted_wall_ns);
  CHECK_FALSE(read->end);
  CHECK_FALSE(read->is_step);
  CHECK_FALSE(read->is_elsewhere);
  file.is_step = true;
  file.is_elsewhere = true;
  file.srun_step = "12.0";
  file.end = JobReport{"TIMEOUT", "TimeLimit", "n1"};
  REQUIRE(write_job_file(folder, file));
  CHECK(read_job_file(folder)->end == file.end);
  CHECK(read_job_file(folder)->is_step);
  CHECK(read_job_file(folder)->is_elsewhere);
  CHECK(read_job_file(folder)->srun_step == "12.0");
  REQUIRE(remove_job_file(folder));
  CHECK_FALSE(read_job_file(folder));
}

TEST_CASE("a text that is not a job number never gets into a command line") {
  for (const char* job : {"--user=me", "12 13", "12,13", "-12", "12.0", "1x", " "})
    CHECK_FALSE(parse_job_file(to_text({job, {}, 1, {}})));
  CHECK(parse_job_file(to_text({"", {}, 1, {}})));
  for (const char* step : {"--user=me", "12", "12.", ".0", "12.0.1", "12.0 13.0"}) {
    JobFile file{"12", {}, 1, {}};
    file.srun_step = step;
    CHECK_FALSE(parse_job_file(to_text(file)));
  }
}

TEST_CASE("a text that is not a job file is ignored, and so are keys of a later version") {
  for (const char* wrong : {"", "{", "[]", "12", R"({"job": 12})", R"({"job": "1", "end": 3})"})
    CHECK_FALSE(parse_job_file(wrong));
  CHECK(parse_job_file(R"({"job": "7", "later": {}})")->job == "7");
}

TEST_CASE("a file of an older version is read, and is replaced by one of this version") {
  const TempFolder temp;
  const runlog::RunFolder folder(temp.path());
  temp.write("slurm.json", R"({"version": 1, "job": "12", "step": true, "elsewhere": true,
                              "options": {"partition": "gpu"}, "end": {"state": "TIMEOUT"}})");
  auto file = read_job_file(folder);
  REQUIRE(file);
  CHECK(file->is_step);
  CHECK(file->is_elsewhere);
  CHECK(file->options.partition == "gpu");
  CHECK(file->end->state == "TIMEOUT");
  REQUIRE(write_job_file(folder, *file));
  CHECK_FALSE(std::filesystem::exists(temp.path() / "slurm.json"));
  CHECK(to_text(*read_job_file(folder)) == to_text(*file));
}

TEST_CASE("a file of another place is not a job") {
  CHECK(parse_job_file(R"({"kind": "slurm", "job": "7"})"));
  CHECK_FALSE(parse_job_file(R"({"kind": "queue", "job": "7"})"));
}
