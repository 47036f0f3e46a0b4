#include "gui/watch/table_columns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "gui/watch/step_names.h"
#include "gui/watch/table_text.h"
#include "protocol/base/printable.h"
#include "protocol/base/text.h"

namespace ringside::watch {
namespace {

constexpr std::size_t kMaxColumns = 65'536;
constexpr std::size_t kMostParts = 8;
constexpr std::size_t kMostRuns = 500;

/// Names that training libraries use for steps, without separators; the most certain first, and
/// last those that may also be amounts.
constexpr std::array<std::string_view, 63> kStepNames = {"step",
                                                         "steps",
                                                         "globalstep",
                                                         "globalsteps",
                                                         "currentstep",
                                                         "currentsteps",
                                                         "trainstep",
                                                         "trainsteps",
                                                         "trainingstep",
                                                         "trainingsteps",
                                                         "totalsteps",
                                                         "numsteps",
                                                         "nsteps",
                                                         "stepnum",
                                                         "stepidx",
                                                         "optstep",
                                                         "optimizerstep",
                                                         "totaltimesteps",
                                                         "timestepstotal",
                                                         "numtimesteps",
                                                         "timesteps",
                                                         "timestep",
                                                         "totalenvsteps",
                                                         "envsteps",
                                                         "envstep",
                                                         "numenvsteps",
                                                         "numenvstepssampled",
                                                         "totalnumsteps",
                                                         "totalenvinteracts",
                                                         "iteration",
                                                         "iterations",
                                                         "iter",
                                                         "iters",
                                                         "globaliter",
                                                         "globaliteration",
                                                         "niter",
                                                         "numiter",
                                                         "niters",
                                                         "iternum",
                                                         "iterationnum",
                                                         "trainingiteration",
                                                         "it",
                                                         "its",
                                                         "numupdates",
                                                         "nupdates",
                                                         "update",
                                                         "updates",
                                                         "totalupdates",
                                                         "epoch",
                                                         "epochs",
                                                         "epochnum",
                                                         "numepoch",
                                                         "nepoch",
                                                         "curepoch",
                                                         "episode",
                                                         "episodes",
                                                         "round",
                                                         "generation",
                                                         "frame",
                                                         "frames",
                                                         "batches",
                                                         "samples",
                                                         "tokens"};

/// Names that may count other things than steps if the table's name is not that of a logger.
constexpr std::array<std::string_view, 11> kDoubtfulNames = {
    "it",    "its",    "update",  "updates", "round", "generation",
    "frame", "frames", "batches", "samples", "tokens"};
constexpr std::array<std::string_view, 3> kEpochNames = {"epoch", "epochs", "epochnum"};

/// Names of counts within an epoch, which restart in the next one.
constexpr std::array<std::string_view, 8> kBatchNames = {
    "batch", "batchidx", "batchindex", "batchid", "batchnum", "minibatch", "minibatchidx", "i"};
constexpr std::array<std::string_view, 8> kTimeNames = {"walltime", "timestamp", "datetime", "time",
                                                        "date",     "createdat", "ts",       "utc"};
/// Names of the column with the values' names in a table with one value per row.
constexpr std::array<std::string_view, 6> kValueNames = {"name", "tag",        "metric",
                                                         "key",  "metricname", "variable"};
constexpr std::array<std::string_view, 4> kRunNames = {"run", "runid", "runname", "dirname"};
constexpr std::array<std::string_view, 10> kPartNames = {
    "phase", "split", "mode", "stage", "subset", "set", "dataset", "partition", "fold", "part"};
/// Columns of our own tables that identify the source or time, and are not curves.
constexpr std::array<std::string_view, 6> kOurOwn = {"run",    "node",    "seq",
                                                     "monons", "attempt", "record"};

/// The name in lower case without separators: "globalstep" for "Global Step", "trainstep" for
/// "trainStep".
std::string plain_name(std::string_view name) {
  std::string plain = lower_case(name);
  std::erase_if(plain,
                [](char c) { return std::string_view(" _-.#").find(c) != std::string_view::npos; });
  return plain;
}

std::string behind_slash(const std::string& name) {
  return plain_name(name.substr(name.find_last_of('/') + 1));
}

class Choice {
 public:
  Choice(const TableRow& header, const std::vector<TableRow>& sample, const TableOptions& options,
         char separator, std::vector<LeftOut>& left_out)
      : header_(header),
        sample_(sample),
        options_(options),
        separator_(separator),
        left_out_(left_out) {
    for (const std::string& cell : header) {
      plain_.push_back(plain_name(cell));
      last_.push_back(behind_slash(plain_.back()));
    }
  }

  TableColumns choose() {
    ours_ = place_of("seq") >= 0 && place_of("monons") >= 0;
    columns_.time = first_of(kTimeNames, [&](int i) { return is_time(i); });
    columns_.rank =
        first_of(std::array<std::string_view, 1>{"rank"}, [&](int i) { return is_rank(i); });
    columns_.name = first_of(kValueNames, [&](int i) {
      return plain_[static_cast<std::size_t>(i)] == "name" || is_of_words(i);
    });
    columns_.value = place_of("value");
    if (columns_.name < 0 || columns_.value < 0) columns_.name = columns_.value = -1;
    choose_step();
    columns_.epoch_of_steps = columns_.epoch >= 0 && columns_.step >= 0 &&
                              std::ranges::any_of(header_, [](const std::string& name) {
                                return step_field_of(name) == StepField::kLoss;
                              });
    name_curves();
    return columns_;
  }

 private:
  template <class Names, class Fits>
  int first_of(const Names& names, Fits&& fits) const {
    for (const auto* list : {&plain_, &last_}) {
      for (const std::string_view name : names) {
        for (std::size_t i = 0; i < list->size(); ++i) {
          if ((*list)[i] == name && fits(static_cast<int>(i))) return static_cast<int>(i);
        }
      }
    }
    return -1;
  }
  int place_of(std::string_view name) const {
    return first_of(std::array<std::string_view, 1>{name}, [](int) { return true; });
  }
  std::string_view cell(const TableRow& row, int column) const {
    const auto place = static_cast<std::size_t>(column);
    return column >= 0 && place < row.size() ? std::string_view(row[place]) : std::string_view();
  }

  bool is_time(int column) const {
    if (sample_.empty()) return plain_[static_cast<std::size_t>(column)] != "time";
    return std::ranges::any_of(
        sample_, [&](const TableRow& row) { return !std::isnan(cell_time(cell(row, column))); });
  }

  /// Whether a column holds ranks: several different ones, starting at 0. A column of that name
  /// with a single value is something else.
  bool is_rank(int column) const {
    if (ours_) return true;
    std::set<std::int64_t> ranks;
    for (const TableRow& row : sample_) {
      const std::string_view text = cell(row, column);
      const auto rank = cell_step(text, separator_);
      if (!rank && !is_blank(text)) return false;
      if (rank) ranks.insert(*rank);
    }
    return !ranks.empty() && *ranks.begin() == 0 &&
           *ranks.rbegin() == static_cast<std::int64_t>(ranks.size()) - 1;
  }

  /// Whether all numbers in the column are integers and at least one is a step.
  bool holds_steps(int column) const {
    bool any = sample_.empty();
    for (const TableRow& row : sample_) {
      const std::string_view text = cell(row, column);
      const bool step = cell_step(text, separator_).has_value();
      const auto number = cell_number(text, separator_);
      if (!step && number && std::isfinite(*number) && *number != std::floor(*number)) return false;
      any = any || step;
    }
    return any;
  }

  std::string names_text() const {
    constexpr std::size_t kMost = 20;
    std::string text;
    for (std::size_t i = 0; i < std::min(header_.size(), kMost); ++i)
      text += (i == 0 ? "" : ", ") + printable_line(header_[i]);
    return text + (header_.size() > kMost ? ", and more" : "");
  }

  void choose_step() {
    if (!options_.step.empty()) {
      const auto named = std::ranges::find_if(header_, [&](const std::string& one) {
        return lower_case(one) == lower_case(options_.step);
      });
      if (named != header_.end()) columns_.step = static_cast<int>(named - header_.begin());
      if (named == header_.end())
        columns_.why_rows =
            "no column is called " + printable_line(options_.step) + ", but: " + names_text();
      return;
    }
    const auto fits = [&](int i) { return holds_steps(i); };
    columns_.step = first_of(kStepNames, fits);
    const int epoch = first_of(kEpochNames, fits);
    const bool by_epoch = columns_.step >= 0 && columns_.step == epoch;
    if (!by_epoch) columns_.epoch = epoch;
    if (columns_.step < 0 || (by_epoch && repeats(columns_.step))) {
      const int batch = first_of(kBatchNames, fits);
      if (batch >= 0 && !repeats(batch)) {
        columns_.step = batch;
        columns_.epoch = epoch;
        columns_.begins_anew = true;
      }
    }
    if (!options_.rows_are_steps && columns_.step >= 0 && is_doubtful()) columns_.step = -1;
    if (columns_.step < 0) {
      const bool named = first_of(kStepNames, [](int) { return true; }) >= 0;
      columns_.why_rows = named ? "the column of steps has values that are not whole numbers"
                                : "no column is called step, iteration, epoch or the like";
      return;
    }
    if (columns_.name >= 0 && !ours_)
      columns_.part = first_of(kRunNames, [&](int i) { return is_part(i, kMostRuns); });
    if (columns_.name >= 0 || !repeats(columns_.step)) return;
    columns_.part = first_of(kPartNames, [&](int i) { return is_part(i, kMostParts); });
    if (columns_.part >= 0 && !repeats(columns_.step)) return;
    columns_.part = -1;
    columns_.why_rows = "rows with the same " +
                        printable_line(header_[static_cast<std::size_t>(columns_.step)]) +
                        " follow one another";
    columns_.step = -1;
  }

  bool is_doubtful() const {
    const std::string& name = last_[static_cast<std::size_t>(columns_.step)];
    return ours_ || std::ranges::find(kDoubtfulNames, name) != kDoubtfulNames.end();
  }

  bool is_of_words(int column) const {
    return !sample_.empty() && std::ranges::none_of(sample_, [&](const auto& row) {
      const std::string_view text = cell(row, column);
      return text.empty() || cell_number(text, separator_);
    });
  }

  /// Whether the column has words, several different ones but not many.
  bool is_part(int column, std::size_t most) const {
    if (!is_of_words(column)) return false;
    std::set<std::string_view> words;
    for (const TableRow& row : sample_) words.insert(cell(row, column));
    return words.size() > 1 && words.size() <= most;
  }

  /// Whether a third of the rows repeat a step of earlier rows that have values in all the same
  /// columns.
  bool repeats(int column) const {
    std::size_t again = 0;
    std::size_t rows = 0;
    std::int64_t before = 0;
    std::set<std::string> filled;
    for (const TableRow& row : sample_) {
      const auto step = cell_step(cell(row, column), separator_);
      if (!step) continue;
      if (rows++ == 0 || *step != before) filled.clear();
      before = *step;
      bool twice = false;
      bool anew = false;
      for (std::size_t i = 0; i < row.size(); ++i) {
        const int place = static_cast<int>(i);
        if (place == column || place == columns_.rank || place == columns_.time ||
            place == columns_.epoch || i >= header_.size() || header_[i].empty() ||
            !cell_number(row[i], separator_))
          continue;
        const std::string key = std::to_string(i) + " " + std::string(cell(row, columns_.rank)) +
                                " " + std::string(cell(row, columns_.part));
        (filled.insert(key).second ? anew : twice) = true;
      }
      again += twice && !anew ? 1 : 0;
    }
    return again > 0 && 3 * again >= rows;
  }

  void name_curves() {
    std::map<std::string, int> used;
    for (std::size_t i = 0; i < header_.size(); ++i) {
      const int column = static_cast<int>(i);
      const bool known = column == columns_.step || column == columns_.time ||
                         column == columns_.rank || column == columns_.part ||
                         (ours_ && std::ranges::find(kOurOwn, plain_[i]) != kOurOwn.end());
      const bool curve = columns_.name < 0 && !known && i < kMaxColumns;
      columns_.curves.push_back(curve && !header_[i].empty());
      std::string name = header_[i];
      if (!options_.value_name.empty() && plain_[i] == "value" && header_.size() <= 3)
        name = options_.value_name;
      if (const int times = used[name]++; times > 0) name += "." + std::to_string(times);
      columns_.names.push_back(std::move(name));
      if (columns_.name >= 0 || known) continue;
      if (header_[i].empty() && has_values(column))
        leave_out(left_out_, {"a column has no name", "column " + std::to_string(i + 1), 1, true});
      if (i >= kMaxColumns)
        leave_out(left_out_, {"a table has more than " + std::to_string(kMaxColumns) + " columns",
                              "column " + std::to_string(i + 1)});
    }
  }

  bool has_values(int column) const {
    return std::ranges::any_of(sample_,
                               [&](const TableRow& row) { return !is_blank(cell(row, column)); });
  }

  const TableRow& header_;
  const std::vector<TableRow>& sample_;
  const TableOptions& options_;
  const char separator_;
  std::vector<LeftOut>& left_out_;
  std::vector<std::string> plain_;
  std::vector<std::string> last_;  ///< the part of each name after its last slash
  bool ours_ = false;
  TableColumns columns_;
};

}  // namespace

bool names_step(const TableRow& cells) {
  return std::ranges::any_of(cells, [](const std::string& cell) {
    return std::ranges::find(kStepNames, behind_slash(cell)) != kStepNames.end();
  });
}

bool is_header(const TableRow& cells, char separator) {
  return std::ranges::none_of(
      cells, [&](const std::string& cell) { return cell_number(cell, separator).has_value(); });
}

TableColumns columns_of(const TableRow& header, const std::vector<TableRow>& sample,
                        const TableOptions& options, char separator,
                        std::vector<LeftOut>& left_out) {
  return Choice(header, sample, options, separator, left_out).choose();
}

}  // namespace ringside::watch
