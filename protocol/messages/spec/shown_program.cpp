#include "protocol/messages/spec/shown_program.h"

#include "protocol/base/secrets.h"

namespace ringside::messages {

ProgramSpec without_secrets(ProgramSpec program) {
  program.argv = hide_secrets(program.argv);
  program.environment = hide_secret_values(program.environment);
  return program;
}

}  // namespace ringside::messages
