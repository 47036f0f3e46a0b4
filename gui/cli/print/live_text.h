// Lines that the terminal shows while a run is active, and at its end, made from views.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gui/model/run_model_fwd.h"
#include "gui/runs/catalogue.h"
#include "gui/runs/run_figures.h"
#include "gui/session/alerts/alert_caller.h"
#include "gui/view/run_context.h"
#include "protocol/messages/states.h"

namespace ringside::cli {

/// Text such as "epoch 2/5  step 120/470  loss 0.345  val 91.20 %  2,340 samples/s  about 3 s
/// left".
std::string progress_line(const model::RunModel& model, const view::RunContext& context);
/// Title of the current one of several runs: "Baseline", "Run", "Run 3 of 5".
std::string run_title(std::size_t index, std::size_t runs, bool is_baseline);
/// Text about the run at `index`, such as "3 of 5: demo · weak 2 · 1/1 finished after 12 s; about
/// 40 s left".
std::string ended_line(std::size_t index, std::size_t runs, const std::string& name,
                       messages::State state, double took_s, std::optional<double> left_s);
/// A table with a header and one row per rank.
std::string rank_table(const model::RunModel& model, const view::RunContext& context, bool color);
/// Table of runs that were started together, followed by speedup, folder and the command to export
/// CSV.
std::string result_text(const std::vector<runs::RunSummary>& runs, bool color);
/// One line for each run that did not finish, with its end and the reason, read from its log if
/// needed. A custom program that finished without a step is included.
std::string failures_text(const std::vector<runs::RunSummary>& runs);
/// An alert of severity error as a line, worded as in `show`. Empty for other severities, and for
/// alerts that are printed elsewhere: the end of the run, and a log that cannot be written.
std::string error_line(const session::AlertFacts& facts, bool color);

}  // namespace ringside::cli
