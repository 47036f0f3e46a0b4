// Fake Slurm programs that replay recorded output and record their arguments. They come before the
// real ones in PATH while the rig lives.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "gui/slurm/jobs.h"
#include "protocol/host/files.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace ringside::slurm {

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name); old != nullptr) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (old_) ::setenv(name_, old_->c_str(), 1);
    if (!old_) ::unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

struct Rig {
  TempFolder temp;
  Variable path{"PATH", (temp.path() / "bin").string() + ":/usr/bin:/bin"};
  Variable state{"XDG_STATE_HOME", (temp.path() / "state").string()};
  runlog::RunFolder run{temp.path() / "runs" / "20261121T134005Z-7f3a1c"};

  Rig() { std::filesystem::create_directories(run.path()); }

  /// Makes a program that records its arguments, prints the text and exits with the code.
  void program(const std::string& name, const std::string& prints, int code = 0) {
    temp.write("bin/" + name, "#!/bin/sh\necho \"$*\" >> '" + calls(name).string() +
                                  "'\ncat <<'END'\n" + prints + "\nEND\nexit " +
                                  std::to_string(code) + "\n");
    std::filesystem::permissions(temp.path() / "bin" / name, std::filesystem::perms::owner_all);
  }
  /// Makes a program that prints an error message and fails.
  void failing(const std::string& name, const std::string& complaint) const {
    temp.write("bin/" + name, "#!/bin/sh\necho '" + complaint + "' >&2\nexit 1\n");
    std::filesystem::permissions(temp.path() / "bin" / name, std::filesystem::perms::owner_all);
  }
  std::filesystem::path calls(const std::string& name) const {
    return temp.path() / (name + ".calls");
  }
  std::string called(const std::string& name) const { return read_text(calls(name)).value_or(""); }
  void submitted(const std::string& job, std::int64_t wall_ns = 1) const {
    REQUIRE(write_job_file(run, {job, {}, wall_ns, {}}));
  }
  /// Dates the last call of squeue far back, so that it is due again.
  void later() const {
    const auto file = temp.path() / "state" / "ringside" / "slurm_queue.json";
    std::string text = read_text(file).value();
    const auto at = text.find("\"asked_wall_ns\":") + 16;
    text.replace(at, text.find_first_of(",}", at) - at, "1");
    REQUIRE(write_text_atomically(file, text));
  }
  void look() const { refresh(run.path().parent_path()); }
};

}  // namespace ringside::slurm
