// Whether two runs of a custom program did the same work, judged from what their ranks reported,
// since its settings are not known. Pure functions of two models.
#pragma once

#include <cstdint>
#include <string>

#include "gui/model/run_model_fwd.h"

namespace ringside::analysis {

struct ComparedWork {
  enum class Verdict : std::uint8_t { kUnknown, kSame, kOther };
  Verdict verdict = Verdict::kUnknown;
  bool of_epoch = false;  ///< samples are counted per epoch, otherwise over the whole run
  double ours = 0;        ///< samples of all ranks; 0: not reported
  double theirs = 0;
};
/// An epoch, or a whole run without epochs, may differ by one step's samples, because samplers
/// round. Without epochs it is unknown until both have ended.
ComparedWork compare_work(const model::RunModel& run, const model::RunModel& other);

/// Why their times cannot be compared, as a sentence; empty: the same work so far.
std::string other_program_work(const model::RunModel& run, const model::RunModel& baseline,
                               bool ended);

/// Known differences in the contents of the two programs: "train.py was edited". Empty: none, or
/// unknown.
std::string other_program_files(const model::RunModel& run, const model::RunModel& other);

}  // namespace ringside::analysis
