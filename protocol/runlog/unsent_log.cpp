#include "protocol/runlog/unsent_log.h"

#include <optional>
#include <utility>

#include "protocol/host/files.h"
#include "protocol/messages/records.h"
#include "protocol/runlog/log_reader.h"
#include "protocol/runlog/log_writer.h"

namespace ringside::runlog {
namespace {

// Above the limit of what any rank buffers.
constexpr std::uint64_t kMaxUnsentBytes = std::uint64_t{64} << 20;

// Passes the goodbye on last: it is first in the file but must be last in the log.
class NewOfSender final : public messages::RecordSink {
 public:
  NewOfSender(const UnsentSender& of, const LogIdentity& file, messages::RecordSink& to)
      : of_(of), file_(file), to_(to), next_seq_(of.next_seq) {}

  void accept(const messages::Stamp& stamp, const messages::Record& record) override {
    const bool other_run = !file_.run_id.empty() && file_.run_id != of_.run_id;
    if (other_run || stamp.node != of_.node || stamp.rank != of_.rank) {
      ++read_.refused;
    } else if (const auto* said = std::get_if<messages::RankGoodbye>(&record)) {
      goodbye_.emplace(stamp, *said);
    } else {
      pass_on(stamp, record);
    }
  }

  UnsentRead finish() {
    if (goodbye_) pass_on(goodbye_->first, goodbye_->second);
    return read_;
  }

 private:
  void pass_on(const messages::Stamp& stamp, const messages::Record& record) {
    if (stamp.seq < next_seq_) return;
    next_seq_ = stamp.seq + 1;
    ++read_.records;
    to_.accept(stamp, record);
  }

  const UnsentSender& of_;
  const LogIdentity& file_;  // unknown if the file header is damaged
  messages::RecordSink& to_;
  std::uint64_t next_seq_;
  std::optional<std::pair<messages::Stamp, messages::RankGoodbye>> goodbye_;
  UnsentRead read_;
};

}  // namespace

Result<void> write_unsent(const std::filesystem::path& path, const LogIdentity& identity,
                          std::span<const std::byte> goodbye,
                          std::span<const std::span<const std::byte>> batches) {
  auto file = RINGSIDE_TRY(open_file(path, OpenMode::kAppend));
  auto writer = RINGSIDE_TRY(LogWriter::open(std::move(file), identity));
  auto written = writer.append(goodbye, 1);
  for (const auto batch : batches) {
    if (!written) break;
    written = writer.append(batch, 1);
  }
  return written;
}

Result<UnsentRead> read_unsent(const std::filesystem::path& path, const UnsentSender& of,
                               messages::RecordSink& sink) {
  auto file = RINGSIDE_TRY(open_file(path, OpenMode::kRead));
  const auto size = RINGSIDE_TRY(file->size());
  if (size > kMaxUnsentBytes) return failure(path.string() + " is larger than a rank makes it");
  LogReader reader(std::move(file));
  NewOfSender accepted(of, reader.identity(), sink);
  RINGSIDE_TRY(reader.poll(accepted));
  const LogProgress progress = reader.finish(accepted);
  UnsentRead read = accepted.finish();
  read.damaged_bytes = progress.skipped_bytes + progress.tail_bytes;
  return read;
}

}  // namespace ringside::runlog
