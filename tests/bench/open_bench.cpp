// Measures opening a finished run, from its file to the columns of a first plot, and in comparison
// only reading and checking the same bytes. Prints one line of JSON. Usage: open_bench make LOG
// STEPS RANKS | open_bench open LOG
#include <cstdio>
#include <filesystem>
#include <random>
#include <string_view>

#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "protocol/host/files.h"
#include "protocol/messages/codec.h"
#include "protocol/messages/step_records.h"
#include "protocol/runlog/crc32c.h"
#include "protocol/runlog/log_reader.h"
#include "protocol/runlog/log_writer.h"
#include "tests/bench/rounds.h"

namespace ringside::bench {
namespace {

constexpr int kRounds = 9;
constexpr std::size_t kPixels = 1920;

int make(const std::filesystem::path& path, Step steps, Rank ranks) {
  std::filesystem::remove(path);
  auto file = open_file(path, OpenMode::kCreateNew);
  if (!file) return 1;
  auto writer = runlog::LogWriter::open(std::move(*file), {"20261121T134005Z-7f3a1c", 0, 0, 0, ""});
  if (!writer) return 1;
  std::mt19937 random(42);
  std::vector<std::byte> payload;
  for (Step step = 0; step < steps; ++step) {
    for (Rank rank = 0; rank < ranks; ++rank) {
      messages::StepReport report;
      report.step = step;
      report.samples = 128;
      report.loss = static_cast<float>(random() % 1000) * 1e-3F;
      report.forward_ns = report.backward_ns = report.exposed_comm_ns = report.optimizer_ns =
          1'000'000;
      report.step_ns = 5'000'000;
      messages::append_record(
          payload, {0, rank, static_cast<std::uint64_t>(step), step * 5'000'000}, report);
    }
    if (step % 64 == 63 || step + 1 == steps) {
      if (!writer->append(payload, static_cast<std::uint64_t>(64 * ranks))) return 1;
      payload.clear();
    }
  }
  return 0;
}

// Reads the file into the model and builds the columns of the loss of every rank and of the mean.
// Returns the number of columns that contain values.
std::size_t open_run(const std::filesystem::path& log, std::uint64_t& records) {
  model::RunModel model;
  const auto read = runlog::read_log(log, model);
  if (!read) return 0;
  records = read->decoded.records;
  std::vector<model::Extremes> columns(kPixels);
  std::size_t filled = 0;
  const auto style = [&](const model::Series& series) {
    series.columns({0, static_cast<double>(model.steps_end())}, columns);
    for (const auto& column : columns) filled += column.empty() ? 0U : 1U;
  };
  for (const Rank rank : model.ranks()) style(model.rank(rank)->series(model::Metric::kLoss));
  style(model.mean_loss());
  return filled;
}

std::uint32_t bare_read(const std::filesystem::path& log) {
  auto file = open_file(log, OpenMode::kRead);
  std::vector<std::byte> buffer(std::size_t{256} << 10);
  std::uint32_t sum = 0;
  for (std::uint64_t offset = 0; file;) {
    const auto got = (*file)->read_at(offset, buffer);
    if (!got || *got == 0) break;
    sum ^= runlog::crc32c(std::span(buffer).first(*got));
    offset += *got;
  }
  return sum;
}

int measure(const std::filesystem::path& log) {
  std::vector<double> opening;
  std::vector<double> bare;
  std::uint64_t records = 0;
  std::size_t filled = 0;
  std::uint32_t sum = bare_read(log);
  for (int round = 0; round < kRounds; ++round) {
    double start = cpu_seconds();
    filled = open_run(log, records);
    opening.push_back(cpu_seconds() - start);
    start = cpu_seconds();
    sum ^= bare_read(log);
    bare.push_back(cpu_seconds() - start);
  }
  if (filled == 0) return 1;
  std::printf("{%s,%s,%s,%s,\"sum\":%u}\n", field("open_cpu_s", median(opening)).c_str(),
              field("bare_over_open", median(ratios(bare, opening))).c_str(),
              field("records", static_cast<double>(records)).c_str(),
              field("size_bytes", static_cast<double>(std::filesystem::file_size(log))).c_str(),
              sum);
  return 0;
}

int usage() {
  std::fputs("usage: open_bench make LOG STEPS RANKS | open_bench open LOG\n", stderr);
  return 2;
}

}  // namespace
}  // namespace ringside::bench

int main(int argc, char** argv) {
  using namespace ringside::bench;
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "open" && argc == 3) return measure(argv[2]);
  if (what == "make" && argc == 5)
    return make(argv[2], number(argv[3]), static_cast<ringside::Rank>(number(argv[4])));
  return usage();
}
