// `ringside doctor --links`: probes the devices of a planned run. Main thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "protocol/base/result.h"

namespace ringside::cli {

struct LinksOptions {
  bool links = false;
  bool quick = false;
  bool json = false;
  std::string preset;  ///< for devices and model; empty: demo, on all free GPUs if there are any
  std::vector<std::string> sets;
  int limit_s = 0;  ///< 0: the probe's own limit
  std::filesystem::path runs_dir;
};

/// Prints the result and saves it beside the runs; returns 1 if there is none.
Result<int> probe_links(const LinksOptions& options);

}  // namespace ringside::cli
