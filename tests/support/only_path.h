// Sets the folders in which a test finds programs. One at a time per process; no other thread may
// read the environment meanwhile.
#pragma once

#include <cstdlib>
#include <string>

namespace ringside::support {

/// Sets PATH as long as it lives.
class OnlyPath {
 public:
  explicit OnlyPath(const std::string& path) : before_(std::getenv("PATH")) {
    ::setenv("PATH", path.c_str(), 1);
  }
  ~OnlyPath() { ::setenv("PATH", before_.c_str(), 1); }
  OnlyPath(const OnlyPath&) = delete;
  OnlyPath& operator=(const OnlyPath&) = delete;

 private:
  std::string before_;
};

}  // namespace ringside::support
