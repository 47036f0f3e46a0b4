// Measures what a chart needs from a run of 8 ranks x 1 M steps: pixel columns of every rank, and
// the whole loss chart ready to draw. The peer is a plain scan of all values into the same pixel
// columns. Times are processor time, which a loaded machine does not stretch. Prints one line of
// JSON.
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/live/run_charts.h"
#include "protocol/messages/records.h"
#include "tests/bench/rounds.h"

namespace ringside::bench {
namespace {

constexpr Rank kRanks = 8;
constexpr Step kSteps = 1'000'000;
constexpr std::size_t kPixels = 1920;
constexpr int kRounds = 9;

double resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  long total = 0;
  long resident = 0;
  const int read = std::fscanf(file, "%ld %ld", &total, &resident);
  std::fclose(file);
  return read == 2 ? static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE))
                   : 0;
}

messages::StepReport report_of(Rank rank, Step step) {
  messages::StepReport body;
  body.epoch = static_cast<Epoch>(step / 10'000);
  body.step = step;
  body.samples = 64;
  body.correct = 32;
  body.loss = 1.0F / (1.0F + static_cast<float>(step) * 1e-5F) +
              static_cast<float>((step * 7919 + rank * 31) % 997) * 1e-4F;
  body.lr = 0.1;
  body.grad_norm = 1;
  body.data_wait_ns = 100'000;
  body.host_to_device_ns = 10'000;
  body.forward_ns = 1'000'000;
  body.backward_ns = 2'000'000;
  body.exposed_comm_ns = 300'000;
  body.optimizer_ns = 200'000;
  body.step_ns = 3'700'000;
  return body;
}

double fill(model::RunModel& model) {
  messages::RankHello hello;
  hello.world_size = kRanks;
  hello.steps_per_epoch = 10'000;
  hello.epochs = 100;
  for (Rank rank = 0; rank < kRanks; ++rank) model.accept({0, rank, 0, 1'000'000'000}, hello);
  const double begin = cpu_seconds();
  for (Step step = 0; step < kSteps; ++step) {
    for (Rank rank = 0; rank < kRanks; ++rank) {
      model.accept(
          {0, rank, static_cast<std::uint64_t>(step) + 1, 1'000'000'000 + step * 3'700'000},
          report_of(rank, step));
    }
  }
  return (cpu_seconds() - begin) * 1e9 / static_cast<double>(kSteps * kRanks);
}

/// The plain scan of every value of every rank into the same columns.
double plain_scan_ms(const std::vector<std::vector<float>>& values,
                     std::vector<model::Extremes>& out) {
  const double begin = cpu_seconds();
  const model::Window window{0, static_cast<double>(kSteps)};
  for (const auto& series : values) {
    for (std::size_t column = 0; column < out.size(); ++column) {
      model::Extremes found;
      const std::size_t end = model::column_begin(window, column + 1, out.size());
      for (std::size_t i = model::column_begin(window, column, out.size()); i < end; ++i)
        found.add(series[i]);
      out[column] = found;
    }
  }
  return (cpu_seconds() - begin) * 1e3;
}

double query_ms(const model::RunModel& model, std::vector<model::Extremes>& out) {
  const double begin = cpu_seconds();
  for (const Rank rank : model.ranks())
    model.rank(rank)->series(model::Metric::kLoss).columns({0, static_cast<double>(kSteps)}, out);
  return (cpu_seconds() - begin) * 1e3;
}

double chart_ms(const model::RunModel& model, view::XAxis axis) {
  const double begin = cpu_seconds();
  view::ChartChoice choice;
  choice.axis = axis;
  const auto chart = view::build_loss_chart(model, {}, {}, choice, static_cast<int>(kPixels), 400);
  return chart.lines.empty() ? 0 : (cpu_seconds() - begin) * 1e3;
}

/// Adds a step of every rank and queries the columns again, as a live chart does.
double live_ms(model::RunModel& model, Step step, std::vector<model::Extremes>& out) {
  const double begin = cpu_seconds();
  for (Rank rank = 0; rank < kRanks; ++rank) {
    model.accept({0, rank, static_cast<std::uint64_t>(step) + 1, 1'000'000'000 + step * 3'700'000},
                 report_of(rank, step));
  }
  query_ms(model, out);
  return (cpu_seconds() - begin) * 1e3;
}

int wrong_columns(const model::RunModel& model, const std::vector<std::vector<float>>& values,
                  std::vector<model::Extremes>& out) {
  int wrong = 0;
  std::vector<model::Extremes> expected(out.size());
  for (Rank rank = 0; rank < kRanks; ++rank) {
    model.rank(rank)->series(model::Metric::kLoss).columns({0, static_cast<double>(kSteps)}, out);
    plain_scan_ms({values[static_cast<std::size_t>(rank)]}, expected);
    for (std::size_t i = 0; i < out.size(); ++i) wrong += out[i] == expected[i] ? 0 : 1;
  }
  return wrong;
}

void run() {
  const double empty_bytes = resident_bytes();
  model::RunModel model;
  const double accept_ns = fill(model);
  const double filled_bytes = resident_bytes() - empty_bytes;
  std::vector<model::Extremes> out(kPixels);
  const double first_ms = query_ms(model, out);
  std::vector<std::vector<float>> values(static_cast<std::size_t>(kRanks));
  for (Rank rank = 0; rank < kRanks; ++rank) {
    for (Step step = 0; step < kSteps; ++step)
      values[static_cast<std::size_t>(rank)].push_back(report_of(rank, step).loss);
  }
  const int wrong = wrong_columns(model, values, out);
  std::vector<double> scan, query, chart, time_chart, live;
  for (int round = 0; round < kRounds; ++round) {
    scan.push_back(plain_scan_ms(values, out));
    query.push_back(query_ms(model, out));
    chart.push_back(chart_ms(model, view::XAxis::kEpoch));
    time_chart.push_back(chart_ms(model, view::XAxis::kTime));
    live.push_back(live_ms(model, kSteps + round, out));
  }
  // Every step stores 12 reported values and two times.
  const double raw_bytes = static_cast<double>(kRanks) * static_cast<double>(kSteps) * (13 * 4 + 8);
  std::printf(
      "{\"bench\":\"query\",\"ranks\":8,\"steps\":1000000,\"pixels\":%zu,\"rounds\":%d,\"wrong_"
      "columns\":%d,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s}\n",
      kPixels, kRounds, wrong, field("accept_ns_per_step", accept_ns).c_str(),
      field("first_query_ms", first_ms).c_str(), field("scan_ms", median(scan)).c_str(),
      field("query_ms", median(query)).c_str(),
      field("scan_over_query", median(ratios(scan, query))).c_str(),
      field("live_query_ms", median(live)).c_str(), field("loss_chart_ms", median(chart)).c_str(),
      field("loss_chart_time_axis_ms", median(time_chart)).c_str(),
      field("resident_over_raw", filled_bytes / raw_bytes).c_str(),
      field("model_over_raw", static_cast<double>(model.memory_bytes()) / raw_bytes).c_str());
}

}  // namespace
}  // namespace ringside::bench

int main() { ringside::bench::run(); }
