// Scalars of any program: a series for every name and rank, and the mean over ranks of each name. A
// record costs one hash of its name and a search among the name's ranks. One thread; lives inside
// the model.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gui/model/scalar_series.h"
#include "protocol/base/ids.h"

namespace ringside::model {

struct ScalarLatest {
  double value = std::numeric_limits<double>::quiet_NaN();
  Step step = kNoStep;
  bool mean = false;
};

class ScalarName {
 public:
  explicit ScalarName(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  /// Changes with every value of this name.
  std::uint64_t revision() const { return revision_; }
  /// The ranks that reported the scalar, ascending; kNoRank, first, is the agent or a source for
  /// the whole run.
  const std::vector<Rank>& ranks() const { return ranks_; }
  /// The values from ranks()[i]; may be empty after a resume.
  const ScalarSeries& series(std::size_t i) const { return *series_[i]; }
  const ScalarSeries* of(Rank rank) const;
  /// Mean over the ranks, without kNoRank, at the steps that all of them have; times are means,
  /// too. Empty with fewer than two ranks.
  const ScalarSeries& mean() const;

  /// The mean over ranks at the newest step that all of them have; with a single rank, or if they
  /// share no recent step, the value of the highest step. Does not need mean().
  ScalarLatest latest() const;
  /// Index of the first real rank in ranks(), after kNoRank.
  std::size_t first_rank() const { return !ranks_.empty() && ranks_.front() == kNoRank ? 1 : 0; }

  /// Whether the program gave the number of the newest record's step; all values of the name are
  /// shown in this count.
  bool own_steps() const { return own_steps_; }

  std::size_t memory_bytes() const;

 private:
  friend class ScalarStore;
  ScalarSeries& open(Rank rank);
  void note(Step step) {
    ++revision_;
    mean_known_ = false;
    mean_from_ = std::min(mean_from_, step);
  }
  void fill_mean() const;
  Step newest_shared_step() const;

  std::string name_;
  bool own_steps_ = false;
  std::uint64_t revision_ = 0;
  std::vector<Rank> ranks_;
  std::vector<std::unique_ptr<ScalarSeries>> series_;  ///< by index in ranks_
  mutable ScalarSeries mean_;  ///< complete, or only for steps below mean_from_
  mutable bool mean_known_ = true;
  mutable Step mean_from_ = std::numeric_limits<Step>::max();
};

class ScalarStore {
 public:
  static constexpr std::size_t kMostNames = std::size_t{1} << 14;
  static constexpr std::size_t kMostSeries = std::size_t{1} << 17;

  enum class Taken : std::uint8_t { kYes, kTooManyNames, kStepTooFarBack };
  /// Any step but kNoStep.
  Taken add(const std::string& name, Rank rank, Step step, double value, std::int64_t at_ns,
            bool own_step = false);
  /// Called when the rank continued from `first_step`: its later values are of an earlier attempt
  /// and are dropped.
  void resume(Rank rank, Step first_step);

  /// Scalars in the order in which they first appeared.
  const std::deque<ScalarName>& names() const { return names_; }
  const ScalarName* find(std::string_view name) const;
  bool empty() const { return names_.empty(); }

  std::size_t memory_bytes() const;

 private:
  std::deque<ScalarName> names_;
  std::unordered_map<std::string_view, ScalarName*> by_name_;  ///< keys refer to names_
  std::size_t series_count_ = 0;
};

}  // namespace ringside::model
