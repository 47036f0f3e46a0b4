#include "trainer/engine/rank/rank_main.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>

#include "protocol/base/clock.h"
#include "protocol/base/exit_code.h"
#include "protocol/base/result.h"
#include "protocol/messages/data_catalog.h"
#include "protocol/messages/spec/batch_facts.h"
#include "protocol/messages/spec/run_spec.h"
#include "trainer/core/shard_report.h"
#include "trainer/core/shard_sampler.h"
#include "trainer/data/dataset.h"
#include "trainer/dist/environment.h"
#include "trainer/dist/forming.h"
#include "trainer/dist/last_collective.h"
#include "trainer/dist/rendezvous.h"
#include "trainer/engine/ending.h"
#include "trainer/engine/loop/early_stop.h"
#include "trainer/engine/loop/train_loop.h"
#include "trainer/engine/rank/error_file.h"
#include "trainer/engine/rank_records.h"
#include "trainer/engine/stop_signals.h"
#include "trainer/telemetry/lifeline.h"
#include "trainer/telemetry/reporter.h"

namespace ringside::engine {
namespace {

using messages::State;

constexpr std::size_t kPrinted = 32;  ///< samples printed per epoch

// Generated numbers need no file; any other data set is opened.
Result<std::int64_t> training_samples(const messages::DataSpec& data) {
  const auto* set = messages::find_data_set(data.name);
  if (set != nullptr && !set->has_images()) return data.train_samples;
  auto sets = RINGSIDE_TRY(data::load_datasets(data));
  return sets.train.count;
}

messages::RankHello hello_of(const messages::RunSpec& spec, const dist::LaunchEnvironment& env,
                             const messages::BatchFacts& facts) {
  messages::RankHello hello = rank_hello(env);
  hello.device_uuid = "cpu";
  hello.device_name = "none needed";
  hello.backend = "none";
  hello.threads = 1;
  hello.steps_per_epoch = facts.steps_per_epoch;
  hello.epochs = spec.train.epochs;
  return hello;
}

void print_samples(Epoch epoch, const dist::LaunchEnvironment& env,
                   std::span<const std::uint32_t> indices) {
  std::string text;
  for (std::size_t i = 0; i < std::min(indices.size(), kPrinted); ++i)
    text += " " + std::to_string(indices[i]);
  if (indices.size() > kPrinted) text += " ... " + std::to_string(indices.size()) + " samples";
  std::printf("epoch %d  rank %d draws%s\n", epoch + 1, env.rank, text.c_str());
  std::fflush(stdout);
}

/// Posts hello, ShardReports and states to `reporter` and prints the first samples of each epoch.
/// `stop_request` is polled between epochs; above 0 ends the run as stopped.
Result<Ending> draw_samples(const messages::RunSpec& given, const dist::LaunchEnvironment& env,
                            telemetry::Reporter& reporter,
                            const std::function<int()>& stop_request) {
  messages::RunSpec spec = given;
  spec.devices.world_size = env.world_size;
  const auto samples = RINGSIDE_TRY(training_samples(spec.data));
  const auto facts = RINGSIDE_TRY(messages::batch_facts(spec, samples));
  auto sampler =
      RINGSIDE_TRY(core::ShardSampler::create(core::shard_options(spec, samples, env.rank)));
  reporter.post(hello_of(spec, env, facts));
  reporter.post(rank_state(State::kStarting, env));
  reporter.post(rank_state(State::kTraining, env, "draws samples, trains nothing"));
  for (Epoch epoch = 0; epoch < spec.train.epochs; ++epoch) {
    if (stop_request() > 0) {
      reporter.post(rank_state(State::kStopped, env,
                               "stopped on request after " + std::to_string(epoch) + " epochs"));
      return Ending::kStopped;
    }
    const auto shard = sampler.draw_rest(epoch, 0);
    for (const auto& report : core::shard_reports(sampler, epoch, shard)) reporter.post(report);
    print_samples(epoch, env, shard.indices);
  }
  reporter.post(rank_state(State::kFinished, env));
  return Ending::kFinished;
}

constexpr std::int64_t kShutdownTimeout_ns = 500'000'000;

std::unique_ptr<telemetry::Reporter> make_reporter(const std::filesystem::path& agent_card,
                                                   const dist::LaunchEnvironment& env) {
  if (agent_card.empty()) return std::make_unique<telemetry::Reporter>();
  auto reporter = std::make_unique<telemetry::Reporter>(
      agent_card, telemetry::Sender{env.node, env.rank, env.attempt});
  if (!reporter->connected()) {
    std::fprintf(stderr, "rank %d trains without telemetry: %s\n", env.rank,
                 reporter->problem().c_str());
  }
  return reporter;
}

[[noreturn]] void leave_failed(telemetry::Reporter& reporter, const dist::LaunchEnvironment& env,
                               const ErrorFile& error_file, const Error& error, Step last_step) {
  const std::string text = "rank " + std::to_string(env.rank) + ": " + error.message;
  std::fprintf(stderr, "%s\n", text.c_str());
  std::fflush(nullptr);
  write_error_file(error_file, error.message);
  auto record = rank_state(messages::State::kFailed, env, error.message);
  record.last_step = last_step;
  reporter.post(record);
  reporter.finish(kShutdownTimeout_ns);
  ::_exit(exit_code(error));
}

// Exits in order, but without the loop's shutdown: nothing was trained, and other ranks may be in
// any state.
[[noreturn]] void leave_before_training(telemetry::Reporter& reporter,
                                        const dist::LaunchEnvironment& env) {
  const std::string text = "stopped on request before training began";
  std::printf("rank %d: %s\n", env.rank, text.c_str());
  std::fflush(nullptr);
  reporter.post(rank_state(messages::State::kStopped, env, text));
  reporter.finish(kShutdownTimeout_ns);
  ::_exit(0);
}

// Prints where this rank was when it had to be killed.
void report_hang(const dist::LaunchEnvironment& env) {
  const std::string last = dist::last_collective();
  std::fprintf(stderr, "rank %d: asked to stop and still busy; last collective entered: %s\n",
               env.rank, last.empty() ? "none" : last.c_str());
  std::fflush(stderr);
}

Result<std::unique_ptr<RankParts>> prepare(const messages::RunSpec& spec,
                                           const dist::LaunchEnvironment& env,
                                           const RankOptions& options, const cuda::CudaModule& cuda,
                                           const PreparedHook& prepared) {
  try {
    auto parts = prepare_rank(spec, env, options, cuda);
    if (parts && prepared) prepared(**parts);
    return parts;
  } catch (const std::exception& thrown) {
    return failure(explain(dist::describe(thrown)));
  }
}

// Converts LibTorch's exceptions to errors for the user.
Result<Ending> train(TrainLoop& loop) {
  try {
    return loop.run();
  } catch (const std::exception& thrown) {
    return failure(explain(dist::describe(thrown)));
  }
}

// Closes the group after the loop, whose recorded step uses the communicator. This rank is done and
// has saved; a rank that is not reports that itself.
void leave_together(const RankParts& parts) {
  try {
    dist::close_groups(parts.groups, parts.placement.cuda);
  } catch (const std::exception& thrown) {
    std::fprintf(stderr, "rank %d is done, but not all ranks are: %s\n", parts.env.rank,
                 dist::describe(thrown).c_str());
    std::fflush(stderr);
  }
}

}  // namespace

int run_rank(const messages::RunSpec& spec, const dist::LaunchEnvironment& env,
             const RankOptions& options, const std::filesystem::path& agent_card,
             const std::filesystem::path& error_path, const cuda::CudaModule& cuda,
             const PreparedHook& prepared) {
  const ErrorFile error_file{error_path, cuda.api};
  const auto reporter = make_reporter(agent_card, env);
  const telemetry::Lifeline lifeline(env.lifeline_fd, telemetry::leave_without_agent);
  install_stop_signals();
  write_error_file_on_terminate(error_file);
  const auto stop = [&reporter] {
    return std::max(stop_signal_request(), static_cast<int>(reporter->stop_request()));
  };
  if (spec.model.name == "none") {
    const auto ending = draw_samples(spec, env, *reporter, stop);
    if (!ending) leave_failed(*reporter, env, error_file, ending.error(), -1);
    reporter->finish(kShutdownTimeout_ns);
    return 0;
  }
  // Nothing is posted before training, so that the watching thread may post: a reporter accepts
  // records from one thread.
  EarlyStop early(
      stop_signal_fd(),
      {[&stop] { return stop() > 0; }, [&] { leave_before_training(*reporter, env); },
       [&env] { report_hang(env); }, [] { return dist::overdue_forming(mono_now_ns()); },
       [&](const std::string& why) {
         leave_failed(*reporter, env, error_file, {ErrorKind::kFailure, why}, -1);
       }});
  if (cuda.api != nullptr && !error_path.empty())
    dist::keep_nccl_words(error_path.parent_path() / "nccl.log");
  auto parts = prepare(spec, env, options, cuda, prepared);
  early.training_begins();
  if (!parts && stop() > 0) leave_before_training(*reporter, env);
  if (!parts) leave_failed(*reporter, env, error_file, parts.error(), -1);

  {
    TrainLoop loop(**parts, *reporter, stop);
    const auto ending = train(loop);
    // When stopped before the first step, another rank may already be gone; nothing is lost by
    // that.
    if (!ending && stop() > 0 && loop.progress().step == 0) leave_before_training(*reporter, env);
    if (!ending) leave_failed(*reporter, env, error_file, ending.error(), loop.progress().step - 1);
  }
  leave_together(**parts);
  reporter->finish(kShutdownTimeout_ns);
  return 0;
}

}  // namespace ringside::engine
