// Measures runs on many nodes: reading their logs as one, following them to the end and while they
// grow, the memory of the model, and building the views for one update of Live and of the node map,
// without drawing. Prints one line of JSON. Usage: nodes_bench make|grow FOLDER NODES
// RANKS_PER_NODE STEPS | nodes_bench read FOLDER
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "gui/model/run_model.h"
#include "gui/runs/run_source.h"
#include "gui/view/live/event_strip.h"
#include "gui/view/live/log_view.h"
#include "gui/view/live/node_map.h"
#include "gui/view/live/rank_grid.h"
#include "gui/view/live/rank_table.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/live/step_bars.h"
#include "protocol/host/files.h"
#include "protocol/messages/codec.h"
#include "protocol/messages/event_records.h"
#include "protocol/messages/step_records.h"
#include "protocol/runlog/log_writer.h"
#include "protocol/runlog/run_reader.h"
#include "tests/bench/rounds.h"

namespace ringside::bench {
namespace {

constexpr int kRounds = 5;
constexpr std::int64_t kStepNs = 100'000'000;  // 10 Hz
constexpr std::int64_t kBootNs = 1'000'000'000'000;

std::int64_t ahead_of(Node node) { return node * 5'000'000'000LL; }

/// Opens the log of a node and writes its first records.
Result<runlog::LogWriter> open_log(const runlog::RunFolder& folder, Node node) {
  auto file = RINGSIDE_TRY(open_file(folder.log_path(node), OpenMode::kCreateNew));
  const std::int64_t ahead_ns = ahead_of(node);
  auto writer = runlog::LogWriter::open(std::move(file),
                                        {folder.id(), node, 2 * kBootNs, kBootNs + ahead_ns, ""});
  if (!writer || node == 0) return writer;
  std::vector<std::byte> payload;
  messages::append_record(payload, {node, kNoRank, 0, kBootNs + ahead_ns},
                          messages::ClockSync{0, -ahead_ns, 40'000});
  RINGSIDE_TRY(writer->append(payload, 1));
  return writer;
}

bool append_step(runlog::LogWriter& writer, Node node, Rank each, Step step) {
  std::vector<std::byte> payload;
  for (Rank local = 0; local < each; ++local) {
    messages::StepReport report;
    report.step = step;
    report.samples = 128;
    report.loss = 1.0F / static_cast<float>(step + 1);
    report.step_ns = kStepNs;
    messages::append_record(payload,
                            {node, node * each + local, static_cast<std::uint64_t>(step),
                             kBootNs + ahead_of(node) + (step + 1) * kStepNs + local * 1000},
                            report);
  }
  return writer.append(payload, static_cast<std::uint64_t>(each)).has_value();
}

runlog::RunFolder new_folder(const std::filesystem::path& path) {
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return runlog::RunFolder(path);
}

int make(const std::filesystem::path& path, Node nodes, Rank each, Step steps) {
  const runlog::RunFolder folder = new_folder(path);
  for (Node node = 0; node < nodes; ++node) {
    auto writer = open_log(folder, node);
    if (!writer) return 1;
    for (Step step = 0; step < steps; ++step)
      if (!append_step(*writer, node, each, step)) return 1;
  }
  return 0;
}

double resident_mib() {
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  double resident = 0;
  file >> pages >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

/// Measures how a viewer reads growing logs as files, as for other machines: in each round a step
/// of every rank is written, and polled once.
int grow(const std::filesystem::path& path, Node nodes, Rank each, Step rounds) {
  const runlog::RunFolder folder = new_folder(path);
  std::vector<runlog::LogWriter> writers;
  for (Node node = 0; node < nodes; ++node) {
    auto writer = open_log(folder, node);
    if (!writer) return 1;
    writers.push_back(std::move(*writer));
  }
  model::RunModel model;
  runs::RunSource source(folder);
  double taken = 0;
  for (Step round = 0; round < rounds; ++round) {
    for (Node node = 0; node < nodes; ++node)
      if (!append_step(writers[static_cast<std::size_t>(node)], node, each, round)) return 1;
    const double start = cpu_seconds();
    const auto polled = source.poll(model, 1U << 20, 0);
    if (round > 0) taken += cpu_seconds() - start;  // the first round opens all files
    // A round is complete only if the poll has read everything.
    const auto written = static_cast<std::uint64_t>(nodes * each * (round + 1) + nodes - 1);
    if (!polled || polled->log.decoded.records != written) return 1;
  }
  std::printf("{%s}\n", field("round_ms", taken * 1e3 / static_cast<double>(rounds - 1)).c_str());
  return 0;
}

/// Follows as a live viewer does, to the current end.
double follow(const runlog::RunFolder& folder) {
  const double start = cpu_seconds();
  model::RunModel model;
  runs::RunSource source(folder);
  for (;;) {
    const auto polled = source.poll(model, 1U << 20, 0);
    if (!polled || polled->ended) return cpu_seconds() - start;
  }
}

/// Builds the views that Live needs after new data.
double update(const model::RunModel& model) {
  constexpr int kPixels = 1200;
  constexpr int kHeight = 300;
  view::RunContext context;
  context.now_ns = model.last_ns();
  const view::ChartChoice choice;
  const double start = cpu_seconds();
  const auto ranks = view::build_rank_table(model, context);
  const auto grid = view::build_rank_grid(ranks.table, "own");
  const auto nodes = view::build_node_table(model, ranks.table);
  const auto events = view::build_event_strip(model, context, {});
  const auto loss = view::build_loss_chart(model, context, {}, choice, kPixels, kHeight);
  const auto times = view::build_step_time_chart(model, context, choice, kPixels, kHeight);
  const auto bars = view::build_step_bars(model, context);
  const auto log = view::build_log(model, {}, {});
  return cpu_seconds() - start;
}

int measure(const std::filesystem::path& path) {
  const runlog::RunFolder folder(path);
  std::vector<double> opening;
  std::vector<double> following;
  std::vector<double> updating;
  std::uint64_t records = 0;
  double model_mib = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double start = cpu_seconds();
    model::RunModel model;
    const auto read = runlog::read_run(folder, model);
    if (!read) return 1;
    opening.push_back(cpu_seconds() - start);
    records = read->decoded.records;
    model_mib = static_cast<double>(model.memory_bytes()) / (1 << 20);
    updating.push_back(update(model));
    following.push_back(follow(folder));
  }
  const double million = static_cast<double>(records) / 1e6;
  std::printf("{%s,%s,%s,%s,%s,%s}\n",
              field("open_s_per_million", median(opening) / million).c_str(),
              field("follow_s_per_million", median(following) / million).c_str(),
              field("update_ms", median(updating) * 1e3).c_str(),
              field("records", static_cast<double>(records)).c_str(),
              field("model_mib_per_million", model_mib / million).c_str(),
              field("resident_mib", resident_mib()).c_str());
  return 0;
}

int usage() {
  std::fputs(
      "usage: nodes_bench make|grow FOLDER NODES RANKS_PER_NODE STEPS | nodes_bench read FOLDER\n",
      stderr);
  return 2;
}

}  // namespace
}  // namespace ringside::bench

int main(int argc, char** argv) {
  using namespace ringside::bench;
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "read" && argc == 3) return measure(argv[2]);
  if ((what != "make" && what != "grow") || argc != 6) return usage();
  return (what == "make" ? make : grow)(argv[2], static_cast<ringside::Node>(number(argv[3])),
                                        static_cast<ringside::Rank>(number(argv[4])),
                                        number(argv[5]));
}
