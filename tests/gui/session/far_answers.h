// Another machine with prepared answers: a program in place of ssh that sends one answer per
// connection and then closes it. Used by one thread.
#pragma once

#include <filesystem>
#include <string>

#include "gui/remote/format.h"
#include "gui/remote/frame.h"
#include "gui/session/machines/machine_controller.h"
#include "protocol/host/files.h"
#include "tests/gui/slurm/fake_programs.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace ringside::testing {

class FarAnswers {
 public:
  FarAnswers() {
    const std::string here = temp.path().string();
    temp.write("ssh", "#!/bin/sh\necho x >>'" + here + "/calls'\n" + "n=$(grep -c . '" + here +
                          "/calls')\n" + "cat '" + here + "/answer.'\"$n\"\n" +
                          // Reads the request to its end: closing early would look like a lost
                          // connection.
                          "exec cat >/dev/null\n");
    std::filesystem::permissions(temp.path() / "ssh", std::filesystem::perms::owner_all);
  }

  /// Sets the output of the next connection's command; `more`: frames after it.
  void answers(const std::string& output, const std::string& more = {}) {
    using remote::FrameKind;
    const std::string hello =
        R"({"protocol":)" + std::to_string(remote::kProtocol) + R"(,"version":"1","host":"box"})";
    temp.write("answer." + std::to_string(++answers_),
               std::string(remote::kGreeting) + remote::encode(FrameKind::kHello, 0, hello) +
                   remote::encode(FrameKind::kBytes, 1, output) +
                   remote::encode(FrameKind::kDone, 1, R"({"exit":0})") + more);
  }
  /// Lets the next connection stay alive without ever answering its command.
  void keeps_silent() {
    answers("");
    const auto file = temp.path() / ("answer." + std::to_string(answers_));
    const std::string whole = read_text(file).value_or("");
    const std::string done = remote::encode(remote::FrameKind::kDone, 1, R"({"exit":0})");
    temp.write("answer." + std::to_string(answers_), whole.substr(0, whole.size() - done.size()));
  }
  /// Number of connections so far.
  int calls() const {
    const std::string noted = read_text(temp.path() / "calls").value_or("");
    return static_cast<int>(noted.size() / 2);
  }
  session::OtherMachine machine() const {
    session::OtherMachine one;
    one.address = {"", "box", 0};
    one.folder = temp.path() / "copies";
    return one;
  }

  TempFolder temp;

 private:
  slurm::Variable program_{"RINGSIDE_SSH", (temp.path() / "ssh").string()};
  int answers_ = 0;
};

}  // namespace ringside::testing
