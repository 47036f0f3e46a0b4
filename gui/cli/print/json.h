// The JSON of the command line, whose names and structure scripts rely on. Unknown numbers are
// null. Pure.
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

/// The last line of `run --json`: id, folder, world_size, state, seconds, train_seconds,
/// samples_per_s, val_accuracy and final_loss of each run. The last of `runs` is the requested one.
/// `expected_s`: total time estimated before the start; 0: none.
Json result_json(const std::vector<runs::RunSummary>& runs, double expected_s = 0);
/// What a log contains and what is missing: numbers, and `damage`, the same in words.
Json log_json(const runs::LogDamage& damage);
/// The part of a run's context that is known from its folder.
view::RunContext context_of(const runs::RunSummary& run, const model::RunModel& model);
/// `show --json`: the run as in `list`, with ranks, epochs, alerts, notices, settings and the state
/// of the log.
Json details_json(const runs::RunSummary& run, const runs::ReadRun& read);
/// An alert with the name of its kind and its sentence as in the window; `phase`: where a straggler
/// loses its time, if known.
Json alert_json(const analysis::Alert& alert, const model::RunModel& model);
/// A record with its stamp, as in `tail --json`: record, node, rank, seq, mono_ns, then its fields.
Json record_json(const messages::Stamp& stamp, const messages::Record& record);
/// All settings by section; for a custom program only those that are passed to it.
Json spec_json(const messages::RunSpec& spec);

/// The JSON as text; invalid UTF-8 is replaced.
std::string dump(const Json& json, int indent = -1);

}  // namespace ringside::cli
