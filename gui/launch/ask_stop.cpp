#include "gui/launch/ask_stop.h"

#include <ctime>
#include <system_error>
#include <utility>

#include "gui/launch/start_experiment.h"
#include "protocol/base/clock.h"
#include "protocol/base/shell_word.h"
#include "protocol/wire/agent_endpoint.h"

namespace ringside::launch {
namespace {

constexpr std::int64_t kAnswerNs = 5'000'000'000;
constexpr std::int64_t kWritesOnNs = 500'000'000;

/// An agent that comes up opens its log, then writes its agent.json. One whose log goes on growing
/// without that file has lost it, and nobody can ask it however long they wait.
class GrowingLog {
 public:
  explicit GrowingLog(std::filesystem::path log) : log_(std::move(log)), bytes_(size()) {}
  bool goes_on() {
    const std::uintmax_t bytes = size();
    if (bytes == std::exchange(bytes_, bytes)) return false;
    const std::int64_t now_ns = mono_now_ns();
    if (grew_ns_ == 0) grew_ns_ = now_ns;
    return now_ns - grew_ns_ > kWritesOnNs;
  }

 private:
  std::uintmax_t size() const {
    std::error_code none;
    return std::filesystem::file_size(log_, none);
  }
  std::filesystem::path log_;
  std::uintmax_t bytes_;
  std::int64_t grew_ns_ = 0;  ///< first seen to grow; 0: not yet
};

/// What helps where the agent cannot be asked: whoever shares its machine can end it.
std::string by_signal(const runlog::RunFolder& folder) {
  return "`pkill -TERM -f " + shell_word("ringside-agent.*" + folder.id()) + "`";
}

}  // namespace

void wait_until_askable(const runlog::RunFolder& folder) {
  const std::int64_t deadline_ns = mono_now_ns() + kComeUpNs;
  std::error_code ignored;
  GrowingLog log(folder.log_path(0));
  while (runlog::FolderLock::is_held(folder) && mono_now_ns() < deadline_ns &&
         !std::filesystem::exists(folder.agent_path(), ignored) && !log.goes_on()) {
    const timespec pause{0, 5'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

Result<std::string> ask_stop(const runlog::RunFolder& folder, wire::StopMode mode) {
  const std::string agent = "the agent of run " + folder.id();
  const auto endpoint = wire::read_agent_endpoint(folder.agent_path());
  const bool lives = runlog::FolderLock::is_held(folder) || (endpoint && wire::is_alive(*endpoint));
  if (endpoint && wire::is_elsewhere(*endpoint)) {
    const std::string there =
        agent + " is on " + endpoint->host + ": run `ringside stop " + folder.id() + "` there";
    if (lives) return failure(there);
    return failure(there + ". If you know that it is gone, delete " + folder.agent_path().string() +
                   ": the run is interrupted then");
  }
  if (!lives) return failure(agent + " is gone, so there is nothing to stop");
  if (!endpoint) {
    return failure(agent + " lives, but cannot be asked: " + endpoint.error().message +
                   ". End it with " + by_signal(folder) + " on its machine, in its container");
  }
  auto client = wire::FollowClient::connect(*endpoint);
  if (!client) return pass(client);
  auto answer = client->ask_stop(mode, kAnswerNs);
  if (answer || wire::is_alive(*endpoint)) return answer;
  return failure(answer.error().message + " It may be in another container: run `ringside stop " +
                 folder.id() + "` there, or " + by_signal(folder));
}

}  // namespace ringside::launch
