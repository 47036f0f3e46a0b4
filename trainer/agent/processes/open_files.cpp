#include "trainer/agent/processes/open_files.h"

#include <fmt/format.h>
#include <sys/resource.h>

namespace ringside::agent {
namespace {

constexpr std::uint64_t kOwn = 48;
constexpr std::uint64_t kOfRun = 3;
constexpr std::uint64_t kOfRank = 4;

}  // namespace

std::uint64_t open_files_needed(std::uint64_t runs, std::uint64_t ranks) {
  return kOwn + kOfRun * runs + kOfRank * ranks;
}

Result<void> make_room_for_files(std::uint64_t needed) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return {};
  const rlim_t allowed = limit.rlim_max;
  limit.rlim_cur = needed;
  if (needed <= allowed && ::setrlimit(RLIMIT_NOFILE, &limit) == 0) return {};
  return bad_request(fmt::format(
      "the agent may have {} files open and needs {}: raise the limit where it is started "
      "(ulimit -n {}, or nofile in /etc/security/limits.conf)",
      allowed, needed, needed));
}

}  // namespace ringside::agent
