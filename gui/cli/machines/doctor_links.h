// `ringside doctor --links`: the probe of the devices of a run to come. Main thread.
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
  std::string preset;  ///< whose devices and model; empty: demo, on all free GPUs where there are
  std::vector<std::string> sets;
  int limit_s = 0;  ///< 0: as long as a probe has
  std::filesystem::path runs_dir;
};

/// Prints what it found, keeps it beside the runs; 1 when it found nothing.
Result<int> probe_links(const LinksOptions& options);

}  // namespace ringside::cli
