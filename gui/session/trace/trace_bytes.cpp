#include "gui/session/trace/trace_bytes.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "protocol/base/printable.h"

namespace ringside::session {
namespace {

constexpr std::size_t kPiece = std::size_t{4} << 20;
/// The largest size of one event or value; those of profilers are far smaller.
constexpr std::size_t kMostOfOne = std::size_t{64} << 20;

}  // namespace

TraceBytes::TraceBytes(File file, std::filesystem::path path, TraceProgress& progress)
    : file_(std::move(file)),
      path_(std::move(path)),
      progress_(&progress),
      before_(progress.read_bytes) {}

Result<TraceBytes> TraceBytes::open(const std::filesystem::path& path, TraceProgress& progress) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    return bad_request(printable_line(path.string()) + " is not a file that can be read");
  File file(gzopen(path.c_str(), "rbe"), gzclose_r);
  if (!file)
    return bad_request("cannot open " + printable_line(path.string()) + ": " +
                       std::strerror(errno));
  gzbuffer(file.get(), 1U << 18);
  return TraceBytes(std::move(file), path, progress);
}

Result<bool> TraceBytes::more() {
  if (progress_->over()) return failure("cancelled");
  const std::size_t taken =
      scan.at == nullptr ? 0 : static_cast<std::size_t>(scan.at - text_.data());
  given_up_ += taken;
  text_.erase(0, taken);
  const std::size_t kept = text_.size();
  if (kept > kMostOfOne)
    return bad_request(printable_line(path_.string()) + ": what begins at byte " +
                       std::to_string(given_up_) + " does not end within 64 MiB");
  text_.resize(kept + kPiece);
  const int got = gzread(file_.get(), text_.data() + kept, static_cast<unsigned>(kPiece));
  int code = Z_OK;
  const char* const why = gzerror(file_.get(), &code);
  // A truncated file yields its available data, then Z_BUF_ERROR.
  if (got < 0 || code != Z_OK)
    return bad_request(printable_line(path_.string()) + " is damaged or cut off: " + why);
  text_.resize(kept + static_cast<std::size_t>(got));
  scan.at = text_.data();
  scan.end = text_.data() + text_.size();
  progress_->read_bytes = before_ + static_cast<std::uint64_t>(gzoffset(file_.get()));
  return got > 0;
}

std::uint64_t TraceBytes::offset() const {
  return given_up_ + (scan.at == nullptr ? 0 : static_cast<std::uint64_t>(scan.at - text_.data()));
}

}  // namespace ringside::session
