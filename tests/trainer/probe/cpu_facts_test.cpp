#include "trainer/probe/cpu_facts.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::probe;

TEST_CASE("without control groups the affinity mask counts") {
  const TempFolder root;
  const CpuFacts facts = cpu_facts(root.path(), 6);
  CHECK(facts.cores == 6);
  CHECK_FALSE(facts.quota_cores);
}

TEST_CASE("a version 2 quota limits the cores, rounded down, to at least one") {
  const TempFolder root;
  root.write("proc/self/cgroup", "0::/user.slice/job\n");
  root.write("sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
  root.write("sys/fs/cgroup/user.slice/job/cpu.max", "250000 100000\n");
  CHECK(cpu_facts(root.path(), 8).cores == 2);
  CHECK(cpu_facts(root.path(), 1).cores == 1);
  root.write("sys/fs/cgroup/user.slice/job/cpu.max", "50000 100000\n");
  CHECK(cpu_facts(root.path(), 8).cores == 1);
  CHECK(cpu_facts(root.path(), 8).quota_cores == Approx(0.5));
  root.write("sys/fs/cgroup/user.slice/job/cpu.max", "max 100000\n");
  CHECK(cpu_facts(root.path(), 8).cores == 8);
}

TEST_CASE("the smallest quota up to the root counts") {
  const TempFolder root;
  root.write("proc/self/cgroup", "0::/a/b\n");
  root.write("sys/fs/cgroup/cgroup.controllers", "cpu\n");
  root.write("sys/fs/cgroup/a/b/cpu.max", "800000 100000\n");
  root.write("sys/fs/cgroup/a/cpu.max", "300000 100000\n");
  CHECK(cpu_facts(root.path(), 16).cores == 3);
}

TEST_CASE("a version 1 quota is read from its controller") {
  const TempFolder root;
  root.write("proc/self/cgroup", "2:cpuacct:/x\n1:cpu:/box\n0::/\n");
  root.write("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "400000\n");
  root.write("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000\n");
  CHECK(cpu_facts(root.path(), 8).cores == 4);
  root.write("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "-1\n");
  CHECK(cpu_facts(root.path(), 8).cores == 8);
}

TEST_CASE("a container whose group path is not mounted uses the mounted root") {
  const TempFolder root;
  root.write("proc/self/cgroup", "0::/outside/of/the/container\n");
  root.write("sys/fs/cgroup/cgroup.controllers", "cpu\n");
  root.write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  CHECK(cpu_facts(root.path(), 8).cores == 2);
}

TEST_CASE("this machine has at least one usable core") {
  const CpuFacts facts = cpu_facts("/", affinity_cores());
  CHECK(facts.cores >= 1);
  CHECK(facts.cores <= facts.affinity_cores);
}
