// A run written by hand for the tests of this folder: each number in it is in the test. Times in
// ms.
#pragma once

#include <map>

#include "gui/model/run_model.h"
#include "protocol/messages/records.h"

namespace ringside::support {

class MadeRun {
 public:
  explicit MadeRun(Rank ranks, std::int64_t steps_per_epoch = 0, std::int64_t epochs = 0)
      : MadeRun(spec_of(ranks, epochs), steps_per_epoch, epochs) {}

  /// A run with these settings in which all processes have joined.
  explicit MadeRun(const messages::RunSpec& spec, std::int64_t steps_per_epoch = 0,
                   std::int64_t epochs = 0)
      : ranks_(static_cast<Rank>(messages::process_count(spec))), model_(spec) {
    for (Rank rank = 0; rank < ranks_; ++rank) {
      messages::RankHello hello;
      hello.world_size = ranks_;
      hello.steps_per_epoch = steps_per_epoch;
      hello.epochs = epochs;
      say(rank, 0, hello);
    }
  }

  void set_program_parts(model::RunModel::ProgramParts parts) {
    model_.set_program_parts(std::move(parts));
  }

  struct Parts {
    double data = 0, copy = 0, forward = 0, backward = 0, exposed = -1, optimizer = 0, step = 0;
  };

  /// Adds a step of one rank that ends at `end_ms`.
  void step(Rank rank, Step step, double end_ms, const Parts& parts, std::int32_t samples = 1,
            float loss = 1) {
    messages::StepReport body;
    body.step = step;
    body.samples = samples;
    body.loss = loss;
    body.data_wait_ns = ns(parts.data);
    body.host_to_device_ns = ns(parts.copy);
    body.forward_ns = ns(parts.forward);
    body.backward_ns = ns(parts.backward);
    body.exposed_comm_ns = ns(parts.exposed);
    body.optimizer_ns = ns(parts.optimizer);
    body.step_ns = ns(parts.step);
    say(rank, end_ms, body);
  }

  void bucket(Rank rank, Step step, std::int32_t number, double ready_ms, double reduced_ms,
              std::int64_t bytes = 1000) {
    say(rank, reduced_ms,
        messages::BucketReport{0, step, number, bytes, ns(ready_ms) + kStart,
                               ns(reduced_ms) + kStart});
  }

  void pass(Rank rank, messages::Phase phase, Epoch epoch, double end_ms, std::int64_t correct,
            std::int64_t counted, double loss_sum = 0, double seconds = 1) {
    messages::EpochReport body;
    body.epoch = epoch;
    body.phase = phase;
    body.correct = correct;
    body.counted = counted;
    body.loss_sum = loss_sum;
    body.seconds = seconds;
    say(rank, end_ms, body);
  }

  /// Adds a rank's samples in an epoch, with `padded` repeats at the end.
  void shard(Rank rank, Epoch epoch, std::vector<std::uint32_t> indices, std::int64_t dataset_size,
             std::int64_t padded = 0) {
    messages::ShardReport body;
    body.epoch = epoch;
    body.dataset_size = dataset_size;
    body.shard_size = static_cast<std::int64_t>(indices.size());
    body.padded = padded;
    body.indices = std::move(indices);
    say(rank, 0, body);
  }

  template <class Body>
  void say(Rank rank, double at_ms, const Body& body) {
    model_.accept({nodes_[rank], rank, seq_[rank]++, ns(at_ms) + kStart}, messages::Record(body));
  }

  void rank_state(Rank rank, double at_ms, messages::State state) {
    messages::RankState body;
    body.state = state;
    body.about = rank;
    say(rank, at_ms, body);
  }

  void put_on_node(Rank rank, Node node) { nodes_[rank] = node; }

  const model::RunModel& model() const { return model_; }
  model::RunModel& model() { return model_; }
  Rank ranks() const { return ranks_; }

  static constexpr std::int64_t kStart = 1'000'000'000'000;
  static std::int64_t ns(double ms) { return ms < 0 ? -1 : static_cast<std::int64_t>(ms * 1e6); }

 private:
  static messages::RunSpec spec_of(Rank ranks, std::int64_t epochs) {
    messages::RunSpec spec;
    spec.devices.world_size = ranks;
    if (epochs > 0) spec.train.epochs = epochs;
    return spec;
  }

  Rank ranks_;
  model::RunModel model_;
  std::map<Rank, std::uint64_t> seq_;
  std::map<Rank, Node> nodes_;
};

}  // namespace ringside::support
