#include "trainer/data/fetch/download.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace ringside::data {
namespace {

namespace fs = std::filesystem;
using Easy = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;

constexpr long kConnectSeconds = 20;
constexpr long kStalledSeconds = 60;  ///< below one kilobyte per second
constexpr long kMostRedirects = 10;

/// The partial file, and errors in writing it.
struct Sink {
  int fd = -1;
  std::uint64_t at = 0;
  std::uint64_t limit = 0;
  std::uint64_t new_bytes = 0;
  int write_error = 0;
  bool too_long = false;
  const DownloadRequest* request = nullptr;

  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink() {
    if (fd >= 0) ::close(fd);
  }
};

std::size_t take_bytes(char* bytes, std::size_t, std::size_t count, void* user) {
  Sink& sink = *static_cast<Sink*>(user);
  if (sink.at + count > sink.limit) {
    sink.too_long = true;
    return 0;
  }
  for (std::size_t done = 0; done < count;) {
    const ssize_t written =
        ::pwrite(sink.fd, bytes + done, count - done, static_cast<off_t>(sink.at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      sink.write_error = written == 0 ? ENOSPC : errno;
      return 0;
    }
    done += static_cast<std::size_t>(written);
    sink.at += static_cast<std::uint64_t>(written);
    sink.new_bytes += static_cast<std::uint64_t>(written);
  }
  if (sink.request->progress) sink.request->progress(sink.at);
  return count;
}

/// The CA certificate file: as in curl's own command, otherwise where distributions put it, since
/// the library may have been built elsewhere.
const char* authorities() {
  for (const char* name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  for (const char* path : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                           "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"}) {
    if (::access(path, R_OK) == 0) return path;
  }
  return nullptr;
}

void allow_protocols(CURL* easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https,file");
  curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS,
                   static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS | CURLPROTO_FILE));
  curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS,
                   static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

void set_options(CURL* easy, const DownloadRequest& request, Sink& sink, char* error_text) {
  curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_text);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "ringside/" RINGSIDE_VERSION);
  curl_easy_setopt(easy, CURLOPT_FAILONERROR, 1L);  // error pages are not written to the file
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(easy, CURLOPT_MAXREDIRS, kMostRedirects);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1024L);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, kStalledSeconds);
  curl_easy_setopt(easy, CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(sink.at));
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_bytes);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, static_cast<void*>(&sink));
  if (const char* path = authorities()) curl_easy_setopt(easy, CURLOPT_CAINFO, path);
  allow_protocols(easy);
}

tl::unexpected<Error> cannot_write(const fs::path& part, int error) {
  return failure("cannot write " + part.string() + ": " + std::strerror(error) +
                 "; make room there, or choose another folder with --root");
}

DownloadOutcome outcome_of(CURLcode code, CURL* easy, const Sink& sink, const char* error_text) {
  if (sink.too_long) {
    return {DownloadEnd::kUnavailable, sink.new_bytes,
            "the file is longer than the " + std::to_string(sink.limit) + " bytes it should have"};
  }
  const std::string reason = *error_text != '\0' ? error_text : curl_easy_strerror(code);
  switch (code) {
    case CURLE_OK:
      if (sink.at >= sink.limit) return {DownloadEnd::kComplete, sink.new_bytes, ""};
      return {DownloadEnd::kCut, sink.new_bytes, "the server sent less than the whole file"};
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_HTTP2_STREAM:
      return {DownloadEnd::kCut, sink.new_bytes, reason};
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return {DownloadEnd::kUnavailable, sink.new_bytes,
              reason + " (is the package ca-certificates installed?)"};
    default:
      break;
  }
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  if (status == 416) return {DownloadEnd::kComplete, sink.new_bytes, ""};  // the file is complete
  return {DownloadEnd::kUnavailable, sink.new_bytes, reason};
}

Result<DownloadOutcome> attempt(const DownloadRequest& request, Sink& sink) {
  const Easy easy(curl_easy_init(), &curl_easy_cleanup);
  if (!easy) return failure("libcurl could not be started");
  std::array<char, CURL_ERROR_SIZE> error_text{};
  set_options(easy.get(), request, sink, error_text.data());
  const CURLcode code = curl_easy_perform(easy.get());
  if (sink.write_error != 0) return cannot_write(request.part, sink.write_error);
  if (code == CURLE_RANGE_ERROR && sink.at > 0) {
    // This server does not support resuming: start from the beginning.
    if (::ftruncate(sink.fd, 0) != 0) return cannot_write(request.part, errno);
    sink.at = 0;
    return attempt(request, sink);
  }
  return outcome_of(code, easy.get(), sink, error_text.data());
}

}  // namespace

Result<DownloadOutcome> download(const DownloadRequest& request) {
  static const CURLcode kStarted = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (kStarted != CURLE_OK) return failure("libcurl could not be started");
  Sink sink;
  sink.request = &request;
  sink.limit = request.size_bytes;
  sink.fd = ::open(request.part.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (sink.fd < 0) return cannot_write(request.part, errno);
  const off_t end = ::lseek(sink.fd, 0, SEEK_END);
  sink.at = end > 0 ? static_cast<std::uint64_t>(end) : 0;
  if (sink.at > 0 && sink.at >= sink.limit) return DownloadOutcome{DownloadEnd::kComplete, 0, ""};
  return attempt(request, sink);
}

}  // namespace ringside::data
