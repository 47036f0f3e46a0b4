// A small HTTP server on loopback, at a port that the system chooses, with a thread of its own. The
// handler decides every answer; it is called on that thread, one request after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ringside::testing {

struct HttpRequest {
  std::string path;
  std::int64_t from = 0;  ///< of "Range: bytes=N-"; 0: all
};

struct HttpReply {
  static constexpr std::size_t kAll = static_cast<std::size_t>(-1);
  int status = 200;
  std::string body = {};
  std::size_t cut_after = kAll;  ///< bytes of the answer's body until the connection ends
  std::string location = {};     ///< of a redirect
  bool ranges = true;            ///< false: the whole body whatever was asked for
};

class HttpServer {
 public:
  using Handler = std::function<HttpReply(const HttpRequest&)>;
  explicit HttpServer(Handler handler);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  /// "http://127.0.0.1:PORT/".
  std::string url() const;
  std::vector<HttpRequest> requests() const;

 private:
  void serve();
  void answer(int connection);

  Handler handler_;
  int listener_ = -1;
  int stop_[2] = {-1, -1};
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<HttpRequest> requests_;
  std::thread thread_;
};

}  // namespace ringside::testing
