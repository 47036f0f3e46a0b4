// Looks at a machine: at this one, or by asking the ringside of another one to look at its own.
// What is seen is one value, which travels as JSON. Any thread; blocks for some seconds.
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

/// Looks at this machine again and again; what a process uses is told against the look before.
/// Used by one thread at a time.
class MachineLooks {
 public:
  explicit MachineLooks(std::filesystem::path runs_dir) : runs_dir_(std::move(runs_dir)) {}

  /// The first one takes half a second, to have something to compare with. With `slurm` its
  /// partitions are asked for, too.
  Result<view::MachineUse> look(bool slurm, const launch::Cancelled& cancelled = {});

 private:
  std::filesystem::path runs_dir_;
  std::vector<launch::ProcessUse> before_;
  std::int64_t before_ns_ = 0;  ///< 0: there was no look yet
};

/// What the ringside of another machine sees there.
Result<view::MachineUse> look_there(const OtherMachine& machine);

/// Names as in MachineUse; what is not known is null.
nlohmann::ordered_json to_json(const view::MachineUse& use);
/// Fails where a value is of another kind; names that are missing are not known.
Result<view::MachineUse> parse_machine_use(std::string_view text);

}  // namespace ringside::session
