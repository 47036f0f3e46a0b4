#include "gui/export/csv_exporter.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "gui/export/csv_table.h"

namespace ringside::exporting {
namespace {

namespace fs = std::filesystem;
using namespace ringside::messages;

std::string as_cell(std::string_view text) {
  std::string cell(text_room(text), '\0');
  cell.resize(static_cast<std::size_t>(put_text(cell.data(), text) - cell.data()));
  return cell;
}

Result<fs::path> make_hidden_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return failure("cannot make the export folder " + folder.string() + ": " + error.message() +
                   "; choose another with --csv DIR");
  }
  std::string pattern = (folder / ".export-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    return failure("cannot write into the export folder " + folder.string() + ": " +
                   std::strerror(errno) + "; choose another with --csv DIR");
  }
  return fs::path(pattern);
}

}  // namespace

struct CsvExporter::Tables {
  CsvTable<StepReport> steps;
  CsvTable<EpochReport> epochs;
  CsvTable<BucketReport> buckets;
  CsvTable<DeviceSample> devices;
  CsvTable<HostSample> hosts;
  CsvUnionTable<RankHello, RankState, RankGoodbye> ranks;
  CsvUnionTable<Notice, messages::Checkpoint, ClockSync> notices;
  CsvTable<Scalar> scalars;
  CsvTable<ShardReport> shards;

  void add(const Stamp& stamp, const StepReport& body) { steps.add(stamp, body); }
  void add(const Stamp& stamp, const EpochReport& body) { epochs.add(stamp, body); }
  void add(const Stamp& stamp, const BucketReport& body) { buckets.add(stamp, body); }
  void add(const Stamp& stamp, const DeviceSample& body) { devices.add(stamp, body); }
  void add(const Stamp& stamp, const HostSample& body) { hosts.add(stamp, body); }
  void add(const Stamp& stamp, const RankHello& body) { ranks.add(stamp, body); }
  void add(const Stamp& stamp, const RankState& body) { ranks.add(stamp, body); }
  void add(const Stamp& stamp, const RankGoodbye& body) { ranks.add(stamp, body); }
  void add(const Stamp& stamp, const Notice& body) { notices.add(stamp, body); }
  void add(const Stamp& stamp, const messages::Checkpoint& body) { notices.add(stamp, body); }
  void add(const Stamp& stamp, const ClockSync& body) { notices.add(stamp, body); }
  void add(const Stamp& stamp, const Scalar& body) { scalars.add(stamp, body); }
  void add(const Stamp& stamp, const ShardReport& body) { shards.add(stamp, body); }

  template <class Visit>
  void each(Visit&& visit) {
    visit("steps.csv", steps);
    visit("epochs.csv", epochs);
    visit("buckets.csv", buckets);
    visit("devices.csv", devices);
    visit("hosts.csv", hosts);
    visit("ranks.csv", ranks);
    visit("notices.csv", notices);
    visit("scalars.csv", scalars);
    visit("shards.csv", shards);
  }
};

CsvExporter::CsvExporter(fs::path folder, fs::path hidden)
    : folder_(std::move(folder)), hidden_(std::move(hidden)) {}

CsvExporter::~CsvExporter() {
  tables_.reset();
  std::error_code ignored;
  fs::remove_all(hidden_, ignored);
}

Result<std::unique_ptr<CsvExporter>> CsvExporter::create(const fs::path& folder,
                                                         const std::string& run_id) {
  auto hidden = make_hidden_folder(folder);
  if (!hidden) return pass(hidden);
  std::unique_ptr<CsvExporter> exporter(new CsvExporter(folder, *hidden));
  std::vector<CsvFile> files;
  for (const char* name : {"steps.csv", "epochs.csv", "buckets.csv", "devices.csv", "hosts.csv",
                           "ranks.csv", "notices.csv", "scalars.csv", "shards.csv"}) {
    auto file = CsvFile::create(*hidden / name);
    if (!file) return pass(file);
    files.push_back(std::move(*file));
  }
  const std::string run = as_cell(run_id);
  exporter->tables_.reset(
      new Tables{.steps = {std::move(files[0]), run},
                 .epochs = {std::move(files[1]), run},
                 .buckets = {std::move(files[2]), run},
                 .devices = {std::move(files[3]), run},
                 .hosts = {std::move(files[4]), run},
                 .ranks = {std::move(files[5]), run, {"hello", "state", "goodbye"}},
                 .notices = {std::move(files[6]), run, {"notice", "checkpoint", "clock_sync"}},
                 .scalars = {std::move(files[7]), run},
                 .shards = {std::move(files[8]), run}});
  return exporter;
}

void CsvExporter::accept(const Stamp& stamp, const Record& record) {
  if (const auto* step = std::get_if<StepReport>(&record)) {
    tables_->steps.add(stamp, *step);
    return;
  }
  std::visit([&](const auto& body) { tables_->add(stamp, body); }, record);
}

Result<CsvSummary> CsvExporter::finish() {
  CsvSummary summary{.folder = folder_, .files = {}};
  Result<void> outcome;
  tables_->each([&](const char* name, auto& table) {
    const auto closed = table.file().close();
    if (!closed && outcome) outcome = closed;
    const std::uint64_t bytes = table.file().written_bytes();
    summary.files.push_back({name, table.rows(), bytes});
    summary.rows += table.rows();
    summary.size_bytes += bytes;
  });
  if (!outcome) return pass(outcome);
  for (const auto& file : summary.files) {
    std::error_code error;
    fs::rename(hidden_ / file.name, folder_ / file.name, error);
    if (error) {
      return failure("cannot move " + file.name + " into " + folder_.string() + ": " +
                     error.message());
    }
  }
  return summary;
}

}  // namespace ringside::exporting
