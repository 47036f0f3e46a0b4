#include "trainer/engine/rank/draw_samples.h"

#include <algorithm>
#include <cstdio>

#include "protocol/messages/data_catalog.h"
#include "protocol/messages/spec/batch_facts.h"
#include "trainer/core/shard_report.h"
#include "trainer/core/shard_sampler.h"
#include "trainer/data/dataset.h"
#include "trainer/engine/rank_records.h"

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

}  // namespace

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

}  // namespace ringside::engine
