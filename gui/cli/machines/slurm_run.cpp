#include "gui/cli/machines/slurm_run.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "gui/cli/command/watch.h"
#include "gui/cli/print/terminal.h"
#include "gui/place/places.h"
#include "gui/place/run_place.h"
#include "gui/runs/catalogue.h"
#include "protocol/base/clock.h"
#include "protocol/base/shell_word.h"

namespace ringside::cli {
namespace {

bool has_agent(const runlog::RunFolder& folder) {
  const auto presence =
      runs::presence_beside(runs::agent_presence(folder), place::place_report(folder));
  return presence == runs::AgentPresence::kAlive || presence == runs::AgentPresence::kElsewhere;
}

/// Follows one of the started runs from the queue to its end.
class JobWatch {
 public:
  JobWatch(const launch::Started& started, std::size_t index, const launch::PlannedRun& run,
           const Interrupts& interrupts, const std::string& on_alert, std::int32_t since_attempt)
      : folder_(started.folders[index]),
        behind_(started.folders.begin() + static_cast<std::ptrdiff_t>(index) + 1,
                started.folders.end()),
        interrupts_(interrupts),
        on_alert_(on_alert),
        since_attempt_(since_attempt) {
    plan_.runs.push_back(run);
  }

  void follow() {
    while (!interrupts_.leaving()) {
      if (has_agent(folder_)) {
        watch_runs({{folder_}, 0}, plan_, interrupts_, on_alert_, since_attempt_, behind_);
        // If Slurm restarts the job, its log is read from the beginning, and what was printed of
        // earlier attempts is not printed twice.
        since_attempt_ = folder_.attempts();
        told_.clear();
      } else if (has_ended()) {
        return;
      } else {
        wait_on();
      }
    }
  }

 private:
  /// The place may restart a run that was ended by a signal, so its next answer is waited for.
  bool is_sure(const runs::RunSummary& run,
               const std::optional<launch::PlaceReport>& place_state) const {
    const auto& state = run.figures.state;
    if (!place_state || !state || launch::is_over(place_state->phase) || interrupts_.count() > 0)
      return true;
    const bool may_go_on = state->state != messages::State::kFinished;
    return !may_go_on || place_state->reported_wall_ns > state->wall_ns;
  }

  /// Reads the log again only if something in the folder or the queue has changed.
  bool has_ended() {
    place::refresh(folder_.path().parent_path(), [this] { return interrupts_.leaving(); });
    const auto place_state = place::place_report(folder_);
    const std::uint64_t bytes = folder_.log_bytes();
    if (looked_ && place_state == place_state_ && bytes == bytes_) return ended_;
    looked_ = true;
    place_state_ = place_state;
    bytes_ = bytes;
    const auto run = runs::read_summary({folder_, 0});
    ended_ = run.state.ended && !has_agent(folder_) && is_sure(run, place_state);
    if (!ended_ && run.state.detail != told_) {
      told_ = run.state.detail;
      print(stderr, (run.state.word == "queued" ? "Queued " : "Starting ") + one_line(told_) +
                        ". Ctrl-C takes it out of the queue.\n");
    }
    return ended_;
  }

  void wait_on() {
    if (interrupts_.count() > passed_on_) {
      passed_on_ = interrupts_.count();
      take_out(behind_);
      const auto asked = place::ask_stop(folder_, wire::StopMode::kNow);
      if (!asked) report(asked.error());
    }
    pause_ns(200'000'000);
  }

  runlog::RunFolder folder_;
  std::vector<runlog::RunFolder> behind_;
  launch::Plan plan_;
  const Interrupts& interrupts_;
  const std::string& on_alert_;
  std::int32_t since_attempt_;
  std::optional<launch::PlaceReport> place_state_;
  std::uint64_t bytes_ = 0;
  std::string told_;
  int passed_on_ = 0;
  bool looked_ = false;
  bool ended_ = false;
};

launch::Typed typed_of(const PlaceOptions::Given& given) {
  launch::Typed typed = given.typed;
  for (const auto& [key, values] : given.several) typed[key] = shell_words(values);
  return typed;
}

/// Returns a bad request for options of a single run, which a study has in --world instead.
Result<void> check_of_study(const place::Kind& kind, const launch::Typed& typed) {
  for (const launch::PlaceOption& row : kind.options) {
    if (row.of_run && !launch::values_of(row, typed)->empty())
      return bad_request(std::string(row.option) +
                         ": a study has them in --world, 2x4 is two nodes of four");
  }
  return {};
}

}  // namespace

const place::Kind* PlaceOptions::chosen() const {
  const auto found = std::ranges::find_if(of, [](const auto& one) { return one.second.on; });
  return found == of.end() ? nullptr : found->first;
}

void add_place_options(Command& command, PlaceOptions& options) {
  for (const place::Kind* kind : place::kinds()) {
    PlaceOptions::Given& given = options.of[kind];
    command.add_flag(kind->word, given.on, kind->help);
    for (const launch::PlaceOption& row : kind->options) {
      const std::string names = std::string(row.option) + " " + row.type;
      Option option = row.several ? command.add_option(names, given.several[row.key], row.help)
                                  : command.add_option(names, given.typed[row.key], row.help);
      if (row.several) option.repeatable();
      if (row.most > 0) option.range(1, row.most);
    }
  }
}

Result<void> check_place_options(const PlaceOptions& options, bool of_study) {
  const place::Kind* const chosen = options.chosen();
  for (const auto& [kind, given] : options.of) {
    const launch::Typed typed = typed_of(given);
    const std::string word = kind->word;
    if (!given.on && !launch::words_of(kind->options, typed).empty())
      return bad_request("options of " + std::string(kind->title) + " need " + word);
    if (!given.on) continue;
    if (kind != chosen) return bad_request(chosen->word + (" and " + word) + ": take one");
    const auto place = RINGSIDE_TRY(kind->around()->with(typed));
    RINGSIDE_TRY(place->can_be_asked());
    if (of_study) return check_of_study(*kind, typed);
  }
  return {};
}

Result<place::PlacePtr> place_of(const PlaceOptions& options, const launch::Cancelled& cancelled) {
  const place::Kind* const kind = options.chosen();
  if (kind == nullptr) return place::inside_here();
  const auto place = RINGSIDE_TRY(kind->around()->with(typed_of(options.of.at(kind))));
  return place->now(cancelled);
}

Result<int> print_dry_run(const std::vector<TitledSettings>& runs, const session::StudyPlan& plan,
                          const std::filesystem::path& runs_dir, bool json) {
  if (!json) print_settings(runs);
  const auto shown = RINGSIDE_TRY(plan.where->preview(plan.plan, runs_dir));
  if (json) {
    Json told{{"runs", settings_json(runs)}};
    for (const place::Preview& one : shown) told["jobs"].push_back(one.argv);
    print(stdout, dump(told) + "\n");
    return 0;
  }
  for (const place::Preview& one : shown)
    print(stdout, "# " + one.title + "\n" + shell_words(one.argv) + "\n");
  const place::Kind* const kind = plan.where->offer().kind;
  if (kind != nullptr && !shown.empty())
    print(stdout, std::string("\n# ") + kind->script_name + "\n" + kind->script);
  return 0;
}

void tell_started(const place::Place& where, const launch::Started& started) {
  if (where.is_here()) return;
  for (const auto& folder : started.folders) {
    const auto place_state = place::place_report(folder);
    if (!place_state) continue;
    const std::string what =
        where.offer().inside
            ? "Inside " + place_state->system + " " + place_state->item + " is run "
            : place_state->system + " has " + place_state->item + " for run ";
    print(stderr, what + folder.id() + ".\n");
  }
}

void stay(const launch::Started& started, const launch::Plan& plan, const Interrupts& interrupts,
          const std::string& on_alert, std::int32_t since_attempt) {
  if (started.folders.empty()) return;
  if (started.on_tasks || !place::place_report(started.folders.front()))
    return watch_runs(started, plan, interrupts, on_alert, since_attempt);
  for (std::size_t i = 0; i < started.folders.size(); ++i)
    JobWatch(started, i, plan.runs[i], interrupts, on_alert, since_attempt).follow();
}

}  // namespace ringside::cli
