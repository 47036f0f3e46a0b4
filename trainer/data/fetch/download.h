// Downloads one file over HTTP(S) (libcurl), or resumes an interrupted download. Used by one
// thread. Does not check checksums.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "protocol/base/result.h"

namespace ringside::data {

struct DownloadRequest {
  std::string url;
  std::filesystem::path part;    ///< file for the bytes; its present content is not downloaded
                                 ///< again
  std::uint64_t size_bytes = 0;  ///< size of the whole file; more is refused
  std::function<void(std::uint64_t done_bytes)> progress;  ///< may be empty
};

enum class DownloadEnd {
  kComplete,     ///< the server has no more data
  kCut,          ///< the connection ended early; the next attempt resumes here
  kUnavailable,  ///< this server does not have the file
};

struct DownloadOutcome {
  DownloadEnd end = DownloadEnd::kComplete;
  std::uint64_t new_bytes = 0;  ///< downloaded in this attempt
  std::string reason;           ///< why it is not complete, for users
};

/// Follows redirects (http and https only). Fails only for problems that no other server can solve:
/// the partial file cannot be written.
Result<DownloadOutcome> download(const DownloadRequest& request);

}  // namespace ringside::data
