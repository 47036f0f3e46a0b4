#include "gui/launch/python_stack.h"

#include <chrono>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

#include "protocol/base/clock.h"

namespace ringside::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kPollNs = 10'000'000;
/// The output has no end mark: after this time without new bytes it counts as complete.
constexpr std::int64_t kQuietNs = 150'000'000;

std::uintmax_t stack_file_size(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  return error ? 0 : size;
}

std::string bytes_behind(const fs::path& file, std::uintmax_t begin) {
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(begin));
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Signals for which the process has handlers, as the kernel prints them.
std::uint64_t caught_signals(std::int64_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigCgt:")) return std::strtoull(line.c_str() + 7, nullptr, 16);
  }
  return 0;
}

}  // namespace

bool tells_python_stack(std::int64_t pid, const fs::path& file) {
  std::error_code error;
  const int bit = python_stack_signal() - 1;
  return fs::is_regular_file(file, error) && ((caught_signals(pid) >> bit) & 1U) != 0;
}

Result<std::string> read_python_stack(std::int64_t pid, const fs::path& file,
                                      const Cancelled& cancelled) {
  const std::uintmax_t before = stack_file_size(file);
  if (::kill(static_cast<pid_t>(pid), python_stack_signal()) != 0)
    return failure("the process could not be asked for its Python stacks: " +
                   std::generic_category().message(errno));
  const std::int64_t begin_ns = mono_now_ns();
  std::uintmax_t size = before;
  std::int64_t grown_ns = begin_ns;
  for (std::int64_t now_ns = begin_ns; now_ns - begin_ns < kPythonStackSeconds * 1'000'000'000;
       now_ns = mono_now_ns()) {
    if (cancelled && cancelled()) return failure("no longer wanted");
    if (const auto now = stack_file_size(file); now != size) {
      size = now;
      grown_ns = now_ns;
    } else if (size > before && now_ns - grown_ns >= kQuietNs) {
      break;
    }
    std::this_thread::sleep_for(std::chrono::nanoseconds(kPollNs));
  }
  if (size > before) return bytes_behind(file, before);
  return failure("it did not write its Python stacks within " +
                 std::to_string(kPythonStackSeconds) +
                 " s: the process is stopped, or inside of a driver");
}

}  // namespace ringside::launch
