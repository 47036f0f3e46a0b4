#include "trainer/dist/collective_watch.h"

#include <stdexcept>
#include <string>
#include <thread>

#include "protocol/base/clock.h"
#include "trainer/dist/last_collective.h"

namespace ringside::dist {
namespace {

constexpr auto kPollInterval = std::chrono::microseconds(50);

// Texts that explain() recognizes, to tell which rank is likely the cause.
const char* text_of(c10d::ErrorType error) {
  switch (error) {
    case c10d::ErrorType::TIMEOUT:
      return "Timed out: a collective of the gradients did not end";
    case c10d::ErrorType::REMOTE_ERROR:
      return "Connection closed by peer: another rank's part of the gradients' group failed";
    case c10d::ErrorType::COMM_ERROR:
    case c10d::ErrorType::SUCCESS:
      break;
  }
  return "the communication of the gradients' group failed";
}

[[noreturn]] void give_up(const std::string& why) {
  const std::string last = last_collective();
  throw std::runtime_error(why + "; last collective entered: " + (last.empty() ? "none" : last));
}

}  // namespace

void CollectiveWatch::check(std::int64_t overdue_ns) const {
  if (groups_.reports_errors) {
    const c10d::ErrorType error = groups_.gradients->getDefaultBackend()->getError();
    if (error != c10d::ErrorType::SUCCESS) give_up(text_of(error));
  }
  if (overdue_ns <= timeout_.count()) return;
  const std::string seconds = std::to_string(overdue_ns / 1'000'000'000);
  give_up(groups_.solo() ? "the GPU ended no step for " + seconds + " s"
                         : "Timed out after " + seconds + " s in which the GPU ended no step");
}

void CollectiveWatch::wait(const std::function<bool()>& done, std::int64_t usual_ns) const {
  const std::int64_t begin_ns = mono_now_ns();
  while (!done()) {
    check(mono_now_ns() - begin_ns - usual_ns);
    std::this_thread::sleep_for(kPollInterval);
  }
}

}  // namespace ringside::dist
