// Random input to the real window while a run is active; the window must close normally at the end.
// Not one of the regular tests: `./dev monkey` runs it with the sanitizers, for
// RINGSIDE_MONKEY_SECONDS and with RINGSIDE_MONKEY_SEED.
#include <array>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/host/files.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/dashboard/dashboard_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using testing::DashboardRig;

namespace {

unsigned number_from(const char* variable, unsigned otherwise) {
  const char* asked = std::getenv(variable);
  return asked != nullptr ? static_cast<unsigned>(std::atoi(asked)) : otherwise;
}

class WindowMonkey {
 public:
  explicit WindowMonkey(unsigned seed) : random_(seed) {}

  /// Some actions as arguments of xdotool.
  std::vector<std::string> acts() {
    std::vector<std::string> words;
    for (int i = 0; i < 12; ++i) add(words);
    return words;
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }

  void add(std::vector<std::string>& words) {
    const auto say = [&words](std::initializer_list<std::string> more) {
      words.insert(words.end(), more);
    };
    const std::size_t kind = below(20);
    if (kind < 11) {
      say({"mousemove", std::to_string(below(1600)), std::to_string(below(900)), "sleep", "0.03"});
      if (kind < 8) say({"click", std::to_string(kind == 0 ? 3 : kind < 3 ? 3 + below(3) : 1)});
    } else if (kind == 11) {
      say({"mousedown", "1", "mousemove", std::to_string(below(1600)), std::to_string(below(900)),
           "sleep", "0.05", "mouseup", "1"});
    } else if (kind < 18) {
      static constexpr std::array kKeys{
          "1",      "2",         "4",          "x",         "g",          "s",
          "p",      "b",         "e",          "l",         "f",          "plus",
          "minus",  "Left",      "Right",      "Up",        "Down",       "Home",
          "Return", "space",     "Delete",     "r",         "F1",         "Tab",
          "alt+1",  "alt+a",     "Escape",     "ctrl+k",    "ctrl+o",     "ctrl+e",
          "ctrl+z", "ctrl+plus", "ctrl+minus", "ctrl+0",    "ctrl+comma", "ctrl+shift+s",
          "ctrl+c", "ctrl+v",    "ctrl+a",     "shift+Tab", "Page_Down"};
      say({"key", kKeys[below(kKeys.size())]});
    } else if (kind == 18) {
      say({"key", "--clearmodifiers", "Escape"});
    } else {
      // These letters cannot form a path.
      static constexpr std::array kLetters{"a", "e", "t", "0", "1", ".",
                                           ":", "-", "*", "(", "é", "☃"};
      std::string text;
      for (std::size_t i = 0; i < 6; ++i) text += kLetters[below(kLetters.size())];
      say({"type", "--", text});
    }
  }

  std::mt19937 random_;
};

/// Closes what is open and quits; keys are pressed again in case a field had the focus. The test
/// sends input faster than a window under the sanitizers can process it.
int leave(DashboardRig& rig) {
  int code = -1;
  for (int tries = 0; tries < 40 && code == -1; ++tries) {
    rig.xdotool({"mouseup", "1", "key", "Escape", "key", "Escape", "key", "ctrl+q"});
    code = rig.wait_end(4);
  }
  return code;
}

}  // namespace

TEST_CASE("the real window survives random input while a run is active", "[.monkey]") {
  const unsigned seed = number_from("RINGSIDE_MONKEY_SEED", 7);
  const auto seconds = static_cast<std::int64_t>(number_from("RINGSIDE_MONKEY_SECONDS", 60));
  INFO("RINGSIDE_MONKEY_SEED=" << seed);
  // No program of the desktop can be started.
  DashboardRig rig({"PATH=/nonexistent"});
  const auto experiment = rig.cli.experiment(2, {"--steps=1000000", "--step-ms=20"});
  REQUIRE(rig.cli.ringside({"run", experiment, "--detach"}).exit_code == 0);
  rig.open({"--run", "last", "--preset", experiment});
  WindowMonkey monkey(seed);
  const std::int64_t until_ns = mono_now_ns() + seconds * 1'000'000'000;
  while (mono_now_ns() < until_ns) {
    rig.xdotool(monkey.acts());
    // The palette contains the command to quit, too.
    if (const int code = rig.wait_end(0); code != -1) {
      INFO(read_text(rig.cli.path() / "window.err").value_or(""));
      REQUIRE(code == 0);
      rig.open({"--run", "last", "--preset", experiment});
    }
  }
  const int code = leave(rig);
  INFO(read_text(rig.cli.path() / "window.err").value_or(""));
  INFO("controls: " << read_text(rig.cli.path() / "items.txt").value_or(""));
  CHECK(code == 0);
}
