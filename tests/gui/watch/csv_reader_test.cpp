#include "gui/watch/csv_reader.h"

#include <cmath>

#include "tests/gui/watch/reading.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr auto kFormat = watch::Format::kCsv;

}  // namespace

TEST_CASE("Lightning's table: a curve for each column, empty cells are not known") {
  const auto reading = read_whole(kFormat,
                                  "epoch,step,train_loss,val_loss\n"
                                  "0,49,0.5,\n"
                                  "0,99,,0.75\n"
                                  "1,149,nan,\n");
  CHECK(reading.problem.empty());
  const auto& points = reading.found.points;
  REQUIRE(points.size() == 6);
  CHECK(points[0].name == "epoch");
  CHECK(points[1].name == "train_loss");
  CHECK(points[1].step == 49);
  CHECK(points[1].value == 0.5);
  CHECK(std::isnan(points[1].wall_s));
  CHECK(points[1].rank == kNoRank);
  CHECK(points[3].name == "val_loss");
  CHECK(std::isnan(points[5].value));
}

TEST_CASE("a table of our own export: ranks and steps, no curve of who and when") {
  const auto reading = read_whole(kFormat,
                                  "run,node,rank,epoch,step,seq,mono_ns,samples,loss,attempt\r\n"
                                  "2026,0,1,0,7,3,99,64,0.5,0\r\n");
  REQUIRE(reading.found.points.size() == 3);
  for (const auto& point : reading.found.points) {
    CHECK(point.rank == 1);
    CHECK(point.step == 7);
  }
  CHECK(reading.found.points[2].name == "loss");
  const auto named = read_whole(kFormat,
                                "run,node,rank,step,seq,mono_ns,name,value,attempt\r\n"
                                "2026,0,0,7,3,99,\"a, \"\"b\"\"\",1.5,0\r\n");
  REQUIRE(named.found.points.size() == 1);
  CHECK(named.found.points[0].name == "a, \"b\"");
  CHECK(named.found.points[0].value == 1.5);
}

TEST_CASE("columns of steps and times by their usual names") {
  const auto keras = read_whole(kFormat, "epoch,loss\n0,1\n1,0.5\n");
  REQUIRE(keras.found.points.size() == 2);
  CHECK(keras.found.points[1].step == 1);
  const auto board = read_whole(kFormat, "\xef\xbb\xbfWall time,Step,Value\n1.7e9,12,0.5\n");
  REQUIRE(board.found.points.size() == 1);
  CHECK(board.found.points[0].wall_s == 1.7e9);
  CHECK(board.found.points[0].name == "Value");
  const auto odd = read_whole(kFormat,
                              "step,timestamp,x,flag\n"
                              "12.0,1700000000500,+1,True\n"
                              "-1,0,1,True\n"
                              "half,0,1,True\n");
  REQUIRE(odd.found.points.size() == 1);
  CHECK(odd.found.points[0].step == 12);
  CHECK(odd.found.points[0].wall_s == 1'700'000'000.5);
}

TEST_CASE(
    "a table grows in pieces, and its last line counts without a line end once nobody writes") {
  const std::string file = "step,\"a\nb\",c\n1,2,3\n\n4,5,6";
  const auto growing = read_in_pieces(kFormat, file, 1);
  CHECK(growing.problem.empty());
  CHECK(growing.found.points.size() == 2);
  CHECK(growing.used == file.size() - 5);
  const auto complete = read_in_pieces(kFormat, file, 1, true);
  REQUIRE(complete.found.points.size() == 4);
  CHECK(complete.found.points[2].name == "a\nb");
  CHECK(complete.found.points[3].value == 6);
}

TEST_CASE("what is no table of steps is refused") {
  const auto problem_of = [](const std::string& file) {
    return read_whole(kFormat, file, true).problem;
  };
  CHECK(problem_of("name,loss\na,1\n").find("no column of steps") != std::string::npos);
  CHECK(problem_of("step,a\n1,2,3\n") == "at byte 7: a row has 3 cells under 2 columns");
  CHECK(problem_of(std::string("step\0,a\n", 8)).find("not a table") != std::string::npos);
  CHECK(problem_of("step," + std::string(2'000'000, 'x')).find("a row is above the limit") !=
        std::string::npos);
  CHECK(problem_of("step," + std::string(5000, 'x') + "\n").find("5000 bytes") !=
        std::string::npos);
  CHECK(problem_of("step" + std::string(5000, ',') + "\n").find("5001 columns") !=
        std::string::npos);
}
