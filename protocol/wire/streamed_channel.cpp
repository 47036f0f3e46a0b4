#include <zmq.h>

#include <utility>

#include "protocol/wire/socket.h"
#include "protocol/wire/telemetry_sender.h"

namespace ringside::wire {
namespace {

class StreamedChannel final : public RankChannel {
 public:
  // Without a high-water mark in messages, which a thousand small batches would reach long before
  // the limit in bytes, so that even the goodbye was refused.
  Result<void> open(const AgentEndpoint& endpoint) {
    auto socket = RINGSIDE_TRY(open_dealer(context_, endpoint, endpoint.telemetry_endpoint, 0));
    socket_ = std::move(socket);
    socket_.set(ZMQ_LINGER, static_cast<int>(TelemetrySender::kCloseNs / 1'000'000));
    return {};
  }

  bool send(const Bytes& frame) override {
    Message message;
    return message.share(frame) && socket_.send(message.get());
  }

  bool receive(Frame& frame) override {
    Message message;
    while (socket_.receive(message)) {
      if (socket_.skip_rest(message)) continue;
      if (decode_frame(message.bytes(), frame) == FrameVerdict::kGood) return true;
    }
    return false;
  }

  bool wait(std::int64_t timeout_ns) override {
    zmq_pollitem_t item{socket_.get(), -1, ZMQ_POLLIN, 0};
    return zmq_poll(&item, 1, poll_ms(timeout_ns)) >= 0 || zmq_errno() == EINTR;
  }

  void forget() override { socket_.set(ZMQ_LINGER, 0); }

 private:
  // Destroyed in reverse order: the socket, then the context with what is still queued.
  Context context_;
  Socket socket_;
};

}  // namespace

Result<TelemetrySender> TelemetrySender::connect(const AgentEndpoint& endpoint, Node node,
                                                 Rank rank, std::int32_t attempt,
                                                 std::size_t max_unacknowledged_bytes) {
  auto channel = std::make_unique<StreamedChannel>();
  RINGSIDE_TRY(channel->open(endpoint));
  return TelemetrySender(std::move(channel), endpoint, node, rank, attempt,
                         max_unacknowledged_bytes);
}

}  // namespace ringside::wire
