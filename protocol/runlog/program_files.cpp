#include "protocol/runlog/program_files.h"

#include "protocol/base/text.h"
#include "protocol/host/files.h"

namespace ringside::runlog {
namespace {

constexpr const char* kProgramNote = "program_files";

}  // namespace

std::string text_of(const ProgramFiles& files) {
  if (!files.unknown.empty()) return "unknown " + files.unknown + "\n";
  std::string text;
  for (const auto& [name, content] : files.parts) text += content + " " + name + "\n";
  return text;
}

ProgramFiles parse_program_files(std::string_view text) {
  ProgramFiles files;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t blank = line.find(' ');
    if (blank == line.npos) continue;
    if (line.starts_with("unknown ")) return {std::string(line.substr(blank + 1)), {}};
    files.parts[std::string(line.substr(blank + 1))] = line.substr(0, blank);
  }
  if (files.parts.empty()) files.unknown = "they were not noted";
  return files;
}

ProgramFiles noted_program_files(const RunFolder& run) {
  const auto noted = read_text(run.path() / kProgramNote);
  return parse_program_files(noted ? *noted : std::string());
}

void note_program_files(const RunFolder& run, const ProgramFiles& files) {
  (void)write_text_atomically(run.path() / kProgramNote, text_of(files));
}

}  // namespace ringside::runlog
