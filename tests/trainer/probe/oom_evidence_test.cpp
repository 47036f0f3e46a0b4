#include "trainer/probe/oom_evidence.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::probe;

TEST_CASE("R12: an increase of the group's counter is evidence in version 2") {
  const TempFolder root;
  root.write("proc/self/cgroup", "0::/job\n");
  root.write("sys/fs/cgroup/cgroup.controllers", "memory\n");
  root.write("sys/fs/cgroup/job/memory.events",
             "low 0\nhigh 0\noom 1\noom_kill 0\noom_group_kill 0\n");
  const OomCounts before = oom_counts(root.path());
  CHECK(before.group == 0);
  CHECK(before.host == -1);
  CHECK(oom_evidence(before, oom_counts(root.path())).empty());
  root.write("sys/fs/cgroup/job/memory.events", "oom 2\noom_kill 1\n");
  const std::string text = oom_evidence(before, oom_counts(root.path()));
  CHECK(text.find("likely out of memory") != std::string::npos);
  CHECK(text.find("from 0 to 1") != std::string::npos);
}

TEST_CASE("R12: an increase of the group's counter is evidence in version 1") {
  const TempFolder root;
  root.write("proc/self/cgroup", "4:memory:/box\n");
  root.write("sys/fs/cgroup/memory/box/memory.oom_control",
             "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
  const OomCounts before = oom_counts(root.path());
  CHECK(before.group == 3);
  root.write("sys/fs/cgroup/memory/box/memory.oom_control",
             "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n");
  CHECK_FALSE(oom_evidence(before, oom_counts(root.path())).empty());
}

TEST_CASE(
    "R12: an increase on the host is only a possibility, and unknown counters claim nothing") {
  CHECK(oom_evidence({0, 4}, {0, 5}).find("possibly") == 0);
  CHECK(oom_evidence({-1, -1}, {3, 9}).empty());
  CHECK(oom_evidence({0, 4}, {-1, -1}).empty());
}
