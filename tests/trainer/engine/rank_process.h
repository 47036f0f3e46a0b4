// Real ranks of ringside-trainer for tests: started with torchrun's variables, watched with
// deadlines, and always ended.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ringside::testing {

class RankProcess {
 public:
  /// Starts the trainer in its own process group; both outputs go to `output`.
  RankProcess(const std::vector<std::string>& arguments,
              const std::map<std::string, std::string>& environment, std::filesystem::path output);
  ~RankProcess();
  RankProcess(const RankProcess&) = delete;
  RankProcess& operator=(const RankProcess&) = delete;

  /// The exit code, 128 + signal, or empty if it still runs at the deadline.
  std::optional<int> wait(std::chrono::seconds timeout = std::chrono::seconds(100));
  void signal(int number) const;
  std::string output() const;
  /// Waits until the output contains `text`; false at the deadline or if the process ended without
  /// it.
  bool says(const std::string& text, std::chrono::seconds timeout = std::chrono::seconds(100));

 private:
  std::optional<int> poll_exit();
  std::filesystem::path output_;
  pid_t pid_ = -1;
  int pid_fd_ = -1;
  std::optional<int> exit_;
};

/// A single one of the ranks of start_ranks.
std::unique_ptr<RankProcess> start_rank(const std::filesystem::path& folder, int rank,
                                        int world_size, int attempt,
                                        const std::vector<std::string>& arguments = {});

/// Ranks of one run that connect through a file in `folder`, a run folder with spec.toml. `attempt`
/// must be new each time.
std::vector<std::unique_ptr<RankProcess>> start_ranks(
    const std::filesystem::path& folder, int world_size, int attempt,
    const std::vector<std::string>& arguments = {});

/// A spec for short runs on CPU slots, with generated digits shared by all tests of this machine.
std::string quick_spec(int world_size, const std::string& more = {});

}  // namespace ringside::testing
