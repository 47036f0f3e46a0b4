// Compares appending to the run log with a bare write() of the same payloads, and with SQLite at
// the same number of rows per transaction, into the page cache of the same disk. Usage: log_bench
// [FOLDER]. Prints one line of JSON.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "protocol/host/files.h"
#include "protocol/messages/codec.h"
#include "protocol/messages/event_records.h"
#include "protocol/runlog/log_reader.h"
#include "protocol/runlog/log_writer.h"
#include "tests/bench/rounds.h"
#include "tests/bench/sqlite_peer.h"

namespace ringside::bench {
namespace {

constexpr int kRounds = 9;
constexpr std::size_t kRoundBytes = std::size_t{128} << 20;

std::vector<std::byte> payload_of(std::uint64_t records) {
  std::vector<std::byte> payload;
  for (std::uint64_t i = 0; i < records; ++i) {
    messages::append_record(payload, {0, 0, i, 0},
                            messages::Scalar{"twelve chars", static_cast<Step>(i), 0.5});
  }
  return payload;
}

struct CountingSink final : messages::RecordSink {
  void accept(const messages::Stamp&, const messages::Record&) override { ++records; }
  std::uint64_t records = 0;
};

// Returns ns per record; 0 if the disk failed.
double bare_write(const std::filesystem::path& path, const std::vector<std::byte>& payload,
                  std::uint64_t records) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  const std::size_t writes = kRoundBytes / payload.size();
  bool good = fd >= 0;
  const double start = cpu_seconds();
  for (std::size_t i = 0; i < writes && good; ++i) {
    good = ::write(fd, payload.data(), payload.size()) == static_cast<ssize_t>(payload.size());
  }
  const double seconds = cpu_seconds() - start;
  ::close(fd);
  std::filesystem::remove(path);
  return good ? seconds * 1e9 / static_cast<double>(writes * records) : 0.0;
}

double log_append(const std::filesystem::path& path, const std::vector<std::byte>& payload,
                  std::uint64_t records) {
  std::filesystem::remove(path);
  auto file = open_file(path, OpenMode::kCreateNew);
  if (!file) return 0.0;
  auto writer = runlog::LogWriter::open(std::move(*file), {"bench", 0, 0, 0, ""});
  const std::size_t writes = kRoundBytes / payload.size();
  bool good = writer.has_value();
  const double start = cpu_seconds();
  for (std::size_t i = 0; i < writes && good; ++i)
    good = writer->append(payload, records).has_value();
  const double seconds = cpu_seconds() - start;
  return good ? seconds * 1e9 / static_cast<double>(writes * records) : 0.0;
}

// Decodes the log that log_append wrote; ns per record.
double read_back(const std::filesystem::path& path) {
  CountingSink sink;
  const double start = cpu_seconds();
  const auto progress = runlog::read_log(path, sink);
  const double seconds = cpu_seconds() - start;
  std::filesystem::remove(path);
  return progress && sink.records > 0 ? seconds * 1e9 / static_cast<double>(sink.records) : 0.0;
}

// Batches of real runs do not fill whole pages; nor do these, so that both sides write across page
// boundaries.
std::string measure(const std::filesystem::path& folder, std::uint64_t records,
                    const char* prefix) {
  const auto payload = payload_of(records);
  std::vector<double> bare;
  std::vector<double> control;
  std::vector<double> ours;
  std::vector<double> read;
  bare_write(folder / "warm", payload, records);
  for (int round = 0; round < kRounds; ++round) {
    bare.push_back(bare_write(folder / "bare", payload, records));
    ours.push_back(log_append(folder / "log", payload, records));
    read.push_back(read_back(folder / "log"));
    control.push_back(bare_write(folder / "bare", payload, records));
  }
  const auto ratio = ratios(ours, bare);
  const std::string name(prefix);
  return field((name + "_bare_ns_per_record").c_str(), median(bare)) + "," +
         field((name + "_log_ns_per_record").c_str(), median(ours)) + "," +
         field((name + "_ratio").c_str(), median(ratio)) + "," +
         field((name + "_ratio_worst").c_str(), *std::max_element(ratio.begin(), ratio.end())) +
         "," + field((name + "_control").c_str(), median(ratios(control, bare))) + "," +
         field((name + "_read_ns_per_record").c_str(), median(read));
}

// Goal 10: rows in a crash-safe database against records in the log.
std::string against_sqlite(const std::filesystem::path& folder) {
  constexpr std::uint64_t kRows = 1000;
  constexpr std::size_t kBatches = 100;
  const auto sqlite = SqlitePeer::load();
  if (!sqlite) return "\"sqlite_to_log\":\"SKIPPED: no libsqlite3\"";
  const auto payload = payload_of(kRows);
  std::vector<double> theirs;
  std::vector<double> ours;
  for (int round = 0; round < kRounds; ++round) {
    theirs.push_back(sqlite->insert(folder / "base", kBatches, kRows) * 1e9 / (kBatches * kRows));
    ours.push_back(log_append(folder / "log", payload, kRows));
  }
  const auto ratio = ratios(theirs, ours);
  return field("sqlite_ns_per_record", median(theirs)) + "," +
         field("sqlite_to_log", median(ratio)) + "," +
         field("sqlite_to_log_worst", *std::min_element(ratio.begin(), ratio.end()));
}

}  // namespace
}  // namespace ringside::bench

int main(int argc, char** argv) {
  using namespace ringside::bench;
  const std::filesystem::path base =
      argc > 1 ? std::filesystem::path(argv[1]) : std::filesystem::temp_directory_path();
  std::string pattern = (base / "ringside-bench-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return 1;
  const std::string large = measure(pattern, 1000, "segment_64k");
  const std::string small = measure(pattern, 60, "segment_4k");
  const std::string sqlite = against_sqlite(pattern);
  std::printf("{\"bench\":\"log_append\",\"record_bytes\":64,\"rounds\":9,%s,%s,%s}\n",
              large.c_str(), small.c_str(), sqlite.c_str());
  std::filesystem::remove_all(pattern);
  return 0;
}
