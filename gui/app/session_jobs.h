// Work that must not hold up a frame: starting, stopping, exporting, scanning. A job runs on a
// thread of its own and hands back what is to be done with its result, which the main thread does
// in finish(). Main thread, except that the jobs themselves run elsewhere and therefore own
// everything they touch.
#pragma once

#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ringside::app {

class Jobs {
 public:
  using Completion = std::function<void()>;
  using Job = std::function<Completion()>;

  /// `wake` is called from the job's thread when it is done.
  explicit Jobs(std::function<void()> wake) : wake_(std::move(wake)) {}
  /// Waits for what still runs.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// At most one job of a name at a time: false when one is running, and nothing is started.
  bool start(const std::string& name, Job job);
  bool running(const std::string& name) const;
  /// Carries out the completions of finished jobs; true when there were any.
  bool finish();

 private:
  struct Running {
    std::string name;
    Completion completion;
    bool done = false;
    std::thread thread;
  };

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::list<Running> running_;
};

}  // namespace ringside::app
