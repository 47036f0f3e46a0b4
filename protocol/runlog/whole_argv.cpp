#include "protocol/runlog/whole_argv.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "protocol/base/secrets.h"
#include "protocol/host/files.h"
#include "protocol/host/user_folders.h"
#include "protocol/messages/spec/shown_program.h"

namespace ringside::runlog {
namespace {

namespace fs = std::filesystem;

Result<fs::path> folder() {
  const auto state = RINGSIDE_TRY(user_folder("XDG_STATE_HOME", ".local/state"));
  return state / "ringside" / "arguments";
}

// Symbolic link to the run folder, beside the saved command line.
fs::path link_of(const fs::path& home, const RunId& run) { return home / (run + ".run"); }

// The folder counts as deleted only if other runs are beside it; otherwise its disk may not be
// mounted.
bool was_deleted(const fs::path& run) {
  std::error_code error;
  if (fs::status(run, error).type() != fs::file_type::not_found) return false;
  const bool alone = fs::is_empty(run.parent_path(), error);
  return !error && !alone;
}

// Index at which an argument has a placeholder for a secret or for bytes that are not text; npos if
// none.
std::size_t hidden_from(const std::string& argument) {
  return std::min(argument.find(kHiddenSecret), argument.find(messages::kNoText));
}

bool is_hidden(const std::string& argument) { return hidden_from(argument) != argument.npos; }

// Saved as one list, argv first.
std::vector<std::string> texts_of(const messages::ProgramSpec& program) {
  std::vector<std::string> texts = program.argv;
  texts.insert(texts.end(), program.environment.begin(), program.environment.end());
  return texts;
}

// The visible start of a stored argument agrees with the whole one.
bool agrees(const std::string& stored, const std::string& whole) {
  return stored == whole ||
         (is_hidden(stored) && whole.starts_with(stored.substr(0, hidden_from(stored))));
}

}  // namespace

// Each argument ends with a NUL, as in /proc/PID/cmdline.
Result<void> keep_whole_argv(const RunFolder& run, const std::vector<std::string>& argv) {
  const auto home = RINGSIDE_TRY(folder());
  std::error_code error;
  fs::create_directories(home, error);
  if (!error) fs::permissions(home, fs::perms::owner_all, error);
  if (error) return failure("cannot make the folder " + home.string() + ": " + error.message());
  std::string text;
  for (const std::string& argument : argv) text += argument + '\0';
  fs::remove(link_of(home, run.id()), error);
  fs::create_symlink(run.path(), link_of(home, run.id()), error);
  return write_text_atomically(home / run.id(), text);
}

void forget_deleted_runs() {
  const auto home = folder();
  std::error_code ignored;
  if (!home) return;
  for (const auto& entry : fs::directory_iterator(*home, ignored)) {
    const fs::path run = fs::read_symlink(entry.path(), ignored);
    if (run.empty() || !was_deleted(run)) continue;
    fs::remove(fs::path(entry.path()).replace_extension(), ignored);
    fs::remove(entry.path(), ignored);
  }
}

Result<std::vector<std::string>> whole_argv(const RunId& run,
                                            const std::vector<std::string>& stored) {
  if (std::none_of(stored.begin(), stored.end(), is_hidden)) return stored;
  const auto home = RINGSIDE_TRY(folder());
  const auto text = read_text(home / run);
  std::vector<std::string> argv;
  for (std::size_t at = 0, end = 0; text && (end = text->find('\0', at)) != text->npos;
       at = end + 1)
    argv.push_back(text->substr(at, end - at));
  if (std::equal(stored.begin(), stored.end(), argv.begin(), argv.end(), agrees)) return argv;
  return bad_request(
      "the command line or the environment of run " + run + " holds " + std::string(kHiddenSecret) +
      " or " + std::string(messages::kNoText) +
      " in the place of a secret or of a byte that is not UTF-8, and the value itself "
      "is not stored on this machine: start a new run and give the value again");
}

Result<messages::ProgramSpec> without_secrets(const RunFolder& run,
                                              const messages::ProgramSpec& program) {
  messages::ProgramSpec hidden = messages::without_secrets(program);
  const std::vector<std::string> whole = texts_of(program);
  const std::vector<std::string> stored = texts_of(hidden);
  // A word that itself contains a placeholder is saved too.
  if (std::none_of(stored.begin(), stored.end(), is_hidden)) return hidden;
  RINGSIDE_TRY(keep_whole_argv(run, whole));
  return hidden;
}

Result<messages::ProgramSpec> with_secrets(const RunFolder& run,
                                           const messages::ProgramSpec& stored) {
  const std::vector<std::string> texts = texts_of(stored);
  const auto whole = RINGSIDE_TRY(whole_argv(run.id(), texts));
  // The folder may have moved since; only forget_deleted_runs() depends on its new place.
  if (whole != texts) (void)keep_whole_argv(run, whole);
  const auto middle = whole.begin() + static_cast<std::ptrdiff_t>(stored.argv.size());
  messages::ProgramSpec program = stored;
  program.argv.assign(whole.begin(), middle);
  program.environment.assign(middle, whole.end());
  return program;
}

}  // namespace ringside::runlog
