#include "trainer/dist/forming.h"

#include <cstdlib>
#include <fstream>

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "protocol/base/clock.h"
#include "tests/support/catch.h"
#include "tests/support/fake_cuda.h"
#include "tests/support/temp_folder.h"
#include "trainer/dist/last_collective.h"
#include "trainer/dist/process_groups.h"

using namespace ringside;

namespace {

std::string overdue_in(std::chrono::seconds time) {
  return dist::overdue_forming(mono_now_ns() + std::chrono::nanoseconds(time).count());
}

bool holds(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

class NcclWords {
 public:
  explicit NcclWords(const std::filesystem::path& file) { dist::keep_nccl_words(file); }
  ~NcclWords() {
    for (const char* name : {"NCCL_DEBUG", "NCCL_DEBUG_SUBSYS", "NCCL_DEBUG_FILE"})
      ::unsetenv(name);
  }
  NcclWords(const NcclWords&) = delete;
  NcclWords& operator=(const NcclWords&) = delete;
};

}  // namespace

TEST_CASE("a rank that waits too long while NCCL connects is reported with NCCL's last log line") {
  const TempFolder folder;
  const NcclWords words(folder.path() / "nccl.log");
  testing::FakeCuda cuda;
  std::string in_time;
  std::string late;
  cuda.connect = [&] {
    std::ofstream(std::getenv("NCCL_DEBUG_FILE"))
        << "host:1:1 [0] NCCL INFO Bootstrap: Using lo:127.0.0.1<0>\n";
    in_time = overdue_in(std::chrono::seconds(60));
    late = overdue_in(std::chrono::seconds(70));
    CHECK(dist::last_collective() == "NCCL's connection of the gradients");
    throw std::runtime_error("socketPollConnect failed");
  };
  dist::GroupOptions options;
  options.timeout = std::chrono::seconds(61);
  options.cuda = &cuda;
  options.device_index = 0;
  const auto groups =
      dist::make_process_groups(c10::make_intrusive<c10d::HashStore>(), 0, 2, options);
  CHECK(in_time.empty());
  CHECK(holds(late, "\"NCCL's connection of the gradients\" within limits.collective_timeout_s"));
  CHECK(holds(late, "(61 s)"));
  CHECK(holds(late, "NCCL's last words: host:1:1 [0] NCCL INFO Bootstrap: Using lo"));
  REQUIRE_FALSE(groups);
  CHECK(holds(groups.error().message, "rank 0 of 2"));
  CHECK(holds(groups.error().message, "socketPollConnect failed; NCCL's last words: host:1:1"));
  CHECK(overdue_in(std::chrono::hours(9)).empty());  // no phase in progress
}

TEST_CASE("a phase with its own timeout ends by that, since its error has more detail") {
  const dist::Forming forming("the rendezvous", std::chrono::milliseconds(0));
  CHECK(dist::last_collective() == "the rendezvous");
  CHECK(dist::overdue_forming(mono_now_ns()).empty());
  CHECK(holds(overdue_in(dist::kOwnWords), "\"the rendezvous\""));
}

TEST_CASE("NCCL's logging is left alone if the user has configured it") {
  ::setenv("NCCL_DEBUG", "WARN", 1);
  {
    const NcclWords words("/nowhere/nccl.log");
    CHECK(std::getenv("NCCL_DEBUG") == std::string("WARN"));
    CHECK(std::getenv("NCCL_DEBUG_FILE") == nullptr);
    CHECK(dist::nccl_last_words().empty());
  }
}
