// The chooser of files and folders as data: rows, selection, Enter, Tab and answers.
#include "gui/view/window/file_chooser.h"

#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

namespace {

FolderListing some_folder() {
  return {{{"train.py", false, 4'100, 3'000},
           {"Readme.md", false, 10, 1'000},
           {"runs", true, 0, 2'000},
           {"runs-old", true, 0, 5'000},
           {".cache", true, 0, 4'000},
           {"metrics.csv", false, 20, 6'000},
           {"events.out.tfevents.1", false, 30, 0}},
          false,
          {}};
}

struct ChooserRig {
  explicit ChooserRig(ChooserUse use) {
    input.open = true;
    input.use = use;
    input.folder = "/work/";
    input.home = "/home/me/";
    input.listing = &listing;
    choice.path = "/work/";
  }
  std::vector<std::string> rows() const {
    std::vector<std::string> names;
    for (const TableRow& row : build_chooser_table(input, choice).rows) names.push_back(row.key);
    return names;
  }
  ChooserView at(const std::string& path) {
    choice.path = path;
    return build_chooser(input, build_chooser_table(input, choice), choice);
  }

  FolderListing listing = some_folder();
  ChooserInput input;
  ChooserChoice choice;
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a chooser lists folders first, then files of its kind, sorted by name, size or date") {
  ChooserRig rig(ChooserUse::kScript);
  CHECK(rig.rows() == Names{"runs", "runs-old", "train.py"});
  rig.choice.all = true;
  CHECK(rig.rows() ==
        Names{"runs", "runs-old", "events.out.tfevents.1", "metrics.csv", "Readme.md", "train.py"});
  rig.choice.sort = {"bytes", true};
  CHECK(rig.rows() ==
        Names{"runs-old", "runs", "train.py", "events.out.tfevents.1", "metrics.csv", "Readme.md"});
  rig.choice.sort = {"changed", true};
  CHECK(rig.rows() ==
        Names{"runs-old", "runs", "metrics.csv", "train.py", "Readme.md", "events.out.tfevents.1"});
  const ChooserRig metrics(ChooserUse::kWatch);
  CHECK(metrics.rows() == Names{"runs", "runs-old", "events.out.tfevents.1", "metrics.csv"});
  const ChooserRig target(ChooserUse::kSaveFolder);
  CHECK(target.rows() == Names{"runs", "runs-old"});
}

TEST_CASE("a typed path is made whole once, whatever folder is listed then") {
  ChooserRig rig(ChooserUse::kOpen);
  CHECK(whole_path(rig.input, "sub/") == "/work/sub/");
  CHECK(whole_path(rig.input, "sub") == "sub");
  CHECK(whole_path(rig.input, "/work/sub/") == "/work/sub/");
  CHECK(whole_path(rig.input, "~") == "/home/me/");
  CHECK(whole_path(rig.input, "/home/me//") == "/home/me/");
  CHECK(whole_path(rig.input, "~/x") == "/home/me/x");
  CHECK(whole_path(rig.input, "../") == "/");
  CHECK(whole_path(rig.input, "/work/a/../") == "/work/");
  CHECK(whole_path(rig.input, "/work/..a") == "/work/..a");
}

TEST_CASE("a chooser shows hidden files if they are asked for or typed") {
  ChooserRig rig(ChooserUse::kOpen);
  CHECK(rig.rows().front() == "runs");
  rig.choice.hidden = true;
  CHECK(rig.rows().front() == ".cache");
  rig.choice.hidden = false;
  CHECK(rig.at("/work/.c").goes_to == "/work/.cache/");
}

TEST_CASE("a typed path selects a row, Tab completes it, and Enter goes in or answers") {
  ChooserRig rig(ChooserUse::kScript);
  ChooserView view = rig.at("/work/R");
  CHECK(view.selected == 0);
  CHECK(view.goes_to == "/work/runs/");
  CHECK(view.completed == "/work/R");
  CHECK(rig.at("/work/ru").completed == "/work/runs");
  CHECK(rig.at("/work/runs-").completed == "/work/runs-old");
  CHECK(rig.at("/work/runs-old").completed == "/work/runs-old/");
  CHECK(rig.at("/work/runs").answer.empty());  // a folder is no script
  view = rig.at("/work/tr");
  CHECK(view.goes_to.empty());
  CHECK(view.entered == "/work/train.py");
  CHECK(view.completed == "/work/train.py");
  CHECK(view.answer == "/work/train.py");    // the row that is selected
  CHECK(rig.at("/work/ru").answer.empty());  // which is a folder
  // A path that is not in the list is an answer too.
  view = rig.at("/work/other.sh");
  CHECK(view.selected == -1);
  CHECK(view.entered == "/work/other.sh");
  CHECK(rig.at("/work/").entered.empty());
  CHECK(rig.at("/work/").answer.empty());
}

TEST_CASE("Enter on the path of a folder chooses that folder where one is wanted") {
  ChooserRig rig(ChooserUse::kOpen);
  CHECK(rig.at("/work/").entered == "/work");
  CHECK(rig.at("/work/runs").goes_to == "/work/runs/");
  CHECK(rig.at("/work/runs").answer == "/work/runs");
  CHECK(rig.at("/work/metrics.csv").entered == "/work/metrics.csv");
}

TEST_CASE("a path answers before its folder was read") {
  ChooserRig rig(ChooserUse::kOpen);
  const ChooserView view = rig.at("/else/where/run");
  CHECK(view.selected == -1);
  CHECK(view.entered == "/else/where/run");
  CHECK(view.note == "Reading the folder…");
  CHECK(folder_to_list(rig.input, "/else/where/run") == "/else/where/");
  CHECK(folder_to_list(rig.input, "~/ru") == "/home/me/");
  CHECK(folder_to_list(rig.input, "sub/ru") == "/work/sub/");
  CHECK(rig.at("~/run").answer == "/home/me/run");
  CHECK(folder_above("/work/runs/") == "/work/");
  CHECK(folder_above("/") == "/");
}

TEST_CASE("the name of a new file is not taken for the beginning of an old one") {
  ChooserRig rig(ChooserUse::kSaveFolder);
  CHECK(rig.at("/work/run").entered == "/work/run");
  CHECK(rig.at("/work/run").made == "/work/run/");
  CHECK(rig.at("/work/runs").made.empty());
  CHECK(rig.at("/work/runs").goes_to == "/work/runs/");
  CHECK(rig.at("/work/").answer == "/work");
  ChooserRig file(ChooserUse::kSaveFile);
  CHECK(file.at("/work/").answer.empty());
  CHECK(file.at("/work/report.html").answer == "/work/report.html");
}

TEST_CASE("arrows move the selection and stay within the rows") {
  ChooserRig rig(ChooserUse::kScript);
  const Table table = build_chooser_table(rig.input, rig.choice);
  CHECK(moved_path(rig.input, table, rig.choice, -1, 1) == "/work/runs");
  CHECK(moved_path(rig.input, table, rig.choice, 0, 1) == "/work/runs-old");
  CHECK(moved_path(rig.input, table, rig.choice, 2, 10) == "/work/train.py");
  CHECK(moved_path(rig.input, table, rig.choice, 1, -10) == "/work/runs");
  CHECK(moved_path(rig.input, {}, rig.choice, -1, 1) == "/work/");
}

TEST_CASE("entries that cannot be read are listed with the others, and the note names them") {
  ChooserRig rig(ChooserUse::kScript);
  rig.listing.entries.push_back({"dead", true, 0, 0, "its disk does not answer"});
  rig.listing.entries.push_back({"link", false, 0, 0, "Permission denied"});
  CHECK(rig.rows() == Names{"dead", "runs", "runs-old", "link", "train.py"});
  CHECK(rig.at("/work/").note ==
        "5 entries; dead cannot be read: its disk does not answer; link cannot be read: Permission "
        "denied");
  const Table table = build_chooser_table(rig.input, rig.choice);
  CHECK(table.rows[0].cells[2].text == "unreadable");
  CHECK(is_folder(table.rows[0]));
  CHECK_FALSE(is_folder(table.rows[3]));
  CHECK(rig.at("/work/runs").goes_to == "/work/runs/");
}

TEST_CASE("a folder that cannot be read says so and is no answer") {
  ChooserRig rig(ChooserUse::kOpen);
  rig.listing = {{}, false, "/work/ cannot be read: Permission denied"};
  const ChooserView view = rig.at("/work/");
  CHECK(view.note.empty());
  CHECK(view.answer.empty());
  CHECK(build_chooser_table(rig.input, rig.choice).empty.at(0).text ==
        "/work/ cannot be read: Permission denied");
  rig.listing = {{{"a", true, 0, 0}}, true, {}};
  CHECK(rig.at("/work/").note.find("more than can be listed") != std::string::npos);
}
