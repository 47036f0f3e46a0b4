#include "gui/model/sender_counts.h"

#include <algorithm>

#include "protocol/messages/notice_codes.h"
#include "protocol/messages/records.h"

namespace ringside::model {
namespace {

/// A sender whose sequence numbers fall back by more than this has restarted.
constexpr std::uint64_t kReorderSpan = 64;

void count(SenderCounts& counts, std::uint64_t seq, bool begins) {
  const bool behind = seq < counts.next_seq;
  const bool anew = behind && (begins || seq == 0 || counts.next_seq - seq > kReorderSpan);
  ++counts.received;
  if (behind && !anew) {
    ++counts.repeated;
    return;
  }
  counts.lost += anew ? seq : seq - counts.next_seq;
  counts.next_seq = seq + 1;
}

}  // namespace

void count_record(SenderCounts& counts, std::uint64_t seq, const messages::Record& record) {
  count(counts, seq, std::holds_alternative<messages::RankHello>(record));
  const auto* notice = std::get_if<messages::Notice>(&record);
  if (notice != nullptr && notice->code == messages::kNoGoodbye) ++counts.lost;
  const auto* goodbye = std::get_if<messages::RankGoodbye>(&record);
  if (goodbye == nullptr) return;
  // The goodbye has a rank's last sequence number.
  const auto produced = static_cast<std::uint64_t>(std::max<std::int64_t>(0, goodbye->produced));
  if (produced <= counts.next_seq) return;
  counts.lost += produced - counts.next_seq;
  counts.next_seq = produced;
}

}  // namespace ringside::model
