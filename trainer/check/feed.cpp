#include <functional>
#include <vector>

#include "protocol/base/clock.h"
#include "trainer/check/check_rank.h"
#include "trainer/check/loader_alone.h"
#include "trainer/check/step_bench.h"
#include "trainer/cuda/cuda_api.h"

namespace ringside::check {
namespace {

constexpr std::int64_t kFedBatches = 40;  ///< per round
constexpr int kRounds = 7;
constexpr int kQuickRounds = 3;

Result<double> seconds_of(const std::function<Result<void>()>& round) {
  const std::int64_t begin_ns = mono_now_ns();
  RINGSIDE_TRY(round());
  return static_cast<double>(mono_now_ns() - begin_ns) / 1e9;
}

}  // namespace

// Measures all variants in turn, so that a change in the machine's speed affects all of them.
Result<Facts> feed(const CheckRank& rank) {
  const auto prepared = RINGSIDE_TRY(prepare(rank));
  engine::RankParts& parts = *prepared;
  auto loader = RINGSIDE_TRY(LoaderAlone::create(parts, parts.placement));
  StepBench bench(parts);
  RINGSIDE_TRY(bench.begin());
  const auto kept = RINGSIDE_TRY(bench.next_batch());
  engine::DeviceBatch fixed = kept;
  for (at::Tensor& tensor : fixed.tensors) tensor = tensor.clone();
  const auto wait = [&] {
    (void)bench.finish();
    if (parts.placement.on_cuda()) parts.placement.cuda->synchronize();
  };

  const std::vector<std::pair<const char*, std::function<Result<void>()>>> kinds{
      {"loader_s",
       [&]() -> Result<void> {
         const auto batch = loader.next();
         if (!batch) return pass(batch);
         return {};
       }},
      {"copy_s",
       [&]() -> Result<void> {
         const auto batch = RINGSIDE_TRY(bench.next_batch());
         (void)batch.ready();
         return {};
       }},
      {"model_s",
       [&]() -> Result<void> {
         bench.step(fixed);
         return {};
       }},
      {"together_s",
       [&]() -> Result<void> {
         const auto batch = RINGSIDE_TRY(bench.next_batch());
         bench.step(batch);
         return {};
       }},
  };
  Facts facts{{"images", kFedBatches * parts.facts.per_rank_batch},
              {"gpu", parts.placement.on_cuda()}};
  const int rounds = rank.quick ? kQuickRounds : kRounds;
  for (int round = -1; round < rounds; ++round) {  // the first round is a warm-up
    for (const auto& [name, one] : kinds) {
      const auto seconds = seconds_of([&, &once = one]() -> Result<void> {
        for (std::int64_t i = 0; i < kFedBatches; ++i) {
          if (auto done = once(); !done) return done;
        }
        wait();
        return {};
      });
      if (!seconds) return pass(seconds);
      if (round >= 0) facts[name].push_back(*seconds);
    }
  }
  return facts;
}

}  // namespace ringside::check
