#include "gui/app/session_jobs.h"

#include <algorithm>
#include <utility>

namespace ringside::app {

Jobs::~Jobs() {
  for (Running& job : running_) job.thread.join();
}

bool Jobs::running(const std::string& name) const {
  return std::any_of(running_.begin(), running_.end(),
                     [&name](const Running& job) { return job.name == name; });
}

bool Jobs::start(const std::string& name, Job job) {
  if (running(name)) return false;
  Running& entry = running_.emplace_back();
  entry.name = name;
  entry.thread = std::thread([this, &entry, work = std::move(job)] {
    Completion completion = work();
    {
      const std::lock_guard lock(mutex_);
      entry.completion = std::move(completion);
      entry.done = true;
    }
    wake_();
  });
  return true;
}

bool Jobs::finish() {
  std::vector<Completion> completions;
  for (auto job = running_.begin(); job != running_.end();) {
    bool done = false;
    {
      const std::lock_guard lock(mutex_);
      done = job->done;
    }
    if (!done) {
      ++job;
      continue;
    }
    job->thread.join();
    completions.push_back(std::move(job->completion));
    job = running_.erase(job);
  }
  // A completion may start the next job, so the list is left alone while they run.
  for (const Completion& completion : completions) {
    if (completion) completion();
  }
  return !completions.empty();
}

}  // namespace ringside::app
