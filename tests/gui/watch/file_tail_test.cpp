#include "gui/watch/file_tail.h"

#include <fstream>

#include "tests/gui/watch/foreign_files.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

struct Followed {
  explicit Followed(const std::string& name, watch::Format format)
      : path(folder.path() / name), tail(format, path) {}
  void append(const std::string& text) const {
    std::ofstream(path, std::ios::binary | std::ios::app) << text;
  }
  /// The new values.
  std::vector<watch::Point> poll() {
    watch::Findings found;
    const auto more = tail.poll(false, found);
    REQUIRE(more);
    CHECK_FALSE(*more);
    return found.points;
  }

  TempFolder folder;
  std::filesystem::path path;
  watch::FileTail tail;
};

}  // namespace

TEST_CASE("reading continues where it ended") {
  Followed file("metrics.csv", watch::Format::kCsv);
  CHECK(file.poll().empty());  // the file does not exist yet
  file.append("step,loss\n1,0.5\n2,0.");
  CHECK(file.poll().size() == 1);
  CHECK(file.poll().empty());
  file.append("25\n");
  const auto points = file.poll();
  REQUIRE(points.size() == 1);
  CHECK(points[0].value == 0.25);
}

TEST_CASE("a table that was rewritten with one more column continues after the rows already read") {
  Followed file("metrics.csv", watch::Format::kCsv);
  file.append("step,loss\n1,0.5\n2,0.25\n");
  CHECK(file.poll().size() == 2);
  file.folder.write("metrics.csv", "step,loss,val\n1,0.5,\n2,0.25,\n3,0.125,1\n");
  const auto points = file.poll();
  REQUIRE(points.size() == 2);
  CHECK(points[0].step == 3);
  CHECK(points[1].name == "val");
}

TEST_CASE("a table with other columns from another program replaces the first with all its rows") {
  Followed file("metrics.csv", watch::Format::kCsv);
  file.append("step,loss\n1,0.5\n2,0.25\n");
  CHECK(file.poll().size() == 2);
  file.folder.write("metrics.csv", "step,loss,val\n1,0.75,0.875\n");
  auto points = file.poll();
  REQUIRE(points.size() == 2);
  CHECK(points[0].value == 0.75);
  CHECK(points[1].name == "val");
  file.append("2,0.625,0.5\n");
  CHECK(file.poll().size() == 2);
}

TEST_CASE("a file that was truncated or replaced by a shorter one is read from its beginning") {
  Followed file("events.out.tfevents.1", watch::Format::kTensorBoard);
  file.append(event_file(1.7e9, 1, "loss", 0.5F) + event_file(1.7e9, 2, "loss", 0.5F));
  CHECK(file.poll().size() == 2);
  file.folder.write("events.out.tfevents.1", event_file(1.7e9, 1, "loss", 0.75F));
  const auto points = file.poll();
  REQUIRE(points.size() == 1);
  CHECK(points[0].value == 0.75);
}

TEST_CASE("a longer file that replaced one with the same beginning is read from its beginning") {
  Followed file("metrics.csv", watch::Format::kCsv);
  const std::string same = "step,loss\n# " + std::string(2000, 'x') + "\n";
  file.append(same + "1,0.5\n2,0.25\n");
  CHECK(file.poll().size() == 2);
  file.folder.write("metrics.csv", same + "1,0.75\n2,0.625\n3,0.5\n4,0.375\n");
  CHECK(file.poll().size() == 4);
}

TEST_CASE("a file that is damaged, and then replaced by a shorter one, is read on both times") {
  Followed file("events.out.tfevents.1", watch::Format::kTensorBoard);
  file.append(event_file(1.7e9, 1, "loss", 0.5F));
  CHECK(file.poll().size() == 1);
  file.append("nonsense, long enough, and more of it" + event_file(1.7e9, 2, "loss", 0.5F));
  CHECK(file.poll().size() == 1);
  file.folder.write("events.out.tfevents.1", event_file(1.7e9, 1, "loss", 0.75F));
  CHECK(file.poll().size() == 1);
}

TEST_CASE("a file of another format is reported, and a folder cannot be read") {
  Followed file("run-1.wandb", watch::Format::kWandb);
  file.append("nonsense, long enough");
  watch::Findings found;
  CHECK(file.tail.foreign().empty());
  REQUIRE(file.tail.poll(true, found));
  CHECK(file.tail.foreign().find("not a file of W&B") != std::string::npos);
  watch::FileTail folder(watch::Format::kCsv, file.folder.path());
  CHECK_FALSE(folder.poll(false, found));
}
