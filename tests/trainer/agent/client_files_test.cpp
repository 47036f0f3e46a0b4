#include "trainer/agent/processes/client_files.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::agent;

namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

}  // namespace

TEST_CASE("the client is found beside the programs, and in lib and share of an installation") {
  const TempFolder folder;
  folder.write("built/libringside_rank.so", "");
  folder.write("built/python/ringside_rank/__init__.py", "");
  folder.write("installed/bin/python", "an interpreter");
  folder.write("installed/lib/libringside_rank.so", "");
  folder.write("installed/share/ringside/python/ringside_rank/__init__.py", "");
  const auto built = find_client_files(folder.path() / "built");
  CHECK(built.library == folder.path() / "built/libringside_rank.so");
  CHECK(built.python == folder.path() / "built/python");
  const auto installed = find_client_files(folder.path() / "installed/bin");
  CHECK(installed.library == folder.path() / "installed/lib/libringside_rank.so");
  CHECK(installed.python == folder.path() / "installed/share/ringside/python");
  CHECK(missing_text(built, true).empty());
}

TEST_CASE("missing client files are reported with the consequence") {
  const TempFolder folder;
  const auto none = find_client_files(folder.path());
  CHECK(none.library.empty());
  CHECK(none.python.empty());
  CHECK(missing_text({"", "/p"}, true).find("libringside_rank.so") == 0);
  CHECK(missing_text({"/l", ""}, true).find("the Python package") == 0);
  CHECK(missing_text({"/l", ""}, true).find("by themselves") != std::string::npos);
  CHECK(missing_text({"/l", ""}, false).find("by themselves") == std::string::npos);
}

TEST_CASE("a run started by a rank does not get the search path twice") {
  const ClientFiles files{"/l", "/p"};
  CHECK(client_values(files, true, "/p/inject:/p:/mine") ==
        Values{{"RINGSIDE_RANK_LIBRARY", "/l"},
               {"PYTHONPATH", "/p/inject:/p:/mine"},
               {"RINGSIDE_INSTRUMENT", "1"}});
  CHECK(client_values(files, false, "/p/inject:/p") ==
        Values{{"RINGSIDE_RANK_LIBRARY", "/l"}, {"PYTHONPATH", "/p"}});
  CHECK(client_values({}, true, "/mine").empty());
}
