#include "gui/session/runs_controller.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "gui/place/run_place.h"
#include "gui/runs/run_list.h"
#include "gui/session/listed_runs.h"
#include "gui/view/carry_out.h"
#include "protocol/base/clock.h"

namespace ringside::session {
namespace {

/// The longest that logs are read before the list shows the part known so far.
constexpr std::int64_t kPartNs = 250'000'000;

runs::RunLabels edited(runs::RunLabels labels, const view::EditLabels& edit) {
  if (edit.name) labels.name = *edit.name;
  if (edit.tags) labels.tags = runs::tags_of(*edit.tags);
  if (edit.note) labels.note = *edit.note;
  if (edit.starred) labels.starred = *edit.starred;
  for (const runs::ChartNote& note : edit.chart_notes) runs::put_chart_note(labels, note);
  return labels;
}

}  // namespace

// Used by one scan at a time.
struct RunsController::Scanner {
  explicit Scanner(const std::filesystem::path& where)
      : runs_dir(where), list(where, runs::figure_file_path(where)) {}

  std::filesystem::path runs_dir;
  std::atomic<bool> leave = false;
  runs::RunList list;
};

RunsController::RunsController(const std::filesystem::path& runs_dir, Jobs& jobs)
    : jobs_(jobs), scanner_(std::make_shared<Scanner>(runs_dir)) {}
RunsController::~RunsController() { scanner_->leave = true; }

void RunsController::scan() {
  wants_all_ = true;
  fresh_ns_ = mono_now_ns();
  poll();
}

void RunsController::keep_fresh() {
  constexpr int kLooksToAll = 20;  // runs that have ended are checked once a minute
  if (static_cast<double>(mono_now_ns() - fresh_ns_) * 1e-9 < kFreshS) return;
  if (++looks_ % kLooksToAll == 0) {
    scan();
    return;
  }
  fresh_ns_ = mono_now_ns();
  poll();
}

/// Reads one part at a time; update() starts the next part while logs are unread.
void RunsController::poll() {
  struct Found {
    runs::RunList::Part part;
    std::vector<view::RunSummary> views;
    std::string problem;
  };
  const bool everywhere = wants_all_;
  const bool begun = jobs_.start(
      "scan",
      [this, everywhere, scanner = scanner_]() -> Jobs::Completion {
        auto found = std::make_shared<Found>();
        place::refresh(scanner->runs_dir, [scanner] { return scanner->leave.load(); });
        auto part = scanner->list.poll(kPartNs, everywhere, scanner->leave);
        if (part) {
          found->part = std::move(*part);
          found->views = listed_runs(found->part.runs);
        } else {
          found->problem = part.error().message;
        }
        return [this, found] {
          problem_ = found->problem;
          if (!std::exchange(looked_, true)) ++revision_;
          unread_ = found->part.unread;
          if (!found->part.changed) return;
          select_neighbour(found->views);
          runs_ = std::move(found->part.runs);
          shown_ = std::move(found->views);
          // A scan that began before the labels were written must not show the old ones.
          const auto typed = std::exchange(unwritten_, {});
          for (const auto& [id, edit] : typed) edit_labels(edit);
          note_roster();
          ++revision_;
        };
      },
      JobKind::kReads);
  if (begun) wants_all_ = false;
}

/// Notes whether runs were added, removed, ended or got another baseline, for the parts of the
/// window other than the list.
void RunsController::note_roster() {
  std::size_t roster = runs_.size();
  for (const runs::RunSummary& run : runs_) {
    roster = roster * 31 + std::hash<std::string>()(run.folder.id());
    roster = roster * 31 + std::hash<std::string>()(run.baseline);
    roster = roster * 31 + (run.state.word == "finished" ? 1U : 0U);
  }
  if (roster == roster_ || unread_ > 0) return;
  roster_ = roster;
  roster_changed_ = true;
}

const runs::RunSummary* RunsController::find(const std::string& id) const {
  const auto found = std::ranges::find_if(
      runs_, [&id](const runs::RunSummary& run) { return run.folder.id() == id; });
  return found == runs_.end() ? nullptr : &*found;
}

/// When the selected run disappears, selects the run that moves into its row, which is what a
/// person who presses Delete again means.
void RunsController::select_neighbour(std::span<const view::RunSummary> fresh) {
  const auto stays = [fresh](const std::string& id) {
    return std::ranges::any_of(fresh, [&id](const view::RunSummary& run) { return run.id == id; });
  };
  if (choice_.selected.empty() || stays(choice_.selected)) return;
  const auto rows = view::build_runs_view(shown_, choice_, 0).table.rows;
  const auto gone =
      std::ranges::find_if(rows, [&](const auto& r) { return r.key == choice_.selected; });
  if (gone == rows.end()) return;
  auto next = std::find_if(gone, rows.end(), [&](const auto& r) { return stays(r.key); });
  if (next == rows.end()) {
    const auto above = std::find_if(std::make_reverse_iterator(gone), rows.rend(),
                                    [&](const auto& r) { return stays(r.key); });
    if (above == rows.rend()) return;
    next = std::prev(above.base());
  }
  choice_.selected = next->key;
}

/// Selects the first run of the list if the selected one is not in it.
void RunsController::select_first() {
  const bool there = std::ranges::any_of(
      shown_, [this](const view::RunSummary& run) { return run.id == choice_.selected; });
  if (!there) choice_.selected = shown_.empty() ? std::string() : shown_.front().id;
}

bool RunsController::update() {
  write_labels();
  if ((unread_ > 0 || wants_all_) && !jobs_.running("scan")) poll();
  if (updated_ == revision_) return false;
  updated_ = revision_;
  marks_changed_ = true;
  select_first();
  return true;
}

void RunsController::edit_labels(const view::EditLabels& edit) {
  const auto [entry, fresh] = unwritten_.try_emplace(edit.id, edit);
  view::EditLabels& typed = entry->second;
  if (edit.name) typed.name = edit.name;
  if (edit.tags) typed.tags = edit.tags;
  if (edit.note) typed.note = edit.note;
  if (edit.starred) typed.starred = edit.starred;
  if (!fresh) std::ranges::copy(edit.chart_notes, std::back_inserter(typed.chart_notes));
  const auto known = std::ranges::find(runs_, edit.id,
                                       [](const runs::RunSummary& run) { return run.folder.id(); });
  const auto shown = std::ranges::find(shown_, edit.id, &view::RunSummary::id);
  if (known != runs_.end() && shown != shown_.end()) {
    known->labels = edited(std::move(known->labels), typed);
    show_labels(known->labels, *shown);
    shown->title =
        known->labels.name.empty() ? messages::display_name(known->spec) : known->labels.name;
  }
  ++revision_;
}

void RunsController::tag(const view::TagRuns& wanted) {
  const std::vector<std::string> tags = runs::tags_of(wanted.tags);
  for (const std::string& id : wanted.ids) {
    const auto run = std::ranges::find(shown_, id, &view::RunSummary::id);
    if (run == shown_.end()) continue;
    view::EditLabels edit{id};
    edit.tags = runs::tags_text(runs::changed_tags(run->own_tags, tags, wanted.on));
    if (*edit.tags != runs::tags_text(run->own_tags)) edit_labels(edit);
  }
}

/// Writes the labels of each run one at a time; labels typed meanwhile are written next.
void RunsController::write_labels() {
  for (auto it = unwritten_.begin(); it != unwritten_.end();) {
    const runs::RunSummary* run = find(it->first);
    if (run == nullptr) {
      it = unwritten_.erase(it);
      continue;
    }
    const bool begun = jobs_.start(
        "labels " + it->first,
        [this, folder = run->folder, edit = it->second]() -> Jobs::Completion {
          const auto written = runs::edit_labels(
              folder, [&edit](runs::RunLabels before) { return edited(std::move(before), edit); });
          return [this, edit, written] {
            if (!written) unsaved_ = written.error().message;
            const auto now = unwritten_.find(edit.id);
            if (now != unwritten_.end() && now->second == edit) unwritten_.erase(now);
          };
        });
    if (!begun) return;
    ++it;
  }
}

void RunsController::mark(const view::MarkRun& wanted) {
  if (wanted.on && choice_.marked.size() < view::kMostCompared) choice_.marked.insert(wanted.id);
  if (!wanted.on) choice_.marked.erase(wanted.id);
  marks_changed_ = true;
}

void RunsController::apply(const view::ListCommand& command) {
  view::carry_out(
      command, [this](const view::SetRunFilter& filter) { choice_.filter = filter.text; },
      [this](const view::SortRuns& wanted) { choice_.sort = wanted.sort; },
      [this](const view::ToggleRunColumn& wanted) { choice_.columns.toggle(wanted.key); },
      [this](const view::GroupRuns& wanted) { choice_.group = wanted.key; },
      [this](const view::SelectRun& select) { choice_.selected = select.id; },
      [this](const view::MarkRun& wanted) { mark(wanted); },
      [this](const view::ClearMarks&) {
        choice_.marked.clear();
        marks_changed_ = true;
      },
      [this](const view::SetCompare& wanted) { choice_.compare = wanted.choice; },
      [this](const view::EditLabels& edit) { edit_labels(edit); },
      [this](const view::TagRuns& wanted) { tag(wanted); });
}

std::optional<view::LastResult> RunsController::last_result() const {
  for (const view::RunSummary& run : shown_) {
    const bool over = run.outcome == view::RunOutcome::kFinished ||
                      run.outcome == view::RunOutcome::kFailed ||
                      run.outcome == view::RunOutcome::kStopped;
    if (!over) continue;
    view::LastResult last;
    last.number = view::run_label(run.number, run.id);
    last.title = run.title;
    last.state = view::outcome_view(run.outcome, run.loss_broke);
    const runs::RunFigures& figures = run.figures;
    last.seconds = std::isnan(figures.seconds) ? 0 : figures.seconds;
    if (!std::isnan(figures.speedup)) last.speedup = figures.speedup;
    return last;
  }
  return std::nullopt;
}

void RunsController::fill(view::RunsInput& input) const {
  input.runs = shown_;
  input.choice = choice_;
  input.now_wall_ns = SystemClock().wall_ns();
  input.revision = revision_;
  input.unread = unread_;
  input.looked = looked_;
}

}  // namespace ringside::session
