#include "protocol/wire/telemetry_receiver.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "protocol/messages/codec.h"
#include "protocol/wire/authenticator_impl.h"
#include "protocol/wire/local_listener.h"

namespace ringside::wire {
namespace {

// Maximum number of queued messages per rank while the agent is busy; batches hold up to 64 KiB
// each. Further ones wait in the kernel's buffers, then in the sender.
constexpr int kWaitingBatches = 64;
// Acknowledged at least this often. A rank buffers up to 16 MiB of unacknowledged batches; a reply
// to every batch would wake it up more often than its own work does.
constexpr std::size_t kAcknowledgedBytes = std::size_t{1} << 20;
constexpr std::size_t kBatchCharge = std::size_t{64} << 10;
// Connections of the local socket beyond one per rank: processes that claim a rank already taken.
constexpr std::size_t kMoreConnections = 64;
// Prefix of the identity of a local connection, followed by its number. No ZeroMQ identity begins
// with a zero byte and these letters.
constexpr std::string_view kLocal("\0local", 6);

std::string local_identity(std::uint64_t connection) {
  std::string name(kLocal);
  return name.append(reinterpret_cast<const char*>(&connection), sizeof connection);
}

bool all_of_sender(std::span<const std::byte> payload, std::uint32_t count, Node node, Rank rank) {
  messages::RecordHead head{};
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!messages::peek_record(payload, head)) return false;
    if (head.stamp.node != node || head.stamp.rank != rank) return false;
    payload = payload.subspan(head.total_bytes);
  }
  return payload.empty();
}

std::optional<Refusal> refusal_of(FrameVerdict verdict) {
  if (verdict == FrameVerdict::kGood) return std::nullopt;
  if (verdict == FrameVerdict::kWrongVersion) return Refusal::kWrongVersion;
  return verdict == FrameVerdict::kTooLarge ? Refusal::kTooLarge : Refusal::kMalformed;
}

}  // namespace

std::string_view name_of(Refusal reason) {
  constexpr std::string_view kNames[] = {
      "malformed",     "wrong_version", "wrong_token", "unknown_kind", "bad_rank",
      "wrong_attempt", "rank_taken",    "too_large",   "bad_records",  "replayed"};
  static_assert(std::size(kNames) == kRefusals);
  return kNames[static_cast<std::size_t>(reason)];
}

std::uint64_t ReceiveCounts::refused_total() const {
  return std::accumulate(refused.begin(), refused.end(), std::uint64_t{0});
}

struct TelemetryReceiver::Impl {
  struct RecordSender {
    std::string identity;  // of the connection that claimed this rank; empty when none has
    std::uint64_t next_number = 0;
    std::size_t owed_bytes = 0;  // since the last acknowledgement, plus a fixed amount for each
                                 // batch
  };
  struct Acknowledgement {
    std::string identity;
    Frame frame;
  };

  explicit Impl(Authenticator& owner) : authenticator(owner) {}

  Authenticator& authenticator;
  Socket socket;
  std::unique_ptr<LocalListener> local;
  ExpectedRanks expected{0, 0, 0, 0, 0};
  std::vector<RecordSender> speakers;
  std::optional<Acknowledgement> acknowledgement;
  Message identity;
  Message message;
  // The current frame.
  std::string from;
  Frame frame;
  std::span<const std::byte> payload;
  ReceiveCounts counts;

  /// The verdict on the next frame; empty when none is pending.
  std::optional<FrameVerdict> next();
  std::optional<Refusal> judge() const;
  std::optional<Refusal> judge_records() const;
  Batch accept();
  bool send_to(const std::string& to, Frame answer);
  bool is_expected(Rank rank) const {
    return rank >= expected.first_rank &&
           rank - expected.first_rank < std::max(expected.ranks, expected.most);
  }
  /// Null when the rank has not sent anything yet.
  const RecordSender* speaker_of(Rank rank) const {
    const auto at = static_cast<std::size_t>(rank - expected.first_rank);
    return at < speakers.size() && !speakers[at].identity.empty() ? &speakers[at] : nullptr;
  }
  void refuse(Refusal reason) { ++counts.refused[static_cast<std::size_t>(reason)]; }
};

TelemetryReceiver::TelemetryReceiver(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TelemetryReceiver::~TelemetryReceiver() = default;

Result<std::unique_ptr<TelemetryReceiver>> TelemetryReceiver::open(Authenticator& authenticator) {
  auto impl = std::make_unique<Impl>(authenticator);
  auto socket =
      RINGSIDE_TRY(authenticator.impl().open_router(kMaxMessageBytes, kWaitingBatches, 1000));
  impl->socket = std::move(socket);
  auto local = RINGSIDE_TRY(LocalListener::open());
  impl->local = std::move(local);
  return std::unique_ptr<TelemetryReceiver>(new TelemetryReceiver(std::move(impl)));
}

std::string TelemetryReceiver::endpoint() const { return endpoint_of(impl_->socket); }
PollHandle TelemetryReceiver::poll_handle() const { return {impl_->socket.get()}; }
int TelemetryReceiver::local_fd() const { return impl_->local->fd(); }
const ReceiveCounts& TelemetryReceiver::counts() const { return impl_->counts; }

Result<void> TelemetryReceiver::expect(ExpectedRanks expected) {
  impl_->expected = std::move(expected);
  const auto ranks = static_cast<std::size_t>(impl_->expected.ranks);
  impl_->speakers.assign(ranks, {});
  impl_->local->shut();
  if (impl_->expected.local_socket.empty()) return {};
  const auto most = std::max(ranks, static_cast<std::size_t>(impl_->expected.most));
  return impl_->local->listen(impl_->expected.local_socket, most + kMoreConnections);
}

std::optional<Batch> TelemetryReceiver::receive() {
  if (impl_->acknowledgement) {
    impl_->send_to(impl_->acknowledgement->identity, impl_->acknowledgement->frame);
    impl_->acknowledgement.reset();
  }
  while (const auto verdict = impl_->next()) {
    auto refused = refusal_of(*verdict);
    if (!refused) refused = impl_->judge();
    if (!refused) return impl_->accept();
    impl_->refuse(*refused);
  }
  impl_->authenticator.serve();
  return std::nullopt;
}

std::optional<FrameVerdict> TelemetryReceiver::Impl::next() {
  while (socket.receive(identity)) {
    if (!identity.more() || !socket.receive(message)) continue;
    if (socket.skip_rest(message)) return FrameVerdict::kMalformed;
    const FrameVerdict verdict = decode_frame(message.bytes(), frame);
    if (verdict != FrameVerdict::kGood) return verdict;
    from = identity.text();
    payload = message.bytes().subspan(kFrameBytes);
    return verdict;
  }
  const auto arrival = local->receive();
  if (!arrival) return std::nullopt;
  from = local_identity(arrival->connection);
  frame = arrival->frame;
  payload = arrival->payload;
  return arrival->verdict;
}

std::optional<Refusal> TelemetryReceiver::Impl::judge() const {
  if (speakers.empty() || frame.run_token != expected.run_token) return Refusal::kWrongToken;
  if (frame.kind != FrameKind::kHello && frame.kind != FrameKind::kBatch &&
      frame.kind != FrameKind::kGoodbye) {
    return Refusal::kUnknownKind;
  }
  if (frame.node != expected.node || !is_expected(frame.rank)) return Refusal::kBadRank;
  if (frame.attempt != expected.attempt) return Refusal::kWrongAttempt;
  const RecordSender* const record_sender = speaker_of(frame.rank);
  if (record_sender != nullptr && record_sender->identity != from) return Refusal::kRankTaken;
  if (frame.kind != FrameKind::kHello && record_sender != nullptr &&
      frame.number < record_sender->next_number)
    return Refusal::kReplayed;
  return judge_records();
}

std::optional<Refusal> TelemetryReceiver::Impl::judge_records() const {
  const bool may_be_empty = frame.kind != FrameKind::kBatch;
  const bool must_be_empty = frame.kind == FrameKind::kHello;
  if (payload.empty() ? !may_be_empty : must_be_empty) return Refusal::kBadRecords;
  if (!all_of_sender(payload, frame.count, frame.node, frame.rank)) return Refusal::kBadRecords;
  return std::nullopt;
}

Batch TelemetryReceiver::Impl::accept() {
  const auto at = static_cast<std::size_t>(frame.rank - expected.first_rank);
  if (at >= speakers.size()) speakers.resize(at + 1);
  RecordSender& record_sender = speakers[at];
  if (record_sender.identity.empty()) record_sender.identity = from;
  Batch batch;
  batch.node = frame.node;
  batch.rank = frame.rank;
  batch.record_count = frame.count;
  batch.payload = payload;
  if (frame.kind == FrameKind::kHello) {
    batch.kind = Batch::Kind::kHello;
  } else {
    batch.lost_batches = frame.number - record_sender.next_number;
    record_sender.next_number = frame.number + 1;
    record_sender.owed_bytes += batch.payload.size() + kBatchCharge;
  }
  const bool goodbye = frame.kind == FrameKind::kGoodbye;
  if (goodbye) batch.kind = Batch::Kind::kGoodbye;
  if (goodbye || record_sender.owed_bytes >= kAcknowledgedBytes) {
    Frame answer = frame;
    answer.kind = goodbye ? FrameKind::kGoodbyeAck : FrameKind::kAck;
    answer.count = 0;
    acknowledgement = Acknowledgement{record_sender.identity, answer};
    record_sender.owed_bytes = 0;
  }
  ++counts.frames;
  counts.records += frame.count;
  counts.bytes += batch.payload.size();
  counts.lost_batches += batch.lost_batches;
  return batch;
}

bool TelemetryReceiver::Impl::send_to(const std::string& to, Frame answer) {
  answer.payload_bytes = 0;
  if (!to.starts_with(kLocal)) return socket.send_address(to) && socket.send_frame(answer);
  std::uint64_t connection = 0;
  std::memcpy(&connection, to.data() + kLocal.size(), sizeof connection);
  return local->send(connection, answer);
}

bool TelemetryReceiver::send_stop(Rank rank, StopMode mode) {
  const ExpectedRanks& expected = impl_->expected;
  const auto* const record_sender = impl_->is_expected(rank) ? impl_->speaker_of(rank) : nullptr;
  if (record_sender == nullptr) return false;
  Frame frame;
  frame.kind = FrameKind::kStop;
  frame.run_token = expected.run_token;
  frame.node = expected.node;
  frame.rank = rank;
  frame.attempt = expected.attempt;
  frame.count = static_cast<std::uint32_t>(mode);
  return impl_->send_to(record_sender->identity, frame);
}

}  // namespace ringside::wire
