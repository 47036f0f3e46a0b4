#include "protocol/runlog/whole_argv.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "protocol/base/byte_file.h"
#include "protocol/base/secrets.h"
#include "protocol/base/user_folders.h"

namespace ringside::runlog {
namespace {

namespace fs = std::filesystem;

Result<fs::path> folder() {
  const auto state = user_folder("XDG_STATE_HOME", ".local/state");
  if (!state) return pass(state);
  return *state / "ringside" / "arguments";
}

}  // namespace

// One argument after the other, each with a zero at its end, as the kernel has them.
Result<void> keep_whole_argv(const RunId& run, const std::vector<std::string>& argv) {
  const auto home = folder();
  if (!home) return pass(home);
  std::error_code error;
  fs::create_directories(*home, error);
  if (!error) fs::permissions(*home, fs::perms::owner_all, error);
  if (error) return failure("cannot make the folder " + home->string() + ": " + error.message());
  std::string text;
  for (const std::string& argument : argv) text += argument + '\0';
  return write_text_atomically(*home / run, text);
}

Result<std::vector<std::string>> whole_argv(const RunId& run,
                                            const std::vector<std::string>& stored) {
  const bool hidden = std::any_of(stored.begin(), stored.end(), [](const std::string& argument) {
    return argument.find(kHiddenSecret) != argument.npos;
  });
  if (!hidden) return stored;
  const auto home = folder();
  if (!home) return pass(home);
  const auto text = read_text(*home / run);
  std::vector<std::string> argv;
  for (std::size_t at = 0, end = 0; text && (end = text->find('\0', at)) != text->npos;
       at = end + 1)
    argv.push_back(text->substr(at, end - at));
  if (!argv.empty() && hide_secrets(argv) == stored) return argv;
  return bad_request("program.argv of run " + run + " holds " + std::string(kHiddenSecret) +
                     " in the place of a secret that is not kept on this machine: start a new run "
                     "and give the value again");
}

}  // namespace ringside::runlog
