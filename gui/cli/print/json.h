// The JSON of the command line: names and shapes that scripts rely on. Unknown numbers are null.
// Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "gui/analysis/alerts/alerts.h"
#include "gui/runs/catalogue.h"
#include "gui/runs/run_figures.h"
#include "gui/view/run_context.h"

namespace ringside::cli {

using Json = nlohmann::ordered_json;

/// null for NaN and infinities.
Json number_or_null(double value);
/// ISO 8601 in UTC with milliseconds; empty for 0.
std::string utc_text(std::int64_t wall_ns);

/// What `run --json` prints as its last line: id, folder, world_size, state, seconds,
/// train_seconds, samples_per_s, val_accuracy and final_loss of each run. The last of `runs` is the
/// one that was asked for. `expected_s`: what was estimated for all of them before the start; 0:
/// nothing.
Json result_json(const std::vector<runs::RunSummary>& runs, double expected_s = 0);
/// What a log gave, and what is missing in it: its numbers, and `damage`, the same in words.
Json log_json(const runs::LogDamage& damage);
/// What is known of a run from its folder alone.
view::RunContext context_of(const runs::RunSummary& run, const model::RunModel& model);
/// `show --json`: the run as `list` prints it, with ranks, epochs, alerts, notices, settings and
/// the health of the log.
Json details_json(const runs::RunSummary& run, const runs::ReadRun& read);
/// An alert by the name of its kind, with its sentence as the window has it; `phase`: where a
/// straggler loses its time, where that is known.
Json alert_json(const analysis::Alert& alert, const model::RunModel& model);
/// Any record with its stamp, as `tail --json` prints it: record, node, rank, seq, mono_ns, then
/// its fields.
Json record_json(const messages::Stamp& stamp, const messages::Record& record);
/// All settings by section; for a custom program only those that are passed to it.
Json spec_json(const messages::RunSpec& spec);

/// The JSON on one line; text that is not UTF-8 is repaired.
std::string dump(const Json& json, int indent = -1);

}  // namespace ringside::cli
