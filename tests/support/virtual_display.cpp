#include "tests/support/virtual_display.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <vector>

namespace ringside::testing {
namespace {

std::vector<char*> pointers_of(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

VirtualDisplay::VirtualDisplay(const std::function<bool(const std::string&)>& left_out,
                               const std::filesystem::path& folder) {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) return;
  std::vector<std::string> arguments{"Xvfb",        "-displayfd", "3",   "-screen", "0",
                                     "1600x900x24", "-nolisten",  "tcp", "-noreset"};
  if (!folder.empty()) arguments.insert(arguments.end(), {"-fbdir", folder.string()});
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, pipe[1], 3);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!left_out || !left_out(*variable)) variables.emplace_back(*variable);
  }
  const auto argv = pointers_of(arguments);
  const auto envp = pointers_of(variables);
  const int failed = ::posix_spawnp(&pid_, "Xvfb", &actions, nullptr, argv.data(), envp.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(pipe[1]);
  if (failed != 0) pid_ = -1;
  std::string number;
  for (char byte = 0; failed == 0 && ::read(pipe[0], &byte, 1) == 1 && byte != '\n';)
    number += byte;
  ::close(pipe[0]);
  if (!number.empty()) name_ = ":" + number;
}

VirtualDisplay::~VirtualDisplay() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace ringside::testing
