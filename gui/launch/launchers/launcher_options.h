// Options of the launchers that people type before a script, in one table for each launcher, and a
// parser that reads command lines like Python's argparse. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"

namespace ringside::launch {

enum class OptionUse : std::uint8_t {
  kRanks,      ///< the number of ranks, or the kind of device to count
  kNodes,      ///< only one node is supported
  kNode,       ///< only the first node is supported
  kRestarts,   ///< becomes a setting of the run
  kModule,     ///< the program is a module
  kNoPython,   ///< the program is not a Python script
  kUseEnv,     ///< a rank gets its number from the environment
  kPrecision,  ///< sets ACCELERATE_MIXED_PRECISION
  kVariable,   ///< sets another variable of the launcher, named in `text`
  kCpu,
  kDevices,
  kIncluded,     ///< DeepSpeed's "localhost:0,1"
  kNoLocalRank,  ///< the script gets no --local_rank argument
  kAccelerator,  ///< Lightning's accelerator, with its variable in `text`
  kFile,         ///< read before the options
  kOurs,         ///< Ringside does this itself; `text` says how
  kLeftOut,      ///< ignored, as it makes no difference
  kRefused,      ///< `text` says what to do instead
};

struct LauncherOption {
  std::string_view name;  ///< "--nproc-per-node", "-m"
  bool value = true;      ///< whether it takes a value
  OptionUse use = OptionUse::kLeftOut;
  std::string_view text{};
};

std::span<const LauncherOption> torchrun_options();
std::span<const LauncherOption> accelerate_options();
std::span<const LauncherOption> deepspeed_options();
std::span<const LauncherOption> composer_options();
std::span<const LauncherOption> fabric_options();

/// The option with that name, or the only one that begins with it; `_` counts as `-`. Null: none.
const LauncherOption* find_option(std::span<const LauncherOption> known, const std::string& name);

struct GivenOption {
  const LauncherOption* option = nullptr;
  std::string typed;  ///< as typed, without its value
  std::string value;
};

struct LauncherLine {
  std::vector<GivenOption> given;
  std::size_t program = 0;  ///< index of the script
};

/// Reads the options from words[begin] up to the first word that is not one. `_` counts as `-`, and
/// a long option may be abbreviated if that is unambiguous. A bad request: an option that
/// `launcher` does not have, an option without its value, or no program after the options.
Result<LauncherLine> read_options(const std::vector<std::string>& words, std::size_t begin,
                                  std::span<const LauncherOption> known,
                                  const std::string& launcher);

}  // namespace ringside::launch
