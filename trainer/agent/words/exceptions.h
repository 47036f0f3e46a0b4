// The exceptions in what a program printed: tracebacks of Python, plain, of exception groups and as
// rich draws them, and what C++ says of one that nobody caught. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ringside::agent {

struct SaidException {
  enum class Weight : std::uint8_t {
    kIgnored,  ///< printed while the program went on or after it had ended
    kAside,    ///< of a thread or a task beside the main one
    kMain,
  };
  enum class Link : std::uint8_t {
    kNone,
    kCauseOfNext,    ///< the next one was raised because of this one
    kBeforeNext,     ///< the next one was raised while this one was handled
    kInsidePrevious  ///< quoted in the message of the one before
  };
  std::string head;       ///< "ValueError: no such digit"
  std::size_t begin = 0;  ///< its first line
  std::size_t body = 0;   ///< the first line behind `head`; the message may go on there
  Weight weight = Weight::kMain;
  Link link = Link::kNone;
  std::string collective;  ///< in whose frames it was raised: "barrier", "backward"
  bool is_cpp = false;
  bool reports_another = false;  ///< only that another process has ended
  std::string failed_rank;       ///< "1": of a table of torchrun, the one that failed first
};

/// Exceptions in their order. `lines`: of said_lines().
std::vector<SaidException> said_exceptions(const std::vector<std::string>& lines);

}  // namespace ringside::agent
