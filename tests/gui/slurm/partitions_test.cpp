// Tests how the output of sinfo and squeue becomes rows of partitions.
#include "gui/slurm/partitions.h"

#include "tests/gui/slurm/fake_programs.h"
#include "tests/support/catch.h"

namespace ringside::slurm {
namespace {

/// Returns a line of sinfo for our format: columns of fixed width.
std::string node_line(const std::string& partition, const std::string& state,
                      const std::string& cpus, const std::string& gres, const std::string& used) {
  const auto column = [](std::string text, std::size_t width) {
    text.resize(width, ' ');
    return text;
  };
  return column(partition, 48) + column(state, 12) + column(cpus, 28) + column(gres, 112) +
         column(used, 112) + column("n1", 32) + "\n";
}

TEST_CASE("a partition has its nodes' GPUs and cores, and those free on nodes that accept jobs") {
  const std::string sinfo =
      node_line("gpu", "mix", "12/52/0/64", "gpu:a100:4(S:0,1)", "gpu:a100:3(IDX:0,1-2)") +
      node_line("gpu", "drain*", "0/0/64/64", "gpu:a100:4", "gpu:a100:0(IDX:N/A)") +
      node_line("gpu", "idle~", "0/64/0/64", "gpu:2,gpu:h100:1,shard:8", "gpu:0") +
      node_line("cpu", "alloc", "32/0/0/32", "(null)", "(null)");
  const auto all = parse_partitions(sinfo, "gpu\ncpu,gpu\nother\n");
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == "gpu");
  CHECK(all[0].nodes == 3);
  CHECK(all[0].cores == 192);
  CHECK(all[0].cores_free == 116);
  CHECK(all[0].gpus == 11);
  CHECK(all[0].gpus_free == 4);
  CHECK(all[0].waiting == 2);
  CHECK(all[1].name == "cpu");
  CHECK(all[1].gpus == 0);
  CHECK(all[1].cores_free == 0);
  CHECK(all[1].waiting == 1);
}

TEST_CASE("nodes that do not respond, are in maintenance or lose power have nothing free") {
  for (const char flag : std::string("*$%!@^~#-")) {
    INFO(flag);
    const auto all = parse_partitions(
        node_line("gpu", std::string("idle") + flag, "0/8/0/8", "gpu:2", "gpu:0"), "");
    REQUIRE(all.size() == 1);
    const bool usable = flag == '~' || flag == '#' || flag == '-';
    CHECK(all[0].gpus == 2);
    CHECK(all[0].gpus_free == (usable ? 2 : 0));
    CHECK(all[0].cores_free == (usable ? 8 : 0));
  }
}

TEST_CASE("a line that is not from sinfo adds no partition") {
  for (const char* text : {"", "\n", "gpu", "slurm_load_partitions: Unable to contact\n"})
    CHECK(parse_partitions(text, "gpu\n").empty());
}

TEST_CASE(
    "a machine without sinfo has no partitions, and a Slurm that does not respond is an error") {
  Rig rig;
  {
    const Variable path("PATH", (rig.temp.path() / "none").string());
    const auto none = ask_partitions();
    REQUIRE(none);
    CHECK(none->empty());
  }
  rig.failing("sinfo", "Unable to contact slurm controller");
  const auto silent = ask_partitions();
  REQUIRE_FALSE(silent);
  CHECK(silent.error().message.find("Unable to contact slurm controller") != std::string::npos);
  rig.program("sinfo", node_line("gpu", "idle", "0/8/0/8", "gpu:2", "gpu:0"));
  rig.program("squeue", "gpu");
  const auto told = ask_partitions();
  REQUIRE(told);
  REQUIRE(told->size() == 1);
  CHECK(told->front().gpus_free == 2);
  CHECK(told->front().waiting == 1);
}

}  // namespace
}  // namespace ringside::slurm
