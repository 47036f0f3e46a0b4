#include "gui/cli/watched_files.h"

#include <map>

#include "gui/cli/command/watch.h"
#include "gui/cli/print/json.h"
#include "gui/cli/print/terminal.h"
#include "gui/runs/find_run.h"

namespace ringside::cli {

void add_step_column(Command& command, std::string& step) {
  command.add_option("--step COLUMN", step,
                     "Column of a table with the step number; without it one that is called step, "
                     "iteration, epoch or the like, else rows are counted");
}

std::vector<runs::RunSummary> summaries_of(const std::vector<runlog::RunFolder>& folders,
                                           const std::filesystem::path& runs_dir) {
  std::map<RunId, int> numbers;
  if (const auto listed = runs::list_runs(runs_dir)) {
    for (const auto& run : *listed) numbers[run.folder.id()] = run.number;
  }
  std::vector<runs::RunSummary> summaries;
  for (const auto& folder : folders)
    summaries.push_back(runs::read_summary({folder, numbers[folder.id()]}));
  return summaries;
}

std::string left_out_text(const std::vector<watch::FileNotice>& left_out) {
  std::string text;
  for (const std::string& line : watch::notice_lines(left_out)) text += one_line(line) + "\n";
  return text;
}

void print_result(const std::vector<runs::RunSummary>& runs, bool json,
                  const std::vector<watch::FileNotice>& left_out) {
  if (!json || left_out.empty()) {
    print_result(runs, json);
    return;
  }
  Json notices = Json::array();
  for (const auto& [file, what] : left_out) {
    notices.push_back({{"file", one_line(file.native())},
                       {"place", what.place},
                       {"what", what.what},
                       {"count", what.count},
                       {"expected", what.expected}});
  }
  Json result = result_json(runs);
  result["left_out"] = std::move(notices);
  print(stdout, dump(result) + "\n");
}

}  // namespace ringside::cli
