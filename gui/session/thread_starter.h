// Makes threads from a thread of its own. A thread inherits the priority of its maker, and so do
// the agents and ranks that it starts: however far the window steps back (gui/window/own_priority),
// those begin as the program did. Used by one thread; lives longer than what it made is waited for.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace ringside::session {

/// What its thread, and those made by it, are called.
inline constexpr const char* kStarterThread = "ringside-jobs";

class ThreadStarter {
 public:
  ThreadStarter();
  ~ThreadStarter();
  ThreadStarter(const ThreadStarter&) = delete;
  ThreadStarter& operator=(const ThreadStarter&) = delete;

  std::thread start(std::function<void()> work);

 private:
  void serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> wanted_;
  std::optional<std::thread> made_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace ringside::session
