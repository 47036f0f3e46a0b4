// The sender of a signal, as far as the kernel reports it. Any thread.
#pragma once

#include <pwd.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <string>

#include "protocol/base/printable.h"

namespace ringside {

/// The sender's fields of siginfo_t: si_code, si_pid, si_uid.
struct SignalSender {
  std::int32_t code = 0;
  pid_t pid = 0;
  uid_t user = 0;
};

inline std::string program_of_pid(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
  std::string name;
  std::getline(file, name);
  return printable_line(name);
}

inline std::string name_of_user(uid_t user) {
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  ::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found);
  return found == nullptr ? std::to_string(user) : printable_line(found->pw_name);
}

/// "SIGTERM from pid 4711 (kill), user x". `program` is the sender's name, empty when it has ended.
/// A signal from a terminal or a limit has only the kernel as its sender; a sender in another pid
/// namespace has no pid here. Pure.
inline std::string signal_words(const std::string& signal, const SignalSender& sender,
                                const std::string& program, const std::string& user) {
  if (sender.code > 0) return signal + " from the kernel (a terminal or a limit)";
  if (sender.pid == 0) return signal + " from outside this container, user " + user;
  return signal + " from pid " + std::to_string(sender.pid) +
         (program.empty() ? "" : " (" + program + ")") + ", user " + user;
}

/// The same, looking up the names of the program and the user.
inline std::string signal_words(const std::string& signal, const SignalSender& sender) {
  return signal_words(signal, sender, sender.pid > 0 ? program_of_pid(sender.pid) : std::string(),
                      name_of_user(sender.user));
}

}  // namespace ringside
