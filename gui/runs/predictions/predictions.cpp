#include "gui/runs/predictions/predictions.h"

#include <system_error>

#include "gui/analysis/whatif/worked_steps.h"
#include "gui/runs/run_figures.h"
#include "protocol/host/files.h"
#include "protocol/messages/spec/spec_fields.h"
#include "protocol/messages/spec/toml_fields.h"

namespace ringside::runs {
namespace {

std::filesystem::path prediction_path(const runlog::RunFolder& folder) {
  return folder.path() / "prediction.toml";
}

double took_ms(const RunSummary& run) {
  if (run.state.word != "finished") return 0;
  return analysis::worked_steps(*read_run(run.folder, run.spec).model).recorded_ns / 1e6;
}

}  // namespace

std::optional<SavedPrediction> read_prediction(const runlog::RunFolder& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(prediction_path(folder), ignored)) return std::nullopt;
  const auto text = read_text(prediction_path(folder), 64 * 1024);
  if (!text) return std::nullopt;
  SavedPrediction told;
  const auto read =
      messages::read_toml(*text, "prediction.toml", told, messages::TomlMode::kLenient);
  constexpr double kMostMs = 3.6e6;
  const auto believable = [](double ms) { return ms > 0 && ms < kMostMs; };
  const bool sound = believable(told.was_ms) && believable(told.predicted_ms) && told.low_ms >= 0 &&
                     told.low_ms <= told.predicted_ms && told.predicted_ms <= told.high_ms &&
                     told.high_ms < 2 * kMostMs;
  return read && sound ? std::optional(told) : std::nullopt;
}

Result<void> keep_prediction(const runlog::RunFolder& folder, const SavedPrediction& prediction) {
  return write_text_atomically(prediction_path(folder), messages::write_toml(prediction));
}

std::vector<ProvedPrediction> proved_predictions(const std::filesystem::path& runs_dir) {
  std::vector<ProvedPrediction> found;
  const auto listed = list_runs(runs_dir);
  for (std::size_t i = listed ? listed->size() : 0; i-- > 0 && found.size() < kMostProved;) {
    const auto told = read_prediction((*listed)[i].folder);
    if (!told) continue;
    const RunSummary run = read_summary((*listed)[i]);
    found.push_back({label_of(run), run.folder.id(), *told, took_ms(run)});
  }
  return found;
}

}  // namespace ringside::runs
