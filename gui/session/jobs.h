// Runs work that would delay a frame: starting, stopping, exporting, scanning. A job runs on its
// own thread and returns a completion, which the main thread calls in finish(). Main thread, except
// for the jobs, which therefore own everything they touch.
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
  kReads,   ///< abandoned after some hundred ms: a file system may block forever
  kFar,     ///< asks another machine: not waited for here, as it has a timeout of its own
};

class Jobs {
 public:
  using Completion = std::function<void()>;
  using Job = std::function<Completion()>;

  /// `wake` is called from the job's thread when it is done.
  explicit Jobs(std::function<void()> wake) : wake_(std::move(wake)) {}
  /// Waits for running jobs, as long as their kind allows; an abandoned job then touches only what
  /// it owns.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// Starts a job; returns false, and starts nothing, if a job of that name is running.
  bool start(const std::string& name, Job job, JobKind kind = JobKind::kWrites);
  bool running(const std::string& name) const;
  /// Calls the completions of finished jobs; true if there were any.
  bool finish();
  /// Returns why the last job that threw an exception, such as for lack of memory, failed; empty:
  /// none did since the last call. Such a job has no completion.
  std::string take_problem();

 private:
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    Completion completion;
    std::string problem;  ///< the exception; empty: none
    bool done = false;
    bool left = false;  ///< the owner is gone, so nothing is to be woken
  };
  struct Running {
    std::string name;
    JobKind kind = JobKind::kWrites;
    std::shared_ptr<Shared> shared = std::make_shared<Shared>();
    std::thread thread;
  };

  std::function<void()> wake_;
  std::list<Running> running_;
  std::string problem_;
};

}  // namespace ringside::session
