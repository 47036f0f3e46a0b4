// Applies each type of record to the model.
#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <type_traits>

#include "gui/model/bounds.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model_rare.h"
#include "protocol/messages/records.h"
#include "protocol/messages/run_state.h"

namespace ringside::model {
namespace {

using messages::DeviceField;

constexpr std::size_t kKeptStates = 4096;

/// The metric of each field of StepReport, in the order of the fields; kCount: none.
constexpr auto kMetricOfField = [] {
  std::array<Metric, 32> metrics{};
  metrics.fill(Metric::kCount);
  std::size_t place = 0;
  const messages::StepReport blank;
  messages::StepReport::fields(blank, [&](std::string_view field, const auto&) {
    for (const MetricInfo& info : kMetricInfos) {
      if (info.field == field) metrics[place] = info.metric;
    }
    ++place;
  });
  return metrics;
}();

/// Whether the loss is known. For a custom program without a finite loss yet, NaN means unknown;
/// for our trainer, our package in a script with PyTorch, or after a finite loss, NaN is a broken
/// loss.
bool loss_known(const RankModel& rank, const messages::StepReport& body, bool foreign) {
  if (messages::is_unknown(body.loss)) return false;
  if (!foreign || !std::isnan(body.loss) || rank.said_loss) return true;
  return rank.hello && rank.hello->versions.starts_with("PyTorch ");
}

/// Adds a gap for steps that were skipped while records of the rank were lost. Steps that the
/// program never reports are not in a gap.
void note_gap(RankModel& rank, Step step) {
  const bool lost = rank.counts.lost != rank.lost_before;
  rank.lost_before = rank.counts.lost;
  const Step distance = step - rank.newest_step;
  if (rank.newest_step < 0 || distance < 1) return;
  if (!lost) {
    rank.stride = distance;
  } else if (distance > rank.stride) {
    rank.gaps.add(rank.newest_step + 1, step);
  }
}

std::int64_t own_work(const messages::StepReport& body) {
  if (body.backward_ns < 0) return -1;
  const std::int64_t before[] = {body.data_wait_ns, body.host_to_device_ns, body.forward_ns};
  std::int64_t total = std::min(body.backward_ns, kMaxPhaseNs);
  for (const std::int64_t part : before) total += std::clamp<std::int64_t>(part, 0, kMaxPhaseNs);
  return total;
}

/// The part of the epoch that an earlier attempt trained, if this attempt reports the rest.
std::optional<messages::EpochReport> earlier_part(const RankModel& rank,
                                                  const std::optional<EpochEntry>& known,
                                                  const messages::EpochReport& body) {
  if (!known || body.phase != messages::Phase::kTrain || !rank.hello) return std::nullopt;
  if (known->at_ns >= rank.hello_ns) return known->before;  // a repeated report of this attempt
  const bool kept = known->report.last_step < rank.hello->first_step;
  return kept ? std::optional(known->report) : std::nullopt;
}

void add(const messages::EpochReport& part, messages::EpochReport& sum) {
  sum.loss_sum += part.loss_sum;
  sum.correct = messages::known_sum(sum.correct, part.correct);
  sum.counted = messages::known_sum(sum.counted, part.counted);
  sum.padded += part.padded;
  sum.steps += part.steps;
  sum.seconds += part.seconds;
  sum.padded_correct += part.padded_correct;
  sum.idle_seconds += part.idle_seconds;
}

/// A program may evaluate several times in an epoch. Some frameworks report an evaluation first
/// without and then with its results; these count as one.
std::vector<messages::EpochReport> earlier_evaluations(const RankModel& rank,
                                                       std::optional<EpochEntry>& known,
                                                       const messages::EpochReport& body) {
  constexpr std::size_t kMost = 1000;
  if (!known || body.phase == messages::Phase::kTrain) return {};
  if (rank.hello && known->at_ns < rank.hello_ns) return {};
  std::vector<messages::EpochReport> earlier = std::move(known->earlier);
  const auto has_results = [](const messages::EpochReport& one) {
    return one.correct >= 0 || !std::isnan(one.loss_sum);
  };
  const bool again =
      known->report.last_step == body.last_step && has_results(body) && !has_results(known->report);
  if (!again && earlier.size() < kMost) earlier.push_back(known->report);
  return earlier;
}

/// Stores the known fields of the newest sample.
void keep_history(DeviceModel& device, std::int64_t at_ns) {
  const messages::DeviceSample& sample = device.latest;
  const auto add = [&](DeviceMetric metric, std::initializer_list<DeviceField> fields,
                       double value) {
    const bool known = std::all_of(fields.begin(), fields.end(),
                                   [&](DeviceField field) { return is_valid(sample, field); });
    if (known) device.history[static_cast<std::size_t>(metric)].add(at_ns, value);
  };
  add(DeviceMetric::kUtilisation, {DeviceField::kUtilisation},
      static_cast<double>(sample.utilisation_pct));
  add(DeviceMetric::kMemory, {DeviceField::kMemoryUsed},
      static_cast<double>(sample.memory_used_bytes));
  add(DeviceMetric::kTemperature, {DeviceField::kTemperature},
      static_cast<double>(sample.temperature_c));
  add(DeviceMetric::kPower, {DeviceField::kPower}, static_cast<double>(sample.power_w));
  add(DeviceMetric::kPcie, {DeviceField::kPcieRx, DeviceField::kPcieTx},
      sample.pcie_rx_bytes_per_s + sample.pcie_tx_bytes_per_s);
  add(DeviceMetric::kLink, {DeviceField::kLinkRx, DeviceField::kLinkTx},
      sample.link_rx_bytes_per_s + sample.link_tx_bytes_per_s);
  add(DeviceMetric::kClock, {DeviceField::kSmClock}, static_cast<double>(sample.sm_clock_mhz));
}

/// Longest time between two samples of a device over which its power is interpolated.
constexpr std::int64_t kLongestPauseNs = 5'000'000'000;

/// Adds the energy between two samples, using the mean of their powers.
void note_energy(DeviceModel& device, const messages::DeviceSample& sample, std::int64_t at_ns) {
  const bool told =
      is_valid(device.latest, DeviceField::kPower) && is_valid(sample, DeviceField::kPower);
  const std::int64_t pause_ns = at_ns - device.at_ns;
  if (!told || pause_ns <= 0 || pause_ns > kLongestPauseNs) return;
  const double seconds = static_cast<double>(pause_ns) * 1e-9;
  device.energy_j += static_cast<double>(device.latest.power_w + sample.power_w) / 2 * seconds;
  device.energy_s += seconds;
}

void note_slowing(DeviceModel& device, std::int64_t before_ns, std::int64_t at_ns) {
  const messages::DeviceSample& sample = device.latest;
  const bool slowed =
      is_valid(sample, DeviceField::kThrottle) && (sample.throttle_reasons & kSlowingReasons) != 0;
  device.throttle_samples += is_valid(sample, DeviceField::kThrottle) ? 1 : 0;
  device.slowed_readings += slowed ? 1 : 0;
  const bool chained = device.slowed_since_ns != 0 && at_ns - before_ns <= kLongestPauseNs;
  if (!slowed) {
    device.slowed_since_ns = 0;
  } else if (!chained) {
    device.slowed_since_ns = at_ns;
  }
}

}  // namespace

bool RunModel::believable_step(const RankModel& rank, Step step) {
  const auto known = static_cast<Step>(rank.end_ns.size());
  const Step promised = rank.hello ? rank.hello->first_step : 0;
  const Step farthest = std::max({known, promised, Step{0}}) + kMaxStepJump;
  const bool fine = step >= 0 && step < farthest;
  if (!fine) ++refused_.step_out_of_range;
  return fine;
}

void RunModel::take(const messages::Stamp& stamp, const messages::StepReport& body) {
  RankModel& rank = *open_rank(stamp.rank, stamp.node);
  if (!believable_step(rank, body.step)) return;
  rank.first_step = rank.first_step < 0 ? body.step : std::min(rank.first_step, body.step);
  rank.reached = std::max(rank.reached, body.step);
  const std::int64_t began = stamp.mono_ns - std::clamp<std::int64_t>(body.step_ns, 0, kMaxPhaseNs);
  if (training_began_ns_ == 0 || began < training_began_ns_) training_began_ns_ = began;
  if (is_gone(rank, body.step, stamp.mono_ns)) {
    ++rank.steps_discarded;
    rank.lost_before = rank.counts.lost;
    return;
  }
  const bool again = !is_absent(rank.end_ns.at(step_index(body.step)));
  set_step_columns(rank, body, stamp.mono_ns);
  note_gap(rank, body.step);
  rank.newest_step = std::max(rank.newest_step, body.step);
  if (rank.newest_step == body.step) rank.newest_epoch = body.epoch;
  note_epoch_start(body);
  if (stamp.rank == rank_list_.front()) note_lr(body);
  if (!again) {
    ++rank.steps_reported;
    const std::int64_t before = ranks_at_step_.at(step_index(body.step));
    ranks_at_step_.set(step_index(body.step), is_absent(before) ? 1 : before + 1);
  }
  mean_from_ = std::min(mean_from_, step_index(body.step));
  mean_to_ = std::max(mean_to_, step_index(body.step) + 1);
}

void RunModel::set_step_columns(RankModel& rank, const messages::StepReport& body,
                                std::int64_t end_ns) {
  const std::size_t step = step_index(body.step);
  rank.end_ns.set(step, end_ns);
  rank.said_loss = rank.said_loss || std::isfinite(body.loss);
  const bool has_loss = loss_known(rank, body, !spec_.program.argv.empty());
  std::size_t place = 0;
  // Inlined, so that `place` and its row of the table are constants for each field.
  const auto store = [&](std::string_view, const auto& field) __attribute__((always_inline)) {
    const Metric metric = kMetricOfField[place++];
    if (metric == Metric::kCount || (metric == Metric::kLoss && !has_loss)) return;
    const auto value = messages::measured(field);
    if (!value || *value == info_of(metric).at_rest) return;
    if (metric == Metric::kLr && std::isnan(*value)) return;  // unknown
    const bool time = std::is_same_v<std::decay_t<decltype(field)>, std::int64_t>;
    const double believed = time ? std::min(*value, static_cast<double>(kMaxPhaseNs)) : *value;
    rank.series(metric).set(step, static_cast<float>(believed));
  };
  messages::StepReport::fields(body, store);
  if (const auto value = messages::measured(own_work(body)))
    rank.series(Metric::kOwnWork).set(step, static_cast<float>(*value));
}

void RunModel::note_epoch_start(const messages::StepReport& body) {
  if (body.epoch == -1) return;  // unknown
  if (body.epoch < 0 || body.epoch >= kMaxEpochs) {
    ++refused_.epoch_out_of_range;
    return;
  }
  const auto epoch = static_cast<std::size_t>(body.epoch);
  if (epoch >= epoch_starts_.size()) epoch_starts_.resize(epoch + 1, -1);
  Step& start = epoch_starts_[epoch];
  start = start < 0 ? body.step : std::min(start, body.step);
}

void RunModel::note_lr(const messages::StepReport& body) {
  if (std::isnan(body.lr)) return;  // unknown
  const auto lr = static_cast<float>(body.lr);
  const bool newer = lr_changes_.empty() || body.step > lr_changes_.back().first;
  const bool changed = lr_changes_.empty() || lr != lr_changes_.back().second;
  if (newer && changed && lr_changes_.size() < kKeptLrChanges)
    lr_changes_.emplace_back(body.step, lr);
}

// Computes many steps at once on demand, which makes opening a long run faster.
void RunModel::fill_mean() const {
  const std::size_t end = std::min(mean_to_, ranks_at_step_.size());
  const bool changed = attempts_.size() > 1;
  Rank everybody = world_size();
  for (std::size_t begin = mean_from_; begin < end;) {
    const auto stretch = ranks_at_step_.stretch(begin, end);
    for (std::size_t i = 0; i < stretch.values.size(); ++i) {
      if (changed) everybody = world_size_at(static_cast<Step>(begin + i));
      if (stretch.values[i] < everybody) continue;
      if (const auto mean = mean_of_step(begin + i, everybody)) mean_loss_.set(begin + i, *mean);
    }
    begin += stretch.skip;
  }
  mean_from_ = std::numeric_limits<std::size_t>::max();
  mean_to_ = 0;
}

/// Nothing if a rank does not report its loss, as the mean of the others is not that of the run.
std::optional<float> RunModel::mean_of_step(std::size_t step, Rank everybody) const {
  double sum = 0;
  double samples = 0;
  for (const Rank number : rank_list_) {
    if (number >= everybody) break;
    const RankModel& rank = *ranks_[static_cast<std::size_t>(number)];
    if (is_absent(rank.end_ns.at(step))) continue;
    if (!rank.series(Metric::kLoss).has(step)) return std::nullopt;
    const auto weight = static_cast<double>(rank.series(Metric::kSamples).at(step));
    const double used = weight > 0 ? weight : 1;
    sum += static_cast<double>(rank.series(Metric::kLoss).at(step)) * used;
    samples += used;
  }
  return static_cast<float>(sum / samples);
}

void RunModel::take(const messages::Stamp& stamp, const messages::BucketReport& body) {
  RankModel& rank = *open_rank(stamp.rank, stamp.node);
  if (!believable_step(rank, body.step) || is_gone(rank, body.step, stamp.mono_ns)) return;
  const auto known = stamp.node == 0 ? clocks_.end() : clocks_.find(stamp.node);
  const ClockOffset* clock = known == clocks_.end() ? nullptr : &known->second.use_for(body.step);
  BucketTimes times{body.step, body.bucket, bounded(body.size_bytes, kMaxCount),
                    shifted(stamp.node, body.ready_ns, clock),
                    shifted(stamp.node, body.reduced_ns, clock)};
  const std::int64_t before = rank.last_ready_ns.at(step_index(body.step));
  if (is_absent(before) || times.ready_ns > before)
    rank.last_ready_ns.set(step_index(body.step), times.ready_ns);
  rank.buckets.push_back(times);
  if (rank.buckets.size() > kKeptBuckets) rank.buckets.pop_front();
}

void RunModel::take(const messages::Stamp& stamp, const messages::EpochReport& body) {
  RankModel& rank = *open_rank(stamp.rank, stamp.node);
  const auto phase = static_cast<std::size_t>(body.phase);
  if (body.epoch < 0 || body.epoch >= kMaxEpochs || phase >= rank.epochs.size()) {
    ++refused_.epoch_out_of_range;
    return;
  }
  auto& list = rank.epochs[phase];
  const auto epoch = static_cast<std::size_t>(body.epoch);
  if (epoch >= list.size()) list.resize(epoch + 1);
  messages::EpochReport kept = body;
  const bool judged = body.correct >= 0;
  for (std::int64_t* count : {&kept.correct, &kept.counted, &kept.padded, &kept.steps}) {
    *count = bounded(*count, kMaxCount);
  }
  if (!judged) kept.correct = -1;
  kept.last_step = bounded(body.last_step, kMaxSteps);
  if (is_gone(rank, kept.last_step - 1, stamp.mono_ns)) return;
  EpochEntry entry{kept, stamp.mono_ns, world_size_of(rank), earlier_part(rank, list[epoch], kept),
                   earlier_evaluations(rank, list[epoch], kept)};
  if (entry.before) add(*entry.before, entry.report);
  list[epoch] = std::move(entry);
}

void RunModel::take(const messages::Stamp& stamp, const messages::ShardReport& body) {
  const RankModel& rank = *open_rank(stamp.rank, stamp.node);
  shards_.accept(stamp.rank, body, world_size_of(rank),
                 static_cast<std::int32_t>(attempt_of(rank)));
}

void RunModel::take(const messages::Stamp& stamp, const messages::DeviceSample& body) {
  auto& devices = rare_->devices;
  auto& places = rare_->device_places;
  const auto known = places.find({stamp.node, body.device_uuid});
  if (known == places.end() && devices.size() >= kMaxNames) {
    ++refused_.too_many_names;
    return;
  }
  if (known == places.end()) {
    places[{stamp.node, body.device_uuid}] = devices.size();
    devices.emplace_back().node = stamp.node;
  }
  DeviceModel& device = known == places.end() ? devices.back() : devices[known->second];
  const std::int64_t before_ns = device.at_ns;
  note_energy(device, body, stamp.mono_ns);
  device.latest = body;
  device.at_ns = stamp.mono_ns;
  note_slowing(device, before_ns, stamp.mono_ns);
  if (is_valid(body, DeviceField::kMemoryUsed))
    device.peak_memory_bytes = std::max(device.peak_memory_bytes, body.memory_used_bytes);
  keep_history(device, stamp.mono_ns);
}

void RunModel::take(const messages::Stamp& stamp, const messages::HostSample& body) {
  HostModel& host = rare_->hosts[stamp.node];
  const std::int64_t at_ns = stamp.mono_ns;
  host.latest = body;
  host.at_ns = stamp.mono_ns;
  host.cpu.add(at_ns, static_cast<double>(body.cpu_pct));
  host.viewer_cpu.add(at_ns, static_cast<double>(body.viewer_cpu_pct));
  if (body.memory_used_bytes >= 0)
    host.memory.add(at_ns, static_cast<double>(body.memory_used_bytes));
  const auto grow = [](std::vector<SampleHistory>& all, std::size_t size) {
    all.resize(std::max(all.size(), std::min(size, kMostLocalRanks)));
  };
  grow(host.rank_cpu, body.rank_cpu_pct.size());
  grow(host.rank_memory, body.rank_resident_bytes.size());
  for (std::size_t i = 0; i < std::min(kMostLocalRanks, body.rank_cpu_pct.size()); ++i)
    host.rank_cpu[i].add(at_ns, static_cast<double>(body.rank_cpu_pct[i]));
  for (std::size_t i = 0; i < std::min(kMostLocalRanks, body.rank_resident_bytes.size()); ++i) {
    if (body.rank_resident_bytes[i] >= 0)
      host.rank_memory[i].add(at_ns, static_cast<double>(body.rank_resident_bytes[i]));
  }
}

void RunModel::take(const messages::Stamp& stamp, const messages::RankState& body) {
  const Rank about = stamp.rank == kNoRank ? body.about : stamp.rank;
  if (about == kNoRank && !messages::is_of_run(stamp, &body))
    return;  // state of one node, not of the run
  if (about == kNoRank) {
    if (rare_->run_state && body.attempt > rare_->run_state->attempt) forget_states(body.attempt);
    rare_->run_state = body;
    auto& states = rare_->run_states;
    std::int64_t last_record_ns = 0;
    for (const Rank rank : ranks())
      last_record_ns = std::max(last_record_ns, this->rank(rank)->last_record_ns);
    if (states.size() < kKeptStates) states.push_back({stamp.mono_ns, body, last_record_ns});
    return;
  }
  if (about < 0 || about >= kMaxRanks) {
    ++refused_.rank_out_of_range;
    return;
  }
  RankModel& rank = *open_rank(about, stamp.node);
  // A rank that reports its wait makes no progress.
  const bool waits = rank.state && rank.state->state == messages::State::kTraining &&
                     body.state == messages::State::kTraining && !body.last_collective.empty();
  rank.collective_ns = stamp.mono_ns;
  if (!waits) rank.state_ns = stamp.mono_ns;
  rank.state = body;
  rank.state->last_step = bounded(body.last_step, kMaxSteps);
}

void RunModel::take(const messages::Stamp& stamp, const messages::ClockSync& body) {
  // Syncs between nodes are handled in compare_clock().
  if (stamp.rank == kNoRank || body.peer != stamp.node) return;
  open_rank(stamp.rank, stamp.node)->clock_uncertainty_ns =
      std::clamp<std::int64_t>(body.uncertainty_ns, 0, kMaxOffsetNs);
}

void RunModel::compare_clock(const messages::Stamp& stamp, const messages::ClockSync& body) {
  const bool of_device = stamp.rank != kNoRank && body.peer == stamp.node;
  if (of_device || (stamp.node != 0 && body.peer != 0)) return;
  const std::int64_t offset = bounded(body.offset_ns, kMaxOffsetNs);
  ClockOffset told{stamp.node == 0 ? offset : -offset,
                   std::clamp<std::int64_t>(body.uncertainty_ns, 0, kMaxOffsetNs), 0};
  told.at_ns = shifted(stamp.node, stamp.mono_ns, stamp.node == 0 ? nullptr : &told);
  clocks_[stamp.node == 0 ? body.peer : stamp.node].add(told);
}

void RunModel::take(const messages::Stamp& stamp, const messages::Checkpoint& body) {
  rare_->checkpoints.push_back({stamp, body});
}

void RunModel::take(const messages::Stamp& stamp, const messages::Notice& body) {
  ++notices_seen_;
  const RankModel* record_sender = rank(stamp.rank);
  const auto& state = rare_->run_state;
  const std::int32_t attempt = record_sender != nullptr && record_sender->hello
                                   ? record_sender->hello->attempt
                               : state ? state->attempt
                                       : 0;
  rare_->notices.push_back({stamp, body, attempt});
  if (rare_->notices.size() > kKeptNotices) rare_->notices.pop_front();
}

void RunModel::take(const messages::Stamp& stamp, const messages::Scalar& body) {
  if (body.step == kNoStep) {
    ++refused_.step_out_of_range;
    return;
  }
  if (stamp.rank != kNoRank &&
      is_gone(*open_rank(stamp.rank, stamp.node), body.step, stamp.mono_ns))
    return;
  using Taken = ScalarStore::Taken;
  const Taken taken =
      scalars_.add(body.name, stamp.rank, body.step, body.value, stamp.mono_ns, body.own_step != 0);
  if (taken == Taken::kTooManyNames) ++refused_.too_many_names;
  if (taken == Taken::kStepTooFarBack) ++refused_.step_out_of_range;
}

void RunModel::take(const messages::Stamp& stamp, const messages::RankGoodbye& body) {
  RankModel& rank = *open_rank(stamp.rank, stamp.node);
  rank.goodbye = body;
}

void RunModel::take(const messages::Stamp& stamp, const messages::DeviceLink& body) {
  if (rare_->links.size() >= kMaxNames) {
    ++refused_.too_many_names;
    return;
  }
  rare_->links[{stamp.node, {body.from_uuid, body.to_uuid}}] = body.link;
}

void RunModel::take(const messages::Stamp& stamp, const messages::GroupReport& body) {
  if (!rare_->groups.add(stamp.rank, body)) ++refused_.too_many_names;
}

void RunModel::take(const messages::Stamp& stamp, const messages::CollectiveReport& body) {
  const RankModel& rank = *open_rank(stamp.rank, stamp.node);
  if (!believable_step(rank, body.step) || is_gone(rank, body.step, stamp.mono_ns)) return;
  messages::CollectiveReport shown = body;
  shown.entered_ns = shifted(stamp.node, body.entered_ns);
  if (body.done_ns >= 0) shown.done_ns = shifted(stamp.node, body.done_ns);
  if (body.own_ns >= 0) shown.own_ns = std::min(body.own_ns, kMaxPhaseNs);
  shown.size_bytes = bounded(body.size_bytes, kMaxCount);
  (void)rare_->groups.add(stamp.rank, shown);  // false if the report of its group was lost
}

}  // namespace ringside::model
