// The Sampler page as data: the published grid and accuracies, the alarm, the texts of checks,
// first samples, reassigned samples, shards.
#include "gui/view/sampler/sampler_view.h"

#include "gui/view/number_format.h"
#include "protocol/messages/notice_codes.h"
#include "tests/gui/analysis/made_shards.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using support::draw_epoch;
using support::MadeRun;

namespace {

messages::RunSpec spec_of(Rank ranks, std::int64_t samples) {
  messages::RunSpec spec;
  spec.devices.world_size = ranks;
  spec.data.name = "integers";
  spec.data.train_samples = samples;
  spec.batch.size = 4;
  spec.batch.meaning = "per_rank";
  return spec;
}

MadeRun published_grid() {
  MadeRun run(spec_of(2, 8));
  draw_epoch(run, 0, 8, 0);
  draw_epoch(run, 1, 8, 1);
  return run;
}

/// 14 epochs with their own orders; from the 15th on with that of the first.
MadeRun run_1036(bool set_epoch = false, bool resumed = false) {
  messages::RunSpec spec = spec_of(3, 5000);
  spec.sampler.set_epoch = set_epoch;
  MadeRun run(spec);
  for (Epoch epoch = 0; epoch < 24; ++epoch) {
    if (epoch == 14 && resumed) support::restart_run(run, 1, 100, 3);
    draw_epoch(run, epoch, 5000, epoch < 14 ? static_cast<std::uint64_t>(epoch) : 0);
  }
  return run;
}

std::string detail(const model::RunModel& run, const std::string& title) {
  for (const auto& check : sample_checks(run)) {
    if (check.title == title) return check.detail;
  }
  return "(no such check)";
}

void evaluated(MadeRun& run, Rank rank, std::int64_t correct, std::int64_t counted,
               std::int64_t padded = 0, std::int64_t padded_correct = 0) {
  messages::EpochReport body;
  body.phase = messages::Phase::kTest;
  body.correct = correct;
  body.counted = counted;
  body.padded = padded;
  body.padded_correct = padded_correct;
  run.say(rank, 10, body);
}

std::string text(const Table& table, std::size_t row, std::string_view key) {
  return cell_of(table, table.rows.at(row), key).text;
}

}  // namespace

TEST_CASE("E1's grid has eight samples, two epochs, 25 % reassigned") {
  const MadeRun run = published_grid();
  const auto grid = build_sampler_grid(run.model(), {}, 90, 26);
  REQUIRE(grid.rows.size() == 2);
  CHECK(grid.columns == 8);
  CHECK(grid.dataset_size == 8);
  const std::vector<std::vector<Rank>> owners{{1, 0, 0, 1, 0, 1, 1, 0}, {1, 0, 0, 1, 1, 0, 1, 0}};
  for (std::size_t row = 0; row < 2; ++row) {
    REQUIRE(grid.rows[row].cells.size() == 8);
    for (std::size_t i = 0; i < 8; ++i) CHECK(grid.rows[row].cells[i].owner == owners[row][i]);
    CHECK_FALSE(grid.rows[row].repeated);
  }
  CHECK(grid.rows[0].epoch == "1");
  CHECK(grid.rows[0].moved == kDash);
  CHECK(grid.rows[1].moved == "25.0");
  CHECK(grid.rows[1].picked);
  CHECK(grid.below.size() == 8);
  CHECK(cell_hint(grid, 1, 5) == "Sample 5 in epoch 2: r0");
  CHECK(cell_hint(grid, 1, 8).empty());
  CHECK(cell_hint(grid, 2, 0).empty());
  const auto view = build_sampler_view(run.model(), {});
  CHECK_FALSE(view.alarm);
  CHECK(detail(run.model(), "Samples move between ranks") ==
        "50.0 % expected, 25.0 % seen in epoch 2");
  CHECK(detail(run.model(), "Unvisited") == "0 of 8 in every epoch");
  CHECK(detail(run.model(), "Visited twice") == "no sample in any epoch");
  CHECK(detail(run.model(), "Real global batch") == "8 asked, no step was reported");
  CHECK(view.moved.now == "25.0 %");
  CHECK(view.moved.expected_text == "expected 1/2");
  CHECK(view.first.before == "Epoch 1");
  CHECK(view.first.rows[0].before == "4 7 2 1");
  CHECK(view.first.rows[1].before == "0 3 5 6");
  CHECK(view.first.rows[0].after == "5 2 7 1");
  CHECK(view.first.rows[1].after == "4 6 3 0");
  CHECK(view.first.before_print != view.first.after_print);
  CHECK(view.first.pairs.empty());
  CHECK(plain(view.facts.back()) == "shuffle on, seed 0");
}

TEST_CASE("an epoch that a restart repeated in its own order is not a further epoch") {
  MadeRun run(spec_of(2, 8));
  draw_epoch(run, 0, 8, 0);
  draw_epoch(run, 1, 8, 1);
  support::restart_run(run, 1, 0, 2);
  draw_epoch(run, 0, 8, 0);
  draw_epoch(run, 1, 8, 1);
  CHECK(run.model().shards().passes().size() == 4);
  CHECK(detail(run.model(), "Order changes every epoch") ==
        "each of 2 epochs has its own; a restart replayed 2");
  MadeRun one(spec_of(2, 8));
  draw_epoch(one, 0, 8, 0);
  support::restart_run(one, 1, 0, 2);
  draw_epoch(one, 0, 8, 0);
  CHECK(detail(one.model(), "Order changes every epoch").find("known") != std::string::npos);
}

TEST_CASE("for a script on several ranks an accuracy is not called exact without exact counts") {
  for (const bool script : {false, true}) {
    messages::RunSpec spec = spec_of(2, 61);
    if (script) spec.program.argv = {"python", "train.py"};
    MadeRun run(spec);
    evaluated(run, 0, 20, 31);
    evaluated(run, 1, 23, 31);
    const Table table = validation_view(run.model()).table;
    CHECK(text(table, 0, "exact_percent") == (script ? kDash : "64.5161"));
    CHECK(cell_of(table, table.totals.at(0), "exact").text == (script ? kDash : "43/62"));
    CHECK(table.notes.at(0) ==
          (script ? label::kRepeatsUnknown
                  : "Exact counts every sample once. The gate and all other screens use it."));
  }
  messages::RunSpec spec = spec_of(2, 61);
  spec.program.argv = {"python", "train.py"};
  MadeRun told(spec);
  evaluated(told, 0, 20, 31);
  evaluated(told, 1, 23, 31, 1, 1);
  CHECK(text(validation_view(told.model()).table, 1, "exact") == "22/30");
  MadeRun alone(spec);
  evaluated(alone, 0, 40, 61);
  messages::RankState ended;
  ended.state = messages::State::kFinished;
  alone.say(kNoRank, 20, ended);
  CHECK(text(validation_view(alone.model()).table, 0, "repeats").empty());
}

TEST_CASE("a recurring order is an alarm with its epochs, and set_epoch fixes it") {
  const MadeRun run = run_1036();
  const auto view = build_sampler_view(run.model(), {});
  REQUIRE(view.alarm);
  CHECK(plain(view.alarm->main) ==
        "Same order as last epoch.  Epochs 15–24 all repeat the order of epoch 1.");
  CHECK(view.alarm->can_fix);
  CHECK(view.alarm->why.find("set_epoch is off") != std::string::npos);
  CHECK(detail(run.model(), "Order changes every epoch") == "no: epochs 15–24 repeat epoch 1");
  CHECK(detail(run.model(), "Samples move between ranks") ==
        "66.7 % expected, 0.0 % seen in 9 of 23 epochs, first in 16");
  CHECK(detail(run.model(), "Visited twice").starts_with("1 per epoch by padding; sample "));
  CHECK(detail(run.model(), "Visited twice").ends_with("in 11 of 24 epochs"));
  CHECK(detail(run.model(), "Shards do not overlap") == "no shared sample but the padded one");
  CHECK(view.moved.still);
  CHECK(view.moved.bars.size() == 24);
  CHECK(view.first.same_order);
  CHECK(view.first.note == "All 5,001 positions are equal, not only the first ones.");
  REQUIRE(view.first.pairs.size() == 2);
  CHECK(view.first.pairs[0].word == "epoch 23 and 24");
  CHECK(view.first.pairs[1].word == "epoch 13 and 14");
  CHECK(view.first.chosen == 0);
  CHECK(view.first.rows[0].same);
  const auto healthy = build_sampler_view(run.model(), {1, 0, -1, 13});
  CHECK(healthy.first.chosen == 1);
  CHECK_FALSE(healthy.first.same_order);
  CHECK(healthy.shards_epoch == "epoch 14");
  REQUIRE(view.counts.size() == 4);
  CHECK(view.counts[0].text == "2 passed");
  CHECK(view.counts[1].text == "1 note");
  CHECK(view.counts[2].text == "2 failed");
}

TEST_CASE("the alarm says where a resume lost the order, and offers only a setting that helps") {
  const MadeRun run = run_1036(true, true);
  const auto alarm = sampler_alarm(run.model());
  REQUIRE(alarm);
  CHECK(alarm->why.find("resumed before epoch 15") != std::string::npos);
  CHECK_FALSE(alarm->can_fix);
  const auto grid = build_sampler_grid(run.model(), {}, 20, 100);
  REQUIRE(grid.rows.size() == 25);
  CHECK(grid.rows[14].pass == -1);
  CHECK(grid.rows[14].epoch == "resumed from a checkpoint");
  CHECK(grid.rows[15].epoch == "15");
  CHECK(grid.rows[15].repeated);
  CHECK(grid.rows[15].moved != "0.0");
  CHECK_FALSE(grid.rows[15].still);
  CHECK(grid.rows[16].still);
  messages::RunSpec own = spec_of(2, 8);
  own.program.argv = {"train.py"};
  MadeRun foreign(own);
  draw_epoch(foreign, 0, 8, 0);
  draw_epoch(foreign, 1, 8, 0);
  const auto theirs = sampler_alarm(foreign.model());
  REQUIRE(theirs);
  CHECK_FALSE(theirs->can_fix);
  CHECK(theirs->why.find("has to call set_epoch") != std::string::npos);
  CHECK(plain(theirs->main).find("Epoch 2 repeats the order of epoch 1.") != std::string::npos);
}

TEST_CASE("a restart with another number of ranks is a line in the grid") {
  MadeRun run(spec_of(4, 48));
  draw_epoch(run, 0, 48, 0);
  support::restart_run(run, 1, 0, 2);
  for (Rank rank = 0; rank < 2; ++rank)
    run.say(rank, 0, support::dealt_out(2, 0, 48, 0)[static_cast<std::size_t>(rank)]);
  const auto grid = build_sampler_grid(run.model(), {}, 48, 10);
  REQUIRE(grid.rows.size() == 3);
  CHECK(grid.rows[1].epoch == "started again with 2 ranks instead of 4");
  CHECK(pass_label(run.model(), 1) == "1, attempt 2");
}

TEST_CASE("only the visible part is built, and a choice beyond the end is clamped") {
  MadeRun run(spec_of(3, 5000));
  for (Epoch epoch = 0; epoch < 40; ++epoch)
    draw_epoch(run, epoch, 5000, static_cast<std::uint64_t>(epoch));
  const auto grid = build_sampler_grid(run.model(), {1, 4990, -1, -1}, 90, 26);
  CHECK(grid.rows.size() == 26);
  CHECK(grid.first_row == 14);
  CHECK(grid.rows.back().epoch == "40");
  CHECK(grid.first_sample == 4910);
  for (const auto& row : grid.rows) CHECK(row.cells.size() == 90);
  CHECK(grid.seen_end == 1);
  CHECK(grid.subtitle.find("rows 15–40 of 40") != std::string::npos);
  const auto coarse = build_sampler_grid(run.model(), {256, 4990, 3, -1}, 90, 26);
  CHECK(coarse.columns == 20);
  CHECK(coarse.first_sample == 0);
  CHECK(coarse.first_row == 3);
  CHECK(coarse.rows[0].cells.back().samples == 5000 - 19 * 256);
  CHECK(cell_hint(coarse, 0, 19).starts_with("Samples 4,864–4,999 in epoch 4: r"));
  CHECK(coarse.subtitle.starts_with("one cell is 256 samples"));
  CHECK(grid_size(run.model(), 16).columns == 313);
  CHECK(grid_size(run.model(), 16).rows == 40);
}

TEST_CASE("E1 has padded and exact accuracy side by side, with the numbers counted") {
  messages::RunSpec spec = spec_of(3, 0);
  spec.evaluate.mode = "padded";
  MadeRun run(spec);
  evaluated(run, 0, 2365, 3334);
  evaluated(run, 1, 2317, 3334, 1, 1);
  evaluated(run, 2, 2332, 3334, 1, 1);
  const auto view = validation_view(run.model());
  REQUIRE(view.table.rows.size() == 3);
  CHECK(text(view.table, 1, "padded") == "2,317/3,334");
  CHECK(text(view.table, 1, "padded_percent") == "69.4961");
  CHECK(text(view.table, 1, "exact") == "2,316/3,333");
  CHECK(text(view.table, 1, "exact_percent") == "69.4869");
  CHECK(text(view.table, 1, "difference") == "+0.0092");
  CHECK(text(view.table, 0, "difference") == "0.0000");
  CHECK(text(view.table, 2, "repeats") == "1 repeat, 1 right");
  const auto& all = view.table.totals.at(0);
  CHECK(cell_of(view.table, all, "padded").text == "7,014/10,002");
  CHECK(cell_of(view.table, all, "padded_percent").text == "70.1260");
  CHECK(cell_of(view.table, all, "exact").text == "7,012/10,000");
  CHECK(cell_of(view.table, all, "exact_percent").text == "70.1200");
  CHECK(cell_of(view.table, all, "difference").text == "+0.0060");
  CHECK(view.subtitle == "10,000 samples on 3 ranks, epoch 1");
  CHECK(view.marks.size() == 4);
  for (const auto& mark : view.marks) CHECK((mark.at >= 0 && mark.at <= 1));
  CHECK(view.ticks.size() >= 2);
  // The page has the evaluation even without a shard.
  CHECK(plain(build_sampler_grid(run.model(), {}, 90, 26).empty) == label::kNoShards);
  CHECK(sampler_tables(run.model()).size() == 1);
}

TEST_CASE("the shards of an epoch add up") {
  const MadeRun run = run_1036();
  const auto table = shard_table(run.model(), 23);
  REQUIRE(table.rows.size() == 3);
  CHECK(text(table, 2, "samples") == "1,667");
  CHECK(text(table, 2, "unique") == "1,666");
  CHECK(text(table, 2, "twice") == "1");
  CHECK(text(table, 0, "steps") == kDash);
  CHECK(cell_of(table, table.totals.at(0), "samples").text == "5,001");
  CHECK(cell_of(table, table.totals.at(0), "unique").text == "5,000");
  const auto tables = sampler_tables(run.model());
  REQUIRE(tables.size() == 3);
  CHECK(tables[0].key == "sampling");
  CHECK(tables[1].title == "Shards of epoch 24");
  CHECK(tables[2].key == "first_samples");
}

TEST_CASE("a shard that several ranks draw is counted once in sums, and not checked for overlap") {
  auto spec = spec_of(2, 8);
  spec.program.argv = {"python3", "train.py"};
  MadeRun run(spec);
  for (Rank rank = 0; rank < 2; ++rank) {
    messages::ShardReport body = support::dealt_out(1, 0, 8, 0)[0];
    body.replica = 0;
    body.replicas = 1;
    run.say(rank, 0, body);
  }
  const auto table = shard_table(run.model(), 0);
  CHECK(text(table, 1, "unique") == "8");
  CHECK(cell_of(table, table.totals.at(0), "samples").text == "8");
  REQUIRE(table.notes.size() == 1);
  const auto view = build_sampler_view(run.model(), {});
  for (const auto& check : view.checks) CHECK(check.tone != Tone::kError);
  CHECK(plain(view.facts[2]) == "1 shard");
  CHECK(plain(view.facts[3]) == "8 each");
  CHECK(plain(view.moved.empty) == "Every rank draws the same samples.");
}

TEST_CASE("one rank has only order and coverage, and many on several nodes have colours by node") {
  MadeRun one(spec_of(1, 8));
  draw_epoch(one, 0, 8, 0);
  draw_epoch(one, 1, 8, 1);
  const auto view = build_sampler_view(one.model(), {});
  CHECK(plain(view.moved.empty) == "One rank draws every sample.");
  for (const auto& check : view.checks) {
    CHECK(check.title != std::string("Samples move between ranks"));
    CHECK(check.title != std::string("Shards do not overlap"));
  }
  MadeRun many(spec_of(64, 640));
  for (Rank rank = 0; rank < 64; ++rank) many.put_on_node(rank, rank / 8);
  support::restart_run(many, 1, 0, 64);
  draw_epoch(many, 0, 640, 0);
  const auto grid = build_sampler_grid(many.model(), {}, 90, 26);
  CHECK(grid.by_node);
  CHECK(grid.colors[63] == 7);
  CHECK(grid.colors[8] == 1);
  CHECK(build_sampler_view(many.model(), {}).legend.size() == 8);
}

TEST_CASE("the page works before the first epoch, and after a run without any") {
  MadeRun run(spec_of(2, 8));
  const auto view = build_sampler_view(run.model(), {});
  CHECK(view.facts.empty());
  CHECK(view.checks.empty());
  CHECK(view.shards.rows.empty());
  CHECK(plain(build_sampler_grid(run.model(), {}, 90, 26).empty) == label::kNoShards);
  CHECK(sampler_tables(run.model()).empty());
  CHECK(shown_pass(run.model(), 5) == -1);
}

TEST_CASE("a run that has ended without shards says why there will be none") {
  const auto ended = [](MadeRun& run) {
    messages::RankState state;
    state.state = messages::State::kFinished;
    run.say(kNoRank, 10'000, state);
  };
  MadeRun own(spec_of(2, 8));
  ended(own);
  CHECK(plain(why_no_shards(own.model())) ==
        "No epoch reported its samples. The run ended before its first step.");
  auto spec = spec_of(2, 8);
  spec.program.argv = {"python3", "train.py"};
  MadeRun script(spec);
  for (Rank rank = 0; rank < 2; ++rank) script.say(rank, 1000, messages::StepReport());
  CHECK(no_shards(script.model()) == label::kNoShards);
  ended(script);
  CHECK(plain(why_no_shards(script.model())).find("DistributedSampler") != std::string::npos);
  const auto view = build_sampler_view(script.model(), {});
  for (const std::string& text :
       {view.no_shards, view.first.none, plain(view.moved.empty), plain(view.shards.empty)})
    CHECK(text == label::kNeverShards);
  CHECK(
      plain(build_sampler_grid(script.model(), {}, 90, 26).empty).starts_with(label::kNeverShards));
}

TEST_CASE("a program with one rank is not reported to miss a sampler") {
  auto spec = spec_of(1, 8);
  spec.program.argv = {"python3", "train.py"};
  const MadeRun run(spec);
  CHECK(plain(why_no_shards(run.model())) == "One rank draws every sample.");
}

TEST_CASE("a program whose sampler is not observed says so while it runs, and names it") {
  auto spec = spec_of(2, 8);
  spec.program.argv = {"python3", "train.py"};
  MadeRun run(spec);
  run.say(0, 1000,
          messages::Notice{messages::Severity::kInfo, messages::kSamplesUnseen,
                           "samples are dealt out by BatchSamplerShard: which is not known"});
  CHECK(plain(why_no_shards(run.model())) ==
        "No epoch reported its samples. Samples are dealt out by BatchSamplerShard: which is not "
        "known.");
}

TEST_CASE(
    "figures of two epochs wait for the second while there may be one, and not after the end") {
  MadeRun run(spec_of(2, 8));
  draw_epoch(run, 0, 8, 0);
  CHECK(plain(moved_view(run.model()).empty) == "Known from the second epoch on.");
  messages::RankState state;
  state.state = messages::State::kFinished;
  run.say(kNoRank, 10'000, state);
  CHECK(plain(moved_view(run.model()).empty) == "Not known: one epoch alone was reported.");
  CHECK(sample_checks(run.model())[0].detail == label::kOneEpoch);
  CHECK(no_shards(run.model()).empty());
}

TEST_CASE("sampled shards are called sampled") {
  MadeRun run(spec_of(2, 8));
  for (Rank rank = 0; rank < 2; ++rank) {
    messages::ShardReport body;
    body.dataset_size = 8;
    body.shard_size = 4;
    body.stride = 2;
    body.indices = {static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(4 + rank)};
    run.say(rank, 0, body);
  }
  const auto grid = build_sampler_grid(run.model(), {}, 90, 26);
  CHECK(grid.subtitle.find("sampled") != std::string::npos);
  CHECK(grid.rows.at(0).cells.at(4).owner == 0);
  CHECK(detail(run.model(), "Unvisited") == "not known: only every n-th index is reported");
  const auto table = shard_table(run.model(), 0);
  CHECK(text(table, 0, "samples") == "4");
  CHECK(text(table, 0, "twice") == "0");
}

TEST_CASE("the list of runs includes the one that is shown") {
  std::vector<RunSummary> runs(2);
  runs[0].id = "b";
  runs[0].number = 2;
  runs[0].title = "resnet50";
  runs[0].ranks = 3;
  runs[0].gpus = true;
  runs[1].id = "a";
  auto listed = sampled_runs(runs, "b", 2, "x");
  CHECK(listed.chosen == 0);
  CHECK(listed.words[0] == "#2 resnet50, 3 GPUs");
  listed = sampled_runs(runs, "c", 7, "elsewhere");
  CHECK(listed.chosen == 2);
  CHECK(listed.words[2] == "#7 elsewhere");
  CHECK(sampled_runs(runs, "", 0, "").chosen == -1);
}
