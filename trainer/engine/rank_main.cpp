#include "trainer/engine/rank_main.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "protocol/base/clock.h"
#include "trainer/dist/rendezvous.h"
#include "trainer/engine/last_words.h"
#include "trainer/engine/stop_signals.h"
#include "trainer/engine/train_loop.h"
#include "trainer/telemetry/lifeline.h"

namespace ringside::engine {
namespace {

constexpr std::int64_t kFarewell_ns = 500'000'000;

std::unique_ptr<telemetry::Reporter> make_reporter(const std::filesystem::path& agent_card,
                                                   const dist::LaunchEnvironment& env) {
  if (agent_card.empty()) return std::make_unique<telemetry::Reporter>();
  auto reporter = std::make_unique<telemetry::Reporter>(
      agent_card, telemetry::Sender{env.node, env.rank, env.attempt});
  if (!reporter->speaking()) {
    std::fprintf(stderr, "rank %d trains without telemetry: %s\n", env.rank,
                 reporter->trouble().c_str());
  }
  return reporter;
}

[[noreturn]] void leave_failed(telemetry::Reporter& reporter, const dist::LaunchEnvironment& env,
                               const std::filesystem::path& error_file, const Error& error,
                               Step last_step) {
  const std::string text = "rank " + std::to_string(env.rank) + ": " + error.message;
  std::fprintf(stderr, "%s\n", text.c_str());
  std::fflush(nullptr);
  leave_last_words(error_file, error.message);
  messages::RankState record;
  record.state = messages::State::kFailed;
  record.attempt = env.attempt;
  record.last_step = last_step;
  record.text = error.message;
  record.wall_ns = SystemClock{}.wall_ns();
  record.about = env.rank;
  reporter.post(record);
  reporter.finish(kFarewell_ns);
  ::_exit(error.kind == ErrorKind::kRequest ? 2 : 1);
}

// The exceptions of LibTorch end here, as the text that a person reads.
Result<Ending> train(TrainLoop& loop) {
  try {
    return loop.run();
  } catch (const std::exception& thrown) {
    // Asked to stop before anything was done, another rank may be gone already: nothing is lost by
    // it.
    if (stop_signal_wish() > 0 && loop.progress().step == 0) return Ending::kStopped;
    return failure(explain(dist::describe(thrown)));
  }
}

}  // namespace

int run_rank(const messages::RunSpec& spec, const dist::LaunchEnvironment& env,
             const RankOptions& options, const std::filesystem::path& agent_card,
             const std::filesystem::path& error_file, const cuda::CudaModule& cuda) {
  const auto reporter = make_reporter(agent_card, env);
  const telemetry::Lifeline lifeline(env.lifeline_fd, telemetry::leave_without_agent);
  install_stop_signals();
  Result<std::unique_ptr<RankParts>> parts = failure("not prepared");
  try {
    parts = prepare_rank(spec, env, options, cuda);
  } catch (const std::exception& thrown) {
    parts = failure(explain(dist::describe(thrown)));
  }
  if (!parts) leave_failed(*reporter, env, error_file, parts.error(), -1);

  TrainLoop loop(**parts, *reporter, [&reporter] {
    return std::max(stop_signal_wish(), static_cast<int>(reporter->stop_wish()));
  });
  set_training(true);
  const auto ending = train(loop);
  if (!ending) leave_failed(*reporter, env, error_file, ending.error(), loop.progress().step - 1);
  reporter->finish(kFarewell_ns);
  return 0;
}

}  // namespace ringside::engine
