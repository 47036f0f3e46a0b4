// The Sampler page as data: which rank drew which sample in which epoch, what is wrong with that,
// and the effect of repeats on accuracy. All figures come from reports of the ranks
// (analysis/sampling.h, ownership.h, evaluation.h). Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/analysis/ownership.h"
#include "gui/model/run_model_fwd.h"
#include "gui/view/chart/chart.h"
#include "gui/view/runs/runs_view.h"
#include "gui/view/table.h"
#include "gui/view/words.h"

namespace ringside::view {

namespace label {
inline constexpr const char* kOwnership = "Who owns which sample";
inline constexpr const char* kChecks = "Checks";
inline constexpr const char* kFirstSamples = "First samples drawn";
inline constexpr const char* kValidation = "Validation, padded against exact";
inline constexpr const char* kMoved = "Moved to another rank";
inline constexpr const char* kShards = "Shards";
inline constexpr const char* kFixSampling = "Fix for the next launch";
inline constexpr const char* kExportShards = "Export CSV##shards";
inline constexpr const char* kNoShards = "The first epoch has not reported its samples.";
inline constexpr const char* kOneRank = "One rank draws every sample.";
inline constexpr const char* kNeverShards = "No epoch reported its samples.";
inline constexpr const char* kSecondEpoch = "known from the second epoch on";
inline constexpr const char* kRepeatsUnknown =
    "Which samples were counted twice is not known: the program does not say how it padded.";
inline constexpr const char* kOneEpoch = "not known: one epoch alone was reported";
}  // namespace label

/// Samples in one cell of the grid.
inline constexpr std::array<std::int64_t, 3> kSamplesPerCell{1, 16, 256};

struct SamplerChoice {
  std::int64_t per_cell = 1;
  std::int64_t first_sample = 0;  ///< at the left edge of the grid
  std::int64_t first_row = -1;    ///< at the top of the grid; below 0: scrolled to the newest
  /// Picked epoch, shown with the one before it; below 0: the newest.
  std::int64_t pass = -1;
  bool operator==(const SamplerChoice&) const = default;
};

/// An epoch of one attempt, or the line between two attempts.
struct SamplerRow {
  std::int64_t pass = -1;  ///< below 0: a dividing line
  std::string epoch{};     ///< "15"; for a dividing line its text: "resumed from a checkpoint"
  std::string moved{};     ///< "66.7"
  bool repeated = false;   ///< it has the order of an earlier epoch
  bool still = false;      ///< no sample was reassigned, though some should be
  bool picked = false;
  std::vector<analysis::OwnedCell> cells{};  ///< empty: no longer stored
};

struct SamplerGridView {
  Sentence empty;  ///< why there is no grid; empty: there is one
  std::string subtitle;
  std::vector<SamplerRow> rows;  ///< the visible ones
  std::int64_t first_row = 0;
  std::int64_t all_rows = 0;
  std::int64_t first_sample = 0;
  std::int64_t per_cell = 1;
  std::int64_t dataset_size = 0;
  std::int64_t columns = 0;   ///< cells in a row
  std::int64_t pass = -1;     ///< the picked pass
  std::vector<Rank> colors;   ///< for each rank, the rank whose colour it has
  bool by_node = false;       ///< all ranks of a node have one colour
  Tone found = Tone::kError;  ///< tone of repeats
  std::vector<Tick> below;    ///< at columns of the grid
  std::vector<Tick> overall;  ///< at shares of the data set
  std::vector<double> twice;  ///< where samples were drawn again, as shares of the data set
  double seen_begin = 0;      ///< visible part of the grid, as shares of it
  double seen_end = 1;
};

/// The size of the whole grid: cells of the data set and rows of the run.
struct GridSize {
  std::int64_t columns = 0;
  std::int64_t rows = 0;
};
GridSize grid_size(const model::RunModel& run, std::int64_t per_cell);
/// Computes `columns` cells and `rows` rows; a scroll position outside the grid is clamped.
SamplerGridView build_sampler_grid(const model::RunModel& run, const SamplerChoice& choice,
                                   std::int64_t columns, std::int64_t rows);
/// The tooltip of a cell; empty if there is none.
std::string cell_hint(const SamplerGridView& grid, std::size_t row, std::size_t column);

struct SampleCheckView {
  Shape shape = Shape::kNone;
  Tone tone = Tone::kText;
  std::string title;
  std::string detail;
};

struct SamplerAlarm {
  Sentence main;
  std::string why;
  bool can_fix = false;  ///< fixed by sampler.set_epoch
};

/// The first samples of two passes side by side.
struct FirstSamplesView {
  std::string none;           ///< why there are no samples to show; empty: there are some
  std::string before, after;  ///< "Epoch 23"; empty: there is none
  struct Row {
    Rank rank = 0;
    std::string before, after;
    bool same = false;
  };
  std::vector<Row> rows;
  std::string before_print, after_print;  ///< hash of the whole order: "8f3c21d0"
  bool same_order = false;
  Tone found = Tone::kError;  ///< tone of equal parts
  std::string note;
  struct Pair {
    std::string word;       ///< "epoch 23 and 24"
    std::int64_t pass = 0;  ///< the second of the two
  };
  std::vector<Pair> pairs;  ///< pairs to choose from
  int chosen = 0;
};

/// The share of samples that were reassigned to another rank, by pass.
struct MovedView {
  struct Bar {
    double share = 0;  ///< NaN: unknown
    bool still = false;
  };
  std::vector<Bar> bars;    ///< if a bar covers several passes, the smallest of their shares
  std::vector<Tick> ticks;  ///< at bars
  double expected = 0;
  std::string expected_text;  ///< "expected 2/3"
  std::string now;            ///< "66.7 %"
  bool still = false;
  Tone found = Tone::kError;  ///< tone of epochs without reassigned samples
  Sentence empty;
};

struct ValidationView {
  Table table;
  std::string subtitle;  ///< "10,000 images on 3 ranks"
  struct Mark {
    Rank rank = kNoRank;  ///< kNoRank: all ranks
    double at = 0;        ///< 0 .. 1 of the axis
  };
  std::vector<Mark> marks;
  std::vector<Tick> ticks;  ///< at 0 .. 1 of the axis
};

struct SamplerView {
  std::string no_shards;  ///< why there are no shards to show; empty: there are some
  std::vector<Sentence> facts;
  std::optional<SamplerAlarm> alarm;
  std::vector<SampleCheckView> checks;
  struct Count {
    std::string text;  ///< "3 passed"
    Tone tone = Tone::kText;
  };
  std::vector<Count> counts;
  FirstSamplesView first;
  MovedView moved;
  ValidationView validation;
  Table shards;
  std::string shards_epoch;  ///< "epoch 24"
  std::vector<Rank> legend;  ///< ranks with a colour of their own
};
SamplerView build_sampler_view(const model::RunModel& run, const SamplerChoice& choice);

/// Why there are no shards to show: none yet, or never, because the run has ended or its sampler
/// cannot be observed.
Sentence why_no_shards(const model::RunModel& run);
/// Why there are no shards in short, for a small panel; empty: there are some.
std::string no_shards(const model::RunModel& run);
/// The text in place of a figure that needs two epochs if there is only one: the second is not
/// complete yet, or the run has ended.
std::string of_two_epochs(const model::RunModel& run);

// The parts of SamplerView, which the command line prints as tables.
std::vector<SampleCheckView> sample_checks(const model::RunModel& run);
std::optional<SamplerAlarm> sampler_alarm(const model::RunModel& run);
FirstSamplesView first_samples(const model::RunModel& run, std::int64_t pass);
MovedView moved_view(const model::RunModel& run);
ValidationView validation_view(const model::RunModel& run);
Table shard_table(const model::RunModel& run, std::int64_t pass);
/// Checks, shards of the newest pass, first samples and validation, for the terminal and JSON;
/// unknown parts are left out.
std::vector<Table> sampler_tables(const model::RunModel& run);

/// Runs whose samples can be shown, newest first.
struct SampledRuns {
  std::vector<std::string> ids;
  std::vector<std::string> words;  ///< "#1036 resnet50 · cifar10, 3 GPUs"
  int chosen = -1;                 ///< index of the shown one; below 0: none
};
SampledRuns sampled_runs(std::span<const RunSummary> runs, const std::string& shown, int number,
                         const std::string& title);

/// The tone of epochs that repeat the order of an earlier one: a warning if the settings request
/// that order, or else an error.
Tone repeat_tone(const model::RunModel& run);
/// The pass that is picked, or the newest; below 0: there is none.
std::int64_t shown_pass(const model::RunModel& run, std::int64_t picked);
/// "15", or with its attempt, "15, attempt 2", if several attempts trained that epoch.
std::string pass_label(const model::RunModel& run, std::int64_t pass);

}  // namespace ringside::view
