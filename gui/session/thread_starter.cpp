#include "gui/session/thread_starter.h"

#include <pthread.h>

#include <utility>

namespace ringside::session {

ThreadStarter::ThreadStarter() : thread_([this] { serve(); }) {}

ThreadStarter::~ThreadStarter() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::thread ThreadStarter::start(std::function<void()> work) {
  std::unique_lock lock(mutex_);
  wanted_ = std::move(work);
  changed_.notify_all();
  changed_.wait(lock, [this] { return made_.has_value(); });
  std::thread made = std::move(*made_);
  made_.reset();
  return made;
}

void ThreadStarter::serve() {
  ::pthread_setname_np(::pthread_self(), kStarterThread);
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || wanted_; });
    if (stop_) return;
    made_.emplace(std::exchange(wanted_, nullptr));
    changed_.notify_all();
  }
}

}  // namespace ringside::session
