// The one connection of this process to its agent, behind the C functions of ringside_rank.h. Any
// thread, from ringside_open to the end of the process: nothing is destroyed, since threads may
// post while the process exits.
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
  /// True if it is connected; otherwise problem() says why. Outside a run there is no problem.
  bool open(const Variables& variables);
  const char* problem() const { return problem_.c_str(); }
  ringside_result post(std::uint16_t type, std::int64_t mono_ns, std::span<const std::byte> body);
  int stop_request() const;
  void close(std::int64_t budget_ns);

  /// Called in the child of a fork, which has none of the threads: from here on nothing is done,
  /// and no lock is taken, since a thread that is not there may have it.
  void silence();

 private:
  Result<telemetry::Reporter*> connect(const Variables& variables);

  std::mutex mutex_;  ///< a reporter takes the records of one thread at a time
  std::atomic<bool> silent_{false};
  std::atomic<telemetry::Reporter*> speaking_{nullptr};  ///< until close or fork
  std::atomic<telemetry::Reporter*> opened_{nullptr};    ///< what was asked stays readable
  std::string problem_;
};

}  // namespace ringside::client
