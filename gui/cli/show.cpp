// `ringside show RUN`: everything that is known of one run.
#include "gui/analysis/alerts/blame.h"
#include "gui/cli/command/commands.h"
#include "gui/cli/machines/on_machine.h"
#include "gui/cli/print/json.h"
#include "gui/cli/print/live_text.h"
#include "gui/cli/print/run_table.h"
#include "gui/cli/print/study_print.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/launch/program/saved_program.h"
#include "gui/model/run_events.h"
#include "gui/place/run_place.h"
#include "gui/runs/chosen_baseline.h"
#include "gui/session/report_runs.h"
#include "gui/view/experiment/experiment_view.h"
#include "gui/view/fairness_words.h"
#include "gui/view/live/event_strip.h"
#include "gui/view/live/group_table.h"
#include "gui/view/live/node_map.h"
#include "gui/view/live/rank_table.h"
#include "gui/view/log_damage.h"
#include "gui/view/metric_cells.h"
#include "gui/view/probe_words.h"
#include "gui/view/run_context.h"
#include "gui/view/sampler/sampler_view.h"
#include "gui/view/table_cells.h"
#include "protocol/base/clock.h"
#include "protocol/host/text_tail.h"
#include "protocol/messages/spec/watched.h"

namespace ringside::cli {
namespace {

view::Table facts_table(const runs::RunSummary& run, const view::ReportRun& told) {
  const auto& figures = run.figures;
  const view::Table figured = run_table({&run, 1});
  const auto figure = [&figured](std::string_view key) {
    return view::cell_of(figured, figured.rows[0], key).text;
  };
  view::Table table{"facts", run.name};
  table.columns = {{"fact", ""}, {"value", ""}};
  table.heads = false;
  const auto add = [&table](const char* fact, std::string value, view::Tone tone = {}) {
    view::add_row(table, {view::text_cell(fact), view::text_cell(std::move(value), tone)});
  };
  add("run", run.number > 0 ? runs::label_of(run) + "  " + run.folder.id() : run.folder.id());
  add("state", figure("state") + (run.state.detail.empty() ? "" : ": " + run.state.detail),
      state_of(run).tone);
  add("folder", run.folder.path().string());
  add(run.foreign ? "program" : "recipe", run.recipe);
  if (const auto kept = launch::saved_program(run.folder)) add("kept", launch::summary_of(*kept));
  const bool several = run.spec.devices.nodes > 1;
  const std::string parallel = view::parallel_sizes_text(*told.model);
  add("ranks", std::to_string(run.ranks) +
                   (several ? " (" + view::nodes_text(run.spec) + ")" : "") +
                   (messages::is_watched(run.spec) ? "" : " on " + run.spec.devices.kind) +
                   (parallel.empty() ? "" : ", " + parallel) +
                   (run.global_batch > 0 ? ", global batch " + figure("global_batch") : ""));
  if (const std::string fault = view::injected_text(run.spec); !fault.empty())
    add("injected", fault, view::Tone::kWarning);
  add("steps",
      view::count_text(figures.steps) +
          (figures.steps_planned > 0 ? " of " + view::count_text(figures.steps_planned) : ""));
  add("training", figure("train_seconds"));
  add("samples/s", figure("samples_per_s"));
  add("validation", figure("val_accuracy") + " last, " + figure("best_val_accuracy") + " best");
  add("train loss", view::final_loss_text(*told.model));
  if (!figures.broken_loss.empty()) add("", figures.broken_loss, view::Tone::kError);
  if (figures.speedup == figures.speedup) {
    add("speedup", figure("speedup") + ", efficiency " + view::percent_text(figures.efficiency) +
                       ", against " + runs::baseline_id(run.folder, run.spec));
    if (told.baseline != nullptr) {
      const auto verdict = view::fairness_verdict(*told.model, *told.baseline);
      add("", verdict.told(), verdict.unfair() ? verdict.tone : view::Tone::kText);
    }
    if (told.probe != nullptr && analysis::holds(told.probe->ceiling, figures.speedup))
      add("ceiling", view::ceiling_text(*told.probe));
  } else if (!figures.no_speedup.empty()) {
    add("speedup", "– " + figures.no_speedup);
  }
  const auto moment = [](std::int64_t wall_ns) {
    return view::moment_text(wall_ns, SystemClock().wall_ns());
  };
  if (figures.started_wall_ns != 0) add("started", moment(figures.started_wall_ns));
  if (run.state.word == "interrupted" && figures.last_seen_wall_ns != 0)
    add("last seen", moment(figures.last_seen_wall_ns));
  if (const std::string why = view::unseen_program(*told.model); !why.empty()) add("", why);
  if (!run.problem.empty()) add("problem", run.problem, view::Tone::kError);
  return table;
}

// Tables of the report about this run alone, without the table of ranks, which is printed above in
// another form, and without the samples of each rank, which --samples prints.
std::vector<view::Table> tables_of(const view::ReportRun& run) {
  auto tables = view::run_tables(run);
  std::erase_if(tables, [](const view::Table& table) {
    return table.key == "ranks" || table.key == "rank_shards" || table.key == "first_samples";
  });
  for (auto& table : tables) table.run.clear();
  return tables;
}

/// The published figures beside those of this run and its baseline.
std::vector<view::Table> published_of(const CommonOptions& options, const runs::ListedRun& run) {
  if (!launch::preset_of_run(run.folder.path())) return {};
  const auto read = session::ReportRuns::read(options.runs_folder(), {run.folder.path().string()});
  if (!read) return {};
  auto tables = view::published_tables(read->runs().back());
  std::erase_if(tables, [](const view::Table& table) { return table.rows.empty(); });
  for (auto& table : tables) table.run.clear();
  return tables;
}

// Alerts found in the records, worded as in the window; messages of ranks and agents are notices.
std::string alerts_text(const model::RunModel& model, const view::RunContext& context, bool color) {
  std::string text;
  for (const auto& alert : view::alerts_of(model, context)) {
    if (alert.kind == analysis::AlertKind::kNotice) continue;
    const view::EventView event = view::event_view(alert, model, nullptr);
    text += painted(messages::name_of(alert.severity), event.tone, color) + "  " +
            view::plain(event.main) + "\n";
  }
  return text.empty() ? text : "\n" + text;
}

/// Null without a speedup; "fair" is null if unknown.
Json fairness_json(const view::ReportRun& run) {
  if (!view::has_speedup(run)) return nullptr;
  const auto verdict = view::fairness_verdict(*run.model, *run.baseline);
  Json reasons = Json::array();
  for (const auto& reason : verdict.reasons)
    reasons.push_back({{"code", reason.code}, {"text", reason.text}});
  const Json fair = verdict.fair ? Json(*verdict.fair) : Json(nullptr);
  return {{"fair", fair}, {"text", verdict.text}, {"reasons", reasons}};
}

std::string notices_text(const model::RunModel& model, bool color) {
  std::string text;
  for (const auto& entry : model.notices()) {
    const auto tone = entry.notice.severity == messages::Severity::kError     ? view::Tone::kError
                      : entry.notice.severity == messages::Severity::kWarning ? view::Tone::kWarning
                                                                              : view::Tone::kText;
    const bool elsewhere = entry.stamp.rank == kNoRank && entry.stamp.node != 0;
    text += painted(messages::name_of(entry.notice.severity), tone, color) + "  " +
            (elsewhere ? "node " + std::to_string(entry.stamp.node) + ": " : std::string()) +
            one_line(entry.notice.text) + "\n";
  }
  return text.empty() ? text : "\n" + text;
}

// The last lines of stderr, or else stdout, of the rank that caused the failure.
std::string failed_rank_text(const runs::RunSummary& run) {
  constexpr std::size_t kLines = 50;
  if (run.state.word != "failed" || !run.figures.state) return {};
  const Rank rank = analysis::blame_in(run.state.detail).rank;
  if (rank == kNoRank) return {};
  auto file = run.folder.rank_dir(run.figures.state->attempt, rank) / "stderr";
  auto lines = last_lines(file, kLines);
  if (lines.empty()) lines = last_lines(file.replace_filename("stdout"), kLines);
  if (lines.empty()) return {};
  std::string text = "\nLast lines of " + file.string() + ":\n";
  for (const auto& line : lines) text += "  " + line + "\n";
  return text;
}

/// Prints the content of the Sampler page, and the report's tables by epoch.
int show_samples(const runs::RunSummary& run, const runs::ReadRun& read, bool json) {
  auto tables = view::sampler_tables(*read.model);
  for (auto& table : view::run_tables(session::report_run(run, read))) {
    const bool by_epoch = table.key == "shards" || table.key == "ownership";
    const bool unseen = table.key == "sampling" && read.model->shards().passes().empty();
    if ((!by_epoch && !unseen) || table.rows.empty()) continue;
    table.run.clear();
    tables.insert(unseen ? tables.begin() : tables.end(), std::move(table));
  }
  if (json) {
    Json answer;
    answer["id"] = run.folder.id();
    answer["tables"] = tables_json(tables);
    print(stdout, dump(answer, 2) + "\n");
  } else if (tables.empty()) {
    print(stdout, view::plain(view::why_no_shards(*read.model)) + "\n");
  } else {
    print(stdout, tables_text(tables, wants_color(stdout)));
  }
  return 0;
}

Result<int> show(const CommonOptions& options, bool samples, const std::string& best) {
  if (!runs::study_name(options.run).empty())
    return show_study(options.runs_folder(), options.run, best, options.json);
  if (!best.empty()) return bad_request("--best is for a study, such as S-01");
  const auto found = RINGSIDE_TRY(runs::find_run(options.runs_folder(), options.run));
  place::refresh(options.runs_folder());
  const auto run = runs::read_summary(found);
  const auto read = runs::read_run(found.folder, run.spec);
  if (samples) return show_samples(run, read, options.json);
  const auto baseline = runs::read_baseline(found.folder, run.spec);
  view::ReportRun told = session::report_run(run, read);
  told.baseline = baseline ? baseline->model.get() : nullptr;
  if (options.json) {
    Json json = details_json(run, read);
    json["fairness"] = fairness_json(told);
    auto tables = view::run_tables(told);
    for (auto& table : published_of(options, found)) tables.push_back(std::move(table));
    json["tables"] = tables_json(tables);
    print(stdout, dump(json, 2) + "\n");
    return 0;
  }
  const bool color = wants_color(stdout);
  const view::RunContext context = context_of(run, *read.model);
  std::string text = tables_text({facts_table(run, told)}, color);
  // The notice about missing values of a watched run is printed above the table.
  const bool watched = messages::is_watched(run.spec);
  if (watched) text += notices_text(*read.model, color);
  if (const auto ranks = rank_table(*read.model, context, color); !ranks.empty())
    text += "\n" + ranks + painted(view::recent_steps_note(), view::Tone::kDim, color) + "\n";
  auto tables = tables_of(told);
  for (auto& table : published_of(options, found)) tables.push_back(std::move(table));
  if (!tables.empty()) text += "\n" + tables_text(tables, color);
  text += alerts_text(*read.model, context, color);
  if (!watched) text += notices_text(*read.model, color);
  if (const std::string damage = view::damage_text(read.damage); !damage.empty())
    text += "\n" + damage + "\n";
  text += failed_rank_text(run);
  print(stdout, text);
  return 0;
}

}  // namespace

void add_show(Command& app) {
  auto options = std::make_shared<CommonOptions>();
  Command command =
      app.add_command("show", "One run: state, figures, ranks, epochs, notices; or a study (S-07)");
  add_run_name(command, *options);
  auto samples = std::make_shared<bool>(false);
  command.add_flag("--samples", *samples,
                   "Which rank drew which samples: checks, shards, accuracy");
  auto best = std::make_shared<std::string>();
  command.add_option("--best METRIC", *best,
                     "Of a study of settings: which is best by this column of its table, e.g. "
                     "val_accuracy, val_loss, train_loss, seconds");
  add_json(command, *options, "One JSON object");
  add_runs_dir(command, *options);
  add_on(command, *options, "Of another machine");
  command.action_with_words([options, samples, best](const std::vector<std::string>& typed) {
    return options->on.empty() ? show(*options, *samples, *best)
                               : run_remotely(*options, typed, CommandKind::kLook);
  });
}

}  // namespace ringside::cli
