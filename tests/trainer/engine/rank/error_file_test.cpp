#include "trainer/engine/rank/error_file.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <thread>

#include <nlohmann/json.hpp>

#include "protocol/host/files.h"
#include "tests/support/catch.h"
#include "tests/support/fake_cuda.h"
#include "tests/support/temp_folder.h"
#include "trainer/dist/last_collective.h"

using namespace ringside;

TEST_CASE("the error file has torchrun's format") {
  const auto document =
      nlohmann::json::parse(engine::error_json("rank 1: \"quoted\"\nline", 5'000'000'000));
  CHECK(document["message"]["message"] == "rank 1: \"quoted\"\nline");
  CHECK(document["message"]["extraInfo"]["timestamp"] == "5");
}

TEST_CASE("text that is not UTF-8 still gives a valid document") {
  const auto document = nlohmann::json::parse(engine::error_json("bad \xff byte", 0));
  CHECK(document["message"]["message"].get<std::string>().find("bad") == 0);
}

TEST_CASE("the error caused by a peer that left is not attributed to this rank") {
  CHECK(engine::explain("[x] Connection closed by peer [127.0.0.1]:1").find("another rank left") ==
        0);
  CHECK(engine::explain("Timed out waiting 5000ms").find("another rank did not answer") == 0);
  CHECK(engine::explain("not enough memory") == "not enough memory");
  CHECK(engine::explain("CUDA error: device-side assert triggered").find("a kernel found") == 0);
}

TEST_CASE(
    "the error file and the flight recorder are in the same folder, and without a path neither is "
    "written") {
  const TempFolder folder;
  engine::write_error_file({}, "nobody hears this");
  engine::write_error_file({folder.path() / "error.json"}, "out of paper");
  const auto text = read_text(folder.path() / "error.json");
  REQUIRE(text);
  CHECK(text->find("out of paper") != std::string::npos);
}

TEST_CASE("the flight recorder has NCCL's entries, and Gloo's beside them") {
  const TempFolder folder;
  testing::FakeCuda cuda;
  const auto recorded = [&] {
    engine::write_error_file({folder.path() / "error.json", &cuda}, "hung");
    return nlohmann::json::parse(*read_text(folder.path() / "flight_recorder.json"));
  };
  cuda.recorded = R"({"version": "2.10", "entries": [{"profiling_name": "nccl:all_reduce"}]})";
  const auto both = recorded();
  CHECK(both["entries"][0]["profiling_name"] == "nccl:all_reduce");
  CHECK(both["gloo"].contains("pg_status"));
  cuda.recorded = "no document";
  const auto one = recorded();
  CHECK(one["gloo"].contains("pg_status"));
  CHECK(one.contains("error"));
}

TEST_CASE("an uncaught exception is in the error file before the process ends") {
  const TempFolder folder;
  const auto file = folder.path() / "error.json";
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGABRT, SIG_DFL);  // Catch would report it as its own
    ::rlimit none{};
    ::setrlimit(RLIMIT_CORE, &none);
    engine::write_error_file_on_terminate({file});
    dist::about_to("gradient bucket exchange");
    std::thread([] { throw std::runtime_error("watchdog: the all-reduce did not end"); }).join();
    ::_exit(0);
  }
  REQUIRE(child > 0);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGABRT);
  const auto text = read_text(file);
  REQUIRE(text);
  CHECK(text->find("watchdog: the all-reduce did not end") != std::string::npos);
  CHECK(text->find("last collective entered: gradient bucket exchange") != std::string::npos);
}
