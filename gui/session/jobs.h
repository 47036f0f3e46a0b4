// Work that must not hold up a frame: starting, stopping, exporting, scanning. A job runs on a
// thread of its own and hands back what is to be done with its result, which the main thread does
// in finish(). Main thread, except that the jobs themselves run elsewhere and therefore own
// everything they touch.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace ringside::session {

enum class JobKind : std::uint8_t {
  kWrites,  ///< waited for at the end, ten seconds at most
  kReads,   ///< left behind after some hundred ms: a file system may hang for ever
  kFar,     ///< asks another machine: not waited for here, ended by its own patience
};

class Jobs {
 public:
  using Completion = std::function<void()>;
  using Job = std::function<Completion()>;

  /// `wake` is called from the job's thread when it is done.
  explicit Jobs(std::function<void()> wake) : wake_(std::move(wake)) {}
  /// Waits for what still runs, as long as its kind is worth; what is left behind then touches only
  /// what it owns.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// Starts a job unless one of that name is running: then it returns false, and nothing is
  /// started.
  bool start(const std::string& name, Job job, JobKind kind = JobKind::kWrites);
  bool running(const std::string& name) const;
  /// Carries out the completions of finished jobs; true when there were any.
  bool finish();

 private:
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    Completion completion;
    bool done = false;
    bool left = false;  ///< nobody is there any more to be woken
  };
  struct Running {
    std::string name;
    JobKind kind = JobKind::kWrites;
    std::shared_ptr<Shared> shared = std::make_shared<Shared>();
    std::thread thread;
  };

  std::function<void()> wake_;
  std::list<Running> running_;
};

}  // namespace ringside::session
