// Tests how a library in the person's Python is asked for settings, with a module that replaces the
// library.
#include "gui/launch/studies/ask_library.h"

#include <cmath>
#include <cstdlib>

#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace ringside;

namespace {

/// Puts the replacement module first in Python's search path.
class FakeModule {
 public:
  FakeModule() {
    const auto folder =
        testing::source_dir() / "tests" / "gui" / "launch" / "studies" / "fake_python";
    ::setenv("PYTHONPATH", folder.c_str(), 1);
    ::setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
  }
  ~FakeModule() { ::unsetenv("PYTHONPATH"); }
  FakeModule(const FakeModule&) = delete;
  FakeModule& operator=(const FakeModule&) = delete;
};

launch::LibraryQuestion library_question() {
  launch::LibraryQuestion question;
  question.library = "optuna";
  question.python = "python3";
  return question;
}

std::string value_at(const Result<std::vector<launch::Swept>>& answer, std::size_t place) {
  if (!answer) FAIL(answer.error().message);
  return answer->at(place).values.at(0);
}

}  // namespace

TEST_CASE("a library proposes a value for each setting, in the order that was typed") {
  const FakeModule fake;
  const auto space =
      launch::parse_space({"size=32,64", "lr=0.001..0.123456789:log", "workers=0..8"}).value();
  auto question = library_question();
  const auto answer = launch::ask_library(space, question);
  CHECK(value_at(answer, 0) == "32");
  // A number has few digits, but is never outside of its range.
  CHECK(value_at(answer, 1) == "0.123456789");
  CHECK(value_at(answer, 2) == "8");
  CHECK(answer->at(1).name == "lr");
  question.trials = {{{{"size", "32"}, {"lr", "0.123456789"}, {"workers", "8"}}, 1.0}};
  CHECK(value_at(launch::ask_library(space, question), 1) == "0.061728");
}

TEST_CASE("a library gets the results so far and does not propose a trained combination again") {
  const FakeModule fake;
  const auto space = launch::parse_space({"x=0.01..0.8"}).value();
  auto question = library_question();
  question.more_is_better = false;
  question.trials = {{{{"x", "0.4"}}, 1.0}, {{{"x", "0.8"}}, 2.0}};
  CHECK(value_at(launch::ask_library(space, question), 0) == "0.2");
  // Half of the best value has been trained already.
  question.more_is_better = true;
  CHECK(value_at(launch::ask_library(space, question), 0) == "0.2");
  // A failed trial has no result, and a trial outside of the range is not passed on.
  question.trials = {{{{"x", "0.4"}}, std::nan("")}, {{{"x", "7"}}, 1.0}};
  CHECK(value_at(launch::ask_library(space, question), 0) == "0.8");
}

TEST_CASE("an unknown or missing library, or one that proposes nothing new, is an error") {
  const auto why = [](const Result<std::vector<launch::Swept>>& answer) {
    REQUIRE_FALSE(answer);
    CHECK(answer.error().kind == ErrorKind::kRequest);
    return answer.error().message;
  };
  auto question = library_question();
  const auto space = launch::parse_space({"size=1..2"}).value();
  {
    const FakeModule fake;
    question.trials = {{{{"size", "1"}}, 1.0}, {{{"size", "2"}}, 2.0}};
    CHECK(why(launch::ask_library(space, question)) ==
          "--ask optuna: optuna proposes nothing that was not trained yet");
  }
  // A Python without packages does not have the library.
  ::setenv("PYTHONPATH", "/nonexistent", 1);
  question.trials.clear();
  question.python =
      (testing::source_dir() / "tests/gui/launch/studies/fake_python/bare_python.sh").string();
  CHECK(why(launch::ask_library(space, question)).find("-m pip install optuna installs it") !=
        std::string::npos);
  ::unsetenv("PYTHONPATH");
  question.library = "optunna";
  CHECK(why(launch::ask_library(space, question)).find("did you mean \"optuna\"?") !=
        std::string::npos);
}
