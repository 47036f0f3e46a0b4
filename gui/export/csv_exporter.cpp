#include "gui/export/csv_exporter.h"

#include <optional>

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

}  // namespace

/// Those that were not chosen are empty.
struct CsvExporter::Tables {
  std::optional<CsvTable<StepReport>> steps;
  std::optional<CsvTable<EpochReport>> epochs;
  std::optional<CsvTable<BucketReport>> buckets;
  std::optional<CsvTable<DeviceSample>> devices;
  std::optional<CsvTable<HostSample>> hosts;
  std::optional<CsvUnionTable<RankHello, RankState, RankGoodbye>> ranks;
  std::optional<CsvUnionTable<Notice, messages::Checkpoint, ClockSync, messages::DeviceLink>>
      notices;
  std::optional<CsvTable<Scalar>> scalars;
  std::optional<CsvTable<ShardReport>> shards;

  auto& of(const StepReport&) { return steps; }
  auto& of(const EpochReport&) { return epochs; }
  auto& of(const BucketReport&) { return buckets; }
  auto& of(const DeviceSample&) { return devices; }
  auto& of(const HostSample&) { return hosts; }
  auto& of(const RankHello&) { return ranks; }
  auto& of(const RankState&) { return ranks; }
  auto& of(const RankGoodbye&) { return ranks; }
  auto& of(const Notice&) { return notices; }
  auto& of(const messages::Checkpoint&) { return notices; }
  auto& of(const ClockSync&) { return notices; }
  auto& of(const messages::DeviceLink&) { return notices; }
  auto& of(const Scalar&) { return scalars; }
  auto& of(const ShardReport&) { return shards; }

  /// In the order of kCsvTables.
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
  }
};

CsvExporter::CsvExporter(fs::path folder, HiddenFolder hidden)
    : folder_(std::move(folder)), hidden_(std::move(hidden)), tables_(std::make_unique<Tables>()) {}

CsvExporter::~CsvExporter() { tables_.reset(); }

Result<std::unique_ptr<CsvExporter>> CsvExporter::create(const fs::path& folder,
                                                         const std::string& run_id,
                                                         const CsvChoice& choice) {
  auto hidden = HiddenFolder::make(folder, "--csv DIR");
  if (!hidden) return pass(hidden);
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
    if (const auto moved = hidden_.move_out(file.name, file.name); !moved) return pass(moved);
  }
  return summary;
}

}  // namespace ringside::exporting
