#include "gui/runs/copied_numbers.h"

#include <sstream>
#include <string>
#include <system_error>

#include "gui/runs/run_id.h"
#include "protocol/host/files.h"

namespace ringside::runs {
namespace {

namespace fs = std::filesystem;

fs::path file_in(const fs::path& runs_dir) { return runs_dir / ".numbers"; }

}  // namespace

RunNumbers copied_numbers(const fs::path& runs_dir) {
  RunNumbers numbers;
  const auto text = read_text(file_in(runs_dir));
  if (!text) return numbers;
  std::istringstream lines(*text);
  RunId id;
  for (int number = 0; lines >> id >> number;)
    if (is_run_id(id) && number > 0) numbers[id] = number;
  return numbers;
}

Result<void> keep_copied_numbers(const fs::path& runs_dir, const RunNumbers& told, bool all) {
  const RunNumbers before = copied_numbers(runs_dir);
  RunNumbers now;
  for (const auto& [id, number] : told)
    if (is_run_id(id) && number > 0) now.emplace(id, number);
  std::error_code ignored;
  for (const auto& [id, number] : before)
    if (!all || fs::exists(runs_dir / id, ignored)) now.emplace(id, number);
  if (now == before) return {};
  std::string text;
  for (const auto& [id, number] : now) text += id + " " + std::to_string(number) + "\n";
  return write_text_atomically(file_in(runs_dir), text);
}

}  // namespace ringside::runs
