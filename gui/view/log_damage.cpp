#include "gui/view/log_damage.h"

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

}  // namespace

std::string skipped_text(std::uint64_t bytes, std::uint64_t first) {
  if (bytes == 0) return {};
  return "Damaged parts of the log were skipped: " + count_of(bytes) +
         " bytes, the first at byte " + count_of(first) + ".";
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
  return text;
}

}  // namespace ringside::view
