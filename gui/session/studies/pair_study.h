// A study that grows by what it has measured, from its plan to its answer: one of pairs, or one
// whose settings a library proposes. Used by the command line on a terminal and by the window in a
// job. Reads and writes files, starts agents; one thread, blocks as long
// as runs train.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "gui/session/studies/study_reader.h"
#include "gui/session/studies/study_start.h"

namespace ringside::session {

/// The work on such a study, for the caller that stays with it.
struct PairWork {
  std::filesystem::path runs_dir;
  launch::Machine machine{};
  std::function<void(const std::vector<std::string>&)> say{};  ///< plans and warnings, in sentences
  std::function<void(const StartedStudy&)> stay{};             ///< until its runs have ended
  launch::Cancelled cancelled{};
  bool adopt = false;  ///< equal finished runs count as trials of a library
};

/// Checks and starts what is planned, and stays with it.
Result<StartedStudy> carry_out_plan(const PairWork& work, StudyPlan plan);

/// Trains further pairs until the answer is certain or its budget is used up, and proposed settings
/// until all trials are done; stops if it is cancelled.
Result<void> train_more(const PairWork& work, StudyReader& reader, view::StudyFacts& facts);

/// Compares the two settings of the wish (make_two) in new runs, as long as its budget allows.
Result<view::StudyFacts> measure_pairs(const PairWork& work, StudyWish wish);

/// Repeats that a study of pairs, all of them trained, needs for its next look; 0: none, or it is
/// no such study.
std::int64_t pairs_to_come(const std::filesystem::path& runs_dir, const runs::Study& study);

/// Stays with a study of pairs of this machine without a terminal, until it tells; the answer in a
/// sentence. Where the program leaves runs go on, and no more are begun.
Result<std::string> decide_pairs(const std::filesystem::path& runs_dir, const StartedStudy& begun,
                                 const launch::Cancelled& leaving);

/// Waits for runs of this machine without a terminal. Where it is cancelled they are asked to stop
/// now, where the program leaves they go on.
void wait_for_runs(const launch::Started& runs, const launch::Cancelled& cancelled,
                   const launch::Cancelled& leaving);

}  // namespace ringside::session
