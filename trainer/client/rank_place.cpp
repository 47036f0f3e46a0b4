#include "trainer/client/rank_place.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

#include "protocol/base/text.h"
#include "protocol/host/files.h"
#include "protocol/runlog/nested_ranks.h"

namespace ringside::client {
namespace {

// A non-negative number. A missing variable means 0, as for a rank without others.
Result<std::int32_t> number_of(const Variables& variables, const char* name) {
  const char* set = variables(name);
  const std::string_view text = set == nullptr ? "0" : set;
  const auto number = whole_number<std::int32_t>(text);
  if (number && *number >= 0) return *number;
  return bad_request(std::string(name) + " = \"" + std::string(text) +
                     "\" is not a number from 0; it is set by ringside-agent");
}

// RINGSIDE_RANK is "RANK/WORLD_SIZE" as set by the agent. An inner torchrun numbers its ranks from
// 0 and has its own run id. If it starts a single rank in a run of one process, nothing changes; if
// it starts several there, each is a rank of the run.
bool started_by_another(const Variables& variables, const RunId& run) {
  const char* const given = variables("RINGSIDE_RANK");
  const char* const world = variables("WORLD_SIZE");
  if (given == nullptr || world == nullptr) return false;
  if (std::string(variables("RANK")) + "/" + world != given) return true;
  const char* const torchrun = variables("TORCHELASTIC_RUN_ID");
  return std::string_view(world) != "1" && torchrun != nullptr && torchrun != run;
}

// The agent has created the folders of the ranks that it started. For others, the first process
// creates it.
void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::create_directory(folder, error))
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
}

}  // namespace

Result<std::optional<RankPlace>> find_place(const Variables& variables) {
  const char* folder = variables("RINGSIDE_RUN_DIR");
  // A task of `srun` gets its rank from Slurm's variables.
  const bool task = variables("RANK") == nullptr && variables("RINGSIDE_RANK") == nullptr &&
                    variables("SLURM_STEP_ID") != nullptr;
  const char* const own = task ? "SLURM_PROCID" : "RANK";
  // A process without a rank only happens to have a run's variables, for example in a user's shell.
  const char* const given = variables("RINGSIDE_RANK");
  const bool is_rank =
      variables(own) != nullptr || (given != nullptr && std::string_view(given) == "0/1");
  if (folder == nullptr || *folder == '\0' || !is_rank) return std::nullopt;
  const auto rank = RINGSIDE_TRY(number_of(variables, own));
  const bool node_told = variables("RINGSIDE_NODE") != nullptr;
  const auto node =
      RINGSIDE_TRY(number_of(variables, task && !node_told ? "SLURM_NODEID" : "RINGSIDE_NODE"));
  const auto attempt = RINGSIDE_TRY(number_of(variables, "RINGSIDE_ATTEMPT"));
  RankPlace place{runlog::RunFolder(folder), {node, rank, attempt}};
  if (!task && started_by_another(variables, place.run.id())) {
    const auto world = RINGSIDE_TRY(number_of(variables, "WORLD_SIZE"));
    const std::string_view ours = given;
    if (ours == "0/1" && rank < world) return place;
    std::from_chars(ours.data(), ours.data() + ours.size(), place.sender.rank);
    place.nested = std::max(1, world);
  }
  return place;
}

std::filesystem::path speaker_path(const RankPlace& place) {
  return place.run.rank_dir(place.sender.attempt, place.sender.rank) / "speaker";
}

Result<void> become_speaker(const RankPlace& place) {
  if (place.nested > 0) {
    runlog::leave_nested_ranks(place.run.rank_dir(place.sender.attempt, place.sender.rank),
                               place.nested);
    return bad_request("another launcher started this process inside rank " +
                       std::to_string(place.sender.rank) + ": it does not speak for that rank");
  }
  const std::string path = speaker_path(place).string();
  make_folder(speaker_path(place).parent_path());
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0 && errno == EEXIST) {
    const std::string pid = read_text(path, 32).value_or("");
    return bad_request("process " + pid.substr(0, pid.find('\n')) + " speaks for rank " +
                       std::to_string(place.sender.rank) + " already");
  }
  if (fd < 0) return failure("cannot make " + path + ": " + std::strerror(errno));
  const std::string pid = std::to_string(::getpid()) + "\n";
  // Informative only: what counts is that the file exists.
  [[maybe_unused]] const auto written = ::write(fd, pid.data(), pid.size());
  ::close(fd);
  return {};
}

}  // namespace ringside::client
