#include "tests/trainer/engine/rank_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "tests/support/paths.h"

extern char** environ;

namespace ringside::testing {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& extra) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!extra.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : extra) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (auto& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

RankProcess::RankProcess(const std::vector<std::string>& arguments,
                         const std::map<std::string, std::string>& environment,
                         std::filesystem::path output)
    : output_(std::move(output)) {
  std::vector<std::string> argv = {(bin_dir() / "ringside-trainer").string()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  auto env = merged_environment(environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, output_.c_str(), O_CREAT | O_TRUNC | O_WRONLY,
                                   0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  auto argv_pointers = pointers(argv);
  auto env_pointers = pointers(env);
  const int failed = ::posix_spawn(&pid_, argv.front().c_str(), &actions, &attributes,
                                   argv_pointers.data(), env_pointers.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) throw std::runtime_error("cannot start " + argv.front());
  pid_fd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
}

RankProcess::~RankProcess() {
  if (!poll_exit()) {
    ::kill(-pid_, SIGKILL);
    (void)wait(std::chrono::seconds(20));
  }
  ::close(pid_fd_);
}

std::optional<int> RankProcess::poll_exit() {
  int status = 0;
  if (!exit_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
    exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return exit_;
}

std::optional<int> RankProcess::wait(std::chrono::seconds timeout) {
  const auto deadline = Clock::now() + timeout;
  // A wait may end early, for example by a signal.
  while (!poll_exit() && Clock::now() < deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd ended{pid_fd_, POLLIN, 0};
    ::poll(&ended, 1, static_cast<int>(left.count()));
  }
  return exit_;
}

void RankProcess::signal(int number) const { ::kill(pid_, number); }

std::string RankProcess::output() const {
  std::ifstream file(output_);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool RankProcess::says(const std::string& text, std::chrono::seconds timeout) {
  const auto deadline = Clock::now() + timeout;
  while (Clock::now() < deadline) {
    const bool ended = poll_exit().has_value();
    if (output().find(text) != std::string::npos) return true;
    if (ended) return false;
    // There is no event when a file grows, but there is one when the process ends.
    pollfd end{pid_fd_, POLLIN, 0};
    ::poll(&end, 1, 5);
  }
  return false;
}

std::unique_ptr<RankProcess> start_rank(const std::filesystem::path& folder, int rank,
                                        int world_size, int attempt,
                                        const std::vector<std::string>& arguments) {
  const auto rank_dir =
      folder / ("attempt_" + std::to_string(attempt)) / ("rank_" + std::to_string(rank));
  std::filesystem::create_directories(rank_dir);
  std::vector<std::string> all = {"--run-dir", folder.string()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const std::map<std::string, std::string> environment = {
      {"RANK", std::to_string(rank)},
      {"LOCAL_RANK", std::to_string(rank)},
      {"WORLD_SIZE", std::to_string(world_size)},
      {"LOCAL_WORLD_SIZE", std::to_string(world_size)},
      {"RINGSIDE_ATTEMPT", std::to_string(attempt)},
      {"RINGSIDE_NODE", "0"},
      {"OMP_NUM_THREADS", "1"},
      {"TORCHELASTIC_ERROR_FILE", (rank_dir / "error.json").string()}};
  return std::make_unique<RankProcess>(all, environment, rank_dir / "output");
}

std::vector<std::unique_ptr<RankProcess>> start_ranks(const std::filesystem::path& folder,
                                                      int world_size, int attempt,
                                                      const std::vector<std::string>& arguments) {
  std::vector<std::unique_ptr<RankProcess>> ranks;
  for (int rank = 0; rank < world_size; ++rank)
    ranks.push_back(start_rank(folder, rank, world_size, attempt, arguments));
  return ranks;
}

std::string quick_spec(int world_size, const std::string& more) {
  const auto data =
      std::filesystem::temp_directory_path() / ("ringside-test-data-" + std::to_string(::getuid()));
  return "[devices]\nkind = \"cpu\"\nworld_size = " + std::to_string(world_size) +
         "\n[data]\nroot = \"" + data.string() +
         "\"\ntrain_samples = 640\ntest_samples = 100\n[batch]\nsize = 32\n" + more;
}

}  // namespace ringside::testing
