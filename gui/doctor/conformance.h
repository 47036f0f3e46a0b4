// Checks whether a rank in any language follows protocol/messages/FORMAT.md: a verdict for each
// rule, from the records of its runs. Pure: conformance_run.h starts those runs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/messages/codec.h"
#include "protocol/messages/records.h"

namespace ringside::doctor {

enum class Rule : std::uint8_t {
  kFrames,
  kHello,
  kSequence,
  kGoodbye,
  kSteps,
  kPhases,
  kUnknown,
  kBuckets,
  kCollectives,
  kEpochs,
  kClock,
  kEnd,
  kStop,
};

struct RuleKind {
  Rule rule{};
  std::string_view name;  ///< name for scripts
  std::string_view title;
  std::string_view advice;  ///< shown if nothing was seen that the rule applies to
};

inline constexpr std::array kRules{
    RuleKind{Rule::kFrames, "frames", "Frames and records",
             "send a batch: 56 bytes of frame, then whole records"},
    RuleKind{Rule::kHello, "hello", "Hello first", "send a RankHello before anything else"},
    RuleKind{Rule::kSequence, "sequence", "Sequence", "number the records from 0"},
    RuleKind{Rule::kGoodbye, "goodbye", "Goodbye", "send a RankGoodbye in a goodbye frame"},
    RuleKind{Rule::kSteps, "steps", "Steps", "send a StepReport at the end of each step"},
    RuleKind{Rule::kPhases, "phases", "Phases", "say how long data wait, forward, ... took"},
    RuleKind{Rule::kUnknown, "unknown", "What is not known", "send a StepReport"},
    RuleKind{Rule::kBuckets, "buckets", "Buckets", "send BucketReports, if gradients are reduced"},
    RuleKind{Rule::kCollectives, "collectives", "Collectives",
             "send a GroupReport, then a CollectiveReport for each collective of it"},
    RuleKind{Rule::kEpochs, "epochs", "Epochs", "send an EpochReport at the end of each epoch"},
    RuleKind{Rule::kClock, "clock", "Clock", "send a record"},
    RuleKind{Rule::kEnd, "end", "End", "leave with exit code 0"},
    RuleKind{Rule::kStop, "stop", "Stop",
             "run longer than a stop takes, so that it can be asked to stop"},
};

/// Records of one start of the ranks.
struct ReceivedRecords {
  struct ReceivedRecord {
    messages::Stamp stamp;
    messages::Record record;
  };
  std::int32_t ranks = 0;
  std::vector<ReceivedRecord>
      reported;  ///< in the order of the log, including records of the agent
  messages::DecodeCounts decoded;
};

/// Observations of the second start, which is asked to stop.
struct StopSeen {
  bool asked = false;  ///< a rank was running when the stop was requested
  double seconds = 0;  ///< from the request until all ranks had exited
  ReceivedRecords received;
};

enum class Verdict : std::uint8_t { kPass, kFail, kNotSeen };
std::string_view name_of(Verdict verdict);

struct RuleResult {
  RuleKind kind;
  Verdict verdict = Verdict::kNotSeen;
  std::string told;  ///< what was seen, or what is wrong and how to fix it
};

/// Longest allowed time in seconds from a stop request to the end of the ranks.
inline constexpr double kStopSeconds = 10;

/// One result per rule, in the order of the rules.
std::vector<RuleResult> judge_conformance(const ReceivedRecords& received, const StopSeen& stop);

/// Whether no rule is broken.
bool conforms(const std::vector<RuleResult>& results);

}  // namespace ringside::doctor
