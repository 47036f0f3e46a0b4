// Whether two runs of a custom program did the same work, judged from what their ranks reported,
// since its settings are not known. Pure functions of two models.
#pragma once

#include <cstdint>
#include <string>

#include "gui/model/run_model_fwd.h"

namespace ringside::analysis {

/// The work of two such runs side by side.
struct ComparedWork {
  enum class Verdict : std::uint8_t { kUnknown, kSame, kOther };
  Verdict verdict = Verdict::kUnknown;
  bool of_epoch = false;  ///< the samples are those of an epoch, else of all that was done
  double ours = 0;        ///< samples of all ranks; 0: a run does not report them
  double theirs = 0;
};
/// An epoch, or a whole run without epochs, may differ by one step's samples: samplers round.
/// Without epochs it is unknown until both have ended.
ComparedWork compare_work(const model::RunModel& run, const model::RunModel& other);

/// Why the two cannot be compared by their time, as a sentence; empty: the same work, as far as it
/// was done.
std::string other_program_work(const model::RunModel& run, const model::RunModel& baseline,
                               bool ended);

/// What is known to differ in what the two programs consisted of: "train.py was edited". Empty:
/// nothing, or it is not known.
std::string other_program_files(const model::RunModel& run, const model::RunModel& other);

}  // namespace ringside::analysis
