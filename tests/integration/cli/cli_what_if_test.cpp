// `ringside what-if` if nothing can be predicted: one sentence, and exit code 2.
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;

TEST_CASE("a run that cannot be replayed is a bad request with the reason") {
  const CliRig rig;
  const auto done =
      rig.ringside({"run", rig.experiment(2, {"--steps=60", "--step-ms=1", "--loss=1"}), "--json"});
  const std::string run = last_line_json(done.output).at("experiment");
  const auto refuses = [&](const std::vector<std::string>& options, const std::string& reason) {
    std::vector<std::string> words{"what-if", run};
    words.insert(words.end(), options.begin(), options.end());
    const auto captured = rig.ringside(words);
    INFO(captured.errors);
    CHECK(captured.exit_code == 2);
    CHECK(captured.output.empty());
    CHECK(captured.errors.find(reason) != std::string::npos);
  };
  refuses({"--json"}, "recorded no gradient buckets");
  refuses({"--prove", "--ranks", "4"}, "cannot be replayed");
  refuses({"--link", "fast"}, "--link: \"fast\" is not a number above 0");
  refuses({"--bucket-mb", "0"}, "--bucket-mb");
  refuses({"--steps", "30"}, "write 100-300");
  refuses({"--ranks", "1"}, "--ranks");
}
