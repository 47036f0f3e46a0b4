#include "protocol/messages/spec/shown_program.h"

#include <algorithm>
#include <string>
#include <vector>

#include "protocol/base/secrets.h"

namespace ringside::messages {

ProgramSpec without_secrets(ProgramSpec program) {
  auto secrets = secrets_of(program.argv, program.environment);
  const auto own = own_secrets();
  secrets.insert(secrets.end(), own.begin(), own.end());
  program.argv = hide_secrets(program.argv);
  program.environment = hide_secret_values(program.environment);
  // Given under the name of a secret here, and again under another there.
  if (!program.argv.empty()) {
    std::vector<std::string> words(program.argv.begin() + 1, program.argv.end());
    hide_elsewhere(words, secrets);
    std::copy(words.begin(), words.end(), program.argv.begin() + 1);
  }
  hide_elsewhere(program.environment, secrets);
  return program;
}

}  // namespace ringside::messages
