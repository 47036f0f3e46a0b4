#include "trainer/agent/nodes/node_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "protocol/host/files.h"
#include "protocol/host/host.h"
#include "protocol/messages/event_records.h"
#include "protocol/runlog/log_gap.h"

namespace ringside::agent {

namespace {

constexpr std::size_t kStatesKept = 1024;
constexpr off_t kReserveBytes = off_t{256} << 10;

// Best effort: without the reserve, only a run that ends on a full disk loses its final records.
void make_reserve(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  [[maybe_unused]] const int refused = ::posix_fallocate(fd, 0, kReserveBytes);
  ::close(fd);
}

}  // namespace

Result<NodeLog> NodeLog::open(const runlog::RunFolder& folder, Node node, const Clock& clock) {
  auto file = RINGSIDE_TRY(open_file(folder.log_path(node), OpenMode::kAppend));
  auto writer = RINGSIDE_TRY(runlog::LogWriter::open(
      std::move(file), {folder.id(), node, clock.wall_ns(), clock.mono_ns(), current_boot_id()}));
  NodeLog log(std::move(writer), node, clock);
  log.reserve_ = folder.reserve_path(node);
  make_reserve(log.reserve_);
  return log;
}

NodeLog::NodeLog(runlog::LogWriter writer, Node node, const Clock& clock)
    : writer_(std::move(writer)), node_(node), clock_(&clock) {}

void NodeLog::append_batch(std::span<const std::byte> payload, std::uint64_t records) {
  if (!payload.empty() && !write(payload, records)) keep_goodbyes(payload);
}

void NodeLog::keep_goodbyes(std::span<const std::byte> payload) {
  messages::RecordHead head{};
  for (; messages::peek_record(payload, head); payload = payload.subspan(head.total_bytes)) {
    if (head.type != messages::RecordType::kRankGoodbye || goodbyes_kept_ == kStatesKept) continue;
    const auto record = payload.first(head.total_bytes);
    unwritten_goodbyes_.insert(unwritten_goodbyes_.end(), record.begin(), record.end());
    ++goodbyes_kept_;
  }
}

bool NodeLog::write(std::span<const std::byte> payload, std::uint64_t records) {
  if (!problem_.empty() && recover(payload, records)) return true;
  if (problem_.empty()) {
    const auto written = writer_.append(payload, records);
    if (written) {
      dirty_ = true;
      return true;
    }
    failing_since_ns_ = clock_->mono_ns();
    problem_ = written.error().message;
  }
  lost_records_ += records;
  lost_bytes_ += payload.size();
  return false;
}

// Writes the gap notice, the unwritten states and goodbyes, and `payload` in one write: a disk with
// room for only the notice would otherwise get one notice per batch. True when the log accepts
// records again.
bool NodeLog::recover(std::span<const std::byte> payload, std::uint64_t records) {
  std::vector<std::byte> bytes;
  const std::uint64_t kept = unwritten_states_.size() + goodbyes_kept_;
  messages::Notice notice{
      messages::Severity::kWarning, runlog::kLogGap,
      runlog::log_gap_text(static_cast<double>(clock_->mono_ns() - failing_since_ns_) * 1e-9,
                           lost_records_ - kept, lost_bytes_, problem_)};
  const std::uint64_t seq_before = next_seq_;
  messages::append_record(bytes, next_stamp(clock_->mono_ns()), notice);
  for (const messages::RankState& state : unwritten_states_) {
    messages::append_record(bytes, next_stamp(clock_->mono_ns()), state);
  }
  bytes.insert(bytes.end(), unwritten_goodbyes_.begin(), unwritten_goodbyes_.end());
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  const std::uint64_t all = 1 + kept + records;
  if (const auto written = writer_.append(bytes, all); !written) {
    next_seq_ = seq_before;
    problem_ = written.error().message;
    return false;
  }
  problem_.clear();
  lost_records_ = 0;
  lost_bytes_ = 0;
  unwritten_states_.clear();
  unwritten_goodbyes_.clear();
  goodbyes_kept_ = 0;
  dirty_ = true;
  return true;
}

void NodeLog::keep_if_state(const messages::RankState& state) {
  if (unwritten_states_.size() < kStatesKept) unwritten_states_.push_back(state);
}

void NodeLog::tick() {
  if (!problem_.empty()) recover({}, 0);
  if (dirty_ && writer_.sync()) dirty_ = false;
}

void NodeLog::close() {
  std::error_code ignored;
  if (!reserve_.empty()) std::filesystem::remove(reserve_, ignored);
  tick();
}

}  // namespace ringside::agent
