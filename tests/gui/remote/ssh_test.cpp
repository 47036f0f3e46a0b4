#include "gui/remote/ssh.h"

#include <algorithm>

#include "gui/remote/format.h"
#include "protocol/base/shell_word.h"
#include "tests/support/catch.h"

using namespace ringside;
using remote::Address;

namespace {

bool ssh_says(const Error& error, const std::string& text) {
  INFO(error.message);
  return error.message.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE(
    "S6: ssh asks for nothing, forwards nothing, and runs one constant command without a shell "
    "here") {
  const auto words = remote::ssh_argv("/usr/bin/ssh", {"me", "box", 2222}, "");
  const std::string line = shell_words(words);
  CHECK(words.front() == "/usr/bin/ssh");
  CHECK(line.ends_with("-p 2222 -l me box -- ringside serve-stdio"));
  for (const char* option :
       {"BatchMode=yes", "ClearAllForwardings=yes", "PermitLocalCommand=no", "RemoteCommand=none"})
    CHECK(std::count(words.begin(), words.end(), option) == 1);
  CHECK(std::count(words.begin(), words.end(), "-T") == 1);
  const auto plain = remote::ssh_argv("ssh", {"", "box", 0}, "/opt/it's here/ringside");
  CHECK(plain[plain.size() - 2] == "'/opt/it'\\''s here/ringside'");
  CHECK(std::count(plain.begin(), plain.end(), "-p") == 0);
  CHECK(std::count(plain.begin(), plain.end(), "-l") == 0);
}

TEST_CASE("a failure of ssh is reported in one sentence with what to do") {
  const Address box{"me", "box", 2222};
  struct Row {
    int code;
    const char* errors;
    ErrorKind kind;
    const char* what;
    const char* then;
  };
  for (const Row& row :
       {Row{255, "me@box: Permission denied (publickey).\r\n", ErrorKind::kRequest,
            "accepts no key of yours", "ssh-add"},
        Row{255, "No ED25519 host key is known for box\nHost key verification failed.\n",
            ErrorKind::kRequest, "is not known here yet", "ssh -p 2222 me@box"},
        Row{255,
            "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.",
            ErrorKind::kRequest, "another host key", "ssh-keygen -R"},
        Row{255, "ssh: Could not resolve hostname box: Name or service not known\n",
            ErrorKind::kRequest, "is no name", "~/.ssh/config"},
        Row{255, "ssh: connect to host box port 2222: Connection refused\n", ErrorKind::kFailure,
            "refused the connection", "sshd"},
        Row{255, "something new\n", ErrorKind::kFailure, "cannot be reached", "something new"},
        Row{127, "sh: 1: ringside: not found\n", ErrorKind::kRequest, "has no program ringside",
            "./dev bundle"},
        Row{126, "Permission denied\n", ErrorKind::kRequest, "cannot run", "./dev bundle"},
        Row{2, "The following argument was not expected: serve-stdio\n", ErrorKind::kRequest,
            "older ringside", "./dev bundle"},
        Row{1, "", ErrorKind::kFailure, "did not answer as", "ringside --version"}}) {
    const Error error = remote::explain(box, {row.code, row.errors});
    CHECK(ssh_says(error, "ssh://me@box:2222 "));
    CHECK(ssh_says(error, row.what));
    CHECK(ssh_says(error, row.then));
    CHECK(error.kind == row.kind);
    CHECK(error.message.find_first_of("\r\n") == std::string::npos);
  }
}

TEST_CASE("another version on the remote machine is named, with where to install the right one") {
  const Address box{"", "box", 0};
  CHECK(
      ssh_says(remote::explain_version(box, remote::kProtocol + 1, "9.1"), "9.1, which is newer"));
  CHECK(ssh_says(remote::explain_version(box, remote::kProtocol + 1, "9.1"),
                 "install that version here"));
  CHECK(ssh_says(remote::explain_version(box, 0, "0.0.1\n"), "which is older"));
  CHECK(ssh_says(remote::explain_version(box, 0, "0.0.1"), "./dev bundle"));
}
