// Runs programs on simulated GPUs and reads their traces. One thread; changes the environment of
// this process.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace ringside::testing {

class FakeGpus {
 public:
  explicit FakeGpus(int count) {
    set("FAKE_GPUS", std::to_string(count));
    set("FAKE_TRACE", trace_.path().string());
    set("LD_LIBRARY_PATH", (test_bin_dir() / "fake_driver").string());
    set("LD_PRELOAD", (test_bin_dir() / "fake_gpu/libcuda.so.1").string());
    ::unsetenv("CUDA_VISIBLE_DEVICES");
  }
  ~FakeGpus() {
    for (const auto& name : set_) ::unsetenv(name.c_str());
  }
  FakeGpus(const FakeGpus&) = delete;
  FakeGpus& operator=(const FakeGpus&) = delete;

  void set(const std::string& name, const std::string& value) {
    ::setenv(name.c_str(), value.c_str(), 1);
    set_.push_back(name);
  }

  /// Returns the trace of each process, line by line.
  std::vector<std::vector<std::string>> traces() const {
    std::vector<std::vector<std::string>> all;
    for (const auto& entry : std::filesystem::directory_iterator(trace_.path())) {
      std::ifstream file(entry.path());
      auto& lines = all.emplace_back();
      for (std::string line; std::getline(file, line);) lines.push_back(line);
    }
    return all;
  }

 private:
  TempFolder trace_;
  std::vector<std::string> set_;
};

/// Returns the calls of each step, without its events: "copy d2h 1, copy h2d 2, launch 195". `end`
/// is a part of the line that ends a step.
inline std::vector<std::string> steps_of(const std::vector<std::string>& lines,
                                         const std::string& end) {
  std::vector<std::string> steps;
  std::map<std::string, int> calls;
  const auto close = [&] {
    auto& text = steps.emplace_back();
    for (const auto& [kind, count] : calls)
      text += (text.empty() ? "" : ", ") + kind + " " + std::to_string(count);
    calls.clear();
  };
  bool ended = false;
  for (const auto& line : lines) {
    if (line.starts_with("moment ")) continue;
    const bool ends = line.find(end) != std::string::npos;
    if (ended && !ends) close();
    ended = ends;
    const auto first = line.find(' ');
    ++calls[line.substr(0, line.starts_with("copy ") ? line.find(' ', first + 1) : first)];
  }
  close();
  return steps;
}

}  // namespace ringside::testing
