#include "trainer/engine/loop/evaluator.h"

#include "protocol/base/clock.h"
#include "trainer/engine/loop/batch_source.h"
#include "trainer/engine/loop/waiting_rounds.h"
#include "trainer/engine/numerics.h"

namespace ringside::engine {
namespace {

// Number of batches that the host enqueues without waiting, so that their time is not the device's.
std::int64_t batches_ahead(const RankParts& parts) {
  if (!parts.placement.on_cuda()) return 0;
  return parts.batch_memory.kept + static_cast<std::int64_t>(BatchCopies::kPlaces);
}

}  // namespace

Evaluator::Evaluator(RankParts& parts, LoopReports& reports, StopPoll& stop_poll, BatchFeed feed)
    : parts_(parts),
      reports_(reports),
      stop_poll_(stop_poll),
      batch_size_(evaluation_batch(parts)),
      feed_(std::move(feed)),
      shard_(core::evaluation_shard(parts.spec.evaluate.mode, parts.data.test.count, parts.env.rank,
                                    parts.env.world_size)) {}

Result<Evaluator> Evaluator::create(RankParts& parts, LoopReports& reports, StopPoll& stop_poll,
                                    const dist::CollectiveWatch& watch) {
  auto feed = RINGSIDE_TRY(BatchFeed::create(
      parts.data.test, feed_options(parts, evaluation_batch(parts)), parts.placement, watch));
  return Evaluator(parts, reports, stop_poll, std::move(feed));
}

bool Evaluator::due(Epoch epoch, bool last) const {
  const std::int64_t every = parts_.spec.evaluate.every_epochs;
  return last || (every > 0 && (epoch + 1) % every == 0);
}

Result<Evaluator::Outcome> Evaluator::run(messages::Phase phase, Epoch epoch) {
  const bool alone = parts_.spec.evaluate.mode == "rank0" && !parts_.groups.solo();
  const bool waits = alone && !parts_.is_first_rank();
  reports_.state(messages::State::kEvaluating, waits ? "waits while rank 0 evaluates" : "");
  const std::int64_t begin_ns = mono_now_ns();
  PassResult result;
  const auto stop = alone ? evaluate_on_first(result) : evaluate_shares(result);
  if (!stop) return pass(stop);
  if (*stop > 0) return Outcome{*stop, 0.0};
  return Outcome{0, reports_.pass(phase, epoch, result, seconds_since(begin_ns))};
}

Result<PassResult> Evaluator::evaluate_own(const GoOn& go_on) {
  return evaluate(*parts_.network, feed_, shard_, parts_.placement.device,
                  autocast_type(parts_.spec), go_on);
}

// The ranks poll for a stop after every batch, so all of them count as many batches as the largest
// share has.
Result<int> Evaluator::evaluate_shares(PassResult& result) {
  const std::int64_t ranks = parts_.env.world_size;
  const std::int64_t share = (parts_.data.test.count + ranks - 1) / ranks;
  const std::int64_t batches = (share + batch_size_ - 1) / batch_size_;
  std::int64_t asked = 0;
  // Starts a new polling interval, since batches take a different time than the steps before.
  int stop = stop_poll_.now();
  if (stop > 0) return stop;
  std::int64_t batch_begin_ns = mono_now_ns();
  const auto ask = [&] {
    const std::int64_t now_ns = mono_now_ns();
    stop = stop_poll_.after_step(asked < batches_ahead(parts_) ? 0 : now_ns - batch_begin_ns);
    batch_begin_ns = now_ns;
    ++asked;
    return stop == 0;
  };
  auto evaluated = RINGSIDE_TRY(evaluate_own(ask));
  result = evaluated;
  for (; stop == 0 && asked < batches; ++asked)
    stop = stop_poll_.after_step(dist::StopConsensus::kAgreeEvery_ns);
  return stop;
}

Result<int> Evaluator::evaluate_on_first(PassResult& result) {
  WaitingRounds rounds(parts_.groups, collective_timeout(parts_.spec), stop_poll_.request());
  if (!parts_.is_first_rank()) {
    const std::int64_t begin_ns = mono_now_ns();
    const int stop = rounds.wait();
    result.idle_seconds = seconds_since(begin_ns);
    return stop;
  }
  int stop = 0;
  auto evaluated = evaluate_own([&] {
    stop = rounds.while_working();
    return stop == 0;
  });
  if (!evaluated) return pass(evaluated);
  result = *evaluated;
  return stop > 0 ? stop : rounds.done();
}

}  // namespace ringside::engine
