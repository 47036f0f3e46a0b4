// One file over HTTP(S) (libcurl): started, or resumed where an earlier attempt was cut. Used by
// one thread. No checksum is known here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "protocol/base/result.h"

namespace ringside::data {

struct DownloadRequest {
  std::string url;
  std::filesystem::path part;    ///< gets the bytes; what is in it already is not asked for again
  std::uint64_t size_bytes = 0;  ///< of the whole file; more is refused
  std::function<void(std::uint64_t done_bytes)> progress;  ///< may be empty
};

enum class DownloadEnd {
  kComplete,     ///< the server has no more to give
  kCut,          ///< the connection ended early; asking again resumes from here
  kUnavailable,  ///< this server does not give the file
};

struct DownloadOutcome {
  DownloadEnd end = DownloadEnd::kComplete;
  std::uint64_t new_bytes = 0;  ///< that this attempt fetched
  std::string reason;           ///< why it is not complete, for a person
};

/// Redirects are followed (http and https only). An error only for what no other server can help:
/// the part file cannot be written.
Result<DownloadOutcome> download(const DownloadRequest& request);

}  // namespace ringside::data
