// Finds exceptions in a program's output: Python tracebacks (plain, of exception groups, drawn by
// rich) and uncaught C++ exceptions. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ringside::agent {

struct PrintedException {
  enum class Weight : std::uint8_t {
    kIgnored,  ///< printed while the program continued or after it had ended
    kAside,    ///< raised in another thread or task than the main one
    kMain,
  };
  enum class Link : std::uint8_t {
    kNone,
    kCauseOfNext,    ///< the next one was raised because of this one
    kBeforeNext,     ///< the next one was raised while this one was handled
    kInsidePrevious  ///< quoted in the message of the previous one
  };
  std::string head;       ///< "ValueError: no such digit"
  std::size_t begin = 0;  ///< its first line
  std::size_t body = 0;   ///< first line after `head`, where the message may continue
  Weight weight = Weight::kMain;
  Link link = Link::kNone;
  std::string collective;  ///< collective in its frames: "barrier", "backward"
  bool is_cpp = false;
  bool reports_another = false;  ///< it only says that another process has ended
  std::string failed_rank;       ///< "1": the rank that failed first in torchrun's table
};

/// All exceptions in order. `lines` are from said_lines().
std::vector<PrintedException> printed_exceptions(const std::vector<std::string>& lines);

}  // namespace ringside::agent
