// Simulates a full disk: files of this process, and of processes it starts meanwhile, cannot grow
// beyond a limit. Tests only.
#pragma once

#include <sys/resource.h>

#include <csignal>

#include "tests/support/catch.h"

namespace ringside {

/// Writes beyond the limit fail with EFBIG if SIGXFSZ is ignored; otherwise that signal is raised.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t most_bytes) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    rlimit small = before_;
    small.rlim_cur = most_bytes;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  }
  ~FileSizeLimit() { CHECK(::setrlimit(RLIMIT_FSIZE, &before_) == 0); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

/// Returns the result of `write` while this process cannot write files larger than `most_bytes`.
template <class Write>
auto with_full_disk(rlim_t most_bytes, Write&& write) {
  struct Quiet {
    void (*before)(int) = std::signal(SIGXFSZ, SIG_IGN);
    ~Quiet() { std::signal(SIGXFSZ, before); }
  };
  const Quiet quiet;
  const FileSizeLimit limit(most_bytes);
  return write();
}

}  // namespace ringside
