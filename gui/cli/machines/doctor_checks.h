// `ringside doctor --train` and `--gpu`: the checks with real runs. Main thread.
#pragma once

#include <string>
#include <vector>

#include "protocol/base/result.h"

namespace ringside::cli {

struct ExamineOptions {
  bool train = false;
  bool gpu = false;
  bool quick = false;
  bool json = false;
  std::vector<std::string> only;
  int limit_s = 0;

  bool wanted() const { return train || gpu; }
};

/// Prints a line per finished check, or one JSON object; returns 1 if a check failed.
Result<int> examine_training(const ExamineOptions& options);

}  // namespace ringside::cli
