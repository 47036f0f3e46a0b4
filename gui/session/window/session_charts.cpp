// Saves and copies charts: as pictures, and as text with their numbers.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>
#include <utility>

#include "gui/runs/run_labels.h"
#include "gui/session/window/session.h"
#include "gui/view/chart/chart_notes.h"
#include "gui/view/chart/chart_svg.h"
#include "gui/view/chart/chart_table.h"
#include "gui/view/number_format.h"
#include "gui/view/runs/repeats.h"
#include "gui/view/table_csv.h"
#include "protocol/base/text.h"
#include "protocol/host/files.h"
#include "protocol/messages/spec/watched.h"

namespace ringside::session {
namespace {

constexpr int kPictureWidth = 1200;
constexpr int kPictureHeight = 480;
/// The most rows of a table. If there are more steps, each row covers several, with minimum and
/// maximum.
constexpr std::size_t kMostRows = 200'000;

/// Replaces characters that a file name cannot have, such as the slash of "val/loss".
std::string file_stem(const std::string& chart) {
  std::string stem = chart;
  for (char& letter : stem)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '-') letter = '_';
  return stem;
}

int columns_of(const model::RunModel& model) {
  const auto planned = static_cast<std::size_t>(std::max<std::int64_t>(0, model.steps_planned()));
  const std::size_t steps = std::max(model.steps_end(), planned);
  return static_cast<int>(std::clamp(steps, static_cast<std::size_t>(kPictureWidth), kMostRows));
}

}  // namespace

/// Returns the chart of Compare whose key follows the prefix; empty if there is none.
std::optional<Session::ChartSource> Session::compared_chart(const std::string& key,
                                                            bool picture) const {
  view::RunsInput input;
  compare_.fill(input);
  if (input.compared.size() < 2) return std::nullopt;
  int columns = kPictureWidth;
  std::string heading;
  for (const view::ComparedRun& run : input.compared) {
    if (!picture) columns = std::max(columns, columns_of(*run.model));
    add_listed(heading, view::letter_of(static_cast<std::size_t>(&run - input.compared.data())) +
                            " " + view::run_label(run.context.number, run.context.id));
  }
  const view::CompareChoice& choice = runs_.choice().compare;
  ChartSource source{
      view::build_compare_chart(input.compared, choice, key, columns, kPictureHeight),
      std::move(heading),
      {},
      1};
  if (choice.fold_repeats) view::fold_repeats(view::repeats_of(input.compared), source.chart);
  source.first_step = messages::first_step_number(input.compared.front().model->spec());
  if (const auto* run = runs_.find(input.compared.front().context.id)) {
    source.folder = export_.place(run->folder);
    source.run = run->folder.path();
  }
  return source;
}

std::optional<Session::ChartSource> Session::chart_of(const std::string& name, bool picture) const {
  if (name.starts_with(view::kComparedChart))
    return compared_chart(name.substr(view::kComparedChart.size()), picture);
  if (opened_ == nullptr) return std::nullopt;
  const model::RunModel& model = opened_->live().model();
  const int columns = picture ? kPictureWidth : columns_of(model);
  view::ChartView chart = opened_->chart(name, columns, kPictureHeight);
  if (picture)
    view::add_notes(model, runs::chart_notes_of(runs::read_labels(opened_->folder())), chart);
  return ChartSource{std::move(chart), opened_->heading(), export_.place(opened_->folder()),
                     messages::first_step_number(model.spec()), opened_->folder().path()};
}

/// Writes an SVG here; a PNG is captured by the window.
void Session::save_image(const view::SaveImage& wanted, std::vector<view::WindowCommand>& rest) {
  const auto source = chart_of(wanted.chart, true);
  if (!source) return;
  std::string path = wanted.path;
  if (path.empty()) {
    const auto file = file_of(*source, wanted.chart, wanted.vector ? ".svg" : ".png");
    if (!file) return line_.notify(file.error());
    path = *file;
  }
  if (!wanted.vector) {
    rest.emplace_back(view::TakePicture{wanted.chart, path});
    return;
  }
  write_chart(path, view::chart_svg(source->chart, source->heading, kPictureWidth, kPictureHeight));
}

void Session::take_data(const view::ChartData& wanted, std::vector<view::WindowCommand>& rest) {
  const auto source = chart_of(wanted.chart, false);
  if (!source) return;
  const view::Table table = view::chart_table(source->chart, source->first_step);
  if (table.rows.empty()) return line_.notify(view::Tone::kInfo, "This chart has no values yet.");
  if (!wanted.copy) {
    const auto file = file_of(*source, wanted.chart, ".csv");
    if (!file) return line_.notify(file.error());
    return write_chart(*file, view::table_csv(table));
  }
  rest.emplace_back(view::CopyText{view::table_tsv(table)});
  line_.notify(
      view::Tone::kOk,
      "Copied " + view::plural(static_cast<std::int64_t>(table.rows.size()), "row", "rows") + ".");
}

Result<std::string> Session::file_of(const ChartSource& source, const std::string& chart,
                                     const char* ending) const {
  std::error_code error;
  // Only the last folder is made in a run, since the run may be deleted at any moment.
  if (source.folder.parent_path() == source.run) {
    std::filesystem::create_directory(source.folder, error);
  } else if (std::filesystem::is_directory(source.run, error)) {
    std::filesystem::create_directories(source.folder, error);
  }
  if (std::filesystem::is_directory(source.run, error))
    return source.folder / (file_stem(chart) + ending);
  return failure("The chart was not saved: the run folder " + source.run.string() +
                 " is gone, since the run was deleted or moved.");
}

void Session::write_chart(const std::string& path, std::string text) {
  jobs_.start("chart", [this, path, text = std::move(text)]() -> Jobs::Completion {
    const auto written = write_text_atomically(path, text, 0644);
    return [this, path, written] { line_.notify(written, "Saved " + path); };
  });
}

}  // namespace ringside::session
