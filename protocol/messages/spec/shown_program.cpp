#include "protocol/messages/spec/shown_program.h"

#include <algorithm>
#include <string>
#include <vector>

#include "protocol/base/printable.h"
#include "protocol/base/secrets.h"

namespace ringside::messages {
namespace {

// Replaces bytes that are not UTF-8: a command line may contain any bytes, settings are text.
std::string as_text(std::string_view word) {
  std::string text;
  while (!word.empty()) {
    const std::size_t bytes = first_character_bytes(word);
    text += bytes == 0 ? kNoText : word.substr(0, bytes);
    word.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return text;
}

}  // namespace

ProgramSpec without_secrets(ProgramSpec program) {
  auto secrets = secrets_of(program.argv, program.environment);
  const auto own = own_secrets();
  secrets.insert(secrets.end(), own.begin(), own.end());
  program.argv = hide_secrets(program.argv);
  program.environment = hide_secret_values(program.environment);
  // A secret that is recognized by its name in one place may occur in another under a harmless
  // name.
  if (!program.argv.empty()) {
    std::vector<std::string> words(program.argv.begin() + 1, program.argv.end());
    hide_elsewhere(words, secrets);
    std::copy(words.begin(), words.end(), program.argv.begin() + 1);
  }
  hide_elsewhere(program.environment, secrets);
  for (auto* words : {&program.argv, &program.environment})
    for (std::string& word : *words) word = as_text(word);
  return program;
}

}  // namespace ringside::messages
