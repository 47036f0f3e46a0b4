#include "gui/view/report/report_page.h"

#include <algorithm>

#include "gui/model/run_model.h"
#include "gui/view/chart/chart_svg.h"
#include "gui/view/live/event_strip.h"
#include "gui/view/live/resource_charts.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/live/speedup_view.h"
#include "gui/view/live/step_bars.h"
#include "gui/view/report/markup.h"
#include "gui/view/report/report_style.h"
#include "protocol/messages/rank_records.h"

namespace ringside::view {
namespace {

constexpr int kWidth = 1200, kHeight = 420;
constexpr int kSmallWidth = 600, kSmallHeight = 220;

RunContext context_of(const ReportRun& run) {
  RunContext context;
  context.id = run.id;
  context.now_ns = run.model->last_ns();
  const auto& state = run.model->run_state();
  const bool ended = state && messages::is_final(state->state);
  context.contact = ended ? Contact::kEnded : Contact::kLive;
  if (!ended && run.state == "interrupted") context.contact = Contact::kInterrupted;
  return context;
}

BaselineContext baseline_of(const ReportRun& run) {
  if (run.baseline == nullptr) return {};
  return {run.baseline, run.baseline_label, 0};
}

void element(std::string& page, const char* tag, std::string_view text, const char* more = "") {
  page += "<" + std::string(tag) + more + ">" + markup_text(text) + "</" + tag + ">";
}

void add_figure(const ChartView& chart, int width, int height, std::string& page) {
  page += "<figure>" + chart_svg(chart, chart.subtitle, width, height);
  const std::string caption = chart.empty.empty() ? chart.aside : plain(chart.empty);
  if (!caption.empty()) element(page, "figcaption", caption);
  page += "</figure>\n";
}

void add_charts(const ReportRun& run, std::string& page) {
  const RunContext context = context_of(run);
  const BaselineContext baseline = baseline_of(run);
  ChartChoice choice;
  choice.logarithmic = true;
  add_figure(build_loss_chart(*run.model, context, baseline, choice, kWidth, kHeight), kWidth,
             kHeight, page);
  add_figure(build_accuracy_chart(*run.model, context, baseline, choice, kWidth, kHeight), kWidth,
             kHeight, page);
  choice.whole_step = true;
  choice.window = {0, static_cast<double>(std::max<std::size_t>(1, run.model->steps_end()))};
  add_figure(build_step_time_chart(*run.model, context, choice, kWidth, kHeight), kWidth, kHeight,
             page);
  const auto resources = build_resource_charts(*run.model, kSmallWidth, kSmallHeight);
  if (resources.empty()) return;
  page += "<div class=\"small\">\n";
  for (const ChartView& chart : resources) add_figure(chart, kSmallWidth, kSmallHeight, page);
  page += "</div>\n";
}

/// A line per column: the facts of few runs beside each other.
void add_transposed(const ReportTable& table, std::string& page) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    page += "<tr>";
    element(page, "th", table.columns[i].title, " scope=\"row\"");
    for (const auto& row : table.rows) element(page, "td", row[i].text);
    page += "</tr>\n";
  }
}

/// Columns without any text hold what is for scripts only.
void add_upright(const ReportTable& table, std::string& page) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool any = std::any_of(table.rows.begin(), table.rows.end(),
                                 [&](const auto& row) { return !row[i].text.empty(); });
    if (any) shown.push_back(i);
  }
  const auto right = [&](std::size_t i) { return table.columns[i].right ? " class=\"r\"" : ""; };
  page += "<thead><tr>";
  for (const std::size_t i : shown) element(page, "th", table.columns[i].title, right(i));
  page += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    page += "<tr>";
    for (const std::size_t i : shown) element(page, "td", row[i].text, right(i));
    page += "</tr>\n";
  }
  page += "</tbody>\n";
}

void add_table(const ReportTable& table, std::string& page) {
  if (table.rows.empty()) return;
  page += "<section>";
  element(page, "h3", table.title);
  const bool narrow = table.transposed && table.rows.size() < 3;
  page += narrow ? "<div class=\"wide side\"><table>\n" : "<div class=\"wide\"><table>\n";
  if (table.transposed) add_transposed(table, page);
  if (!table.transposed) add_upright(table, page);
  page += "</table></div>";
  for (const auto& note : table.notes) element(page, "p", note, " class=\"note\"");
  page += "</section>\n";
}

void add_speedup(const ReportRun& run, std::string& page) {
  const auto speedup = build_speedup_view(*run.model, context_of(run), baseline_of(run));
  page += "<section>";
  element(page, "h3", "Speedup");
  if (!speedup.shown) {
    element(page, "p", plain(speedup.empty), " class=\"note\"");
  } else {
    element(page, "div", speedup.display, " class=\"big\"");
    element(page, "p",
            "of " + speedup.of_ideal + " ideal, efficiency " + speedup.efficiency + ". " +
                speedup.baseline_label + ": " + speedup.baseline_time + ". " + speedup.run_label +
                ": " + speedup.run_time + ", " + speedup.ideal_label + ".");
    element(page, "p", plain(speedup.note), " class=\"note\"");
  }
  page += "</section>\n";
}

ReportTable step_table(const ReportRun& run) {
  const auto bars = build_step_bars(*run.model, context_of(run));
  ReportTable table{
      "step_parts", "Where a step goes, ms", run.id, {{"rank", "rank", false}}, {}, false, {}};
  for (const auto& entry : bars.legend) table.columns.push_back({"part", entry.word, true});
  table.columns.push_back({"whole", "whole step", true});
  for (const auto& bar : bars.bars) {
    std::vector<ReportCell> row{{bar.label, {}}};
    for (const auto& entry : bars.legend) {
      const auto part = std::find_if(bar.parts.begin(), bar.parts.end(),
                                     [&](const auto& one) { return one.paint == entry.paint; });
      row.push_back({part == bar.parts.end() ? "" : part->value, {}});
    }
    row.push_back({bar.whole, {}});
    table.rows.push_back(std::move(row));
  }
  for (const std::string& note : {bars.subtitle, bars.more, plain(bars.transfer)}) {
    if (!note.empty()) table.notes.push_back(note);
  }
  return table;
}

const char* class_of(Tone tone) {
  if (tone == Tone::kError) return " class=\"err\"";
  if (tone == Tone::kWarning) return " class=\"warn\"";
  return tone == Tone::kOk ? " class=\"ok\"" : "";
}

/// Shape and colour of the window become a word here.
const char* word_of(Tone tone) {
  if (tone == Tone::kError) return "error";
  return tone == Tone::kWarning ? "warning" : "";
}

void add_events(const ReportRun& run, std::string& page) {
  const auto strip = build_event_strip(*run.model, context_of(run), baseline_of(run));
  page += "<section>";
  element(page, "h3", "Notices");
  const auto sentence = [&page](const EventView& event) {
    element(page, "p", plain(event.main) + " " + plain(event.aside), class_of(event.tone));
  };
  sentence(strip.first);
  for (const EventView& event : strip.more) sentence(event);
  if (!strip.moments.empty()) {
    page += "<div class=\"wide\"><table>\n";
    for (const MomentView& moment : strip.moments) {
      page += "<tr>";
      element(page, "td", moment.time, " class=\"r\"");
      element(page, "td", moment.rank == kNoRank ? "" : rank_label(moment.rank));
      element(page, "td", word_of(moment.tone), class_of(moment.tone));
      element(page, "td", moment.text);
      page += "</tr>\n";
    }
    page += "</table></div>";
    if (strip.moments.size() == kMostMoments)
      element(page, "p", "The newest of them, newest first.", " class=\"note\"");
  }
  page += "</section>\n";
}

void add_settings(const ReportRun& run, std::string& page) {
  ReportTable table{"settings", "Settings that differ from the defaults", run.id, {}, {}, false,
                    {}};
  table.columns = {
      {"setting", "setting", false}, {"value", "this run", false}, {"default", "default", false}};
  for (const auto& one : messages::differences(messages::RunSpec{}, run.model->spec()))
    table.rows.push_back({{one.key, {}}, {one.right, {}}, {one.left, {}}});
  add_table(table, page);
  page += "<section>";
  element(page, "h3", "All settings");
  page += "<pre>";
  const std::string toml = messages::to_toml(run.model->spec());
  for (std::string_view rest = toml; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    page += markup_text(rest.substr(0, end)) + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  page += "</pre></section>\n";
}

std::string title_of(const ReportRun& run) {
  return run.label + (run.name.empty() ? "" : " " + run.name);
}

void add_run(const ReportRun& run, std::span<const ReportTable> tables, std::string& page) {
  element(page, "h2", "Run " + title_of(run));
  const std::string about =
      run.state + " · " + run_title(*run.model) + " · " + batch_line(*run.model) + " · " + run.id;
  element(page, "p", about, " class=\"note\"");
  add_speedup(run, page);
  add_charts(run, page);
  add_table(step_table(run), page);
  for (const auto& table : tables) {
    if (table.run == run.id) add_table(table, page);
  }
  add_events(run, page);
  add_settings(run, page);
}

void add_head(const std::string& title, std::string& page) {
  page +=
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width\">\n";
  element(page, "title", title);
  page += "\n<style>\n";
  page += kReportStyle;
  for (const SvgColor& color : svg_inks()) {
    for (const char* what : {"fill", "stroke"})
      page += std::string("figure [") + what + "=\"" + color.light + "\"]{" + what + ":" +
              color.dark + "}\n";
  }
  page += "}\n</style>\n</head>\n";
}

}  // namespace

std::string report_page(std::span<const ReportRun> runs, const std::string& written) {
  std::string page;
  const std::string title =
      "Ringside report" + (runs.empty() ? std::string() : ": " + title_of(runs.back()));
  add_head(title, page);
  page += "<body>\n<main>\n<header>";
  element(page, "h1", title);
  page += "</header>\n";
  const auto tables = build_report(runs);
  for (const auto& table : tables) {
    if (table.run.empty()) add_table(table, page);
  }
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) add_run(*run, tables, page);
  page += "<footer>" + markup_text(written) + "</footer>\n</main>\n</body>\n</html>\n";
  return page;
}

}  // namespace ringside::view
