// Queries the use of a machine: of this one, or of another one through its ringside. The result is
// one value, which is sent as JSON. Any thread; blocks for some seconds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/session/machines/machine_controller.h"
#include "gui/view/window/machine_use.h"

namespace ringside::session {

/// Queries this machine repeatedly. The use of a process is measured since the query before. One
/// thread at a time.
class MachineLooks {
 public:
  explicit MachineLooks(std::filesystem::path runs_dir) : runs_dir_(std::move(runs_dir)) {}

  /// The first call takes half a second, to have a sample to compare with. `slurm` also queries
  /// partitions.
  Result<view::MachineUse> look(bool slurm, const launch::Cancelled& cancelled = {});

 private:
  std::filesystem::path runs_dir_;
  std::vector<launch::ProcessUse> before_;
  std::int64_t before_ns_ = 0;  ///< time of the previous query; 0: none
};

/// After this time a machine that was reached counts as one that does not answer.
inline constexpr std::int64_t kMostLookNs = 30'000'000'000;
/// Returns the use of another machine, as its ringside reports it.
Result<view::MachineUse> look_there(const OtherMachine& machine,
                                    std::int64_t most_ns = kMostLookNs);

/// Names are those of MachineUse; unknown values are null.
nlohmann::ordered_json to_json(const view::MachineUse& use);
/// Fails if a value has the wrong type; missing values are unknown.
Result<view::MachineUse> parse_machine_use(std::string_view text);

}  // namespace ringside::session
