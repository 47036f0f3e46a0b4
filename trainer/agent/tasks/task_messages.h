// Messages between a node's agent and the srun tasks on that node: the resources of a task, the
// start of its rank, and how it ended. Each message is one CBOR object (RFC 8949), which the
// channel prefixes with its length. Both ends are of the same build. Pure; any thread.
//
//   task                                    agent
//   TaskHello, once                  ->
//                                    <-     StartRank, once for each attempt
//   RankStarted                      ->
//   RankEnded, as soon as it has     ->
//                                    <-     ReapRank: nothing is left of it
//                                    <-     Leave, once: the task ends with this exit code
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "protocol/base/fields.h"
#include "protocol/base/result.h"
#include "trainer/agent/processes/exit_status.h"
#include "trainer/agent/processes/spawn_plan.h"

namespace ringside::agent {

/// Longer messages are refused unread; an environment has a few hundred kB at most.
inline constexpr std::uint32_t kMostTaskBytes = 8U << 20U;

struct TaskHello {
  static constexpr const char* kName = "hello";
  std::string version;  ///< RINGSIDE_VERSION
  std::int32_t local_rank = 0;
  TaskPlace place;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("version", self.version);
    visit("local_rank", self.local_rank);
    visit("environment", self.place.environment);
    visit("cores", self.place.cores);
    visit("gpus", self.place.gpus);
  }
};

struct StartRank {
  static constexpr const char* kName = "start";
  std::vector<std::string> argv;
  std::vector<std::string> environment;  ///< NAME=value, whole
  std::string folder;                    ///< for the files stdout and stderr
  std::string cwd;                       ///< empty: the task's

  RINGSIDE_FIELDS(argv, environment, folder, cwd)
};

struct RankStarted {
  static constexpr const char* kName = "started";
  std::int64_t pid = 0;
  std::string problem;  ///< why it did not start; empty: it runs

  RINGSIDE_FIELDS(pid, problem)
};

struct RankEnded {
  static constexpr const char* kName = "ended";
  ExitStatus status;

  RINGSIDE_FIELDS(status)
};

struct ReapRank {
  static constexpr const char* kName = "reap";
};

struct Leave {
  static constexpr const char* kName = "leave";
  std::int32_t exit_code = 0;
  std::string why;  ///< message for people, on the task's standard error; may be empty

  RINGSIDE_FIELDS(exit_code, why)
};

using TaskMessage = std::variant<TaskHello, StartRank, RankStarted, RankEnded, ReapRank, Leave>;

std::vector<std::uint8_t> encode(const TaskMessage& message);

/// Fails if the bytes are not one of these messages.
Result<TaskMessage> decode(std::span<const std::uint8_t> bytes);

}  // namespace ringside::agent
