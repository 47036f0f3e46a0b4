#include "trainer/core/checkpoint_names.h"

#include "tests/support/catch.h"

using namespace ringside::core;

TEST_CASE("checkpoint names have the epoch number that people see") {
  CHECK(epoch_checkpoint_name(2) == "epoch_003.pt");
  CHECK(epoch_checkpoint_name(1233) == "epoch_1234.pt");
  CHECK(epoch_checkpoint_name(2, 4) == "4ranks_epoch_003.pt");
  CHECK(step_checkpoint_name(500) == "step_000500.pt");
  CHECK(stop_checkpoint_name(123) == "stop_step_000123.pt");
}

TEST_CASE("only complete names count as checkpoints") {
  CHECK(is_checkpoint_name("epoch_003.pt"));
  CHECK(is_checkpoint_name("4ranks_epoch_003.pt"));
  CHECK(is_checkpoint_name("step_000500.pt"));
  CHECK(is_checkpoint_name("stop_step_000123.pt"));
  for (const char* other :
       {"epoch_.pt", "epoch_003.pt.a1B2c3", "epoch_-1.pt", "epoch_3x.pt", ".pt", "best.pt",
        "epoch_003", "ranks_epoch_001.pt", "4epoch_001.pt", "4ranks_step_1.pt",
        "99999999999999999999ranks_epoch_.pt", "stop_step_1.txt", ""}) {
    INFO(other);
    CHECK_FALSE(is_checkpoint_name(other));
  }
}

TEST_CASE("a draft of a killed write is distinguished from other files") {
  CHECK(is_checkpoint_draft("epoch_003.pt.a1B2c3.unfinished"));
  CHECK(is_checkpoint_draft("best.pt.a1B2c3.unfinished"));
  for (const char* other : {"epoch_003.pt", "epoch_003.pt.backup", "notes.pt.a1B2c3.unfinished",
                            "thesis.unfinished", ".unfinished"}) {
    INFO(other);
    CHECK_FALSE(is_checkpoint_draft(other));
  }
}

TEST_CASE("the checkpoint written last is the newest") {
  const auto newest_checkpoint = [](const std::vector<CheckpointFile>& files) {
    return newest_checkpoints(files).front();
  };
  CHECK(newest_checkpoints({}).empty());
  CHECK(newest_checkpoints({{"notes.txt", 9}}).empty());
  CHECK(newest_checkpoints({{"epoch_001.pt", 1}, {"step_000009.pt", 3}, {"epoch_002.pt", 2}}) ==
        std::vector<std::string>{"step_000009.pt", "epoch_002.pt", "epoch_001.pt"});
  CHECK(newest_checkpoint({{"epoch_001.pt", 1}, {"stop_step_000009.pt", 3}, {"epoch_002.pt", 2}}) ==
        "stop_step_000009.pt");
  // After a resume the later epoch's file is newer than the earlier stop.
  CHECK(newest_checkpoint({{"stop_step_000900.pt", 3}, {"epoch_002.pt", 4}}) == "epoch_002.pt");
  // Checkpoints of runs with other numbers of ranks in the same folder do not hide the newest.
  CHECK(newest_checkpoint({{"8ranks_epoch_001.pt", 3}, {"4ranks_epoch_002.pt", 2}}) ==
        "8ranks_epoch_001.pt");
  // In a copied folder of files without an order all times are equal, so the numbers decide.
  CHECK(newest_checkpoint({{"epoch_010.pt", 5}, {"epoch_009.pt", 5}}) == "epoch_010.pt");
  CHECK(newest_checkpoint({{"step_000940.pt", 5}, {"epoch_010.pt", 5}}) == "epoch_010.pt");
  CHECK(newest_checkpoint({{"epoch_1000.pt", 5}, {"epoch_999.pt", 5}}) == "epoch_1000.pt");
}

TEST_CASE("the order stored in files takes precedence over their times") {
  const std::vector<CheckpointFile> files{{"epoch_002.pt", 1, 3},
                                          {"epoch_001.pt", 9, 1},
                                          {"step_000009.pt", 7, 2},
                                          {"epoch_007.pt", 5, kUnreadableOrder},
                                          {"epoch_009.pt", 12}};
  CHECK(newest_checkpoints(files) == std::vector<std::string>{"epoch_007.pt", "epoch_002.pt",
                                                              "step_000009.pt", "epoch_001.pt",
                                                              "epoch_009.pt"});
  // An unreadable file does not count, and is not deleted.
  CHECK(surplus_checkpoints(files, 2) == std::vector<std::string>{"epoch_001.pt", "epoch_009.pt"});
}

TEST_CASE("the newest checkpoints are kept") {
  const std::vector<CheckpointFile> files{{"epoch_001.pt", 1},
                                          {"epoch_002.pt", 2},
                                          {"epoch_003.pt", 3},
                                          {"stop_step_000100.pt", 4},
                                          {"mine.pt", 0}};
  CHECK(surplus_checkpoints(files, 2) == std::vector<std::string>{"epoch_002.pt", "epoch_001.pt"});
  CHECK(surplus_checkpoints(files, 9).empty());
  CHECK(surplus_checkpoints(files, 0).empty());
}
