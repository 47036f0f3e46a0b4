// Answers of another machine to a start and to a request for its job, valid and invalid.
#include "gui/session/machines/remote_start.h"

#include "tests/gui/session/far_answers.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::session;
using ringside::testing::FarAnswers;

namespace {

constexpr const char* kStartThereId = "20261121T100000Z-aaaaaa";

}  // namespace

TEST_CASE("the planned job is the remote sbatch command of the last run") {
  FarAnswers there;
  there.answers("a warning\n{\"jobs\": [[\"sbatch\", \"one\"], [\"sbatch\", \"two\"]]}\n");
  const auto job = plan_job_there(there.machine(), "", launch::Typed());
  REQUIRE(job);
  CHECK(*job == std::vector<std::string>{"sbatch", "two"});
}

TEST_CASE("S4: an invalid answer to a request for a job is refused with a sentence") {
  for (const char* told :
       {"", "[]", "{}", "{", "null", "5", R"({"jobs": []})", R"({"jobs": null})", R"({"jobs": {}})",
        R"({"jobs": {"a": []}})", R"({"jobs": "sbatch"})", R"({"jobs": [5]})",
        R"({"jobs": [null]})", R"({"jobs": [[5]]})", R"({"jobs": [{"a": 5}]})"}) {
    INFO(told);
    FarAnswers there;
    there.answers(told);
    const auto job = plan_job_there(there.machine(), "", launch::Typed());
    REQUIRE_FALSE(job);
    CHECK(job.error().message.find("in a form that is not known here") != std::string::npos);
  }
}

TEST_CASE("S4: an answer to a start that names no run is refused with a sentence") {
  for (const char* told :
       {"", "[]", "{}", "5", R"({"runs": []})", R"({"runs": null})", R"({"runs": [5]})",
        R"({"runs": [{}]})", R"({"runs": [{"id": 5}]})", R"({"runs": [{"id": "../.."}]})"}) {
    INFO(told);
    FarAnswers there;
    there.answers(told);
    const auto started = start_there(there.machine(), "", {});
    REQUIRE_FALSE(started);
    CHECK(started.error().message.find("in a form that is not known here") != std::string::npos);
  }
}

TEST_CASE("an older remote ringside that accepts only commands is sent a command") {
  FarAnswers there;
  there.answers("");
  const auto path = there.temp.path() / "answer.1";
  const std::string hello = read_text(path).value();
  using remote::FrameKind;
  const std::string answers =
      remote::encode(FrameKind::kRefused, 1,
                     R"({"message": "\"stop\" is not known here", "request": true})") +
      remote::encode(FrameKind::kBytes, 2, "stopping") +
      remote::encode(FrameKind::kDone, 2, R"({"exit":0})");
  there.temp.write(
      "answer.1", hello.substr(0, hello.rfind(R"({"exit")") - remote::kFrameHeaderBytes) + answers);
  const auto answer = ask_machine(there.machine(), remote::RemoteStop{});
  REQUIRE(answer);
  CHECK(*answer == "stopping");
}

// Otherwise a person would start it twice.
TEST_CASE("a started run that cannot be copied is not reported as not started") {
  FarAnswers there;
  const std::string refused = remote::encode(
      remote::FrameKind::kRefused, 2, R"({"message": "its disk is gone", "request": false})");
  there.answers(std::string(R"({"runs": [{"id": ")") + kStartThereId + "\"}]}\n", refused);
  const auto started = start_there(there.machine(), "", {});
  REQUIRE_FALSE(started);
  const std::string& told = started.error().message;
  CHECK(told.find(std::string("Run ") + kStartThereId + " was started on ssh://box") == 0);
  CHECK(told.find("its disk is gone") != std::string::npos);
  CHECK(there.calls() == 1);
}
