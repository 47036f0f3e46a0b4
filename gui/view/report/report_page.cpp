#include "gui/view/report/report_page.h"

#include <algorithm>

#include "gui/model/run_model.h"
#include "gui/view/chart/chart_notes.h"
#include "gui/view/chart/chart_svg.h"
#include "gui/view/choices.h"
#include "gui/view/live/event_strip.h"
#include "gui/view/live/metrics_view.h"
#include "gui/view/live/resource_charts.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/live/speedup_view.h"
#include "gui/view/live/step_bars.h"
#include "gui/view/markup.h"
#include "gui/view/report/report_parts.h"
#include "gui/view/report/table_html.h"
#include "gui/view/scaling/waterfall_svg.h"
#include "protocol/messages/rank_records.h"

namespace ringside::view {
namespace {

constexpr const char* kReportStyle =
    R"(*{box-sizing:border-box}
body{margin:0;background:var(--app);color:var(--text);font:13px/1.5 Inter,system-ui,sans-serif}
main{max-width:1240px;margin:0 auto;padding:20px}
h1{margin:0;font-size:22px;color:var(--high)}
h2{margin:28px 0 8px;font-size:17px;color:var(--high)}
h3{margin:0 0 8px;font-size:13px;color:var(--high)}
section,figure{margin:0 0 10px;padding:12px 14px;background:var(--panel);border:1px solid var(--line);border-radius:4px}
figure svg{display:block;width:100%;height:auto}
figcaption,.note,footer,header p{color:var(--dim)}
.note{margin:6px 0 0}
.small{display:grid;grid-template-columns:repeat(auto-fill,minmax(420px,1fr));gap:10px}
.big{font-size:46px;font-weight:600;line-height:1.1;color:var(--high)}
.wide{overflow-x:auto}.side{columns:2 340px}
table{border-collapse:collapse}
th,td{padding:3px 18px 3px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
th{font-weight:400;color:var(--dim);white-space:nowrap}
td{color:var(--high);overflow-wrap:anywhere}
.r{text-align:right;white-space:nowrap;font-family:"JetBrains Mono",ui-monospace,monospace;font-size:12px}
th.r{font-family:inherit}
pre{margin:0;overflow-x:auto;font:12px/1.5 "JetBrains Mono",ui-monospace,monospace}
.ok{color:var(--ok)}.warn{color:var(--warn)}.err{color:var(--err)}
footer{margin:20px 0 0}
@media print{@page{margin:12mm}body{background:none;font-size:10px}main{max-width:none;padding:0}
section,figure{border:0;padding:0 0 10px}section,figure,tr{break-inside:avoid}h2,h3,header{break-after:avoid}
h2{break-before:page}footer{break-before:avoid;margin:10px 0 0}.small{grid-template-columns:1fr 1fr}
.wide,pre{overflow:visible;white-space:pre-wrap}pre{columns:3;font-size:8px}
table{font-size:9px}th,td{padding-right:6px}.r{font-size:8px}th,th.r{white-space:normal}}
)";

constexpr int kWidth = 1200, kHeight = 420;
constexpr int kSmallWidth = 600, kSmallHeight = 220;

RunContext context_of(const ReportRun& run) {
  RunContext context;
  context.id = run.id;
  context.notes = run.notes;
  context.now_ns = run.model->last_ns();
  const bool ended = has_ended(run);
  context.contact = ended ? Contact::kEnded : Contact::kLive;
  for (const char* over : {"interrupted", "stopped", "failed", "finished"})
    if (!ended && run.state == over) context.contact = Contact::kInterrupted;
  if (context.contact == Contact::kInterrupted) context.ended_as = run.state;
  if (!ended && run.state == "lost contact") context.contact = Contact::kLost;
  return context;
}

BaselineContext baseline_of(const ReportRun& run) {
  if (run.baseline == nullptr) return {};
  return {run.baseline, run.baseline_label, 0};
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
  const auto resources = build_resource_charts(*run.model, kSmallWidth, kSmallHeight, run.notes);
  if (resources.empty()) return;
  page += "<div class=\"small\">\n";
  for (const ChartView& chart : resources) add_figure(chart, kSmallWidth, kSmallHeight, page);
  page += "</div>\n";
}

/// Adds a small chart of each scalar, up to a limit; the table of scalars has all.
void add_metrics(const ReportRun& run, std::string& page) {
  constexpr std::size_t kMost = 24;
  const auto& names = run.model->scalars().names();
  if (names.empty()) return;
  add_element(page, "h3", name_of(TableTab::kMetrics));
  page += "<div class=\"small\">\n";
  const std::size_t shown = std::min(names.size(), kMost);
  for (std::size_t i = 0; i < shown; ++i) {
    ChartView chart = build_metric_chart(*run.model, names[i], {}, kSmallWidth, kSmallHeight);
    add_notes(*run.model, run.notes, chart);
    if (!chart.aside.empty()) chart.aside = "latest " + chart.aside;
    if (names[i].latest().mean) chart.aside += ", mean over its ranks";
    chart.subtitle.clear();
    add_figure(chart, kSmallWidth, kSmallHeight, page);
  }
  page += "</div>\n";
  if (shown < names.size()) {
    add_element(page, "p",
                "The first " + count_text(static_cast<std::int64_t>(shown)) + " of " +
                    count_text(static_cast<std::int64_t>(names.size())) +
                    " metrics; the table below has all of them.",
                " class=\"note\"");
  }
}

void add_speedup(const ReportRun& run, std::string& page) {
  const auto speedup = build_speedup_view(*run.model, context_of(run), baseline_of(run));
  page += "<section>";
  add_element(page, "h3", "Speedup");
  if (!speedup.shown) {
    add_element(page, "p", plain(speedup.empty), " class=\"note\"");
  } else {
    add_element(page, "div", speedup.display, " class=\"big\"");
    add_element(page, "p",
                "of " + speedup.of_ideal + " ideal, efficiency " + speedup.efficiency + ". " +
                    speedup.baseline_label + ": " + speedup.baseline_time + ". " +
                    speedup.run_label + ": " + speedup.run_time + ", " + speedup.ideal_label + ".");
    add_element(page, "p", plain(speedup.note), " class=\"note\"");
  }
  page += "</section>\n";
}

/// Adds the waterfall's image; its table with the sentences is one of the run's tables.
void add_waterfall(const ReportRun& run, std::string& page) {
  const auto view = build_waterfall_view(*run.model, run.baseline, has_ended(run));
  if (view.shown) page += "<figure>" + waterfall_svg(view, kWidth) + "</figure>\n";
}

Table step_table(const ReportRun& run) {
  auto bars = build_step_bars(*run.model, context_of(run));
  std::erase_if(bars.legend, [&bars](const LegendEntry& entry) {  // shown in the lanes only
    return std::none_of(bars.bars.begin(), bars.bars.end(), [&entry](const StepBar& bar) {
      return std::any_of(bar.parts.begin(), bar.parts.end(),
                         [&entry](const BarPart& part) { return part.paint == entry.paint; });
    });
  });
  Table table = table_about(run, "step_parts", std::string(label::kStepBreakdown) + ", ms");
  table.columns = {{"rank", "rank"}};
  for (const auto& entry : bars.legend)
    table.columns.push_back(number_column(entry.word, entry.word));
  table.columns.push_back(number_column("whole", "whole step"));
  for (const auto& bar : bars.bars) {
    std::vector<Cell> row{text_cell(bar.label)};
    for (const auto& entry : bars.legend) {
      const auto part = std::find_if(bar.parts.begin(), bar.parts.end(),
                                     [&](const auto& one) { return one.paint == entry.paint; });
      row.push_back(text_cell(part == bar.parts.end() ? "" : part->value));
    }
    row.push_back(text_cell(bar.whole));
    add_row(table, std::move(row));
  }
  for (const std::string& note : {bars.subtitle, bars.more, plain(bars.transfer)}) {
    if (!note.empty()) table.notes.push_back(note);
  }
  for (const StepLane& lane : bars.lanes) table.notes.push_back(lane.text);
  return table;
}

Table settings_table(const ReportRun& run) {
  Table table = table_about(run, "settings", "Settings that differ from the defaults");
  table.columns = {{"setting", "setting"}, {"value", "this run"}, {"default", "default"}};
  for (const auto& one : messages::differences(messages::RunSpec{}, run.model->spec()))
    add_row(table, {text_cell(one.key), text_cell(one.right), text_cell(one.left)});
  return table;
}

/// The word in place of the shape and colour that the window uses.
const char* word_of(Tone tone) {
  if (tone == Tone::kError) return "error";
  return tone == Tone::kWarning ? "warning" : "";
}

Table moments_table(const ReportRun& run, const EventStripView& strip) {
  Table table = table_about(run, "moments", "What happened");
  table.columns = {
      number_column("time", "at"), {"rank", "rank"}, {"severity", "severity"}, {"text", "text"}};
  table.heads = false;
  for (const MomentView& moment : strip.moments) {
    add_row(table,
            {text_cell(moment.time), moment.rank == kNoRank ? Cell{} : rank_cell(moment.rank),
             text_cell(word_of(moment.tone), moment.tone), text_cell(moment.text)});
  }
  if (strip.moments.size() >= kMostMoments)
    table.notes.emplace_back("The newest of them, newest first.");
  return table;
}

void add_events(const ReportRun& run, std::string& page) {
  const auto strip = build_event_strip(*run.model, context_of(run), baseline_of(run));
  page += "<section>";
  add_element(page, "h3", "Notices");
  const auto sentence = [&page](const EventView& event) {
    add_element(page, "p", plain(event.main) + " " + plain(event.aside),
                class_attribute(event.tone));
  };
  sentence(strip.first);
  for (const EventView& event : strip.more) sentence(event);
  page += rows_html(moments_table(run, strip)) + "</section>\n";
}

void add_settings(const ReportRun& run, std::string& page) {
  page += table_html(settings_table(run)) + "<section>";
  add_element(page, "h3", "All settings");
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

void add_run(const ReportRun& run, std::span<const Table> tables, std::string& page) {
  add_element(page, "h2", "Run " + title_of(run));
  const std::string about =
      run.state + " · " + run_title(*run.model) + " · " + batch_line(*run.model) + " · " + run.id;
  add_element(page, "p", about, " class=\"note\"");
  add_speedup(run, page);
  add_waterfall(run, page);
  add_charts(run, page);
  add_metrics(run, page);
  page += table_html(step_table(run));
  for (const auto& table : tables) {
    if (table.run == run.id) page += table_html(table);
  }
  add_events(run, page);
  add_settings(run, page);
}

/// The colours as CSS variables, light or dark.
std::string color_variables(bool dark) {
  constexpr std::pair<const char*, Token> kVariables[] = {
      {"app", Token::kApp},   {"panel", Token::kPanel},  {"line", Token::kLine},
      {"high", Token::kHigh}, {"text", Token::kText},    {"dim", Token::kDim},
      {"ok", Token::kOk},     {"warn", Token::kWarning}, {"err", Token::kError}};
  std::string text;
  for (const auto& [name, token] : kVariables)
    text += std::string("--") + name + ":" +
            css_color(dark ? color(token).dark : color(token).light) + ";";
  return text;
}

void add_style(std::string& page) {
  page += "<style>\n:root{color-scheme:light dark;" + color_variables(false) + "}\n";
  page += kReportStyle;
  page += "@media screen and (prefers-color-scheme:dark){:root{" + color_variables(true) + "}\n";
  for (const Color& one : svg_colors()) {
    for (const char* what : {"fill", "stroke"})
      page += std::string("figure [") + what + "=\"" + css_color(one.light) + "\"]{" + what + ":" +
              css_color(one.dark) + "}\n";
  }
  page += "}\n</style>\n";
}

void add_head(const std::string& title, std::string& page) {
  page +=
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width\">\n";
  add_element(page, "title", title);
  page += "\n";
  add_style(page);
  page += "</head>\n";
}

}  // namespace

void add_figure(const ChartView& chart, int width, int height, std::string& page) {
  page += "<figure>" + chart_svg(chart, chart.subtitle, width, height);
  const std::string caption = chart.empty.empty() ? chart.aside : plain(chart.empty);
  if (!caption.empty()) add_element(page, "figcaption", caption);
  page += "</figure>\n";
}

std::string page_around(const std::string& title, const std::string& body,
                        const std::string& written) {
  std::string page;
  add_head(title, page);
  page += "<body>\n<main>\n<header>";
  add_element(page, "h1", title);
  page += "</header>\n" + body;
  page += "<footer>" + markup_text(written) + "</footer>\n</main>\n</body>\n</html>\n";
  return page;
}

std::string report_page(std::span<const ReportRun> runs, const std::string& written) {
  std::string page;
  const std::string title =
      "Ringside report" + (runs.empty() ? std::string() : ": " + title_of(runs.back()));
  const auto tables = build_report(runs);
  for (const auto& table : tables) {
    if (table.run.empty()) page += table_html(table);
  }
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) add_run(*run, tables, page);
  return page_around(title, page, written);
}

}  // namespace ringside::view
