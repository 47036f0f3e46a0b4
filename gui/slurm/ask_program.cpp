#include "gui/slurm/ask_program.h"

#include <filesystem>

#include "gui/launch/paths.h"
#include "protocol/base/printable.h"
#include "protocol/base/text.h"

namespace ringside::slurm {

Result<launch::CapturedSoFar> call_program(const std::string& program,
                                           std::vector<std::string> words,
                                           const launch::Cancelled& cancelled,
                                           const std::vector<std::string>& environment,
                                           std::int64_t limit_ns) {
  const auto path = RINGSIDE_TRY(launch::find_on_path(program));
  words.insert(words.begin(), path);
  return launch::capture_so_far(words, limit_ns, cancelled, environment);
}

std::string complaint_of(const std::string& program, const launch::CapturedSoFar& answer) {
  if (!answer.cut.empty()) return answer.cut;
  if (answer.exit_code == 0) return {};
  std::string complaint;
  for (const std::string_view line : lines_of(answer.errors))
    if (!trimmed(line).empty()) add_listed(complaint, printable_line(trimmed(line)));
  return std::filesystem::path(program).filename().string() + ": " + complaint;
}

Result<std::string> ask_program(const std::string& program, std::vector<std::string> words,
                                const launch::Cancelled& cancelled,
                                const std::vector<std::string>& environment,
                                std::int64_t limit_ns) {
  auto answer =
      RINGSIDE_TRY(call_program(program, std::move(words), cancelled, environment, limit_ns));
  if (auto complaint = complaint_of(program, answer); !complaint.empty())
    return failure(std::move(complaint));
  return std::move(answer.output);
}

}  // namespace ringside::slurm
