// The list of checks of `ringside doctor --train` and `--gpu`, and the result of a check. Plain
// data.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::doctor {

enum class Outcome : unsigned char { kPass, kFail, kSkipped };
std::string_view name_of(Outcome outcome);

struct Measure {
  std::string what;      ///< "wrong_sums"
  double measured = 0;   ///< the measured count or value
  double against = 0;    ///< total of the count, or value to compare with
  std::string limit;     ///< "0"; empty: only reported
  bool holds = true;     ///< within the limit
  std::string sentence;  ///< both numbers for a person, without the limit
};

/// The verdict on the numbers of a check. A check whose numbers allow no verdict is skipped, with
/// the reason.
struct CheckVerdict {
  std::vector<Measure> measures;
  std::string skipped;  ///< reason such as "too noisy: ..."; empty: not skipped
};

struct CheckKind {
  int number = 0;
  std::string_view name;   ///< in files and on the command line
  std::string_view title;  ///< "All-reduce"
  std::string_view proves;
  bool on_cpu = false;  ///< can run on CPU slots, too
  double limit_s = 60;  ///< time limit in seconds
};

inline constexpr std::array kChecks{
    CheckKind{1, "load", "Load",
              "Driver, cuDNN and NCCL are those that this was built for, and compute", false, 120},
    CheckKind{2, "identity", "Identity", "CUDA and NVML mean the same GPU", false, 90},
    CheckKind{3, "nvml", "NVML = nvidia-smi",
              "The numbers shown are those of the driver's own tool", false, 30},
    CheckKind{4, "copies", "Copies", "Batches arrive whole while the GPU is busy", false, 120},
    CheckKind{5, "sums", "All-reduce", "Sums over the ranks are exact", true, 180},
    CheckKind{6, "ddp", "DDP = one process", "Ranks together learn what one process learns", true,
              180},
    CheckKind{7, "amp", "AMP", "An overflow on one rank skips the step on all of them", true, 90},
    CheckKind{8, "replay", "Graph = eager", "A replayed step computes what an eager one does", true,
              180},
    CheckKind{9, "timing", "Timing", "Times of steps and buckets add up", true, 120},
    CheckKind{10, "straggler", "Straggler", "A late rank is named, and none if none is late", true,
              240},
    CheckKind{11, "ends", "Failure and stop", "Nothing stays behind, and the checkpoint loads",
              true, 240},
    CheckKind{12, "feed", "Feed", "The loader keeps up, and sockets listen on loopback only", true,
              180},
};

struct CheckResult {
  CheckKind kind;
  Outcome outcome = Outcome::kSkipped;
  std::vector<Measure> measures;
  std::string reason;  ///< why it was skipped, or gave no numbers
  double seconds = 0;
};

CheckResult result_of(const CheckKind& kind, CheckVerdict judgement, double seconds);
CheckResult skipped(const CheckKind& kind, std::string reason);
/// The result of a check that failed before it had measurements.
CheckResult broken(const CheckKind& kind, std::string reason, double seconds);

/// The result in one line: violated limits come first.
std::string result_text(const CheckResult& result);

}  // namespace ringside::doctor
