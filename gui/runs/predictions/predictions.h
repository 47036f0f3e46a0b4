// Predictions of runs beside measured results: a file in the folder of each run that was started to
// check a prediction (PREDICTION.md). Files only; any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/fields.h"
#include "protocol/base/result.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::runs {

struct SavedPrediction {
  std::string of_run;
  std::string change;  ///< as options of `what-if`
  double was_ms = 0;
  double predicted_ms = 0;
  double low_ms = 0;
  double high_ms = 0;

  RINGSIDE_FIELDS(of_run, change, was_ms, predicted_ms, low_ms, high_ms)
};

/// Nothing if there is none, or the file cannot be parsed.
std::optional<SavedPrediction> read_prediction(const runlog::RunFolder& folder);
Result<void> keep_prediction(const runlog::RunFolder& folder, const SavedPrediction& prediction);

/// A prediction together with the measured result.
struct ProvedPrediction {
  std::string run;  ///< the run's label
  std::string id;
  SavedPrediction told;
  double took_ms = 0;  ///< per step; 0: the run has not finished
  bool inside() const { return took_ms >= told.low_ms && took_ms <= told.high_ms; }
  double error() const { return told.predicted_ms / took_ms - 1; }
};

/// The newest predictions in a runs folder, newest first; at most kMostProved.
std::vector<ProvedPrediction> proved_predictions(const std::filesystem::path& runs_dir);
inline constexpr std::size_t kMostProved = 20;

}  // namespace ringside::runs
