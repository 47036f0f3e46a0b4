#include "gui/slurm/ask_program.h"

#include <filesystem>

#include "gui/launch/paths.h"
#include "protocol/base/printable.h"

namespace ringside::slurm {
Result<std::string> ask_program(const std::string& program, std::vector<std::string> words,
                                const launch::Cancelled& cancelled,
                                const std::vector<std::string>& environment,
                                std::int64_t limit_ns) {
  const auto path = launch::find_on_path(program);
  if (!path) return pass(path);
  words.insert(words.begin(), *path);
  const auto answer = launch::capture(words, limit_ns, cancelled, environment);
  if (!answer) return pass(answer);
  if (answer->exit_code == 0) return answer->output;
  std::string complaint = answer->errors;
  while (complaint.ends_with('\n')) complaint.pop_back();
  return failure(std::filesystem::path(program).filename().string() + ": " +
                 printable_line(complaint));
}

}  // namespace ringside::slurm
