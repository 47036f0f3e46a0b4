#include "trainer/data/fetch/fetch_progress.h"

#include <array>
#include <cstdio>

namespace ringside::data {
namespace {

constexpr double kMib = 1024.0 * 1024.0;
constexpr std::int64_t kRedrawNs = 100'000'000;
constexpr const char* kWipe = "\r\033[K";

}  // namespace

std::string progress_line(const std::string& file, std::uint64_t done_bytes,
                          std::uint64_t size_bytes, std::uint64_t begin_bytes, double seconds) {
  const auto done = static_cast<double>(done_bytes);
  const auto size = static_cast<double>(size_bytes);
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), "  %.1f of %.1f MiB  %.0f %%", done / kMib, size / kMib,
                size > 0 ? 100.0 * done / size : 0.0);
  std::string line = file + text.data();
  if (seconds < 0.5 || done_bytes <= begin_bytes) return line;
  const double rate = static_cast<double>(done_bytes - begin_bytes) / seconds;
  std::snprintf(text.data(), text.size(), "  %.1f MiB/s  %.0f s left", rate / kMib,
                (size - done) / rate);
  return line + text.data();
}

void FetchProgress::note(const std::string& line) {
  finish();
  std::fprintf(stderr, "%s\n", line.c_str());
}

void FetchProgress::update(const std::string& file, std::uint64_t done_bytes,
                           std::uint64_t size_bytes, std::int64_t now_ns) {
  if (!on_terminal_) return;
  if (file != file_) {
    file_ = file;
    begin_bytes_ = done_bytes;
    begin_ns_ = now_ns;
    last_ns_ = 0;
  }
  if (last_ns_ != 0 && now_ns - last_ns_ < kRedrawNs) return;
  last_ns_ = now_ns;
  drawn_ = true;
  const double seconds = static_cast<double>(now_ns - begin_ns_) * 1e-9;
  const std::string line = progress_line(file, done_bytes, size_bytes, begin_bytes_, seconds);
  std::fprintf(stderr, "%s%s", kWipe, line.c_str());
}

void FetchProgress::finish() {
  if (drawn_) std::fputs(kWipe, stderr);
  drawn_ = false;
}

}  // namespace ringside::data
