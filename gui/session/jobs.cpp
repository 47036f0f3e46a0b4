#include "gui/session/jobs.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "gui/remote/left_threads.h"

namespace ringside::session {
namespace {

/// How long to wait for jobs that only read; jobs that write get more time.
constexpr auto kReadPatience = std::chrono::milliseconds(300);
constexpr auto kWritePatience = std::chrono::seconds(10);

}  // namespace

Jobs::~Jobs() {
  const auto begun = std::chrono::steady_clock::now();
  for (Running& job : running_) {
    if (job.kind == JobKind::kFar) {
      const std::lock_guard lock(job.shared->mutex);
      job.shared->left = true;
      remote::leave(std::move(job.thread));
      continue;
    }
    const auto until = begun + (job.kind == JobKind::kReads ? kReadPatience : kWritePatience);
    Shared& shared = *job.shared;
    std::unique_lock lock(shared.mutex);
    const bool done = shared.changed.wait_until(lock, until, [&shared] { return shared.done; });
    shared.left = !done;
    lock.unlock();
    if (done) {
      job.thread.join();
    } else {
      job.thread.detach();
    }
  }
}

bool Jobs::running(const std::string& name) const {
  return std::ranges::any_of(running_, [&name](const Running& job) { return job.name == name; });
}

bool Jobs::start(const std::string& name, Job job, JobKind kind) {
  if (running(name)) return false;
  Running& entry = running_.emplace_back();
  entry.name = name;
  entry.kind = kind;
  entry.thread = std::thread([shared = entry.shared, wake = wake_, work = std::move(job)] {
    Completion completion;
    std::string problem;
    try {
      completion = work();
    } catch (const std::exception& thrown) {
      problem = thrown.what();
    }
    const std::lock_guard lock(shared->mutex);
    shared->completion = std::move(completion);
    shared->problem = std::move(problem);
    shared->done = true;
    shared->changed.notify_all();
    if (!shared->left) wake();
  });
  return true;
}

bool Jobs::finish() {
  std::vector<Completion> completions;
  for (auto job = running_.begin(); job != running_.end();) {
    bool done = false;
    {
      const std::lock_guard lock(job->shared->mutex);
      done = job->shared->done;
    }
    if (!done) {
      ++job;
      continue;
    }
    job->thread.join();
    completions.push_back(std::move(job->shared->completion));
    if (!job->shared->problem.empty())
      problem_ = "The work \"" + job->name + "\" failed: " + job->shared->problem;
    job = running_.erase(job);
  }
  // A completion may start the next job, so the list is not changed while completions run.
  for (const Completion& completion : completions) {
    if (completion) completion();
  }
  return !completions.empty();
}

std::string Jobs::take_problem() { return std::exchange(problem_, {}); }

}  // namespace ringside::session
