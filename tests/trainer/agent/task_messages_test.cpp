#include "trainer/agent/tasks/task_messages.h"

#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::agent;

namespace {

template <class Message>
Message there_and_back(const Message& message) {
  const auto read = decode(encode(message));
  REQUIRE(read);
  const auto* same = std::get_if<Message>(&*read);
  REQUIRE(same != nullptr);
  return *same;
}

}  // namespace

TEST_CASE("messages between agent and task are decoded as encoded") {
  TaskHello hello{"1.0", 3, {{"A=b", "BYTES=\xff\x80\n"}, {2, 3}, {}}};
  probe::GpuInfo gpu;
  gpu.index = 2;
  gpu.uuid = "GPU-2";
  hello.place.gpus.push_back(gpu);
  const auto heard = there_and_back(hello);
  CHECK(heard.version == "1.0");
  CHECK(heard.local_rank == 3);
  CHECK(heard.place.environment == hello.place.environment);
  CHECK(heard.place.cores == hello.place.cores);
  REQUIRE(heard.place.gpus.size() == 1);
  CHECK(heard.place.gpus[0].uuid == "GPU-2");
  CHECK(heard.place.gpus[0].index == 2);
  const auto start = there_and_back(StartRank{{"a", ""}, {"X="}, "/runs/\xc3\xa4", "/"});
  CHECK(start.argv == std::vector<std::string>{"a", ""});
  CHECK(start.folder == "/runs/\xc3\xa4");
  CHECK(there_and_back(RankStarted{12, "why"}).problem == "why");
  CHECK(there_and_back(RankEnded{{-1, 9}}).status == ExitStatus{-1, 9});
  CHECK(there_and_back(Leave{1, "why"}).exit_code == 1);
  there_and_back(ReapRank{});
}

TEST_CASE("invalid bytes are an error") {
  CHECK_FALSE(decode({}));
  const auto whole = encode(TaskHello{"1.0", 1, {{"A=b"}, {0}, {}}});
  for (std::size_t cut = 0; cut < whole.size(); ++cut)
    CHECK_FALSE(decode(std::span(whole).first(cut)));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      auto bent = whole;
      bent[at] = static_cast<std::uint8_t>(bent[at] ^ 1U << static_cast<unsigned>(bit));
      (void)decode(bent);  // some are still valid; none may throw or crash
    }
  }
}
