#include "protocol/host/signal_sender.h"

#include <unistd.h>
#include <csignal>

#include "tests/support/catch.h"

using namespace ringside;

TEST_CASE("the sender of a signal is described as far as the kernel reports it") {
  CHECK(signal_words("SIGTERM", {SI_USER, 4711, 1000}, "kill", "x") ==
        "SIGTERM from pid 4711 (kill), user x");
  CHECK(signal_words("SIGTERM", {SI_USER, 4711, 1000}, "", "x") == "SIGTERM from pid 4711, user x");
  CHECK(signal_words("SIGINT", {SI_KERNEL, 0, 0}, "", "root") ==
        "SIGINT from the kernel (a terminal or a limit)");
  CHECK(signal_words("SIGHUP", {SI_USER, 0, 1000}, "", "x") ==
        "SIGHUP from outside this container, user x");
  const std::string own = signal_words("SIGUSR1", {SI_USER, ::getpid(), ::getuid()});
  CHECK(own.find("SIGUSR1 from pid " + std::to_string(::getpid()) + " (") == 0);
  CHECK(own.find("), user ") != std::string::npos);
}
