// Command lines as people type them, read as by `ringside run -- LINE`.
#pragma once

#include <string>

#include "gui/launch/launchers/script.h"
#include "protocol/base/shell_word.h"
#include "tests/support/catch.h"

namespace ringside::support {

inline launch::ScriptRequest request_of(const std::string& line) {
  launch::ScriptRequest request;
  request.command = *split_words(line);
  // The environment of the person who runs the tests is not used.
  request.environment = {"HF_HOME=/nowhere"};
  return request;
}

inline launch::ScriptCommand command_of(const std::string& line) {
  INFO(line);
  const auto command = launch::understand(request_of(line));
  INFO((command ? "" : command.error().message));
  REQUIRE(command);
  return *command;
}

inline std::string refused_with(const std::string& line) {
  INFO(line);
  const auto command = launch::understand(request_of(line));
  REQUIRE_FALSE(command);
  CHECK(command.error().kind == ErrorKind::kRequest);
  return command.error().message;
}

}  // namespace ringside::support
