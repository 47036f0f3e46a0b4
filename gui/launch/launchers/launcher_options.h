// Options of the launchers that people type in front of a script, one table for each, and the
// reading of a command line by such a table as Python's argparse reads it. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"

namespace ringside::launch {

/// What becomes of an option.
enum class OptionUse : std::uint8_t {
  kRanks,      ///< the number of ranks, or what is counted
  kNodes,      ///< only one
  kNode,       ///< only the first
  kRestarts,   ///< taken
  kModule,     ///< the program is a module
  kNoPython,   ///< the program is not a Python script
  kUseEnv,     ///< a rank learns its number from the environment
  kPrecision,  ///< ACCELERATE_MIXED_PRECISION
  kVariable,   ///< another variable of the launcher: `text` names it
  kCpu,
  kDevices,
  kIncluded,     ///< DeepSpeed's "localhost:0,1"
  kNoLocalRank,  ///< the script gets no --local_rank
  kAccelerator,  ///< Lightning's, with its variable in `text`
  kFile,         ///< read before the options
  kOurs,         ///< Ringside does this itself: `text` says how
  kLeftOut,      ///< makes no difference
  kRefused,      ///< `text` says what to do instead
};

struct LauncherOption {
  std::string_view name;  ///< "--nproc-per-node", "-m"
  bool value = true;      ///< takes one
  OptionUse use = OptionUse::kLeftOut;
  std::string_view text{};
};

std::span<const LauncherOption> torchrun_options();
std::span<const LauncherOption> accelerate_options();
std::span<const LauncherOption> deepspeed_options();
std::span<const LauncherOption> composer_options();
std::span<const LauncherOption> fabric_options();

/// The option of that name, or the only one that begins so; `_` counts as `-`. Null: none.
const LauncherOption* find_option(std::span<const LauncherOption> known, const std::string& name);

struct GivenOption {
  const LauncherOption* option = nullptr;
  std::string typed;  ///< as it was written, without its value
  std::string value;
};

struct LauncherLine {
  std::vector<GivenOption> given;
  std::size_t program = 0;  ///< index of the script
};

/// The options from words[begin] on, up to the first word that is none. `_` counts as `-`, and a
/// long option may be cut short where one alone begins so. A bad request: an option that `launcher`
/// does not have, one without its value, or no program behind them.
Result<LauncherLine> read_options(const std::vector<std::string>& words, std::size_t begin,
                                  std::span<const LauncherOption> known,
                                  const std::string& launcher);

}  // namespace ringside::launch
