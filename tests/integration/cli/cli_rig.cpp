#include "tests/integration/cli/cli_rig.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "protocol/messages/spec/run_spec.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"

namespace ringside::testing {

namespace {

constexpr std::int64_t kTimeoutNs = 3 * kPatienceNs;
constexpr double kTimeoutSeconds = 50;

}  // namespace

CliRig::CliRig() : programs_(bin_dir()) {
  ::setenv("XDG_STATE_HOME", (path() / "state").c_str(), 1);
}

CliRig::~CliRig() {
  for (const pid_t pid : started_) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  for (const pid_t pid : processes_with(path().string())) ::kill(pid, SIGKILL);
  wait_until(5, [&] { return processes_with(path().string()).empty(); });
}

std::string CliRig::experiment(int ranks, const std::vector<std::string>& flags,
                               const std::string& baseline) const {
  messages::RunSpec spec;
  spec.name = "test";
  spec.devices.kind = "cpu";
  spec.devices.world_size = ranks;
  spec.limits.grace_s = 1;
  spec.baseline.mode = baseline;
  spec.program.argv = {(test_bin_dir() / "fake_rank").string()};
  spec.program.argv.insert(spec.program.argv.end(), flags.begin(), flags.end());
  folder_.write("experiment.toml", messages::to_toml(spec));
  return (path() / "experiment.toml").string();
}

launch::Captured CliRig::ringside(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), (programs_ / "ringside").string());
  // The options are inserted before a "--", since the words after it are another command.
  arguments.insert(std::find(arguments.begin(), arguments.end(), "--"),
                   {"--runs-dir", runs().string()});
  auto captured = launch::capture(arguments, kTimeoutNs);
  REQUIRE(captured);
  return std::move(*captured);
}

nlohmann::json CliRig::json_of(std::vector<std::string> arguments) const {
  const auto captured = ringside(std::move(arguments));
  INFO(captured.errors);
  REQUIRE(captured.exit_code == 0);
  auto json = nlohmann::json::parse(captured.output, nullptr, false);
  if (json.is_discarded()) json = last_line_json(captured.output);
  REQUIRE(!json.is_discarded());
  return json;
}

void CliRig::refuses(std::vector<std::string> arguments, const std::string& why) const {
  const auto captured = ringside(std::move(arguments));
  INFO(captured.errors);
  CHECK(captured.exit_code == 2);
  CHECK(captured.errors.find(why) != std::string::npos);
  CHECK(std::count(captured.errors.begin(), captured.errors.end(), '\n') == 1);
  CHECK(captured.output.empty());
}

pid_t CliRig::start(std::vector<std::string> arguments, const std::filesystem::path& output,
                    const std::filesystem::path& errors) {
  arguments.insert(arguments.begin(), (programs_ / "ringside").string());
  arguments.insert(std::find(arguments.begin(), arguments.end(), "--"),
                   {"--runs-dir", runs().string()});
  std::vector<char*> pointers;
  for (auto& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
  if (!errors.empty())
    ::posix_spawn_file_actions_addopen(&actions, 2, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                       0600);
  pid_t pid = -1;
  REQUIRE(::posix_spawn(&pid, pointers[0], &actions, nullptr, pointers.data(), environ) == 0);
  ::posix_spawn_file_actions_destroy(&actions);
  started_.push_back(pid);
  return pid;
}

int CliRig::wait_exit(pid_t pid) {
  int status = 0;
  const bool ended =
      wait_until(kTimeoutSeconds, [&] { return ::waitpid(pid, &status, WNOHANG) == pid; });
  REQUIRE(ended);
  std::erase(started_, pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

nlohmann::json last_line_json(const std::string& text) {
  const auto end = text.find_last_not_of('\n');
  if (end == text.npos) return nlohmann::json(nlohmann::json::value_t::discarded);
  const auto begin = text.rfind('\n', end);
  return nlohmann::json::parse(text.substr(begin == text.npos ? 0 : begin + 1), nullptr, false);
}

}  // namespace ringside::testing
