#include "gui/app/session_actions.h"

#include <fmt/format.h>

#include "gui/export/csv_exporter.h"
#include "gui/view/number_format.h"
#include "protocol/runlog/log_reader.h"
#include "protocol/wire/follow_client.h"

namespace ringside::app {
namespace {

constexpr std::int64_t kAnswerNs = 5'000'000'000;

}  // namespace

Result<std::string> export_run(const runlog::RunFolder& folder) {
  auto exporter = exporting::CsvExporter::create(folder.export_dir(), folder.id());
  if (!exporter) return pass(exporter);
  const auto log = runlog::read_log(folder.log_path(0), **exporter);
  if (!log) return pass(log);
  const auto summary = (*exporter)->finish();
  if (!summary) return pass(summary);
  std::string text = fmt::format("Exported {} rows in {} CSV files to {}",
                                 view::count_text(static_cast<std::int64_t>(summary->rows)),
                                 summary->files.size(), summary->folder.string());
  if (log->skipped_bytes > 0) {
    text += fmt::format(" ({} damaged bytes of the log were left out)",
                        view::count_text(static_cast<std::int64_t>(log->skipped_bytes)));
  }
  return text;
}

Result<std::string> ask_to_stop(const runlog::RunFolder& folder, view::StopMode mode) {
  const auto card = wire::read_card(folder.agent_path());
  if (!card || !wire::is_alive(*card)) {
    return failure(
        fmt::format("The agent of run {} is gone, so there is nobody to stop.", folder.id()));
  }
  auto client = wire::FollowClient::connect(*card);
  if (!client) return pass(client);
  return client->ask_stop(
      mode == view::StopMode::kNow ? wire::StopMode::kNow : wire::StopMode::kGraceful, kAnswerNs);
}

}  // namespace ringside::app
