#include "gui/session/export_controller.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <system_error>
#include <utility>

#include "gui/session/export_run.h"
#include "gui/view/carry_out.h"
#include "gui/view/log_damage.h"
#include "gui/view/number_format.h"
#include "gui/view/window/sheet_labels.h"
#include "protocol/base/clock.h"
#include "protocol/host/user_folders.h"

namespace ringside::session {

struct ExportProgress {
  std::atomic<std::uint64_t> done{0};
  std::atomic<std::uint64_t> total{0};
  std::atomic<bool> cancelled{false};
};

namespace {

namespace fs = std::filesystem;

constexpr const char* kJob = "export";
constexpr std::int64_t kWakeEveryNs = 100'000'000;

/// The result of an export job.
struct Ending {
  view::Tone tone = view::Tone::kOk;
  std::string text;
  bool exists = false;  ///< nothing was written, because something else exists at that path
  std::string made{};   ///< the written file, or the folder of the written files; empty: none
};

Ending ended(const Error& error) { return {view::Tone::kError, error.message, false}; }

/// The path to write to. `usual`: the default folder for exports of the run.
Result<fs::path> place_of(const view::ExportRun& wanted, const fs::path& usual) {
  if (wanted.path.empty()) return fs::path(view::export_place(wanted.kind, usual.string()));
  if (wanted.path.front() == '/') return fs::path(wanted.path);
  if (wanted.path != "~" && !wanted.path.starts_with("~/"))
    return bad_request("the path of an export must start with / or ~/, unlike " + wanted.path);
  const auto home = RINGSIDE_TRY(home_folder());
  return wanted.path.size() < 3 ? home : home / wanted.path.substr(2);
}

template <class Summary>
Ending ending_of(const Result<Exported<Summary>>& exported, std::uint64_t Summary::*entries,
                 const char* what) {
  if (!exported) return ended(exported.error());
  const auto& written = exported->written;
  std::string text = fmt::format(
      "Exported {} {} in {} to {}. ", view::count_text(static_cast<std::int64_t>(written.*entries)),
      what, view::plural(static_cast<std::int64_t>(written.files.size()), "file", "files"),
      written.folder.string());
  return {view::Tone::kOk, text + view::damage_text(exported->damage), false,
          written.folder.string()};
}

/// Writes the export of a run, or the report of several; runs in a job.
Ending write(const view::ExportRun& wanted, const std::vector<runs::ListedRun>& runs,
             const fs::path& runs_dir, const fs::path& usual, const runlog::ReadWatch& watch) {
  const runs::ListedRun& run = runs.front();
  const auto to = place_of(wanted, usual);
  if (!to) return ended(to.error());
  if (wanted.kind == view::ExportKind::kTensorBoard) {
    return ending_of(export_tensorboard(run.folder, *to, watch),
                     &exporting::TensorBoardSummary::values, "values");
  }
  const bool trace = wanted.kind == view::ExportKind::kTrace;
  if (trace || wanted.kind == view::ExportKind::kHtml) {
    std::error_code ignored;
    if (!wanted.replace && fs::is_regular_file(fs::symlink_status(*to, ignored)))
      return {view::Tone::kWarning, to->string() + " exists already.", true};
    if (trace) {
      return ending_of(export_trace(run.folder, *to, {}, wanted.replace, watch),
                       &TraceSummary::events, "events");
    }
    std::vector<std::string> names;
    for (const runs::ListedRun& one : runs) names.push_back(one.folder.path().string());
    const auto file = export_report(runs_dir, names, *to, wanted.replace, watch);
    if (!file) return ended(file.error());
    return {view::Tone::kOk, "Wrote the report " + file->path.string(), false, file->path.string()};
  }
  const auto choice = wanted.tables.empty()
                          ? Result<exporting::CsvChoice>(exporting::all_csv_tables())
                          : exporting::choose_csv_tables(wanted.tables);
  if (!choice) return ended(choice.error());
  const auto foreign = exporting::foreign_csv_table(*to, run.folder.id());
  if (!wanted.replace && !foreign.empty()) {
    return {view::Tone::kWarning, foreign.string() + " is not of an earlier export of this run.",
            true};
  }
  return ending_of(export_csv(run.folder, *to, *choice, watch, Attempts::kAll, wanted.replace),
                   &exporting::CsvSummary::rows, "rows");
}

/// Writes the exports of several runs, each into a folder named by its id; their report is one
/// file.
Ending write_all(const view::ExportRun& wanted, const std::vector<runs::ListedRun>& runs,
                 const fs::path& runs_dir, const fs::path& usual, const runlog::ReadWatch& watch) {
  if (runs.size() == 1 || wanted.kind == view::ExportKind::kHtml)
    return write(wanted, runs, runs_dir, usual, watch);
  const auto to = place_of(wanted, usual);
  if (!to) return ended(to.error());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    view::ExportRun one = wanted;
    one.path = view::export_place(wanted.kind, (*to / runs[i].folder.id()).string());
    const runlog::ReadWatch part = [&, i](std::uint64_t done, std::uint64_t total) {
      return watch(done + i * total, runs.size() * total);
    };
    Ending ending = write(one, {runs[i]}, runs_dir, usual, part);
    if (ending.tone != view::Tone::kOk) return ending;
  }
  return {view::Tone::kOk, fmt::format("Exported {} runs to {}.", runs.size(), to->string()), false,
          to->string()};
}

std::string label_of(const std::vector<runs::ListedRun>& runs) {
  if (runs.size() > 1) return view::plural(static_cast<std::int64_t>(runs.size()), "run", "runs");
  return view::run_label(runs.front().number, runs.front().folder.id());
}

view::Message message_of(const Ending& ending, const view::ExportRun& wanted, bool cancelled) {
  const bool given_up = cancelled && ending.tone == view::Tone::kError;
  view::Message message;
  message.tone = given_up ? view::Tone::kInfo : ending.tone;
  message.text = given_up ? "The export was cancelled; nothing was written." : ending.text;
  if (!ending.made.empty()) {
    message.action = view::label::kOpenExported;
    message.command = view::OpenFolder{ending.made};
    message.copies = ending.made;
  }
  if (!ending.exists) return message;
  view::ExportRun again = wanted;
  again.replace = true;
  message.action = view::label::kReplace;
  message.command = again;
  return message;
}

runlog::ReadWatch watch_of(std::shared_ptr<ExportProgress> progress, std::function<void()> wake) {
  return [progress = std::move(progress), wake = std::move(wake), woken = std::int64_t{0}](
             std::uint64_t done, std::uint64_t total) mutable {
    progress->done = done;
    progress->total = total;
    if (const std::int64_t now = mono_now_ns(); now - woken > kWakeEveryNs) {
      woken = now;
      wake();
    }
    return !progress->cancelled;
  };
}

}  // namespace

ExportController::ExportController(fs::path runs_dir, Jobs& jobs, std::function<void()> wake,
                                   MessageLine& line, fs::path exports)
    : runs_dir_(std::move(runs_dir)),
      exports_(std::move(exports)),
      jobs_(jobs),
      wake_(std::move(wake)),
      line_(line) {}

ExportController::~ExportController() {
  if (progress_ != nullptr) progress_->cancelled = true;
}

fs::path ExportController::place(const runlog::RunFolder& folder) const {
  const bool listed = folder.path().parent_path() == runs_dir_;
  return exports_.empty() || !listed ? folder.export_dir() : exports_ / folder.id();
}

fs::path ExportController::place_of_several() const {
  return exports_.empty() ? runs_dir_ / "exports" : exports_;
}

std::optional<std::vector<runs::ListedRun>> ExportController::find(
    const std::vector<std::string>& ids) {
  std::vector<runs::ListedRun> found;
  for (const std::string& id : ids) {
    const auto run = runs::find_run(runs_dir_, id);
    if (!run) {
      line_.notify(run.error());
      return std::nullopt;
    }
    found.push_back(*run);
  }
  return found;
}

void ExportController::ask(const std::vector<std::string>& ids) {
  asking_ = find(ids).value_or(std::vector<runs::ListedRun>());
}

void ExportController::begin(view::ExportRun wanted) {
  asking_.clear();
  const auto found = find(wanted.ids);
  if (!found) return;
  if (jobs_.running(kJob)) {
    line_.notify(view::Tone::kInfo, "An export is being written; try again when it is done.");
    return;
  }
  wanted.ids.clear();
  for (const runs::ListedRun& run : *found) wanted.ids.push_back(run.folder.path().string());
  const fs::path usual = found->size() > 1 ? place_of_several() : place(found->front().folder);
  progress_ = std::make_shared<ExportProgress>();
  jobs_.start(kJob,
              [this, wanted, runs = *found, runs_dir = runs_dir_, usual, progress = progress_,
               watch = watch_of(progress_, wake_)]() -> Jobs::Completion {
                Ending ending = write_all(wanted, runs, runs_dir, usual, watch);
                return [this, wanted, progress, ending = std::move(ending)] {
                  line_.show(message_of(ending, wanted, progress->cancelled));
                };
              });
  view::Message message;
  message.tone = view::Tone::kInfo;
  message.text = fmt::format("Exporting {} ({})…", label_of(*found), view::name_of(wanted.kind));
  message.share = 0;
  message.action = view::label::kCancel;
  message.command = view::CancelExport{};
  line_.show(std::move(message));
}

void ExportController::apply(const view::ExportCommand& command, const std::string& open) {
  const auto named = [&](std::vector<std::string> ids) {
    if (ids.empty() && !open.empty()) ids.push_back(open);
    if (ids.empty())
      line_.notify(view::Tone::kInfo,
                   "There is no run to export: open one, or select one in the list of runs.");
    return ids;
  };
  view::carry_out(
      command,
      [&](const view::AskExport& asked) {
        asking_.clear();
        if (asked.open) ask(named(asked.ids));
      },
      [&](view::ExportRun wanted) {
        wanted.ids = named(std::move(wanted.ids));
        if (!wanted.ids.empty()) begin(std::move(wanted));
      },
      [this](const view::CancelExport&) {
        if (progress_ != nullptr) progress_->cancelled = true;
      });
}

void ExportController::fill(view::ExportInput& input) const {
  input.asking = !asking_.empty();
  if (asking_.empty()) return;
  for (const runs::ListedRun& run : asking_) input.facts.ids.push_back(run.folder.path().string());
  input.facts.label = label_of(asking_);
  input.facts.folder =
      (asking_.size() > 1 ? place_of_several() : place(asking_.front().folder)).string();
  input.facts.tables = exporting::kCsvTables;
  input.facts.busy = jobs_.running(kJob);
}

double ExportController::share() const {
  if (progress_ == nullptr) return -1;
  constexpr double kSteps = 200;
  const auto total = static_cast<double>(progress_->total.load());
  if (total <= 0) return 0;
  return std::floor(kSteps * static_cast<double>(progress_->done.load()) / total) / kSteps;
}

}  // namespace ringside::session
