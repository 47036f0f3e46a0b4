#include "gui/doctor/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>

#include "gui/launch/paths.h"
#include "gui/launch/start/ask_stop.h"
#include "gui/launch/start/start.h"
#include "gui/model/rank_model.h"
#include "protocol/base/clock.h"
#include "protocol/host/files.h"
#include "protocol/messages/records.h"
#include "protocol/wire/agent_endpoint.h"

namespace ringside::doctor {
namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;
constexpr std::int64_t kTrialCheckNs = 5'000'000;
constexpr std::int64_t kEndNs = 5'000'000'000;

}  // namespace

Rank Site::ranks(Rank most) const {
  return gpu ? std::min(most, static_cast<Rank>(machine.gpus.size())) : most;
}

messages::RunSpec short_run(const Site& site, Rank ranks) {
  messages::RunSpec spec;
  spec.name = "doctor";
  spec.devices.kind = site.gpu ? "cuda" : "cpu";
  spec.devices.world_size = ranks;
  spec.devices.threads = 1;
  // CPU slots are shared, but a GPU that others use gives no valid figures.
  spec.devices.when_busy = site.gpu ? "refuse" : "share";
  spec.model.name = "lenet";
  spec.data.train_samples = 2000;
  spec.data.test_samples = 100;
  spec.data.workers = 0;
  spec.train.epochs = 100;
  spec.evaluate.mode = "none";
  spec.checkpoint.every_epochs = 0;
  spec.limits.grace_s = 1;
  spec.limits.collective_timeout_s = 60;
  return spec;
}

void share_one_gpu(const Site& site, messages::RunSpec& spec) {
  const auto ranks = static_cast<Rank>(spec.devices.world_size);
  if (!site.gpu || ranks <= site.ranks(ranks)) return;
  spec.devices.kind = "cpu";
  spec.devices.when_busy = "share";
  spec.program.argv.insert(spec.program.argv.end(),
                           {"--share-gpu", site.machine.gpus.front().uuid});
}

Result<messages::RunSpec> checked_run(const Site& site, Rank ranks,
                                      const std::vector<std::string>& arguments) {
  const auto program = RINGSIDE_TRY(launch::find_program("ringside-check"));
  messages::RunSpec spec = short_run(site, ranks);
  spec.program.argv = {program.string()};
  spec.program.argv.insert(spec.program.argv.end(), arguments.begin(), arguments.end());
  if (site.quick) spec.program.argv.emplace_back("--quick");
  share_one_gpu(site, spec);
  return spec;
}

void Trial::Sink::accept(const messages::Stamp& stamp, const messages::Record& record) {
  model.accept(stamp, record);
  if (const auto* step = std::get_if<messages::StepReport>(&record))
    steps.push_back({stamp.rank, stamp.mono_ns, *step});
  if (const auto* bucket = std::get_if<messages::BucketReport>(&record))
    buckets.push_back({stamp.rank, *bucket});
  if (const auto* value = std::get_if<messages::Scalar>(&record);
      value != nullptr && value->name == "clock_drift_ppm")
    drifts_ppm[stamp.rank] = value->value;
}

Trial::Trial(const Site& site, const messages::RunSpec& spec, runlog::RunFolder folder,
             std::int32_t agent_pid)
    : site_(site),
      folder_(std::move(folder)),
      agent_pid_(agent_pid),
      ranks_(static_cast<Rank>(spec.devices.world_size)),
      sink_(spec),
      source_(folder_) {}

Result<std::unique_ptr<Trial>> Trial::start(const Site& site, const messages::RunSpec& spec) {
  const auto plan = RINGSIDE_TRY(launch::plan_setting(spec, site.machine, {}));
  auto folders = RINGSIDE_TRY(launch::make_folders(plan, site.folder, SystemClock()));
  const auto started =
      RINGSIDE_TRY(launch::start_folders(std::move(folders), plan, site.cancelled));
  return std::unique_ptr<Trial>(
      new Trial(site, plan.runs.back().spec, started.folders.back(), started.agent_pid));
}

Trial::~Trial() {
  if (wire::process_start_ticks(agent_pid_) == 0) return;
  (void)launch::ask_stop(folder_, wire::StopMode::kNow);
  const std::int64_t deadline_ns = mono_now_ns() + kEndNs;
  while (wire::process_start_ticks(agent_pid_) != 0 && mono_now_ns() < deadline_ns)
    pause_ns(kTrialCheckNs);
  // The ranks end together with their agent.
  if (wire::process_start_ticks(agent_pid_) != 0) ::kill(agent_pid_, SIGKILL);
}

Result<void> Trial::in_time() const {
  if (site_.cancelled && site_.cancelled()) return failure("it was cancelled");
  if (mono_now_ns() > site_.deadline_ns) return failure("it did not end in time");
  return {};
}

/// Returns true if no more records will come.
Result<bool> Trial::poll() {
  const auto progress = RINGSIDE_TRY(source_.poll(sink_, kPieceBytes, 2 * kTrialCheckNs));
  return progress.ended;
}

Result<void> Trial::follow_until(const std::function<bool(const Trial&)>& seen) {
  while (!seen(*this)) {
    if (auto allowed = in_time(); !allowed) return allowed;
    const auto ended = RINGSIDE_TRY(poll());
    if (ended && !seen(*this)) return failure("the run ended early, " + state_text());
  }
  return {};
}

Result<void> Trial::follow_to_end() {
  for (;;) {
    if (auto allowed = in_time(); !allowed) return allowed;
    const auto ended = RINGSIDE_TRY(poll());
    if (ended && wire::process_start_ticks(agent_pid_) == 0) return {};
  }
}

Result<void> Trial::finish() {
  if (auto ended = follow_to_end(); !ended) return ended;
  const auto& state = sink_.model.run_state();
  if (state && state->state == messages::State::kFinished) return {};
  return failure("the run did not finish: " + state_text());
}

Result<void> Trial::restart_run() {
  const auto again = RINGSIDE_TRY(launch::restart_run(folder_, {}, site_.cancelled));
  agent_pid_ = again.agent_pid;
  ++attempt_;
  // Reading starts over, since the reader has ended at the end of the earlier attempt.
  sink_ = Sink(sink_.model.spec());
  source_ = runs::RunSource(folder_);
  return {};
}

std::vector<std::int32_t> Trial::rank_pids() const {
  std::vector<std::int32_t> pids;
  for (Rank rank = 0; rank < ranks_; ++rank) {
    const model::RankModel* known = sink_.model.rank(rank);
    if (known == nullptr || !known->hello || known->hello->attempt != attempt_) return {};
    pids.push_back(known->hello->pid);
  }
  return pids;
}

std::string Trial::state_text() const {
  const auto& state = sink_.model.run_state();
  if (!state) return {};
  const std::string word(messages::name_of(state->state));
  return state->text.empty() ? word : word + ": " + state->text;
}

std::vector<double> Trial::losses() const {
  std::map<Step, std::pair<double, double>> sums;
  for (const TimedStep& step : sink_.steps) {
    auto& [loss, samples] = sums[step.report.step];
    loss += static_cast<double>(step.report.loss) * step.report.samples;
    samples += step.report.samples;
  }
  std::vector<double> losses;
  for (const auto& [step, sum] : sums) losses.push_back(sum.first / sum.second);
  return losses;
}

std::string Trial::output_of(Rank rank) const {
  return read_text(folder_.rank_dir(attempt_, rank) / "stdout").value_or("");
}

Result<RankFacts> Trial::facts() const {
  constexpr std::string_view kMark = "facts ";
  RankFacts all;
  for (Rank rank = 0; rank < ranks_; ++rank) {
    const std::string output = output_of(rank);
    const auto at = output.find(kMark);
    if (at == std::string::npos) return failure(fmt::format("rank {} found nothing", rank));
    const auto end = output.find('\n', at);
    auto facts = nlohmann::json::parse(output.substr(at + kMark.size(), end - at - kMark.size()),
                                       nullptr, false);
    if (!facts.is_object()) return failure(fmt::format("rank {} printed no JSON", rank));
    all.push_back(std::move(facts));
  }
  return all;
}

}  // namespace ringside::doctor
