#include "gui/launch/program/saved_program.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <utility>

#include "gui/launch/child.h"
#include "gui/launch/program/program_files.h"
#include "protocol/base/printable.h"
#include "protocol/base/secrets.h"
#include "protocol/host/files.h"

namespace ringside::launch {
namespace {

using Json = nlohmann::json;

constexpr const char* kFile = "program.json";
constexpr std::size_t kMostBytes = std::size_t{32} << 20;
constexpr std::int64_t kGitNs = 2'000'000'000;
constexpr std::size_t kMostDiffBytes = 1 << 20;  // the limit of captured output
constexpr const char* kDiff = "git diff";

/// Output of a git command in the program's folder. Runs nothing that a repository may have
/// configured.
Result<std::string> git(const messages::ProgramSpec& program, std::vector<std::string> words) {
  const auto file = located_program(program, "git");
  if (file.empty()) return failure("there is no git");
  std::vector<std::string> argv{file.string(), "-c", "core.fsmonitor=false", "-C", program.cwd};
  argv.insert(argv.end(), words.begin(), words.end());
  auto printed = RINGSIDE_TRY(
      capture(argv, kGitNs, {}, {"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C"}));
  if (printed.exit_code != 0) return failure(std::move(printed.errors));
  return std::move(printed.output);
}

void add_commit(const messages::ProgramSpec& program, SavedProgram& kept) {
  const auto head = git(program, {"rev-parse", "HEAD", "--abbrev-ref", "HEAD"});
  if (!head) return;
  std::istringstream(*head) >> kept.commit >> kept.branch;
  auto diff = git(program, {"diff", "--no-ext-diff", "--no-textconv", "--no-color", "HEAD"});
  if (!diff) {
    kept.left_out[kDiff] = diff.error().message;
  } else if (diff->size() >= kMostDiffBytes) {
    kept.left_out[kDiff] = "it is larger than 1 MiB";
  } else {
    kept.uncommitted = std::move(*diff);
  }
}

/// The name and version in "torch-2.11.0.dist-info".
std::pair<std::string, std::string> package_of(const std::string& entry) {
  const std::string words = entry.substr(0, entry.rfind('.'));
  const std::size_t name = words.find('-');
  if (name == words.npos) return {words, ""};
  return {words.substr(0, name), words.substr(name + 1, words.find('-', name + 1) - name - 1)};
}

/// Secrets of the custom program, and those of this process.
struct Secrets {
  std::vector<std::string> given;
  std::vector<std::string> own;
};

/// The text with secrets hidden; nothing if JSON cannot hold it. Records either case.
std::optional<std::string> taken_in(const std::string& name, const std::string& text,
                                    const Secrets& secrets, SavedProgram& kept) {
  if (!is_utf8(text)) {
    kept.left_out[name] = "it is not UTF-8";
    return std::nullopt;
  }
  std::vector<std::string> hidden{hide_secrets(hide_secrets_in_source(text), secrets.given)};
  hide_elsewhere(hidden, secrets.own);
  if (hidden[0] != text) kept.redacted.push_back(name);
  return std::move(hidden[0]);
}

SavedProgram kept_of(const messages::ProgramSpec& program, ProgramSource source) {
  SavedProgram kept;
  kept.left_out = std::move(source.left_out);
  kept.python = source.python.string();
  kept.packages = versions_of(source.packages);
  const Secrets secrets{secrets_of(program.argv, program.environment), own_secrets()};
  for (const auto& [name, text] : source.texts) {
    if (auto taken = taken_in(name, text, secrets, kept)) kept.files[name] = std::move(*taken);
  }
  add_commit(program, kept);
  kept.uncommitted = taken_in(kDiff, kept.uncommitted, secrets, kept).value_or("");
  return kept;
}

}  // namespace

std::map<std::string, std::string> versions_of(const std::set<std::string>& packages) {
  std::map<std::string, std::string> versions;
  for (const std::string& one : packages)
    if (!one.starts_with('/')) versions.insert(package_of(one));
  return versions;
}

void keep_program(const runlog::RunFolder& run, const messages::ProgramSpec& program) {
  if (program.argv.empty()) return;
  ProgramSource source = program_source(program);
  runlog::note_program_files(run, source.files);
  if (!program.keep_source || !source.files.unknown.empty()) return;
  const SavedProgram kept = kept_of(program, std::move(source));
  const Json json{{"files", kept.files},       {"left_out", kept.left_out},
                  {"redacted", kept.redacted}, {"python", kept.python},
                  {"packages", kept.packages}, {"commit", kept.commit},
                  {"branch", kept.branch},     {"uncommitted", kept.uncommitted}};
  (void)write_text_atomically(run.path() / kFile,
                              json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<SavedProgram> saved_program(const runlog::RunFolder& run) {
  const auto path = run.path() / kFile;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    const auto noted = runlog::noted_program_files(run);
    return failure(noted.unknown.empty()
                       ? "the text of its program was not kept"
                       : "the text of its program is not known: " + noted.unknown);
  }
  const auto text = RINGSIDE_TRY(read_text(path, kMostBytes));
  const Json json = Json::parse(text, nullptr, false);
  SavedProgram kept;
  try {
    json.at("files").get_to(kept.files);
    json.at("left_out").get_to(kept.left_out);
    json.at("redacted").get_to(kept.redacted);
    json.at("python").get_to(kept.python);
    json.at("packages").get_to(kept.packages);
    json.at("commit").get_to(kept.commit);
    json.at("branch").get_to(kept.branch);
    json.at("uncommitted").get_to(kept.uncommitted);
  } catch (const Json::exception&) {
    return failure(path.string() + " is damaged");
  }
  return kept;
}

std::string summary_of(const SavedProgram& kept) {
  const auto plural = [](std::size_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  std::string text;
  if (!kept.commit.empty())
    text = "commit " + kept.commit.substr(0, 12) + " of " + kept.branch +
           (kept.uncommitted.empty() ? ", " : " with uncommitted changes, ");
  text += plural(kept.files.size(), "file");
  if (!kept.left_out.empty()) text += ", " + std::to_string(kept.left_out.size()) + " left out";
  if (!kept.packages.empty()) text += ", " + plural(kept.packages.size(), "package");
  return text;
}

}  // namespace ringside::launch
