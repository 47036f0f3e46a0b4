#include "trainer/data/checksums.h"

#include "protocol/host/files.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::data;

TEST_CASE("a file that changed after it was unpacked is named") {
  const TempFolder root;
  messages::DataSetDescriptor set;
  set.name = "tiny";
  set.files = {{"a.gz", 9, "", {{"a", 4}}}, {"b.gz", 9, "", {{"b", 4}, {"readme", 0}}}};
  root.write("a", "1234");
  root.write("b", "5678");
  CHECK(check_unpacked(set, root.path()));  // no checksums are stored
  REQUIRE(keep_checksums(set, root.path()));
  CHECK(read_text(root.path() / ".tiny.crc32").value() ==
        "\"a\" = 2615402659\n\"b\" = 2119325191\n");
  CHECK(check_unpacked(set, root.path()));
  root.write("b", "5679");
  const auto changed = check_unpacked(set, root.path());
  REQUIRE_FALSE(changed);
  CHECK(changed.error().message.find((root.path() / "b").string() + " has changed") == 0);
  CHECK(changed.error().message.find(".tiny.crc32") != std::string::npos);
  // A missing file is reported better by the code that needs it.
  std::filesystem::remove(root.path() / "a");
  CHECK(check_unpacked(set, root.path()));
}
