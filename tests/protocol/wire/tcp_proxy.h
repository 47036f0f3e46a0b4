// A TCP relay on loopback that a test can interrupt, to break connections. Runs its own thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ringside::wire {

class TcpProxy {
 public:
  /// Forwards to tcp://127.0.0.1:PORT.
  explicit TcpProxy(const std::string& to_endpoint);
  ~TcpProxy();
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  std::string endpoint() const;
  /// Drops every connection with the data in transit; new connections are forwarded again.
  void cut() { cuts_asked_.fetch_add(1); }
  int cuts_done() const { return cuts_done_.load(); }

 private:
  void run();
  void accept_one();
  bool relay(int from, int to);

  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::uint16_t target_port_ = 0;
  std::vector<std::pair<int, int>> pairs_;
  std::atomic<int> cuts_asked_{0};
  std::atomic<int> cuts_done_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace ringside::wire
