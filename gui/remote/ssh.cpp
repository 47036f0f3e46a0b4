#include "gui/remote/ssh.h"

#include <array>

#include "gui/remote/format.h"
#include "protocol/base/printable.h"
#include "protocol/base/shell_word.h"
#include "protocol/base/text.h"

namespace ringside::remote {
namespace {

struct Cause {
  std::string_view said;  ///< part of ssh's message, which is always in English
  ErrorKind kind;
  const char* what;
  const char* then;  ///< what to do; HOST is replaced by the arguments of `ssh`
};

constexpr std::array<Cause, 11> kCauses{{
    {"REMOTE HOST IDENTIFICATION HAS CHANGED", ErrorKind::kRequest,
     "shows another host key than the one that is known here",
     "if that is expected, take the old one away with ssh-keygen -R and connect once: ssh HOST"},
    {"Host key verification failed", ErrorKind::kRequest, "is not known here yet",
     "connect once in a terminal and compare its key: ssh HOST"},
    {"Permission denied", ErrorKind::kRequest, "accepts no key of yours",
     "no password is asked for here: load the key with ssh-add, or bring it there with "
     "ssh-copy-id HOST"},
    {"Too many authentication failures", ErrorKind::kRequest, "was offered too many keys",
     "name the right one (IdentityFile, IdentitiesOnly) in ~/.ssh/config"},
    {"Could not resolve hostname", ErrorKind::kRequest, "is no name that this machine can resolve",
     "correct it, or name it as Host in ~/.ssh/config"},
    {"Bad configuration option", ErrorKind::kRequest, "cannot be reached: ~/.ssh/config is wrong",
     "try ssh HOST in a terminal"},
    {"Connection refused", ErrorKind::kFailure, "refused the connection",
     "is its sshd running, and is this its port?"},
    {"Connection timed out", ErrorKind::kFailure, "does not answer", "is it on?"},
    {"No route to host", ErrorKind::kFailure, "cannot be reached", "is the network up?"},
    {"Network is unreachable", ErrorKind::kFailure, "cannot be reached", "is the network up?"},
    {"Connection closed by", ErrorKind::kFailure, "closed the connection",
     "try ssh HOST in a terminal"},
}};

constexpr std::size_t kMostSaidBytes = 300;

std::string last_words(std::string_view text) {
  text = last_line(text);
  const bool whole = text.size() <= kMostSaidBytes;
  return printable_line(text.substr(0, kMostSaidBytes)) + (whole ? "" : "…");
}

std::string with_host(std::string_view then, const Address& address) {
  std::string text(then);
  if (const std::size_t at = text.find("HOST"); at != text.npos)
    text.replace(at, 4, ssh_words(address));
  return text;
}

Error sentence(const Address& address, ErrorKind kind, const std::string& what,
               std::string_view then, std::string_view errors) {
  const std::string said = last_words(errors);
  return {kind, text_of(address) + " " + what + "; " + with_host(then, address) +
                    (said.empty() ? "" : " (" + said + ")")};
}

constexpr std::string_view kInstall =
    "install this version there (`./dev bundle DIR`, then scp -r DIR HOST:), with its "
    "bin/ringside on the PATH of a login without a terminal, or name it here in "
    "RINGSIDE_REMOTE_PROGRAM";

}  // namespace

std::vector<std::string> ssh_argv(const std::string& ssh, const Address& address,
                                  const std::string& program) {
  // A dead connection is noticed within 15 s.
  std::vector<std::string> argv{ssh,  "-T",
                                "-x", "-a",
                                "-e", "none",
                                "-o", "BatchMode=yes",
                                "-o", "ConnectTimeout=10",
                                "-o", "ServerAliveInterval=5",
                                "-o", "ServerAliveCountMax=3",
                                "-o", "ClearAllForwardings=yes",
                                "-o", "PermitLocalCommand=no",
                                "-o", "RemoteCommand=none",
                                "-o", "RequestTTY=no"};
  if (address.port != 0) argv.insert(argv.end(), {"-p", std::to_string(address.port)});
  if (!address.user.empty()) argv.insert(argv.end(), {"-l", address.user});
  argv.insert(argv.end(), {address.host, "--", program.empty() ? "ringside" : shell_word(program),
                           "serve-stdio"});
  return argv;
}

Error explain(const Address& address, const SshEnd& end) {
  constexpr int kSshFailed = 255;
  if (end.exit_code == kSshFailed) {
    for (const Cause& cause : kCauses) {
      if (end.errors.find(cause.said) != end.errors.npos)
        return sentence(address, cause.kind, cause.what, cause.then, end.errors);
    }
    return sentence(address, ErrorKind::kFailure, "cannot be reached", "try ssh HOST in a terminal",
                    end.errors);
  }
  if (end.exit_code == 127)
    return sentence(address, ErrorKind::kRequest, "has no program ringside", kInstall, end.errors);
  if (end.exit_code == 126)
    return sentence(address, ErrorKind::kRequest, "cannot run its program ringside", kInstall,
                    end.errors);
  if (end.exit_code == 2)
    return sentence(address, ErrorKind::kRequest,
                    "has an older ringside, which cannot be used from elsewhere", kInstall,
                    end.errors);
  return sentence(
      address, ErrorKind::kFailure,
      "did not answer as ringside does (ssh ended with " + std::to_string(end.exit_code) + ")",
      "try ssh HOST ringside --version in a terminal", end.errors);
}

Error explain_version(const Address& address, int protocol_there, std::string_view version_there) {
  const bool newer = protocol_there > kProtocol;
  const std::string what = "has ringside " + last_words(version_there) + ", which is " +
                           (newer ? "newer" : "older") + " than " RINGSIDE_VERSION " here";
  return sentence(address, ErrorKind::kRequest, what,
                  newer ? "install that version here" : kInstall, {});
}

}  // namespace ringside::remote
