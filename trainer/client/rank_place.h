// Determines which rank of which run this process is, from the variables that its agent sets, and
// whether it is the single process of that rank that sends telemetry. Any thread; its only state is
// a file in the rank's folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "protocol/base/result.h"
#include "protocol/base/variables.h"
#include "protocol/runlog/run_folder.h"
#include "trainer/telemetry/reporter.h"

namespace ringside::client {

struct RankPlace {
  runlog::RunFolder run;
  telemetry::Sender sender;
  /// Number of ranks that a launcher within one of several ranks started, including this process;
  /// 0: none. The ranks of a launcher in a run of one process are ranks of the run.
  std::int32_t nested = 0;
};

/// Empty outside a run. A bad request names a variable that is not a number.
Result<std::optional<RankPlace>> find_place(const Variables& variables);

/// File in the rank's folder with the pid of the process that sends telemetry. The first process
/// creates it, and it stays, since the agent refuses a second connection of a rank in the same
/// attempt.
std::filesystem::path speaker_path(const RankPlace& place);

/// Makes this process the one that sends telemetry. A bad request names the process that already
/// does, or says that ranks of a launcher within a rank do not.
Result<void> become_speaker(const RankPlace& place);

}  // namespace ringside::client
