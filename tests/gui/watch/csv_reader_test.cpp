#include "gui/watch/csv_reader.h"

#include <cmath>

#include "tests/gui/watch/reading.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr auto kFormat = watch::Format::kCsv;

}  // namespace

TEST_CASE("Lightning's table gives a curve for each column, and empty cells are unknown") {
  const auto reading = read_whole(kFormat,
                                  "epoch,step,train_loss,val_loss\n"
                                  "0,49,0.5,\n"
                                  "0,99,,0.75\n"
                                  "1,149,nan,\n");
  CHECK(reading.left_out().empty());
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

TEST_CASE("a table of our own export has ranks and steps, and no curves of identity or time") {
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

TEST_CASE("columns of steps and times are recognised by their usual names") {
  const auto board = read_whole(kFormat, "\xef\xbb\xbfWall time,Step,Value\n1.7e9,12,0.5\n");
  REQUIRE(board.found.points.size() == 1);
  CHECK(board.found.points[0].wall_s == 1.7e9);
  CHECK(board.found.points[0].name == "Value");
  for (const char* name :
       {"epoch", "Epochs", "Step", "steps", "global step", "train/step", "time/total_timesteps",
        "Timestep", "iters", "it", "update", "num_steps", "total_steps", "batches", "samples",
        "iteration_num", "_step", "trainer/global_step", "training_iteration"}) {
    INFO(name);
    const auto reading = read_whole(kFormat, std::string(name) + ",loss\n1,1\n2,0.5\n");
    CHECK(reading.values() == "loss@1=1 loss@2=0.5");
    CHECK(reading.left_out().empty());
  }
  const auto surest =
      read_whole(kFormat, "time/iterations,time/total_timesteps,x\n1,64,5\n2,128,6\n");
  CHECK(surest.values() == "time/iterations@64=1 x@64=5 time/iterations@128=2 x@128=6");
  const auto odd = read_whole(kFormat,
                              "step,timestamp,x,flag\n"
                              "12.0,1700000000500,+1,\n"
                              "half,0,1,\n");
  CHECK(odd.values() == "x@12=1");
  CHECK(odd.found.points[0].wall_s == 1'700'000'000.5);
  CHECK(odd.left_out() == "line 3: a row has no step in the column step (1)");
}

TEST_CASE("negative steps and steps up to 2^63 are read as written") {
  const auto reading = read_whole(kFormat,
                                  "step,loss\n-1,1\n1700000000000,2\n9223372036854775807,3\n"
                                  "1e3,4\n1e19,5\n");
  CHECK(reading.values() ==
        "loss@-1=1 loss@1700000000000=2 loss@9223372036854775807=3 loss@1000=4");
  CHECK(reading.left_out().ends_with("line 6: a row has no step in the column step (1)"));
}

TEST_CASE("cells are also separated by semicolons, tabs, bars or blanks") {
  for (const char* file :
       {"epoch;loss\n0;1\n1;0,5\n", "epoch\tloss\n0\t1\n1\t0.5\n", "epoch|loss\n0|1\n1|0.5\n",
        "epoch  loss\n    0     1\n    1   0.5\n", "sep=;\nepoch;loss\n0;1\n1;0,5\n",
        "epoch , loss\r\n0 , 1\r\n1 , 0.5\r\n", "\n\nepoch,loss\n0,1\n1,0.5\n",
        "# lr=0.1, x\nepoch,loss\n0,1\n1,0.5\n", "# epoch loss\n0 1\n1 0.5\n"}) {
    INFO(file);
    const auto reading = read_whole(kFormat, file);
    CHECK(reading.values() == "loss@0=1 loss@1=0.5");
    CHECK(reading.left_out().empty());
  }
  const auto preamble = read_whole(kFormat, "My run\nby me\nepoch,loss\n0,1\n");
  CHECK(preamble.values() == "loss@0=1");
  CHECK(preamble.left_out() == "line 1: a line above the names of the columns (2)");
}

TEST_CASE("UTF-16 of both byte orders and Latin-1 are decoded") {
  const auto wide = [](const std::string& text, bool big) {
    std::string bytes = big ? "\xfe\xff" : "\xff\xfe";
    for (const char c : text) bytes += big ? std::string{'\0', c} : std::string{c, '\0'};
    return bytes;
  };
  for (const bool big : {false, true}) {
    const std::string file = wide("epoch,loss\r\n0,1\r\n1,0.5\r\n", big);
    CHECK(read_whole(kFormat, file).values() == "loss@0=1 loss@1=0.5");
    CHECK(read_in_pieces(kFormat, file, 1).values() == "loss@0=1 loss@1=0.5");
    CHECK(read_whole(kFormat, file.substr(2)).values() == "loss@0=1 loss@1=0.5");
  }
  const auto latin = read_whole(kFormat,
                                "epoch,Gr\xf6\xdf"
                                "e\n0,1\n");
  REQUIRE(latin.found.points.size() == 1);
  CHECK(latin.found.points[0].name == "Größe");
}

TEST_CASE("numbers as frameworks write them are read, and other words are counted by column") {
  const auto reading =
      read_whole(kFormat,
                 "epoch,a,b,c,d,e,f\n"
                 "0,tensor(0.5),\"tensor(0.25, device='cuda:0')\",[2],50%,\"1,234\",np.float64(3)\n"
                 "1,fast,,nan,None,1e400,x\n");
  CHECK(reading.values() == "a@0=0.5 b@0=0.25 c@0=2 d@0=50 e@0=1234 f@0=3 c@1=nan e@1=inf");
  CHECK(reading.left_out() ==
        "line 3, fast: a cell of the column a is not a number (1) | line 3, x: a cell of the "
        "column f "
        "is not a number (1)");
  CHECK_FALSE(reading.found.left_out[0].expected);
  const auto words = read_whole(kFormat, "epoch,note,loss\n0,ok,1\n1,ok,2\n");
  CHECK(words.left_out() == "line 2, ok: a cell of the column note is not a number (2)");
  CHECK(words.found.left_out[0].expected);
}

TEST_CASE("rows of other lengths keep the cells that have a name") {
  const auto reading = read_whole(kFormat, "epoch,loss\n0,1\n1\n2,0.8,0.5\n3,0.7,0.6,\n");
  CHECK(reading.values() == "loss@0=1 loss@2=0.8 loss@3=0.7");
  CHECK(reading.left_out() ==
        "line 4: a row has more cells than there are columns, which have no name (2)");
}

TEST_CASE("repeated, duplicate and missing column names are handled") {
  const auto again = read_whole(kFormat, "epoch,loss\n0,1\nepoch,loss\n1,0.5\n");
  CHECK(again.values() == "loss@0=1 loss@1=0.5");
  const auto other = read_whole(kFormat, "epoch,loss\n0,1\nepoch,acc,loss\n1,0.9,0.5\n");
  CHECK(other.values() == "loss@0=1 acc@1=0.9 loss@1=0.5");
  const auto twice = read_whole(kFormat, "step,loss,loss\n0,1,2\n");
  CHECK(twice.values() == "loss@0=1 loss.1@0=2");
  const auto unnamed = read_whole(kFormat, ",step,loss\n0,10,1\n");
  CHECK(unnamed.values() == "loss@10=1");
  CHECK(unnamed.left_out() == "column 1: a column has no name (1)");
  const auto none = read_whole(kFormat, "0.5,1\n0.25,2\n");
  CHECK(none.values() == "column 1@0=0.5 column 2@0=1 column 1@1=0.25 column 2@1=2");
  CHECK(none.left_out() ==
        "line 1: rows are counted as steps: no column is called step, iteration, epoch or the like "
        "(1)");
}

TEST_CASE("rows are the steps if no column has one, and a column that a person names is used") {
  const std::string file = "reward,length\n5,20\n6,40\n";
  CHECK(read_whole(kFormat, file).values() == "reward@0=5 length@0=20 reward@1=6 length@1=40");
  CHECK(read_whole(kFormat, file, false, {"Length"}).values() == "reward@20=5 reward@40=6");
  const auto missing = read_whole(kFormat, file, false, {"x"});
  CHECK(missing.foreign == "no column is called x, but: reward, length");
  CHECK(missing.found.points.empty());
  const auto strict = read_whole(kFormat, file, false, {"", false});
  CHECK(strict.foreign.find("no column is called step") == 0);
  const auto dated =
      read_whole(kFormat, "time,loss\n2024-10-20T15:37:20Z,1\n2024-10-20T15:37:21Z,2\n");
  CHECK(dated.values() == "loss@0=1 loss@1=2");
  CHECK(dated.found.points[1].wall_s == 1729438641);
}

TEST_CASE("no row with a fractional epoch is lost, wherever the fractions begin") {
  const std::string file = "epoch,loss\n0.25,2\n0.5,1.5\n1.0,1\n";
  const auto reading = read_whole(kFormat, file);
  CHECK(reading.values() == "epoch@0=0.25 loss@0=2 epoch@1=0.5 loss@1=1.5 epoch@2=1 loss@2=1");
  CHECK(reading.left_out().find("rows are counted as steps") != std::string::npos);
  const auto late = read_in_pieces(kFormat, "epoch,loss\n0,2\n1,1.5\n1.5,1\n2,0.5\n", 1);
  CHECK(late.values() == "loss@0=2 loss@1=1.5 epoch@2=1.5 loss@2=1 epoch@3=2 loss@3=0.5");
  CHECK(late.left_out() ==
        "line 4: rows are counted as steps: a step in the column epoch is not a whole number (1)");
}

TEST_CASE("rows of one epoch become separate steps, followed by the batches of the next epoch") {
  const auto rows = read_whole(kFormat, "epoch,loss\n0,1\n0,2\n1,3\n1,4\n");
  CHECK(rows.found.points.back().step == 3);
  const auto batches =
      read_whole(kFormat, "Epoch,Batch,loss\n0,0,1\n0,10,2\n1,0,3\n1,10,4\n2,0,5\n");
  CHECK(batches.values() == "loss@0=1 loss@10=2 loss@20=3 loss@30=4 loss@40=5");
  CHECK(batches.found.points[0].name == "Epoch");
  CHECK(batches.found.points[0].of_step);
  const auto other = read_whole(kFormat, "Epoch,Batch,Gen Loss\n0,0,1\n0,1,2\n1,0,3\n");
  CHECK(other.values() == "Epoch@0=0 Gen Loss@0=1 Epoch@1=0 Gen Loss@1=2 Epoch@2=1 Gen Loss@2=3");
  const auto steps = read_whole(kFormat, "epoch,step,loss\n0,0,1\n0,1,2\n1,0,3\n1,1,4\n");
  CHECK(steps.found.points.back().step == 3);
  // A global step that falls while the epoch does not grow is that of a resumed program.
  const auto resumed = read_whole(kFormat, "epoch,step,loss\n0,0,1\n1,9,2\n1,5,3\n1,9,4\n");
  CHECK(resumed.found.points.back().step == 9);
  const auto growing = read_in_pieces(kFormat, "epoch,loss\n0,1\n0,2\n0,3\n1,4\n", 1);
  CHECK(growing.found.points.back().step == 2);
  // Lightning writes training and validation of a step in two rows.
  const auto both = read_whole(kFormat, "epoch,loss,val\n0,1,\n0,,2\n1,3,\n1,,4\n");
  CHECK(both.values() == "loss@0=1 val@0=2 loss@1=3 val@1=4");
  const auto phases =
      read_whole(kFormat, "epoch,phase,loss\n0,train,1\n0,val,2\n1,train,3\n1,val,4\n");
  CHECK(phases.values() == "train/loss@0=1 val/loss@0=2 train/loss@1=3 val/loss@1=4");
}

TEST_CASE("a column called rank holds ranks only if there are several, from 0 on") {
  const auto lora = read_whole(kFormat, "step,rank,loss\n0,16,1\n1,16,2\n");
  CHECK(lora.values() == "rank@0=16 loss@0=1 rank@1=16 loss@1=2");
  CHECK(lora.found.points[0].rank == kNoRank);
  const auto ranks = read_whole(kFormat, "step,rank,loss\n0,1,1\n0,0,2\n");
  CHECK(ranks.values() == "loss@0=1 loss@0=2");
  CHECK(ranks.found.points[0].rank == 1);
}

TEST_CASE("a curve downloaded from TensorBoard has the name in its file name") {
  const auto reading =
      read_whole(kFormat, "Wall time,Step,Value\n1.7e9,0,1\n", false, {"", true, "train_loss"});
  CHECK(reading.values() == "train_loss@0=1");
}

TEST_CASE(
    "a table grows in pieces, and its last line counts without a line end once nobody writes") {
  const std::string file = "step,\"a\nb\",c\n1,2,3\n\n4,5,6";
  const auto growing = read_in_pieces(kFormat, file, 1);
  CHECK(growing.left_out().empty());
  CHECK(growing.found.points.size() == 2);
  CHECK(growing.used == file.size() - 5);
  const auto complete = read_in_pieces(kFormat, file, 1, true);
  REQUIRE(complete.found.points.size() == 4);
  CHECK(complete.found.points[2].name == "a\nb");
  CHECK(complete.found.points[3].value == 6);
}

TEST_CASE("rows of a table survive damaged ones beside them") {
  const auto zeros =
      read_whole(kFormat, "step,loss\n1,1\n" + std::string(300, '\0') + "2,2\n3,3\n");
  CHECK(zeros.values() == "loss@1=1 loss@3=3");
  CHECK(zeros.left_out() == "line 3: a row has bytes of zero in it (1)");
  const auto quote = read_whole(kFormat, "step,loss\n1,1\n2,\"2\n3,3\n4,4\n", true);
  CHECK(quote.values() == "loss@1=1 loss@2=2 loss@3=3 loss@4=4");
  CHECK(quote.left_out() == "line 3: a quote has no end (1)");
  const std::string file = "step,loss\n1,1\n2," + std::string(2'000'000, 'x') + "\n3,3\n";
  for (const std::size_t piece : {std::size_t{100'000}, file.size()}) {
    const auto lengthy = read_in_pieces(kFormat, file, piece);
    CHECK(lengthy.values() == "loss@1=1 loss@3=3");
    CHECK(lengthy.left_out() == "line 3: a row is above the limit of 1048576 bytes (1)");
  }
  CHECK(read_whole(kFormat, std::string("step\0,\1a\n1,2\n", 13)).foreign.find("not a table") == 8);
  const auto wide = read_whole(kFormat, "step," + std::string(5000, 'x') + "\n1,2\n");
  CHECK(wide.left_out() == "line 2: a name is longer than 1024 bytes (1)");
}

TEST_CASE("rows that fill different columns of one step count as one step") {
  // The table is as pandas writes what a trainer logged: with an unnamed count and fractional
  // epochs.
  const auto logged = read_whole(kFormat,
                                 ",loss,epoch,step,eval_loss\n0,2,0.5,10,\n1,,0.5,10,1.5\n"
                                 "2,1,1.0,20,\n3,,1.0,20,1.25\n",
                                 true, {{}, false});
  CHECK(logged.foreign.empty());
  CHECK(logged.values() ==
        "loss@10=2 epoch@10=0.5 epoch@10=0.5 eval_loss@10=1.5 loss@20=1 epoch@20=1 epoch@20=1 "
        "eval_loss@20=1.25");
}

TEST_CASE("a truncated last row is left out and reported") {
  for (const char* end : {"3", "3,", "\"3\",\"1", "3,0.1,\"x"}) {
    INFO(end);
    const auto reading = read_whole(kFormat, std::string("step,loss,a\n2,0.5,7\n") + end, true);
    CHECK(reading.values() == "loss@2=0.5 a@2=7");
    CHECK(reading.left_out() == "line 3: the last row is not whole (1)");
  }
  CHECK(read_whole(kFormat, "step,loss\n2,0.5\n3,1", true).values() == "loss@2=0.5 loss@3=1");
}

TEST_CASE("a step may be one of a total, and a separator line may follow the names") {
  const auto reading =
      read_whole(kFormat, "| epoch | loss |\n|---|:-:|\n| 1/3 | 2 |\n| 2/3 | 1 |\n");
  CHECK(reading.values() == "loss@1=2 loss@2=1");
  CHECK(reading.left_out().empty());
}

TEST_CASE("steps that go back to an earlier one are reported, unless ranks or parts repeat them") {
  const auto again = read_whole(kFormat, "epoch,loss\n1,4\n2,3\n3,2\n1,1\n2,0\n");
  CHECK(again.values() == "loss@1=4 loss@2=3 loss@3=2 loss@1=1 loss@2=0");
  CHECK(again.left_out() ==
        "line 5: steps go back to one that was there before; values of both times are in the run "
        "(1)");
  CHECK(read_whole(kFormat, "step,rank,loss\n1,0,4\n2,0,3\n1,1,2\n2,1,1\n").left_out().empty());
}

TEST_CASE("each line may be a JSON object, with other names than the one before") {
  const auto reading = read_whole(
      kFormat,
      "{\"iter\": 50, \"loss\": 1.5, \"time\": {\"data\": 0.5}, \"mode\": \"x\"}\n"
      "{\"iter\": 100, \"loss\": NaN, \"done\": false, \"list\": [1]}\n{\"acc\": 0.25}\n");
  CHECK(reading.foreign.empty());
  CHECK(reading.values() == "loss@50=1.5 time/data@50=0.5 loss@100=nan acc@100=0.25");
  CHECK(reading.left_out() ==
        "line 1, x: a cell of the column mode is not a number (1) | "
        "line 2, false: a cell of the column done is not a number (1) | "
        "line 2, a list: a cell of the column list is not a number (1)");
  const auto told = read_whole(
      kFormat,
      "{\"epoch\": 1, \"steps\": [7], \"loss\": 3, \"deep\": {\"on\": true}, \"note\": \"" +
          std::string(99, 'x') + "\"}\n{\"epoch\": 2, \"loss\": 2}\n");
  CHECK(told.values() == "loss@1=3 loss@2=2");
  CHECK(told.left_out().find("column steps is not a number (1)") != std::string::npos);
  CHECK(told.left_out().find("column deep/on is not a number (1)") != std::string::npos);
  CHECK(told.left_out().find("column note is not a number (1)") != std::string::npos);
  const auto logged = read_whole(
      kFormat,
      "10:00 | INFO | task: none\n10:01 | INFO | train | {\"num_updates\": \"100\", \"loss\": "
      "\"14.5\"}\n10:02 | INFO | train | {\"num_updates\": \"200\", \"loss\": \"12\"}\n");
  CHECK(logged.values() == "loss@100=14.5 loss@200=12");
  CHECK(logged.left_out() == "line 1: a line ends with no object of JSON (1)");
  CHECK(read_whole(kFormat,
                   "{\"current_steps\": 5, \"total_steps\": 9, \"loss\": 2}\n"
                   "{\"current_steps\": 6, \"total_steps\": 9, \"loss\": 1}\n")
            .values() == "loss@5=2 total_steps@5=9 loss@6=1 total_steps@6=9");
}

TEST_CASE("a JSON document is read once it is complete, by its list of objects") {
  const std::string state =
      "{\n \"epoch\": 2.0,\n \"log_history\": [\n  {\"epoch\": 1.0, \"loss\": 2.0, \"step\": 10},\n"
      "  {\"epoch\": 1.0, \"eval_loss\": 1.5, \"step\": 10},\n"
      "  {\"epoch\": 2.0, \"loss\": NaN, \"step\": 20}\n ],\n \"max_steps\": 30\n}\n";
  for (const std::size_t piece : {std::size_t{7}, state.size()}) {
    const auto reading = read_in_pieces(kFormat, state, piece, true, {{}, false});
    CHECK(reading.foreign.empty());
    CHECK(reading.values() == "loss@10=2 eval_loss@10=1.5 loss@20=nan");
    CHECK(reading.left_out().empty());
  }
  CHECK(read_whole(kFormat,
                   "{\"a\": [\n{\"step\": 1, \"x\": 5}\n], \"b\": [{\"step\": 1},\n{\"step\": 2, "
                   "\"y\": 3}\n]}",
                   true)
            .values() == "y@2=3");
  CHECK(read_whole(kFormat, "{\"loss\": [4, 2], \"acc\": [0, 1]}", true).values() ==
        "acc@0=0 loss@0=4 acc@1=1 loss@1=2");
  const auto of_lists = read_whole(
      kFormat, "{\"loss\": [null, 2], \"acc\": [0, 1], \"tags\": [\"a\"], \"best\": 1}", true);
  CHECK(of_lists.values() == "acc@0=0 acc@1=1 loss@1=2");
  CHECK(of_lists.left_out().find("tags: a list beside the one with the steps") !=
        std::string::npos);
  const auto two = read_whole(
      kFormat,
      "{\"fit\": [{\"step\": 1, \"x\": 5}, {\"step\": 2, \"x\": 6}], \"val\": [{\"step\": 1}]}",
      true);
  CHECK(two.values() == "x@1=5 x@2=6");
  CHECK(two.left_out() == "val: a list beside the one with the steps is not read (1)");
  for (const char* other : {"{\"epochs\": 10, \"lr\": 0.1}\n", "[{\"id\": 1}, {\"id\": 2}]",
                            "{\"a\": [{\"b\": 1}]", "{\"text\": \"x\"}\n{\"text\": \"y\"}\n"}) {
    INFO(other);
    const auto reading = read_whole(kFormat, other, true, {{}, false});
    CHECK_FALSE(reading.foreign.empty());
    CHECK(reading.found.points.empty());
  }
}

TEST_CASE("a table with one value per row has names in a column, with the run as prefix") {
  for (const char* name : {"name", "tag", "key", "metric", "variable"}) {
    INFO(name);
    const auto reading = read_whole(
        kFormat, "step," + std::string(name) + ",value\n0,loss,2\n0,acc,0\n1,loss,1\n1,acc,1\n");
    CHECK(reading.values() == "loss@0=2 acc@0=0 loss@1=1 acc@1=1");
    CHECK(reading.left_out().empty());
  }
  CHECK(read_in_pieces(kFormat, "step,tag,value\n0,loss,2\n1,loss,1\n", 1).values() ==
        "loss@0=2 loss@1=1");
  CHECK(read_whole(kFormat, "run,tag,step,value\ntrain,loss,0,2\ntrain,loss,1,1\nval,loss,0,3\n")
            .values() == "train/loss@0=2 train/loss@1=1 val/loss@0=3");
  CHECK(read_whole(kFormat, "run_id,key,value,step\nabc,loss,2,0\nabc,loss,1,1\n").values() ==
        "loss@0=2 loss@1=1");
  CHECK(read_whole(kFormat, "step,key,value\n0,7,2\n1,7,1\n").values() ==
        "key@0=7 value@0=2 key@1=7 value@1=1");
}
