#include "gui/doctor/report_file.h"

#include <sys/stat.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "protocol/base/byte_file.h"
#include "protocol/host/user_folders.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::doctor;

namespace {

std::vector<CheckResult> results() {
  return {
      result_of(kChecks[4],
                {{{"wrong_sums", 0, 13, "0", true, "0 wrong"},
                  {"bandwidth", std::nan(""), 0, "", true, "unknown"}},
                 {}},
                2),
      broken(kChecks[5], "cannot start " + home_folder()->string() + "/secret/x on ada-laptop", 1)};
}

}  // namespace

TEST_CASE("the report has the results and the machine, but no name of a person, host or folder") {
  launch::Machine machine;
  machine.host = "ada-laptop";
  machine.cpu_name = "A processor";
  machine.gpus.resize(1);
  machine.gpus[0].uuid = "GPU-1234";
  machine.gpus[0].name = "Fake A6000";
  const std::string text = report_text(machine, {}, results(), 1'795'271'067'000'000'000);
  CHECK(text.find("ada-laptop") == std::string::npos);
  CHECK(text.find(home_folder()->string() + "/") == std::string::npos);
  CHECK(text.find("GPU-1234") == std::string::npos);
  const auto json = nlohmann::json::parse(text);
  CHECK(json.at("kind") == "train");
  CHECK(json.at("when") == "2026-11-21T14:24:27Z");
  CHECK(json.at("gpus").at(0).at("name") == "Fake A6000");
  CHECK(json.at("healthy") == false);
  REQUIRE(json.at("checks").size() == 2);
  CHECK(json.at("checks").at(0).at("outcome") == "pass");
  CHECK(json.at("checks").at(0).at("measures").at(0).at("against") == 13);
  CHECK(json.at("checks").at(0).at("measures").at(1).at("measured").is_null());
  CHECK(json.at("checks").at(1).at("reason") == "cannot start ~/secret/x on HOST");
}

TEST_CASE("the report is a file that only its owner can read, one for each kind") {
  const TempFolder folder;
  ::setenv("XDG_STATE_HOME", folder.path().c_str(), 1);
  const auto written = write_report({}, {}, results());
  REQUIRE(written);
  CHECK(*written == folder.path() / "ringside/doctor-train.json");
  struct stat facts {};
  REQUIRE(::stat(written->c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777) == 0600);
  DoctorRequest gpu;
  gpu.gpu = true;
  CHECK(write_report({}, gpu, results())->filename() == "doctor-gpu.json");
}
