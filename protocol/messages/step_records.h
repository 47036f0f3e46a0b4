// One training step of one rank: its metrics and times, and those of its gradient buckets. Plain
// data; record_types.h describes the encoding.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/base/fields.h"
#include "protocol/messages/record_types.h"

namespace ringside::messages {

/// One optimizer step of one rank, posted at its end. The phases do not overlap, and their sum is
/// at most step_ns; the rest is overhead of the loop. An unmeasured phase is -1.
struct StepReport {
  static constexpr RecordType kType = RecordType::kStepReport;
  static constexpr std::string_view kName = "step";
  static constexpr std::size_t kFieldsAtFirst = 16;  ///< older programs may post only these
  Epoch epoch = 0;
  Step step = 0;
  std::int32_t samples = 0;   ///< of this rank in this step
  float loss = kUnknownF;     ///< mean over this rank's samples, before any reduction
  std::int32_t correct = -1;  ///< of `samples`; -1 unknown
  double lr = 0.0;
  float grad_norm = kUnknownF;  ///< L2 norm of the averaged gradient
  float loss_scale = 1.0F;
  std::uint8_t skipped = 0;  ///< 1: the scaler skipped the optimizer step
  std::int64_t data_wait_ns = -1;
  std::int64_t host_to_device_ns = -1;
  std::int64_t forward_ns = -1;       ///< model and loss
  std::int64_t backward_ns = -1;      ///< until this rank's last gradient bucket was ready
  std::int64_t exposed_comm_ns = -1;  ///< from then until every bucket was reduced
  std::int64_t optimizer_ns = -1;
  std::int64_t step_ns = 0;              ///< whole step, which began at Stamp::mono_ns - step_ns
  float local_grad_norm = kUnknownF;     ///< L2 norm of this rank's gradient before the all-reduce
  std::int32_t non_finite_buckets = -1;  ///< buckets with NaN or Inf on this rank before the
                                         ///< all-reduce; -1: not checked

  template <class Self, class Visit>
  static constexpr void fields(Self& r, Visit&& visit) {
    visit("epoch", r.epoch);
    visit("step", r.step);
    visit("samples", r.samples);
    visit("loss", r.loss);
    visit("correct", r.correct);
    visit("lr", r.lr);
    visit("grad_norm", r.grad_norm);
    visit("loss_scale", r.loss_scale);
    visit("skipped", r.skipped);
    visit("data_wait_ns", r.data_wait_ns);
    visit("host_to_device_ns", r.host_to_device_ns);
    visit("forward_ns", r.forward_ns);
    visit("backward_ns", r.backward_ns);
    visit("exposed_comm_ns", r.exposed_comm_ns);
    visit("optimizer_ns", r.optimizer_ns);
    visit("step_ns", r.step_ns);
    visit("local_grad_norm", r.local_grad_norm);
    visit("non_finite_buckets", r.non_finite_buckets);
  }
  RINGSIDE_UNKNOWN(correct, data_wait_ns, host_to_device_ns, forward_ns, backward_ns,
                   exposed_comm_ns, optimizer_ns, non_finite_buckets)
};

/// The value of a StepReport field; empty when it was not measured.
inline std::optional<double> measured(float value) {
  return is_unknown(value) ? std::nullopt : std::optional(static_cast<double>(value));
}
inline std::optional<double> measured(double value) { return value; }
template <std::integral Whole>
std::optional<double> measured(Whole value) {
  return value < 0 ? std::nullopt : std::optional(static_cast<double>(value));
}

/// One gradient bucket of one step of one rank.
struct BucketReport {
  static constexpr RecordType kType = RecordType::kBucketReport;
  static constexpr std::string_view kName = "bucket";
  Epoch epoch = 0;
  Step step = 0;
  std::int32_t bucket = 0;
  std::int64_t size_bytes = 0;
  std::int64_t ready_ns = 0;    ///< mono_ns when its last gradient was computed on this rank
  std::int64_t reduced_ns = 0;  ///< mono_ns when its all-reduce was done on this rank

  RINGSIDE_FIELDS(epoch, step, bucket, size_bytes, ready_ns, reduced_ns)
};

}  // namespace ringside::messages
