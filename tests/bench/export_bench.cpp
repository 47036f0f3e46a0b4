// Measures the CSV export as it is used: from the log file to the files of a folder. Prints one
// line of JSON. Usage: export_bench make LOG ROWS | export_bench export LOG FOLDER
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string_view>

#include "gui/export/csv_exporter.h"
#include "protocol/host/files.h"
#include "protocol/messages/codec.h"
#include "protocol/messages/step_records.h"
#include "protocol/runlog/log_reader.h"
#include "protocol/runlog/log_writer.h"
#include "tests/bench/rounds.h"

namespace ringside::bench {
namespace {

constexpr Rank kRanks = 8;

// Values like those of a training run: noisy losses, times of some milliseconds, a rarely changing
// learning rate.
messages::StepReport step_of(Step step, std::mt19937_64& random) {
  std::normal_distribution<double> noise(0.0, 0.05);
  std::uniform_int_distribution<std::int64_t> part(100'000, 9'999'999);
  messages::StepReport report;
  report.epoch = static_cast<Epoch>(step / 1000);
  report.step = step;
  report.samples = 128;
  report.loss = static_cast<float>(2.3 / (1.0 + static_cast<double>(step) * 1e-3) + noise(random));
  report.correct = static_cast<std::int32_t>(random() % 129);
  report.lr = step < 60'000 ? 0.1 : 0.01;
  report.grad_norm = static_cast<float>(1.0 + noise(random));
  report.data_wait_ns = part(random) / 10;
  report.host_to_device_ns = part(random) / 10;
  report.forward_ns = part(random);
  report.backward_ns = part(random) * 2;
  report.exposed_comm_ns = part(random);
  report.optimizer_ns = part(random) / 5;
  report.step_ns = report.data_wait_ns + report.host_to_device_ns + report.forward_ns +
                   report.backward_ns + report.exposed_comm_ns + report.optimizer_ns + 50'000;
  return report;
}

int make(const std::filesystem::path& path, std::uint64_t rows) {
  std::filesystem::remove(path);
  auto file = open_file(path, OpenMode::kCreateNew);
  if (!file) return 1;
  auto writer = runlog::LogWriter::open(std::move(*file), {"20261121T134005Z-7f3a1c", 0, 0, 0, ""});
  if (!writer) return 1;
  std::mt19937_64 random(42);
  std::vector<std::byte> payload;
  for (std::uint64_t row = 0; row < rows; ++row) {
    const auto rank = static_cast<Rank>(row % kRanks);
    const auto step = static_cast<Step>(row / kRanks);
    messages::append_record(
        payload,
        {0, rank, static_cast<std::uint64_t>(step), 3'000'000'000'000 + step * 25'000'000 + rank},
        step_of(step, random));
    if (row % 256 == 255 || row + 1 == rows) {
      if (!writer->append(payload, 256)) return 1;
      payload.clear();
    }
  }
  return 0;
}

int run_export(const std::filesystem::path& log, const std::filesystem::path& folder) {
  const std::int64_t start_ns = mono_now_ns();
  const double start_cpu = cpu_seconds();
  auto exporter = exporting::CsvExporter::create(folder, "20261121T134005Z-7f3a1c");
  if (!exporter || !runlog::read_log(log, **exporter)) return 1;
  const auto summary = (*exporter)->finish();
  if (!summary) return 1;
  const double cpu = cpu_seconds() - start_cpu;
  std::printf("{%s,%s,%s,%s}\n", field("wall_s", seconds_since(start_ns)).c_str(),
              field("cpu_s", cpu).c_str(),
              field("rows", static_cast<double>(summary->rows)).c_str(),
              field("bytes", static_cast<double>(summary->files.front().size_bytes)).c_str());
  return 0;
}

int usage() {
  std::fputs("usage: export_bench make LOG ROWS | export_bench export LOG FOLDER\n", stderr);
  return 2;
}

}  // namespace
}  // namespace ringside::bench

int main(int argc, char** argv) {
  if (argc != 4) return ringside::bench::usage();
  const std::string_view what = argv[1];
  const std::string_view last = argv[3];
  if (what == "export") return ringside::bench::run_export(argv[2], argv[3]);
  std::uint64_t rows = 0;
  const auto parsed = std::from_chars(last.data(), last.data() + last.size(), rows);
  if (what != "make" || parsed.ec != std::errc{}) return ringside::bench::usage();
  return ringside::bench::make(argv[2], rows);
}
