#include "gui/session/run/timeline_controller.h"

#include <algorithm>
#include <utility>

#include "gui/model/run_model.h"
#include "gui/session/trace/step_timeline.h"
#include "gui/view/carry_out.h"

namespace ringside::session {

const TimelineSource* TimelineController::source() const {
  if (shows_steps()) return nullptr;
  std::size_t place = chosen_ - (has_run_ ? 1 : 0);
  if (place < profiles_.size()) return &profiles_[place];
  place -= profiles_.size();
  return place < opened_.size() ? &opened_[place] : nullptr;
}

void TimelineController::apply(const view::TimelineCommand& command) {
  view::carry_out(
      command,
      [this](const view::ChooseTimeline& wanted) {
        by_person_ = true;
        choose(wanted.source);
      },
      [this](const view::CancelTimeline&) {
        cancel();
        problem_ = "Reading was cancelled.";
        ++revision_;
      });
}

void TimelineController::cancel() {
  if (reading_ != nullptr) reading_->cancel = true;
  reading_ = nullptr;
}

void TimelineController::choose(std::size_t source) {
  cancel();
  chosen_ = source;
  shown_ = {};
  problem_.clear();
  steps_revision_ = 0;
  ++source_revision_;
  ++revision_;
  read();
}

/// A request during this job starts another one; the newest result is shown.
void TimelineController::read() {
  const TimelineSource* const wanted = source();
  if (wanted == nullptr) return;
  auto progress = std::make_shared<TraceProgress>();
  reading_ = progress;
  jobs_.start(
      "timeline " + std::to_string(++jobs_begun_),
      [this, progress, source = *wanted]() -> Jobs::Completion {
        auto result = read_timeline(source, *progress);
        return [this, progress, result = std::move(result)]() mutable {
          if (reading_ != progress) return;
          reading_ = nullptr;
          if (result) {
            show(std::move(*result));
          } else {
            problem_ = result.error().message;
            ++revision_;
          }
        };
      },
      JobKind::kReads);
}

void TimelineController::show(ReadTimeline read) {
  shown_ = std::move(read);
  ++revision_;
}

void TimelineController::open(const std::vector<std::filesystem::path>& files) {
  TimelineSource source = source_of(files);
  const auto known = std::ranges::find(opened_, source);
  const auto place = static_cast<std::size_t>(known - opened_.begin());
  if (known == opened_.end()) opened_.push_back(std::move(source));
  by_person_ = true;
  choose((has_run_ ? 1 : 0) + profiles_.size() + place);
}

void TimelineController::look(const runlog::RunFolder* run, bool newest) {
  const std::string path = run == nullptr ? std::string() : run->path().string();
  if (path != run_) {
    const TimelineSource* const now = source();
    const auto kept = now == nullptr ? opened_.end() : std::ranges::find(opened_, *now);
    const auto place = static_cast<std::size_t>(kept - opened_.begin());
    run_ = path;
    has_run_ = run != nullptr;
    profiles_.clear();
    by_person_ = kept != opened_.end();
    if (by_person_) {
      chosen_ = (has_run_ ? 1 : 0) + place;
    } else {
      choose(0);
    }
  }
  if (newest) by_person_ = false;
  if (run == nullptr) return;
  jobs_.start(
      "profiles of " + run_,
      [this, folder = *run, path]() -> Jobs::Completion {
        return [this, path, found = timeline_sources(folder)] {
          if (path == run_ && found != profiles_) adopt(found);
        };
      },
      JobKind::kReads);
}

/// Profiles may have appeared, vanished or changed their order: the shown one is found by its
/// files.
void TimelineController::adopt(const std::vector<TimelineSource>& found) {
  const TimelineSource* const now = source();
  const auto same =
      now == nullptr ? found.end() : std::ranges::find(found, now->files, &TimelineSource::files);
  const bool opened = chosen_ > profiles_.size();
  const std::size_t place = opened ? chosen_ - profiles_.size() + found.size()
                                   : static_cast<std::size_t>(same - found.begin()) + 1;
  const bool kept = shows_steps() || opened || same != found.end();
  profiles_ = found;
  ++revision_;
  if (!by_person_) {
    choose(profiles_.empty() ? 0 : 1);
  } else if (!kept) {
    choose(0);
  } else if (!shows_steps()) {
    chosen_ = place;
  }
}

bool TimelineController::update(const view::LiveInput& live) {
  if (!shows_steps() || live.model == nullptr || steps_revision_ == live.number_revision)
    return reading_ != nullptr;  // its progress changes
  steps_revision_ = live.number_revision;
  const analysis::StepRange steps = timeline_steps(*live.model);
  if (steps.count() == 0) return false;
  show(with_operations(step_timeline(*live.model, steps)));
  return true;
}

void TimelineController::fill(const view::LiveInput& live, view::TimelineInput& input) const {
  if (has_run_) input.sources.emplace_back("Recorded steps");
  for (const TimelineSource& one : profiles_) input.sources.push_back(one.title);
  for (const TimelineSource& one : opened_) input.sources.push_back(one.title);
  input.chosen = chosen_;
  input.timeline = shown_.timeline.get();
  input.operations = shown_.operations.get();
  input.problem = problem_;
  input.has_run = has_run_;
  input.can_profile = live.model != nullptr && live.context.contact == view::Contact::kLive &&
                      live.context.ours && live.context.machine.empty();
  input.revision = revision_;
  input.source_revision = source_revision_;
  if (reading_ == nullptr) return;
  const auto all = static_cast<double>(std::max<std::uint64_t>(1, reading_->all_bytes));
  input.share = std::min(1.0, static_cast<double>(reading_->read_bytes) / all);
}

}  // namespace ringside::session
