#include "trainer/engine/step_profile.h"

#include <torch/csrc/autograd/profiler_kineto.h>

#include <exception>
#include <fstream>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "protocol/base/clock.h"
#include "protocol/runlog/run_folder.h"

// Declared in torch/csrc/profiler/kineto_shim.h, whose Kineto headers are not on the include path.
namespace torch::autograd::profiler {
TORCH_API void addMetadataJson(const std::string& key, const std::string& value);
}

namespace ringside::engine {
namespace {

namespace fs = std::filesystem;
namespace profiler = torch::autograd::profiler;

constexpr const char* kRequest = "profile_request";
constexpr std::int64_t kLookEveryNs = 1'000'000'000;
constexpr Step kMostSteps = 1000;

}  // namespace

StepProfile::StepProfile(fs::path run_dir, std::int32_t attempt, Rank rank,
                         std::function<void(bool, const std::string&)> say)
    : run_dir_(std::move(run_dir)),
      attempt_(attempt),
      rank_dir_(runlog::RunFolder(run_dir_).rank_dir(attempt, rank)),
      say_(std::move(say)) {}

StepProfile::~StepProfile() { stop(); }

void StepProfile::stop() {
  if (!std::exchange(begun_, false)) return;
  try {
    profiler::disableProfiler();
  } catch (const std::exception&) {  // it has already ended
  }
}

bool StepProfile::before(Step next, bool on_gpu) {
  if (const std::int64_t now_ns = mono_now_ns(); !begun_ && now_ns >= look_ns_) {
    look_ns_ = now_ns + kLookEveryNs;
    look();
  }
  if (first_ < 0 || next < (begun_ ? behind_ : first_)) return false;
  try {
    if (begun_) {
      end();
    } else {
      begin(next, on_gpu);
    }
  } catch (const std::exception& error) {
    stop();
    say_(false, "steps " + std::to_string(first_) + " to " + std::to_string(behind_ - 1) +
                    " are not profiled: " + error.what());
    first_ = -1;
  }
  return true;
}

// A missing file means that the request was withdrawn; an incomplete one is read again.
void StepProfile::look() {
  std::error_code missing;
  const auto written = fs::last_write_time(run_dir_ / kRequest, missing);
  if (missing) first_ = -1;
  if (missing || written == asked_) return;
  std::int32_t attempt = -1;
  Step first = -1, steps = 0;
  if (!(std::ifstream(run_dir_ / kRequest) >> attempt >> first >> steps)) return;
  asked_ = written;
  if (attempt != attempt_ || first < 0 || steps < 1 || steps > kMostSteps) return;
  first_ = first;
  behind_ = first + steps;
}

void StepProfile::begin(Step next, bool on_gpu) {
  using torch::profiler::impl::ActivityType;
  if (next > first_)
    throw std::runtime_error("step " + std::to_string(first_) +
                             " was over before it was asked for");
  const torch::profiler::impl::ProfilerConfig config(torch::profiler::impl::ProfilerState::KINETO);
  std::set<ActivityType> kinds{ActivityType::CPU};
  if (on_gpu) kinds.insert(ActivityType::CUDA);
  profiler::prepareProfiler(config, kinds);
  profiler::enableProfiler(
      config, kinds,
      {at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION, at::RecordScope::USER_SCOPE});
  begun_ = true;
  const SystemClock clock;
  profiler::addMetadataJson("ringside", "{\"first_step\":" + std::to_string(first_) +
                                            ",\"wall_minus_mono_ns\":" +
                                            std::to_string(clock.wall_ns() - mono_now_ns()) + "}");
}

void StepProfile::end() {
  begun_ = false;
  const auto result = profiler::disableProfiler();
  const std::string name = "profile_" + std::to_string(first_) + ".json";
  // Renamed when complete, so that readers only see a whole file.
  const fs::path made = rank_dir_ / ("." + name);
  result->save(made.string());
  fs::permissions(made, fs::perms::owner_read | fs::perms::owner_write);
  fs::rename(made, rank_dir_ / name);
  say_(true, "Steps " + std::to_string(first_) + " to " + std::to_string(behind_ - 1) +
                 " were profiled and took longer for it: " +
                 fs::relative(rank_dir_ / name, run_dir_).string());
  first_ = -1;
}

}  // namespace ringside::engine
