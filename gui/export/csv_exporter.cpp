#include "gui/export/csv_exporter.h"

#include <fstream>
#include <optional>
#include <system_error>

#include "gui/export/csv_table.h"
#include "protocol/messages/records.h"

namespace ringside::exporting {
namespace {

namespace fs = std::filesystem;
using namespace ringside::messages;

std::string as_cell(std::string_view text) {
  std::string cell(text_room(text), '\0');
  cell.resize(static_cast<std::size_t>(put_text(cell.data(), text) - cell.data()));
  return cell;
}

std::string file_name(std::size_t place) { return std::string(kCsvTables[place]) + ".csv"; }

/// Whether the file is of this run, according to the first row below our header.
bool is_of_run(const fs::path& file, const std::string& run_cell) {
  constexpr std::size_t kHeadBytes = 16'384;
  std::string text(kHeadBytes, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  const std::size_t head_end = text.find('\n');
  if (!text.starts_with("run,node,rank") || head_end == text.npos) return false;
  const std::string_view rows = std::string_view(text).substr(head_end + 1);
  return rows.empty() || rows.starts_with(run_cell + ",");
}

Result<void> make_way(const fs::path& folder, const std::string& run_id, bool replace) {
  for (std::size_t place = 0; place < kCsvTables.size(); ++place) {
    std::error_code ignored;
    const fs::path file = folder / file_name(place);
    const auto there = fs::symlink_status(file, ignored);
    if (fs::exists(there) && !fs::is_regular_file(there))
      return bad_request(file.string() +
                         " is not a regular file and is not replaced; choose another "
                         "folder with --csv DIR");
  }
  const fs::path foreign = replace ? fs::path() : foreign_csv_table(folder, run_id);
  if (foreign.empty()) return {};
  return bad_request(foreign.string() +
                     " is not of an earlier export of this run; choose another folder with --csv "
                     "DIR, or replace what is there with --force");
}

}  // namespace

fs::path foreign_csv_table(const fs::path& folder, const std::string& run_id) {
  const std::string run = as_cell(run_id);
  for (std::size_t place = 0; place < kCsvTables.size(); ++place) {
    std::error_code ignored;
    const fs::path file = folder / file_name(place);
    if (fs::is_regular_file(fs::symlink_status(file, ignored)) && !is_of_run(file, run))
      return file;
  }
  return {};
}

/// Tables that were not chosen are empty.
struct CsvExporter::Tables {
  std::optional<CsvTable<StepReport>> steps;
  std::optional<CsvTable<EpochReport>> epochs;
  std::optional<CsvTable<BucketReport>> buckets;
  std::optional<CsvTable<DeviceSample>> devices;
  std::optional<CsvTable<HostSample>> hosts;
  std::optional<CsvUnionTable<RankHello, RankState, RankGoodbye, GroupReport>> ranks;
  std::optional<CsvUnionTable<Notice, messages::Checkpoint, ClockSync, messages::DeviceLink>>
      notices;
  std::optional<CsvTable<Scalar>> scalars;
  std::optional<CsvTable<ShardReport>> shards;
  std::optional<CsvTable<CollectiveReport>> collectives;

  auto& of(const StepReport&) { return steps; }
  auto& of(const EpochReport&) { return epochs; }
  auto& of(const BucketReport&) { return buckets; }
  auto& of(const DeviceSample&) { return devices; }
  auto& of(const HostSample&) { return hosts; }
  auto& of(const RankHello&) { return ranks; }
  auto& of(const RankState&) { return ranks; }
  auto& of(const RankGoodbye&) { return ranks; }
  auto& of(const GroupReport&) { return ranks; }
  auto& of(const Notice&) { return notices; }
  auto& of(const messages::Checkpoint&) { return notices; }
  auto& of(const ClockSync&) { return notices; }
  auto& of(const messages::DeviceLink&) { return notices; }
  auto& of(const Scalar&) { return scalars; }
  auto& of(const ShardReport&) { return shards; }
  auto& of(const CollectiveReport&) { return collectives; }

  /// Visits the tables in the order of kCsvTables.
  template <class Visit>
  void each(Visit&& visit) {
    visit(steps);
    visit(epochs);
    visit(buckets);
    visit(devices);
    visit(hosts);
    visit(ranks);
    visit(notices);
    visit(scalars);
    visit(shards);
    visit(collectives);
  }
};

CsvExporter::CsvExporter(fs::path folder, HiddenFolder hidden)
    : folder_(std::move(folder)), hidden_(std::move(hidden)), tables_(std::make_unique<Tables>()) {}

CsvExporter::~CsvExporter() { tables_.reset(); }

Result<std::unique_ptr<CsvExporter>> CsvExporter::create(const fs::path& folder,
                                                         const std::string& run_id,
                                                         const CsvChoice& choice, bool replace) {
  auto hidden = HiddenFolder::make(folder, "--csv DIR");
  if (!hidden) return pass(hidden);
  RINGSIDE_TRY(make_way(folder, run_id, replace));
  std::unique_ptr<CsvExporter> exporter(new CsvExporter(folder, std::move(*hidden)));
  const std::string run = as_cell(run_id);
  Result<void> outcome;
  std::size_t place = 0;
  exporter->tables_->each([&](auto& table) {
    const std::size_t here = place++;
    if (!choice[here] || !outcome) return;
    auto file = CsvFile::create(exporter->hidden_.path() / file_name(here));
    if (file) {
      table.emplace(std::move(*file), run);
    } else {
      outcome = pass(file);
    }
  });
  if (!outcome) return pass(outcome);
  return exporter;
}

void CsvExporter::accept(const Stamp& stamp, const Record& record) {
  const std::int32_t attempt = attempts_.attempt_of(stamp, record);
  if (const auto* step = std::get_if<StepReport>(&record)) {
    if (tables_->steps) tables_->steps->add(stamp, *step, attempt);
    return;
  }
  std::visit(
      [&](const auto& body) {
        if (auto& table = tables_->of(body)) table->add(stamp, body, attempt);
      },
      record);
}

Result<CsvSummary> CsvExporter::finish() {
  CsvSummary summary{.folder = folder_, .files = {}};
  Result<void> outcome;
  std::size_t place = 0;
  tables_->each([&](auto& table) {
    const std::size_t here = place++;
    if (!table) return;
    const auto closed = table->file().close();
    if (!closed && outcome) outcome = closed;
    const std::uint64_t bytes = table->file().written_bytes();
    summary.files.push_back({file_name(here), table->rows(), bytes});
    summary.rows += table->rows();
    summary.size_bytes += bytes;
  });
  if (!outcome) return pass(outcome);
  for (const auto& file : summary.files) {
    RINGSIDE_TRY(hidden_.move_out(file.name, file.name));
  }
  return summary;
}

}  // namespace ringside::exporting
