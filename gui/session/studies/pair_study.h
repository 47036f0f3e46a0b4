// Carries out a study that grows with its results, from its plan to its answer: a study of pairs,
// or one whose settings a library proposes. Used by the command line on a terminal and by the
// window in a job. Reads and writes files, starts agents; one thread, blocks as long as runs train.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "gui/session/studies/study_reader.h"
#include "gui/session/studies/study_start.h"

namespace ringside::session {

/// The inputs of such a study, for a caller that waits for its runs.
struct StudyWork {
  std::filesystem::path runs_dir;
  launch::Machine machine{};
  std::function<void(const std::vector<std::string>&)> say = [](const auto&) {
  };                                                ///< plans and warnings, in sentences
  std::function<void(const StartedStudy&)> stay{};  ///< waits until the study's runs have ended
  launch::Cancelled cancelled{};
  bool adopt = false;  ///< equal finished runs count as trials of a library
};

/// Checks and starts the plan, and waits for its runs.
Result<StartedStudy> carry_out_plan(const StudyWork& work, StudyPlan plan);

/// Trains further pairs until the answer is certain or its budget is used up, and proposed settings
/// until all trials are done; stops if it is cancelled.
Result<void> train_more(const StudyWork& work, StudyReader& reader, view::StudyFacts& facts);

/// Compares the two settings of the request (make_two) in new runs, within its budget and until
/// its least gain is unlikely.
Result<view::StudyFacts> measure_pairs(const StudyWork& work, StudyPlanRequest plan_request);

/// Returns how many repeats a study of pairs, all of them trained, needs before its result is
/// checked again; 0: none, or it is not a study of pairs.
std::int64_t pairs_to_come(const std::filesystem::path& runs_dir, const runs::Study& study);

/// Waits for a local study of pairs, without a terminal, until its answer is certain; returns the
/// answer as a sentence. If the program ends, active runs continue and no more are started.
Result<std::string> decide_pairs(const std::filesystem::path& runs_dir, const StartedStudy& begun,
                                 const launch::Cancelled& leaving);

/// Waits for local runs, without a terminal. If cancelled, they are asked to stop now; if the
/// program ends, they continue.
void wait_for_runs(const launch::Started& runs, const launch::Cancelled& cancelled,
                   const launch::Cancelled& leaving);

}  // namespace ringside::session
