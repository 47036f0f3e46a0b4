#include "gui/launch/rank_stack.h"

#include <system_error>

#include "gui/launch/host_activity.h"
#include "gui/launch/paths.h"
#include "gui/launch/python_stack.h"
#include "protocol/base/printable.h"
#include "protocol/base/text.h"

namespace ringside::launch {
namespace {

namespace fs = std::filesystem;

std::string installed_at(const std::string& name) {
  const auto path = find_on_path(name);
  return path ? *path : std::string();
}

bool is_python_process(std::int64_t pid) {
  std::error_code error;
  const auto program = fs::read_symlink("/proc/" + std::to_string(pid) + "/exe", error);
  return !error && program.filename().string().starts_with("python");
}

std::string why_not(const std::string& tool, const Captured& done) {
  const std::string said = printable_line(done.errors.substr(0, done.errors.find('\n')));
  return tool + " ended with exit code " + std::to_string(done.exit_code) +
         (said.empty() ? "" : ": " + said) +
         "; where the kernel forbids one process to look at another "
         "(/proc/sys/kernel/yama/ptrace_scope above 0), run it as root";
}

fs::path python_stack_file(const runlog::RunFolder& folder, const RankProcess& process) {
  return folder.rank_dir(process.attempt, process.rank) / "python_stack";
}

void add_part(RankStack& stack, const std::string& tool, const std::string& text) {
  add_listed(stack.tools, tool);
  stack.text += text;
  if (!stack.text.ends_with('\n')) stack.text += '\n';
}

void add_problem(RankStack& stack, const std::string& problem) {
  stack.problem += (stack.problem.empty() ? "" : "; ") + problem;
}

/// Adds the stack that the rank writes itself; false: it wrote none, and a tool may find more.
bool add_own(RankStack& stack, const fs::path& file, const Cancelled& cancelled) {
  if (!tells_python_stack(stack.pid, file)) return false;
  const auto text = read_python_stack(stack.pid, file, cancelled);
  if (!text) add_problem(stack, text.error().message);
  if (text) add_part(stack, "faulthandler", *text);
  return text.has_value();
}

void add_by_tool(RankStack& stack, const std::vector<std::string>& command,
                 const Cancelled& cancelled) {
  const std::string tool = fs::path(command.front()).filename().string();
  const auto done = capture(command, kStackSeconds * 1'000'000'000, cancelled);
  // gdb may exit with an error after printing stacks, and prints none if it is not permitted.
  const bool good = done && done->exit_code == 0 && done->output.find('#') != std::string::npos;
  const bool python = done && done->exit_code == 0 && tool == "py-spy";
  if (good || python) return add_part(stack, tool, done->output);
  add_problem(stack, done ? why_not(tool, *done) : done.error().message);
}

RankStack read_stack(const RankProcess& process, const fs::path& own, const Cancelled& cancelled) {
  RankStack stack{process.rank, process.pid, {}, {}, {}};
  const bool told = add_own(stack, own, cancelled);
  const bool python = !told && is_python_process(process.pid);
  for (const auto& command : stack_commands(process.pid, python, installed_at)) {
    if (cancelled && cancelled()) break;
    add_by_tool(stack, command, cancelled);
  }
  return stack;
}

}  // namespace

std::vector<std::vector<std::string>> stack_commands(
    std::int64_t pid, bool python,
    const std::function<std::string(const std::string&)>& installed) {
  std::vector<std::vector<std::string>> commands;
  const std::string number = std::to_string(pid);
  if (python) {
    if (const std::string tool = installed("py-spy"); !tool.empty())
      commands.push_back({tool, "dump", "--pid", number});
  }
  if (const std::string tool = installed("eu-stack"); !tool.empty()) {
    commands.push_back({tool, "-p", number});
  } else if (const std::string debugger = installed("gdb"); !debugger.empty()) {
    commands.push_back({debugger, "-nx", "-batch", "-iex", "set debuginfod enabled off", "-p",
                        number, "-ex", "thread apply all bt"});
  }
  return commands;
}

std::string stack_text(const RankStack& stack) {
  return "Rank " + std::to_string(stack.rank) + ", pid " + std::to_string(stack.pid) +
         (stack.tools.empty() ? "" : ", by " + stack.tools) + ":\n" + stack.text;
}

Result<std::vector<RankStack>> read_stacks(const runlog::RunFolder& folder, Rank rank,
                                           const Cancelled& cancelled) {
  RINGSIDE_TRY(check_can_start());
  std::vector<RankStack> stacks;
  for (const RankProcess& process : find_ranks(folder)) {
    if (rank != kNoRank && process.rank != rank) continue;
    const fs::path own = python_stack_file(folder, process);
    if (stack_commands(process.pid, is_python_process(process.pid), installed_at).empty() &&
        !tells_python_stack(process.pid, own)) {
      return bad_request(
          "no tool that reads call stacks is installed; install eu-stack (package elfutils) or "
          "gdb, and py-spy for Python programs without ringside_rank");
    }
    stacks.push_back(read_stack(process, own, cancelled));
  }
  if (!stacks.empty()) return stacks;
  return bad_request((rank == kNoRank ? std::string("no rank") : "rank " + std::to_string(rank)) +
                     " of run " + folder.id() + (rank == kNoRank ? " lives" : " does not live") +
                     " on this machine");
}

}  // namespace ringside::launch
