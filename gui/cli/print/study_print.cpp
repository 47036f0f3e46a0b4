#include "gui/cli/print/study_print.h"

#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/session/studies/study_reader.h"
#include "gui/view/scaling/combinations.h"
#include "gui/view/table_cells.h"

namespace ringside::cli {

namespace {

Json pairs_json(const view::PairFacts& told) {
  const bool known = told.pairs > 0;
  const auto share = [&](double value) { return known ? Json(value) : Json(nullptr); };
  return {{"pairs", told.pairs},
          {"of", known ? Json(told.what) : Json(nullptr)},
          {"slower", share(told.longer.value)},
          {"slower_low", share(told.longer.low)},
          {"slower_high", share(told.longer.high)},
          {"verdict", known ? Json(analysis::name_of(told.verdict)) : Json(nullptr)},
          {"uncounted", told.uncounted},
          {"over_budget", told.over_budget}};
}

}  // namespace

std::string study_print(const view::StudyFacts& facts, bool color) {
  const view::ScalingView view = view::build_scaling_view(facts, view::ScalingMetric::kSpeedup);
  std::string text = "Study " + view.name + "  " + one_line(view::plain(view.head)) + ", " +
                     painted(one_line(view.progress), view.progress_tone, color) + "\n";
  if (!view.problem.empty()) text += one_line(view.problem) + "\n";
  if (!view.goal.empty()) text += view.goal + "\n";
  std::vector<view::Table> tables{view.table};
  tables.insert(tables.end(), view.more.begin(), view.more.end());
  text += "\n" + tables_text(tables, color);
  if (view.result.empty()) return text;
  const view::Tone tone = view.fair == false ? view::Tone::kWarning : view::Tone::kText;
  return text + "\n" + painted(one_line(view.result), tone, color) + "\n";
}

Json study_json(const view::StudyFacts& facts) {
  const view::ScalingView view = view::build_scaling_view(facts, view::ScalingMetric::kSpeedup);
  const view::StudyProgress progress = view::progress_of(facts);
  Json json = {{"study", view.name},
               {"title", facts.study.head.title},
               {"recipe", facts.study.head.recipe},
               {"repeats", facts.study.head.repeats},
               {"complete", progress.complete()},
               {"live", progress.live},
               {"runs_planned", progress.planned},
               {"runs_finished", progress.finished},
               {"progress", view.progress},
               {"problem", view.problem},
               {"result", view.result},
               {"fair", view.fair ? Json(*view.fair) : Json(nullptr)},
               {"settings", rows_json(view.table)}};
  for (const view::Table& table : view.more) json[table.key] = rows_json(table);
  if (const runs::StudyAsk& ask = facts.study.ask; !ask.library.empty())
    json["ask"] = {{"library", ask.library}, {"trials", ask.trials}, {"vary", ask.vary}};
  if (facts.study.of_pairs()) json["pairs"] = pairs_json(view::pair_facts(facts));
  return json;
}

view::Table studies_table(const std::filesystem::path& runs_dir) {
  view::Table table{"studies", "Studies"};
  table.columns = {{"study", "study"},
                   {"title", "title"},
                   view::number_column("settings", "settings"),
                   view::number_column("repeats", "repeats"),
                   view::number_column("runs", "runs"),
                   view::number_column("planned", "planned"),
                   {"problem", "problem"}};
  for (const runs::Study& study : runs::list_studies(runs_dir)) {
    view::add_row(table,
                  {view::text_cell(study.head.study), view::text_cell(one_line(study.head.title)),
                   view::count_cell(static_cast<std::int64_t>(study.settings.size())),
                   view::count_cell(study.head.repeats),
                   view::count_cell(static_cast<std::int64_t>(study.runs())),
                   view::count_cell(static_cast<std::int64_t>(study.planned())),
                   view::text_cell(one_line(study.problem), view::Tone::kWarning)});
  }
  return table;
}

Result<int> show_study(const std::filesystem::path& runs_dir, const std::string& name,
                       const std::string& best, bool json) {
  const auto study = RINGSIDE_TRY(runs::read_study(runs_dir, name));
  if (!best.empty() && !study.of_settings())
    return bad_request("--best is for a study of settings; " + study.head.study +
                       " measures numbers of devices");
  if (!best.empty()) RINGSIDE_TRY(view::check_best(best));
  view::StudyFacts facts = session::StudyReader(runs_dir).read(study);
  if (!best.empty()) facts.best_by = best;
  print(stdout, json ? dump(study_json(facts), 2) + "\n" : study_print(facts, wants_color(stdout)));
  return 0;
}

}  // namespace ringside::cli
