#include "gui/launch/start/ask_stop.h"

#include <system_error>
#include <utility>

#include "gui/launch/start/start.h"
#include "protocol/base/clock.h"
#include "protocol/base/shell_word.h"
#include "protocol/runlog/copy_mark.h"
#include "protocol/wire/agent_endpoint.h"

namespace ringside::launch {
namespace {

constexpr std::int64_t kAnswerNs = 5'000'000'000;
constexpr std::int64_t kMomentNs = 500'000'000;

std::uintmax_t size_of(const std::filesystem::path& log) {
  std::error_code none;
  return std::filesystem::file_size(log, none);
}

/// What to do if the agent cannot be asked: anybody on its machine can end it with a signal.
std::string by_signal(const runlog::RunFolder& folder) {
  return "`pkill -TERM -f " + shell_word("ringside-agent.*" + folder.id()) + "`";
}

}  // namespace

bool GrowingLog::goes_on(std::uintmax_t bytes, std::int64_t now_ns) {
  if (bytes == std::exchange(bytes_, bytes)) return false;
  if (moments_ > 0 && now_ns - moment_ns_ <= kMomentNs) return false;
  moment_ns_ = now_ns;
  return ++moments_ > 2;
}

void wait_until_askable(const runlog::RunFolder& folder) {
  const std::int64_t deadline_ns = mono_now_ns() + kComeUpNs;
  std::error_code ignored;
  const auto log = folder.log_path(0);
  GrowingLog growth(size_of(log));
  while (runlog::FolderLock::is_held(folder) && mono_now_ns() < deadline_ns &&
         !std::filesystem::exists(folder.agent_path(), ignored) &&
         !growth.goes_on(size_of(log), mono_now_ns())) {
    pause_ns(5'000'000);
  }
}

Result<std::string> ask_stop(const runlog::RunFolder& folder, wire::StopMode mode) {
  const std::string agent = "the agent of run " + folder.id();
  const std::string there = ": run `ringside stop " + folder.id() + "` there";
  const auto copy = runlog::copy_mark(folder);
  if (copy && !copy->live.empty()) return failure(agent + " is on " + copy->machine + there);
  const auto endpoint = wire::read_agent_endpoint(folder.agent_path());
  const bool seen = endpoint && wire::is_alive(*endpoint);
  const bool lives = seen || runlog::FolderLock::is_held(folder);
  if (endpoint && wire::is_elsewhere(*endpoint)) {
    const std::string where = agent + " is on " + endpoint->host + there;
    if (lives) return failure(where);
    return failure(where + ". If you know that it is gone, delete " + folder.agent_path().string() +
                   ": the run is interrupted then");
  }
  if (!lives) return failure(agent + " is gone, so there is nothing to stop");
  if (!endpoint) {
    return failure(agent + " lives, but cannot be asked: " + endpoint.error().message +
                   ". End it with " + by_signal(folder) + " on its machine, in its container");
  }
  auto client = RINGSIDE_TRY(wire::ControlClient::connect(*endpoint));
  auto answer = client.ask_stop(mode, kAnswerNs);
  if (answer || seen) return answer;
  return failure(answer.error().message + " It may be in another container: run `ringside stop " +
                 folder.id() + "` there, or " + by_signal(folder));
}

}  // namespace ringside::launch
