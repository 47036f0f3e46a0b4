// Predictions of a step under other circumstances, for a run whose first rank is late.
#include "gui/view/scaling/what_if_view.h"

#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using analysis::StepChange;

namespace {

/// Two ranks with 10 ms of own work, 10 ms more on the first, and 2 ms of all-reduce.
analysis::Replayable late_run() {
  support::MadeRun run(2);
  for (Step step = 0; step < 60; ++step) {
    const double begin = 22.0 * static_cast<double>(step);
    for (Rank rank = 0; rank < 2; ++rank) {
      const double own = rank == 0 ? 20 : 10;
      run.bucket(rank, step, 0, begin + own, begin + 22);
      run.step(rank, step, begin + 22, {0, 0, own / 2, own / 2, 22 - own, 0, 22});
    }
  }
  return analysis::replayable(run.model(), nullptr);
}

messages::RunSpec delayed_spec() {
  messages::RunSpec spec;
  spec.devices.world_size = 2;
  spec.batch.size = 64;
  spec.inject.fault = "delay_forward";
  spec.inject.rank = 0;
  return spec;
}

}  // namespace

TEST_CASE("A prediction is one sentence, two bars and a row") {
  const analysis::Replayable run = late_run();
  const WhatIfView view =
      build_what_if_view({&run, nullptr, delayed_spec(), {}, {}}, {.without_rank = 0});
  REQUIRE(view.shown);
  CHECK(view.ranks == 2);
  CHECK(
      view.sentence.starts_with("With rank 0 as quick as the others a step would take 12.00 ms ("));
  CHECK(view.sentence.ends_with("it was 22.00 ms: 1.83× as fast."));
  REQUIRE(view.bars.size() == 2);
  CHECK(view.bars[0].share == 1);
  CHECK(view.bars[1].low < view.bars[1].share);
  CHECK(view.bars[1].high > view.bars[1].share);
  REQUIRE(view.changes.rows.size() == 1);
  CHECK(view.changes.rows[0].key == "--without-rank 0");
  CHECK(view.not_provable.empty());
}

TEST_CASE("Without a change every possible change has its row, and none can be proved") {
  const analysis::Replayable run = late_run();
  const WhatIfView view = build_what_if_view({&run, nullptr, delayed_spec(), {}, {}}, {});
  CHECK(view.sentence == "Replayed as it was, a step takes 22.00 ms; it was 22.00 ms.");
  CHECK(view.changes.rows.size() == 4);
  CHECK(view.bars.empty());
  CHECK(view.not_provable.find("nothing is changed") != std::string::npos);
}

TEST_CASE("A prediction includes the speedup after the change") {
  const analysis::Replayable run = late_run();
  analysis::Speedup speedup;
  speedup.missing = analysis::NoSpeedup::kNone;
  speedup.speedup = 1.2;
  const WhatIfView view = build_what_if_view({&run, &speedup, {}, {}, {}}, {.without_rank = 0});
  CHECK(view.notes[1].starts_with("The speedup of 1.20× would be 2.20×"));
}

TEST_CASE("A refused prediction has no sliders") {
  const analysis::Replayable none = analysis::replayable(support::MadeRun(2).model(), nullptr);
  const WhatIfView view = build_what_if_view({&none, nullptr, {}, {}, {}}, {.link = 2});
  CHECK_FALSE(view.shown);
  CHECK(view.sentence.find("no gradient buckets") != std::string::npos);
  CHECK(view.changes.rows.empty());
}

TEST_CASE("A prediction is shown beside what the run took") {
  const analysis::Replayable run = late_run();
  const std::vector<runs::ProvedPrediction> record{
      {"#7", "seventh", {"third", "--without-rank 0", 41.5, 22.5, 21, 24}, 22},
      {"#6", "sixth", {"third", "--ranks 4", 41.5, 50, 45, 55}, 60},
      {"#5", "fifth", {"third", "--ranks 8", 41.5, 70, 65, 75}, 0}};
  const WhatIfView view = build_what_if_view({&run, nullptr, {}, "seventh", record}, {});
  CHECK(view.notes[0] ==
        "Predicted of this run were 22.50 ms (21.00 to 24.00) where third took 41.50 ms: it takes "
        "22.00 ms, inside the band.");
  REQUIRE(view.record.rows.size() == 3);
  CHECK(cell_of(view.record, view.record.rows[1], "inside").text == "outside");
  CHECK(cell_of(view.record, view.record.rows[2], "took_ms").text == "–");
  CHECK(view.record.notes[0] == "1 of 2 inside the band, half of them off by at most 2.3 %.");
}

TEST_CASE("A change is written as it is typed") {
  const StepChange all{2, 1.5, true, 25, 8};
  CHECK(change_options(all) ==
        "--without-rank 2 --link x1.5 --no-data-wait --bucket-mb 25 --ranks 8");
  CHECK(change_words(all) ==
        "rank 2 as quick as the others, a link ×1.5, no wait for data, buckets of 25 MiB, 8 ranks");
  CHECK(change_options({}).empty());
  CHECK(factor_of("x2") == 2.0);
  CHECK(factor_of("0.5") == 0.5);
  for (const char* wrong : {"", "x", "0", "-1", "2x", "1.2.3", "inf"})
    CHECK_FALSE(factor_of(wrong));
}

TEST_CASE("Sliders show a change, and move it") {
  const StepChange all{1, 4, true, 25, 8};
  const auto sliders = what_if_sliders(all, 3);
  StepChange again;
  for (std::size_t i = 0; i < sliders.size(); ++i) {
    CHECK(sliders[i].at < sliders[i].stops);
    again = moved(again, i, sliders[i].at);
  }
  CHECK(again == all);
  const auto none = what_if_sliders({}, 3);
  CHECK(none[0].text == "no rank");
  CHECK(none[0].stops == 4);
  CHECK(none[1].text == "as it was");
  for (std::size_t i = 0; i < none.size(); ++i) again = moved(again, i, none[i].at);
  CHECK(again == StepChange{});
}

TEST_CASE("Only changes of settings can be proved") {
  const auto proved = proving_spec(delayed_spec(), {.without_rank = 0, .ranks = 4});
  REQUIRE(proved);
  CHECK_FALSE(proved->inject.any());
  CHECK(proved->devices.world_size == 4);
  CHECK(proved->batch.size == 128);
  const auto refused = [](const StepChange& change, const char* why) {
    const auto spec = proving_spec(delayed_spec(), change);
    REQUIRE_FALSE(spec);
    CHECK(spec.error().kind == ErrorKind::kRequest);
    CHECK(spec.error().message.find(why) != std::string::npos);
  };
  refused({.without_rank = 1}, "not a setting");
  refused({.link = 2}, "link");
  refused({.no_data_wait = true}, "data.workers");
  refused({.bucket_mib = 5}, "buckets");
  messages::RunSpec script = delayed_spec();
  script.program.argv = {"python", "train.py"};
  CHECK_FALSE(proving_spec(script, {.ranks = 4}));
}
