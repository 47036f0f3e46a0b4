// The checks whose numbers the ranks themselves print.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <thread>

#include "gui/doctor/checks.h"
#include "protocol/host/listening.h"
#include "protocol/host/processor_time.h"

namespace ringside::doctor {
namespace {

Result<RankFacts> facts_of(const Site& site, const messages::RunSpec& spec) {
  const auto trial = RINGSIDE_TRY(Trial::start(site, spec));
  RINGSIDE_TRY(trial->finish());
  return trial->facts();
}

Result<RankFacts> facts_of(const Site& site, Rank ranks, const std::string& name) {
  const auto spec = RINGSIDE_TRY(checked_run(site, ranks, {name}));
  return facts_of(site, spec);
}

}  // namespace

// Measures with as many threads as a check has ranks, since a single thread finds a free core even
// on a busy machine.
double calm_now() {
  constexpr std::int64_t kSpinNs = 300'000'000;
  constexpr std::size_t kThreads = 2;
  std::array<double, kThreads> shares{};
  std::array<std::thread, kThreads> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads[i] = std::thread([&share = shares[i]] {
      const std::int64_t begin_ns = mono_now_ns();
      const std::int64_t used_ns = thread_cpu_ns();
      while (mono_now_ns() - begin_ns < kSpinNs) {
      }
      share = static_cast<double>(thread_cpu_ns() - used_ns) /
              static_cast<double>(mono_now_ns() - begin_ns);
    });
  }
  for (auto& thread : threads) thread.join();
  return *std::min_element(shares.begin(), shares.end());
}

Result<CheckVerdict> check_load(const Site& site) {
  const auto facts = RINGSIDE_TRY(facts_of(site, site.ranks(64), "load"));
  return judge_load(facts, locked_versions());
}

Result<CheckVerdict> check_copies(const Site& site) {
  auto spec = RINGSIDE_TRY(checked_run(site, 1, {"copies"}));
  // The batch on a GPU is so large (0.75 MiB) that the link is measured and not the overhead of
  // calls.
  spec.batch.size = site.gpu ? 1000 : 20;
  spec.data.workers = 1;
  const auto facts = RINGSIDE_TRY(facts_of(site, spec));
  return judge_copies(facts);
}

Result<CheckVerdict> check_sums(const Site& site) {
  const auto facts =
      RINGSIDE_TRY(facts_of(site, std::max(site.gpu ? site.ranks(64) : 0, 2), "sums"));
  return judge_sums(facts);
}

Result<CheckVerdict> check_amp(const Site& site) {
  auto spec = RINGSIDE_TRY(checked_run(site, 2, {"overflow"}));
  spec.train.precision = "fp16";
  const auto facts = RINGSIDE_TRY(facts_of(site, spec));
  return judge_overflow(facts);
}

std::string feed_model(const Site& site) { return site.gpu ? "resnet18" : "lenet"; }

Result<CheckVerdict> check_feed(const Site& site) {
  auto spec = RINGSIDE_TRY(checked_run(site, 1, {"feed"}));
  spec.model.name = feed_model(site);
  spec.data.workers = 1;
  const auto facts = RINGSIDE_TRY(facts_of(site, spec));

  const auto trial = RINGSIDE_TRY(Trial::start(site, short_run(site, site.ranks(2))));
  RINGSIDE_TRY(trial->follow_until([](const Trial& run) { return run.newest_step() >= 1; }));
  std::vector<std::int32_t> pids = trial->rank_pids();
  pids.push_back(trial->agent_pid());
  std::vector<std::string> listening;
  for (const std::int32_t pid : pids) {
    for (const Listener& listener : listeners_of(pid)) listening.push_back(listener.address);
  }
  return judge_feed(facts.front(), listening, calm_now());
}

}  // namespace ringside::doctor
