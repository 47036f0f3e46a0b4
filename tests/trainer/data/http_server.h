// A small HTTP server on loopback on a port that the system chooses, with its own thread. The
// handler is called on that thread for each request, one after the other.
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
  std::int64_t from = 0;  ///< from "Range: bytes=N-"; 0: all
};

struct HttpReply {
  static constexpr std::size_t kAll = static_cast<std::size_t>(-1);
  int status = 200;
  std::string body = {};
  std::size_t cut_after = kAll;  ///< bytes of the body after which the connection is closed
  std::string location = {};     ///< for a redirect
  bool ranges = true;            ///< false: always the whole body
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
