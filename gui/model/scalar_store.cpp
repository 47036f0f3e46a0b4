#include "gui/model/scalar_store.h"

#include <algorithm>

namespace ringside::model {

const ScalarSeries* ScalarName::of(Rank rank) const {
  const auto at = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
  if (at == ranks_.end() || *at != rank) return nullptr;
  return series_[static_cast<std::size_t>(at - ranks_.begin())].get();
}

ScalarSeries& ScalarName::open(Rank rank) {
  const auto at = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
  const auto place = at - ranks_.begin();
  if (at == ranks_.end() || *at != rank) {
    ranks_.insert(at, rank);
    series_.insert(series_.begin() + place, std::make_unique<ScalarSeries>());
    mean_known_ = false;
    mean_from_ = kNoStep;
  }
  return *series_[static_cast<std::size_t>(place)];
}

const ScalarSeries& ScalarName::mean() const {
  if (!mean_known_) fill_mean();
  return mean_;
}

/// Updates the mean from the first changed step on, which is fast, as series grow at their ends.
void ScalarName::fill_mean() const {
  mean_.drop_from(mean_from_);
  const std::size_t first = first_rank();
  const std::size_t count = ranks_.size() - first;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < count; ++i)
    places.push_back(series_[first + i]->place_of_step(mean_from_));
  mean_from_ = std::numeric_limits<Step>::max();
  mean_known_ = true;
  if (count < 2) return;
  for (;;) {
    Step step = kNoStep;
    bool all = true;
    for (std::size_t i = 0; i < count; ++i) {
      const ScalarSeries& series = *series_[first + i];
      if (places[i] == series.size()) return;
      const Step here = series.step_at(places[i]);
      all = all && (i == 0 || here == step);
      step = std::max(step, here);
    }
    double sum = 0;
    double late = 0;  // sum of the delays after the first rank
    for (std::size_t i = 0; all && i < count; ++i) {
      const ScalarSeries& series = *series_[first + i];
      sum += static_cast<double>(series.values().at(places[i]));
      late += static_cast<double>(series.ns_at(places[i]) - series_[first]->ns_at(places[0]));
    }
    const auto ranks = static_cast<double>(count);
    if (all) {
      const auto mean_late = static_cast<std::int64_t>(late / ranks);
      mean_.add(step, sum / ranks, series_[first]->ns_at(places[0]) + mean_late);
    }
    for (std::size_t i = 0; i < count; ++i)
      places[i] = all ? places[i] + 1 : series_[first + i]->place_of_step(step);
  }
}

/// kNoStep: none, or none among the newest.
Step ScalarName::newest_shared_step() const {
  Step step = std::numeric_limits<Step>::max();
  for (int tries = 0; tries < 64; ++tries) {
    const Step wanted = step;
    for (std::size_t i = first_rank(); i < series_.size(); ++i) {
      const std::size_t behind = series_[i]->place_behind(wanted);
      if (behind == 0) return kNoStep;
      step = std::min(step, series_[i]->step_at(behind - 1));
    }
    if (step == wanted) return step;
  }
  return kNoStep;
}

ScalarLatest ScalarName::latest() const {
  const std::size_t first = first_rank();
  const Step shared = series_.size() - first < 2 ? kNoStep : newest_shared_step();
  ScalarLatest latest;
  if (shared != kNoStep) {
    double sum = 0;
    for (std::size_t i = first; i < series_.size(); ++i) {
      const ScalarSeries& series = *series_[i];
      sum += series.latest_step() == shared
                 ? series.latest()
                 : static_cast<double>(series.values().at(series.place_of_step(shared)));
    }
    return {sum / static_cast<double>(series_.size() - first), shared, true};
  }
  for (const auto& series : series_) {
    if (series->latest_step() > latest.step)
      latest = {series->latest(), series->latest_step(), false};
  }
  return latest;
}

std::size_t ScalarName::memory_bytes() const {
  std::size_t total = name_.capacity() + mean_.memory_bytes();
  for (const auto& series : series_) total += sizeof(ScalarSeries) + series->memory_bytes();
  return total;
}

ScalarStore::Taken ScalarStore::add(const std::string& name, Rank rank, Step step, double value,
                                    std::int64_t at_ns, bool own_step) {
  const auto found = by_name_.find(name);
  const ScalarSeries* known = found == by_name_.end() ? nullptr : found->second->of(rank);
  if (known == nullptr) {
    const bool room = found != by_name_.end() || names_.size() < kMostNames;
    if (!room || series_count_ == kMostSeries) return Taken::kTooManyNames;
    ++series_count_;
  }
  ScalarName* entry = found == by_name_.end() ? nullptr : found->second;
  if (entry == nullptr) {
    entry = &names_.emplace_back(name);
    by_name_.emplace(entry->name(), entry);
  }
  if (!entry->open(rank).add(step, value, at_ns)) return Taken::kStepTooFarBack;
  entry->own_steps_ = own_step;
  entry->note(step);
  return Taken::kYes;
}

void ScalarStore::resume(Rank rank, Step first_step) {
  for (ScalarName& entry : names_) {
    const ScalarSeries* series = entry.of(rank);
    if (series == nullptr || series->latest_step() < first_step) continue;
    entry.open(rank).drop_from(first_step);
    entry.note(first_step);
  }
}

const ScalarName* ScalarStore::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::size_t ScalarStore::memory_bytes() const {
  std::size_t total = 0;
  for (const ScalarName& entry : names_) total += entry.memory_bytes();
  return total;
}

}  // namespace ringside::model
