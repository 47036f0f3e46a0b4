#include "gui/view/report/compare_page.h"

#include <algorithm>

#include "gui/view/report/report_page.h"
#include "gui/view/report/table_html.h"
#include "gui/view/runs/compare_view.h"
#include "gui/view/runs/repeats.h"

namespace ringside::view {
namespace {

constexpr int kWholeWidth = 1200, kWholeHeight = 420;
constexpr int kHalfWidth = 600, kHalfHeight = 220;
constexpr std::size_t kMostCharts = 24;

}  // namespace

std::string compare_page(ComparedRuns runs, const CompareChoice& choice,
                         const std::vector<std::string>& figures, const std::string& written) {
  const CompareView view = build_compare_view(runs, choice, kWholeWidth, kWholeHeight);
  const std::vector<Table> tables = compare_tables(view, figures);
  std::string title = "Comparison of";
  for (const ComparedHead& run : view.runs) title += " " + run.letter + " " + run.label;
  std::string page = table_html(tables.front());
  const auto wanted = [&figures](const std::string& key) {
    const std::string name = scalar_name(key).value_or(key);
    return figures.empty() || std::ranges::find(figures, name) != figures.end();
  };
  if (wanted("loss")) add_figure(view.loss, kWholeWidth, kWholeHeight, page);
  if (wanted("accuracy")) add_figure(view.accuracy, kWholeWidth, kWholeHeight, page);
  page += "<div class=\"small\">\n";
  const auto repeats =
      choice.fold_repeats ? repeats_of(runs) : std::vector<std::vector<std::size_t>>();
  std::size_t drawn = 0;
  for (std::size_t i = 2; i < view.charts.size() && drawn < kMostCharts; ++i) {
    const std::string& key = view.charts[i].key;
    if (!wanted(key)) continue;
    ChartView chart = build_compare_chart(runs, choice, key, kHalfWidth, kHalfHeight);
    fold_repeats(repeats, chart);
    add_figure(chart, kHalfWidth, kHalfHeight, page);
    ++drawn;
  }
  page += "</div>\n";
  for (std::size_t i = 1; i < tables.size(); ++i) page += table_html(tables[i]);
  return page_around(title, page, written);
}

}  // namespace ringside::view
