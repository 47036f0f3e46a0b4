// Tells which rank of which run this process is, from the variables that its agent sets, and
// whether it is the one process of that rank that speaks. Any thread; no state but a file in the
// rank's folder.
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
  /// Number of ranks that another launcher started, this process among them, inside of one of
  /// several ranks; 0: none. Those inside of a run of one process are its ranks.
  std::int32_t nested = 0;
};

/// Nothing outside a run. A variable that is not a number is named.
Result<std::optional<RankPlace>> find_place(const Variables& variables);

/// The file in the rank's folder with the process id of the one that speaks: made by whoever comes
/// first, and left there, since the agent refuses a second connection of a rank in the same
/// attempt.
std::filesystem::path speaker_path(const RankPlace& place);

/// Makes this process the one that speaks. A bad request names the one that is already, or says
/// that ranks of a launcher inside of a rank do not.
Result<void> become_speaker(const RankPlace& place);

}  // namespace ringside::client
