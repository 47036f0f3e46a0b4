// Measures records of 64 bytes from a rank's thread to a stored log, against bare ZeroMQ over the
// same kind of socket: one message per record, the same batches, and the same batches encrypted
// like ours, which leaves only our own cost; and the same over the local socket. Usage: wire_bench
// [RECORDS PER BATCH]. Prints one line of JSON.
#include <unistd.h>
#include <zmq.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "protocol/host/files.h"
#include "protocol/messages/codec.h"
#include "protocol/messages/records.h"
#include "protocol/runlog/log_writer.h"
#include "protocol/wire/authenticator.h"
#include "protocol/wire/poller.h"
#include "protocol/wire/telemetry_receiver.h"
#include "protocol/wire/telemetry_sender.h"
#include "tests/bench/rounds.h"

namespace ringside::bench {
namespace {

constexpr int kRounds = 7;
constexpr std::size_t kRecordBytes = 64;
constexpr std::uint64_t kRecords = std::uint64_t{1} << 22;
constexpr std::uint64_t kSingleRecords = std::uint64_t{1} << 20;

std::vector<std::byte> batch_of(std::uint64_t records) {
  std::vector<std::byte> payload;
  for (std::uint64_t i = 0; i < records; ++i) {
    messages::append_record(payload, {0, 0, i, 0},
                            messages::Scalar{"twelve chars", static_cast<Step>(i), 0.5});
  }
  return payload;
}

// One column of the table: records per second and processor time per round.
struct Figures {
  std::vector<double> per_s;
  std::vector<double> cpu_ns;

  template <class Run>
  void add(std::uint64_t records, Run run) {
    const double before = cpu_seconds();
    per_s.push_back(run());
    cpu_ns.push_back((cpu_seconds() - before) * 1e9 / static_cast<double>(records));
  }
  std::string text(const std::string& name) const {
    return "," + field((name + "_per_s").c_str(), median(per_s)) + "," +
           field((name + "_cpu_ns").c_str(), median(cpu_ns));
  }
};

std::string compared(const std::string& name, const Figures& of, const Figures& to) {
  const auto rate = ratios(of.per_s, to.per_s);
  return "," + field((name + "_rate").c_str(), median(rate)) + "," +
         field((name + "_rate_worst").c_str(), *std::min_element(rate.begin(), rate.end())) + "," +
         field((name + "_cpu").c_str(), median(ratios(of.cpu_ns, to.cpu_ns)));
}

// A column that stores decoded values, as a viewer does.
struct ColumnSink final : messages::RecordSink {
  void accept(const messages::Stamp&, const messages::Record& record) override {
    if (const auto* scalar = std::get_if<messages::Scalar>(&record))
      values.push_back(scalar->value);
  }
  std::vector<double> values;
};

// Keys for a bare socket: the minimum for CURVE, without an access handler.
void encrypt(void* server, void* client) {
  std::array<char, 41> server_public{};
  std::array<char, 41> server_secret{};
  std::array<char, 41> client_public{};
  std::array<char, 41> client_secret{};
  zmq_curve_keypair(server_public.data(), server_secret.data());
  zmq_curve_keypair(client_public.data(), client_secret.data());
  const int one = 1;
  zmq_setsockopt(server, ZMQ_CURVE_SERVER, &one, sizeof one);
  zmq_setsockopt(server, ZMQ_CURVE_SECRETKEY, server_secret.data(), 40);
  zmq_setsockopt(client, ZMQ_CURVE_SERVERKEY, server_public.data(), 40);
  zmq_setsockopt(client, ZMQ_CURVE_PUBLICKEY, client_public.data(), 40);
  zmq_setsockopt(client, ZMQ_CURVE_SECRETKEY, client_secret.data(), 40);
}

// Bare PUSH to PULL over loopback TCP, `records` in messages of `message_bytes`; returns records
// per second.
double bare(std::uint64_t records, std::size_t message_bytes, bool encrypted = false) {
  void* context = zmq_ctx_new();
  void* pull = zmq_socket(context, ZMQ_PULL);
  void* push = zmq_socket(context, ZMQ_PUSH);
  if (encrypted) encrypt(pull, push);
  std::array<char, 64> endpoint{};
  std::size_t size = endpoint.size();
  zmq_bind(pull, "tcp://127.0.0.1:*");
  zmq_getsockopt(pull, ZMQ_LAST_ENDPOINT, endpoint.data(), &size);
  zmq_connect(push, endpoint.data());
  const std::uint64_t messages = records * kRecordBytes / message_bytes;
  const std::int64_t start_ns = mono_now_ns();
  std::thread sender([&] {
    const std::vector<std::byte> bytes(message_bytes);
    for (std::uint64_t i = 0; i < messages; ++i) zmq_send(push, bytes.data(), bytes.size(), 0);
  });
  zmq_msg_t message;
  zmq_msg_init(&message);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < messages; ++i) {
    zmq_msg_recv(&message, pull, 0);
    sum += zmq_msg_size(&message);
  }
  const double seconds = seconds_since(start_ns);
  sender.join();
  zmq_msg_close(&message);
  zmq_close(push);
  zmq_close(pull);
  zmq_ctx_term(context);
  return static_cast<double>(sum / kRecordBytes) / seconds;
}

struct Agent {
  std::unique_ptr<wire::Authenticator> authenticator = std::move(*wire::Authenticator::open());
  std::unique_ptr<wire::TelemetryReceiver> receiver =
      std::move(*wire::TelemetryReceiver::open(*authenticator));
  wire::AgentEndpoint endpoint =
      *authenticator->authorize("bench", receiver->endpoint(), receiver->endpoint());
};

// The rank's side: if there is no room it retries a little later, as a reporter does.
using Connect = decltype(&wire::TelemetrySender::connect);
void send_all(const wire::AgentEndpoint& endpoint, std::uint64_t per_batch, Connect connect) {
  auto sender = connect(endpoint, 0, 0, 0, wire::TelemetrySender::kDefaultUnacknowledgedBytes);
  if (!sender) return;
  const auto payload = batch_of(per_batch);
  for (std::uint64_t sent = 0; sent < kRecords; sent += per_batch) {
    while (!sender->send(payload, static_cast<std::uint32_t>(per_batch))) sender->wait(200'000);
  }
  sender->goodbye({}, 0, mono_now_ns() + 10'000'000'000);
}

// Receives, checks and logs records; with `store` also decodes them into a column. Returns records
// per second.
double ours(const std::filesystem::path& path, std::uint64_t per_batch, bool store,
            Connect connect = &wire::TelemetrySender::connect) {
  Agent agent;
  agent.endpoint.local_socket = path.native() + ".sock";
  agent.receiver->expect({agent.endpoint.run_token, 0, 0, 1, 0, agent.endpoint.local_socket});
  std::filesystem::remove(path);
  auto writer = runlog::LogWriter::open(std::move(*open_file(path, OpenMode::kCreateNew)),
                                        {"bench", 0, 0, 0, ""});
  wire::Poller poller;
  poller.add(agent.authenticator->poll_handle(), 0);
  poller.add(agent.receiver->poll_handle(), 1);
  poller.add_fd(agent.receiver->local_fd(), 1);
  ColumnSink sink;
  sink.values.reserve(kRecords);
  messages::DecodeCounts counts;
  std::int64_t start_ns = 0;
  std::thread rank([&] { send_all(agent.endpoint, per_batch, connect); });
  bool over = false;
  double seconds = 0.0;
  while (!over) {
    while (auto batch = agent.receiver->receive()) {
      if (batch->kind == wire::Batch::Kind::kHello) start_ns = mono_now_ns();
      over = over || batch->kind == wire::Batch::Kind::kGoodbye;
      if (over) seconds = seconds_since(start_ns);
      if (batch->payload.empty()) continue;
      (void)writer->append(batch->payload, batch->record_count);
      if (store) messages::decode_records(batch->payload, sink, counts);
    }
    if (!over) (void)poller.wait(100'000'000);
  }
  rank.join();
  std::filesystem::remove(path);
  const bool whole =
      agent.receiver->counts().records == kRecords && agent.receiver->counts().lost_batches == 0;
  return whole ? static_cast<double>(kRecords) / seconds : 0.0;
}

}  // namespace
}  // namespace ringside::bench

int main(int argc, char** argv) {
  using namespace ringside::bench;
  const std::uint64_t per_batch = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1024;
  const auto path = std::filesystem::temp_directory_path() /
                    ("ringside-wire-bench-" + std::to_string(::getpid()) + ".log");
  Figures single;
  Figures batched;
  Figures curve;
  Figures logged;
  Figures stored;
  Figures local;
  Figures control;
  for (int round = 0; round < kRounds; ++round) {
    single.add(kSingleRecords, [&] { return bare(kSingleRecords, kRecordBytes); });
    batched.add(kRecords, [&] { return bare(kRecords, kRecordBytes * per_batch); });
    curve.add(kRecords, [&] { return bare(kRecords, kRecordBytes * per_batch, true); });
    logged.add(kRecords, [&] { return ours(path, per_batch, false); });
    stored.add(kRecords, [&] { return ours(path, per_batch, true); });
    local.add(kRecords, [&] {
      return ours(path, per_batch, false, &ringside::wire::TelemetrySender::connect_local);
    });
    control.add(kRecords, [&] { return bare(kRecords, kRecordBytes * per_batch); });
  }
  const std::string line =
      single.text("bare_single") + batched.text("bare_batched") + curve.text("bare_encrypted") +
      logged.text("logged") + stored.text("stored") + compared("stored_to_single", stored, single) +
      compared("stored_to_batched", stored, batched) +
      compared("logged_to_batched", logged, batched) +
      compared("stored_to_encrypted", stored, curve) +
      compared("logged_to_encrypted", logged, curve) + local.text("local") +
      compared("local_to_logged", local, logged) + compared("control", control, batched);
  std::printf(
      "{\"bench\":\"wire\",\"record_bytes\":64,\"records_per_batch\":%llu,\"rounds\":%d%s}\n",
      static_cast<unsigned long long>(per_batch), kRounds, line.c_str());
  return 0;
}
