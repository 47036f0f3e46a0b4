#include "trainer/agent/unsent_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "protocol/messages/codec.h"
#include "protocol/messages/records.h"
#include "protocol/runlog/log_reader.h"

namespace ringside::agent {
namespace {

namespace fs = std::filesystem;
using messages::Notice;
using messages::Severity;

constexpr std::size_t kPartBytes = std::size_t{60} << 10;

class LogParts final : public messages::RecordSink {
 public:
  LogParts(NodeLog& log, const std::function<void(std::span<const std::byte>)>& heard)
      : log_(log), heard_(heard) {}
  void accept(const messages::Stamp& stamp, const messages::Record& record) override {
    messages::append_any_record(part_, stamp, record);
    ++records_;
    if (part_.size() >= kPartBytes) flush();
  }
  void flush() {
    if (part_.empty()) return;
    // After a failed append no later part is written, since a later sequence number would make the
    // missing part count as received.
    if (!failed_) log_.append_batch(part_, records_);
    failed_ = failed_ || !log_.problem().empty();
    heard_(part_);
    part_.clear();
    records_ = 0;
  }
  bool failed() const { return failed_; }

 private:
  NodeLog& log_;
  const std::function<void(std::span<const std::byte>)>& heard_;
  std::vector<std::byte> part_;
  std::uint64_t records_ = 0;
  bool failed_ = false;
};

// The last record of each rank in one attempt, from the log.
class LastRecords final : public messages::RecordSink {
 public:
  explicit LastRecords(std::int32_t attempt) : attempt_(attempt) {}
  void accept(const messages::Stamp& stamp, const messages::Record& record) override {
    if (stamp.rank == kNoRank) {
      const auto* state = std::get_if<messages::RankState>(&record);
      if (state != nullptr && state->attempt == attempt_ && messages::is_final(state->state))
        unended_.erase(state->about);
      return;
    }
    if (const auto* hello = std::get_if<messages::RankHello>(&record)) {
      in_attempt_[stamp.rank] = hello->attempt == attempt_;
      if (hello->attempt == attempt_) unended_.insert(stamp.rank);
    }
    if (!in_attempt_[stamp.rank]) return;
    next_[stamp.rank] = stamp.seq + 1;
    if (std::holds_alternative<messages::RankGoodbye>(record)) unended_.erase(stamp.rank);
    if (const auto* step = std::get_if<messages::StepReport>(&record))
      newest_step_ = std::max(newest_step_, step->step);
  }
  /// The sequence number after the rank's last record.
  std::uint64_t next_number(Rank rank) const {
    const auto found = next_.find(rank);
    return found == next_.end() ? 0 : found->second;
  }
  /// The rank's own file has the rest.
  void set_told(Rank rank) { unended_.erase(rank); }
  /// Number of ranks of which neither they nor their agent recorded the end.
  std::size_t unended() const { return unended_.size(); }
  Step newest_step() const { return newest_step_; }

 private:
  std::int32_t attempt_;
  std::map<Rank, bool> in_attempt_;
  std::map<Rank, std::uint64_t> next_;
  std::set<Rank> unended_;
  Step newest_step_ = -1;
};

Notice end_unknown(std::int32_t attempt, const LastRecords& words) {
  const std::size_t ranks = words.unended();
  std::string text = fmt::format(
      "attempt {} ended with its agent, and {} rank{} could not say goodbye: what they "
      "produced after ",
      attempt, ranks, ranks == 1 ? "" : "s");
  text += words.newest_step() < 0 ? std::string("their last records")
                                  : fmt::format("step {}", words.newest_step() + 1);
  text +=
      " is missing here; how much that is shows only where this attempt goes on from a later step";
  return {Severity::kWarning, "end_unknown", std::move(text)};
}

std::optional<Notice> notice_of(const fs::path& file, Rank rank, const runlog::UnsentRead& read) {
  const bool damaged = read.damaged_bytes > 0 || read.refused > 0;
  if (read.records == 0 && !damaged) return std::nullopt;
  const fs::path attempt = file.parent_path().parent_path().filename();
  std::string text =
      fmt::format("rank {} could not send {} record{} before it ended; they were read from {}",
                  rank, read.records, read.records == 1 ? "" : "s",
                  (attempt / file.parent_path().filename() / file.filename()).string());
  if (damaged) {
    text += fmt::format(", which is damaged: {} bytes could not be read, {} records were refused",
                        read.damaged_bytes, read.refused);
  }
  return Notice{damaged ? Severity::kWarning : Severity::kInfo, "unsent_records", std::move(text)};
}

}  // namespace

std::optional<Notice> take_unsent(const fs::path& file, const runlog::UnsentSender& of,
                                  NodeLog& log,
                                  const std::function<void(std::span<const std::byte>)>& heard) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return std::nullopt;
  LogParts parts(log, heard);
  const auto read = runlog::read_unsent(file, of, parts);
  if (!read) return Notice{Severity::kWarning, "unsent_records", read.error().message};
  parts.flush();
  log.tick();
  if (!parts.failed() && log.problem().empty()) fs::remove(file, ignored);
  return notice_of(file, of.rank, *read);
}

void take_unsent_of_attempt(const runlog::RunFolder& folder, std::int32_t attempt, Node node,
                            const messages::NodeRanks& ranks, NodeLog& log) {
  if (attempt < 0) return;
  LastRecords words(attempt);
  if (!runlog::read_log(folder.log_path(node), words)) return;
  for (const Rank rank : folder.ranks_with_unsent(attempt)) {
    if (!ranks.contains(rank)) continue;
    const auto notice =
        take_unsent(folder.unsent_path(attempt, rank),
                    {folder.id(), node, rank, words.next_number(rank)}, log, [](const auto&) {});
    if (notice) log.post(*notice);
    words.set_told(rank);
  }
  if (words.unended() > 0) log.post(end_unknown(attempt, words));
}

}  // namespace ringside::agent
