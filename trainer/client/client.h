// The single connection of this process to its agent, behind the C functions of ringside_rank.h.
// Any thread, from ringside_open to the end of the process: it is never destroyed, since threads
// may post while the process exits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>

#include "trainer/client/rank_place.h"
#include "trainer/client/ringside_rank.h"
#include "trainer/telemetry/reporter.h"

namespace ringside::client {

class Client {
 public:
  /// True if connected; otherwise problem() has the reason. Outside a run there is no problem.
  bool open(const Variables& variables);
  const char* problem() const { return problem_.c_str(); }
  ringside_result post(std::uint16_t type, std::int64_t mono_ns, std::span<const std::byte> body);
  int stop_request() const;
  void close(std::int64_t budget_ns);

  /// Called in a forked child, which does not have the threads: from here on every call does
  /// nothing and takes no lock, since a thread that does not exist in the child may hold it.
  void silence();

 private:
  Result<telemetry::Reporter*> connect(const Variables& variables);

  std::mutex mutex_;  ///< a reporter accepts records from one thread at a time
  std::atomic<bool> silent_{false};
  std::atomic<telemetry::Reporter*> speaking_{nullptr};  ///< until close or fork
  std::atomic<telemetry::Reporter*> opened_{nullptr};    ///< its stop request stays readable
  std::string problem_;
};

}  // namespace ringside::client
