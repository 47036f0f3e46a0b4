#include "trainer/client/client.h"

#include <csignal>
#include <exception>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "protocol/messages/codec.h"

namespace ringside::client {
namespace {

using messages::RecordType;
using telemetry::Reporter;

// Device and host samples are posted by the agent, the goodbye by the reporter.
bool may_be_posted(RecordType type) {
  return type != RecordType::kDeviceSample && type != RecordType::kHostSample &&
         type != RecordType::kDeviceLink && type != RecordType::kRankGoodbye;
}

// While this object lives, new threads block all signals, which belong to the program.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

bool Client::open(const Variables& variables) {
  if (silent_.load(std::memory_order_relaxed)) return false;
  const std::lock_guard lock(mutex_);
  if (speaking_.load(std::memory_order_relaxed) != nullptr) return true;
  if (opened_.load(std::memory_order_relaxed) != nullptr) {
    problem_ = "ringside_close has ended the connection";
    return false;
  }
  Result<Reporter*> reporter = nullptr;
  try {
    reporter = connect(variables);
  } catch (const std::exception&) {
    reporter = failure("no memory");  // short enough to need no allocation
  }
  problem_ = reporter ? std::string() : reporter.error().message;
  if (!reporter || *reporter == nullptr) return false;
  opened_.store(*reporter, std::memory_order_release);
  speaking_.store(*reporter, std::memory_order_release);
  return true;
}

Result<Reporter*> Client::connect(const Variables& variables) {
  const auto place = RINGSIDE_TRY(find_place(variables));
  if (!place) return nullptr;
  RINGSIDE_TRY(become_speaker(*place));
  const NoSignals while_threads_begin;
  auto reporter = std::make_unique<Reporter>(place->run.agent_path(place->sender.node),
                                             place->sender, &wire::TelemetrySender::connect_local);
  if (reporter->connected()) return reporter.release();
  std::error_code ignored;
  std::filesystem::remove(speaker_path(*place), ignored);
  return failure(reporter->problem());
}

ringside_result Client::post(std::uint16_t type, std::int64_t mono_ns,
                             std::span<const std::byte> body) {
  if (speaking_.load(std::memory_order_acquire) == nullptr) return RINGSIDE_NOT_CONNECTED;
  const auto record = static_cast<RecordType>(type);
  const auto name = messages::whole_body_of(record, body);
  if (name.empty() || !may_be_posted(record)) return RINGSIDE_BAD_RECORD;
  const std::lock_guard lock(mutex_);
  Reporter* const reporter = speaking_.load(std::memory_order_relaxed);
  if (reporter == nullptr) return RINGSIDE_NOT_CONNECTED;
  return reporter->post_encoded(record, body, name, mono_ns) ? RINGSIDE_POSTED : RINGSIDE_DROPPED;
}

int Client::stop_request() const {
  if (silent_.load(std::memory_order_relaxed)) return 0;
  const Reporter* const reporter = opened_.load(std::memory_order_acquire);
  return reporter == nullptr ? 0 : static_cast<int>(reporter->stop_request());
}

// A thread that posts meanwhile sees no connection, so that it does not also wait for the agent.
void Client::close(std::int64_t budget_ns) {
  if (silent_.load(std::memory_order_relaxed)) return;
  Reporter* reporter = nullptr;
  {
    const std::lock_guard lock(mutex_);
    reporter = speaking_.exchange(nullptr, std::memory_order_relaxed);
  }
  if (reporter != nullptr) reporter->finish(budget_ns);
}

void Client::silence() {
  silent_.store(true, std::memory_order_relaxed);
  speaking_.store(nullptr, std::memory_order_relaxed);
}

}  // namespace ringside::client
