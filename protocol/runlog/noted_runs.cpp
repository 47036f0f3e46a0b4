#include "protocol/runlog/noted_runs.h"

#include <fcntl.h>
#include <unistd.h>

#include <sstream>
#include <string>

#include "protocol/host/descriptor.h"
#include "protocol/host/files.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::runlog {
namespace {

std::filesystem::path noted_in(const std::filesystem::path& runs_dir) { return runs_dir / ".runs"; }

bool is_noted_id(const std::string& word) {
  return word.size() == make_run_id(0, 0).size() &&
         word.find_first_not_of("0123456789abcdefTZ-") == word.npos;
}

}  // namespace

void note_run(const std::filesystem::path& runs_dir, const NotedRun& run) {
  const Descriptor file(::open(noted_in(runs_dir).c_str(),
                               O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  const std::string line = run.id + " " + run.turn + "\n";
  // A single short write, so that lines of several processes do not mix.
  if (file.get() >= 0) (void)!::write(file.get(), line.data(), line.size());
}

std::vector<NotedRun> noted_runs(const std::filesystem::path& runs_dir) {
  std::vector<NotedRun> noted;
  const auto text = read_text(noted_in(runs_dir));
  std::istringstream words(text ? *text : std::string());
  for (NotedRun run; words >> run.id >> run.turn;) {
    if (is_noted_id(run.id) && is_noted_id(run.turn)) noted.push_back(run);
  }
  return noted;
}

}  // namespace ringside::runlog
