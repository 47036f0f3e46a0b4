// Writes every record of a run into CSV files, one file per kind, one row per record, without
// thinning. The column `attempt` distinguishes the steps of a restarted or resumed run from those
// they repeat. Used by one thread. The files appear in their folder only when finish() succeeds;
// until then they are in a hidden folder that the destructor removes.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gui/export/attempt_tracker.h"
#include "gui/export/csv_choice.h"
#include "gui/export/hidden_folder.h"
#include "protocol/base/result.h"
#include "protocol/messages/record_sink.h"

namespace ringside::exporting {

struct CsvFileSummary {
  std::string name;  ///< "steps.csv"
  std::uint64_t rows = 0;
  std::uint64_t size_bytes = 0;  ///< includes the header
};

struct CsvSummary {
  std::filesystem::path folder;
  std::vector<CsvFileSummary> files;  ///< all chosen tables, including those without rows
  std::uint64_t rows = 0;
  std::uint64_t size_bytes = 0;
};

/// A table in `folder` that is not of an earlier export of this run; empty: none. A table without
/// rows counts as one of this run.
std::filesystem::path foreign_csv_table(const std::filesystem::path& folder,
                                        const std::string& run_id);

class CsvExporter final : public messages::RecordSink {
 public:
  /// Creates `folder` if it is missing; finish() replaces CSV files of an earlier export of this
  /// run in it one by one, and leaves tables that are not chosen alone. Returns a bad request if
  /// the folder holds a foreign table and `replace` is not set; anything but a regular file is
  /// never replaced.
  static Result<std::unique_ptr<CsvExporter>> create(const std::filesystem::path& folder,
                                                     const std::string& run_id,
                                                     const CsvChoice& choice = all_csv_tables(),
                                                     bool replace = false);
  ~CsvExporter() override;
  CsvExporter(const CsvExporter&) = delete;
  CsvExporter& operator=(const CsvExporter&) = delete;

  void accept(const messages::Stamp& stamp, const messages::Record& record) override;

  /// Moves the files into place. Returns the first error of writing, if any; then nothing is left
  /// behind.
  Result<CsvSummary> finish();

 private:
  struct Tables;
  CsvExporter(std::filesystem::path folder, HiddenFolder hidden);

  std::filesystem::path folder_;
  HiddenFolder hidden_;
  std::unique_ptr<Tables> tables_;
  AttemptTracker attempts_;
};

}  // namespace ringside::exporting
