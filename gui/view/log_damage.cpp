#include "gui/view/log_damage.h"

#include <algorithm>
#include <cstddef>

#include "gui/view/number_format.h"

namespace ringside::view {
namespace {

std::string count_of(std::uint64_t count) { return count_text(static_cast<std::int64_t>(count)); }

/// "the last complete record is the step 412 of rank 1"
std::string end_text(const runs::LogEnd& end) {
  if (!end.stamp) return "there is no complete record";
  std::string text = "the last complete record is a " + std::string(end.kind);
  if (end.step >= 0) text += " (" + step_text(end.step) + ")";
  const auto& stamp = *end.stamp;
  return text +
         (stamp.rank == kNoRank ? " of the agent" : " of rank " + std::to_string(stamp.rank));
}

/// "1, 3", "1, 2, 3, 4, 5, 6, 7, 8 and 120 more"
std::string names_of(const std::vector<Node>& nodes) {
  constexpr std::size_t kMost = 8;
  std::string names;
  for (std::size_t i = 0; i < std::min(kMost, nodes.size()); ++i)
    names += (i == 0 ? "" : ", ") + std::to_string(nodes[i]);
  return nodes.size() > kMost ? names + " and " + count_of(nodes.size() - kMost) + " more" : names;
}

/// Says what is in the missing logs, and what to do; empty: none is missing.
std::string missing_logs_sentence(const std::vector<Node>& nodes) {
  if (nodes.empty()) return {};
  const bool one = nodes.size() == 1;
  return missing_logs_text(nodes) + ": what " + (one ? "its" : "their") + " ranks reported" +
         (nodes.front() == 0 ? " and how the run went" : "") + " is not in this folder. Copy " +
         (one ? "node_" + names_of(nodes) + ".log" : "node_K.log of each") +
         " from the machine where it was written.";
}

}  // namespace

std::string skipped_text(std::uint64_t bytes, std::uint64_t first) {
  if (bytes == 0) return {};
  return "Damaged parts of the log were skipped: " + count_of(bytes) +
         " bytes, the first at byte " + count_of(first) + ".";
}

std::string missing_logs_text(const std::vector<Node>& nodes) {
  if (nodes.empty()) return {};
  const bool one = nodes.size() == 1;
  return (one ? "The log of node " : "The logs of nodes ") + names_of(nodes) +
         (one ? " is missing" : " are missing");
}

std::string damage_text(const runs::LogDamage& damage) {
  const runlog::LogProgress& log = damage.log;
  std::string text;
  const auto add = [&text](const std::string& sentence) {
    if (!sentence.empty()) text += (text.empty() ? "" : " ") + sentence;
  };
  if (log.header_damaged) add("The head of the log is damaged: its times are not known.");
  add(skipped_text(log.skipped_bytes, log.first_skipped));
  if (log.lost_segments > 0) {
    add(plural(static_cast<std::int64_t>(log.lost_segments), "segment", "segments") +
        " of the log " + (log.lost_segments == 1 ? "is" : "are") + " missing.");
  }
  if (damage.cut() && log.tail_bytes > 0) {
    add("The log is cut off at byte " + count_of(log.consumed_bytes + log.tail_bytes) +
        ": its last " + count_of(log.tail_bytes) + " bytes are an incomplete segment.");
  }
  if (damage.cut() && !damage.end.run_ended) add("The end of the run is missing in the log.");
  if (damage.cut() || !text.empty()) add("In what was read " + end_text(damage.end) + ".");
  add(lost_records_text(damage.lost_records, damage.lost_more));
  const std::string missing = missing_logs_sentence(damage.missing_nodes);
  return missing + (missing.empty() || text.empty() ? "" : " ") + text;
}

}  // namespace ringside::view
