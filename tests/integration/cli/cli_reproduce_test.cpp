// `ringside reproduce`: shows what a run consisted of, and starts it again.
#include <filesystem>

#include "protocol/host/files.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// A script that prints its own version, and a run of it.
struct ReproduceRig {
  CliRig rig;
  TempFolder place;
  std::filesystem::path into = place.path() / "again";
  ReproduceRig() {
    write("first");
    place.write("part.py", "answer = 42\n");
    run({});
  }
  void write(const std::string& word) const {
    place.write("train.py", "import part\nprint('" + word + "', part.answer)\n");
  }
  void run(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"run", "--devices", "cpu", "--cwd", place.path().string()};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--", "python3", "train.py"});
    const auto ran = rig.ringside(words);
    INFO(ran.errors);
    REQUIRE(ran.exit_code == 0);
  }
  std::string refused(const std::vector<std::string>& words) const {
    const auto ran = rig.ringside(words);
    CHECK(ran.exit_code == 2);
    CHECK(ran.output.empty());
    return ran.errors;
  }
};

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("A run whose script was edited since is reproduced with the old script") {
  const ReproduceRig place;
  CHECK(holds(place.rig.ringside({"reproduce", "last"}).output, "nothing has changed"));
  place.write("second");
  const auto told = place.rig.ringside({"reproduce", "last"});
  CHECK(told.exit_code == 0);
  CHECK(holds(told.output, "edited: train.py"));
  CHECK(holds(told.output, " --into DIR"));
  CHECK(holds(place.rig.ringside({"show", "last"}).output, "2 files"));
  const auto json = place.rig.json_of({"reproduce", "last", "--json"});
  CHECK(json.at("edited") == nlohmann::json::array({"train.py"}));
  CHECK(json.at("settings").is_null());

  const auto again =
      place.rig.ringside({"reproduce", "last", "--into", place.into.string(), "--start", "--json"});
  INFO(again.errors);
  REQUIRE(again.exit_code == 0);
  const std::filesystem::path folder =
      last_line_json(again.output)["runs"][0]["folder"].get<std::string>();
  CHECK(text_of(folder / "attempt_0/rank_0/stdout") == "first 42\n");
}

TEST_CASE("A run that cannot be reproduced is refused with the reason, and nothing is written") {
  const ReproduceRig place;
  CHECK(holds(place.refused({"reproduce", "last", "--start"}), "--into DIR"));
  CHECK(holds(place.refused({"reproduce", "last", "--into", place.place.path().string()}),
              "new or empty"));
  CHECK(holds(place.refused({"reproduce", "nosuch"}), "nosuch"));
  CHECK(holds(place.refused({"reproduce", "last", "--on", "ssh://there"}),
              "copy DIR to the same path there"));
  place.run({"--set", "program.keep_source=false"});
  CHECK(holds(place.refused({"reproduce", "last"}), "was not kept"));
  place.run({"--env", "API_KEY=hunter-22"});
  CHECK(holds(place.refused({"reproduce", "last", "--into", place.into.string(), "--start"}),
              "leave out --start"));
  CHECK_FALSE(std::filesystem::exists(place.into));
  const auto written = place.rig.ringside({"reproduce", "last", "--into", place.into.string()});
  CHECK(holds(written.output, "Replace each "));
  CHECK_FALSE(holds(read_text(place.into / "run.toml").value(), "hunter-22"));
}
