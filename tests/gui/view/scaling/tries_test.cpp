// Tests which changes a run suggests, for runs that are slow for one usual reason each, and the
// results of changes as a table and in words.
#include "gui/view/scaling/tries.h"

#include <cmath>

#include "gui/view/number_format.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using launch::StepPart;

namespace {

struct MadeSteps {
  support::MadeRun::Parts parts;
  std::int32_t buckets = 1;
  std::int32_t exchanges = 1;
  std::int32_t threads = 1;
  double bucket_bytes = 1000;
};

/// Returns the facts of 60 such steps of two ranks.
launch::Shown shown_of(const MadeSteps& made) {
  support::MadeRun run(2);
  for (Rank rank = 0; rank < 2; ++rank) {
    messages::RankHello hello;
    hello.world_size = 2;
    hello.threads = made.threads;
    hello.versions = "PyTorch 2.11.0";
    hello.backend = "gloo";
    run.say(rank, 0, hello);
  }
  for (Step step = 0; step < 60; ++step) {
    const double end = made.parts.step * static_cast<double>(step + 1);
    const double ready = end - made.parts.optimizer - std::max(0.0, made.parts.exposed);
    for (Rank rank = 0; rank < 2; ++rank) {
      run.step(rank, step, end, made.parts);
      for (std::int32_t i = 0; i < made.exchanges; ++i)
        for (std::int32_t bucket = 0; bucket < made.buckets; ++bucket)
          run.bucket(rank, step, bucket, ready, end - made.parts.optimizer,
                     static_cast<std::int64_t>(made.bucket_bytes));
    }
  }
  return shown_by(run.model());
}

std::vector<launch::Candidate> tried_of(const MadeSteps& made) {
  messages::RunSpec spec;
  spec.devices.kind = "cpu";
  spec.devices.world_size = 2;
  spec.program.argv = {"python", "train.py"};
  launch::Machine machine;
  machine.cores = 2;
  return launch::candidates(spec, machine, false, shown_of(made));
}

TriedChange tried_change(const char* argument, double longer, analysis::PairVerdict verdict) {
  TriedChange one{{{}, argument, "why", true}, "S-01"};
  one.facts.pairs = one.facts.trained = 4;
  one.facts.longer = {longer, longer - 0.02, longer + 0.02};
  one.facts.verdict = verdict;
  return one;
}

const Cell& cell_at(const Table& table, std::size_t row, const char* key) {
  return cell_of(table, table.rows[row], key);
}

}  // namespace

TEST_CASE("for a run that waits for its data, more workers are tried first") {
  const auto all = tried_of({{20, 0, 5, 5, 1, 1, 32}});
  CHECK(all.front().name() == "DataLoader.num_workers=2");
  CHECK(all.front().most == Approx(20.0 / 32));
}

TEST_CASE("a rank that others wait for in the all-reduce counts as waiting for its data") {
  support::MadeRun run(2);
  for (Step step = 0; step < 60; ++step) {
    const double end = 62.0 * static_cast<double>(step + 1);
    run.bucket(0, step, 0, end - 56, end - 1);
    run.bucket(1, step, 0, end - 4, end - 1);
    run.step(0, step, end, {2, 0, 2, 2, 55, 1, 62});
    run.step(1, step, end, {52, 0, 2, 4, 3, 1, 62});
  }
  const launch::Shown shown = shown_by(run.model());
  CHECK(shown.shares[0] == Approx(52.0 / 62));
  CHECK(shown.shares[1] == Approx(3.0 / 62));
  CHECK(shown.shares[2] == Approx(7.0 / 62));
}

TEST_CASE("the first rank says with what it computes and how long its epochs are") {
  const launch::Shown shown = shown_of({{0, 0, 4, 4, 20, 1, 29}});
  CHECK(shown.torch == true);
  CHECK(shown.backend == "gloo");
  CHECK(shown.epoch_steps == 60);
}

TEST_CASE("waits for data in the first steps of epochs are told from those in all steps") {
  support::MadeRun run(2, 8);
  for (Step step = 0; step < 64; ++step) {
    for (const Rank rank : {0, 1}) {
      const double wait = step % 8 == 0 ? 70 : 10;
      run.step(rank, step, 100.0 * static_cast<double>(step + 1), {wait, 0, 5, 5, 0, 1, wait + 11});
    }
  }
  CHECK(shown_by(run.model()).first_waits == Approx(0.5).margin(0.03));
  CHECK(std::isnan(shown_of({{20, 0, 5, 5, 1, 1, 32}}).first_waits));
}

TEST_CASE("for a run with many buckets, larger ones are tried first") {
  const MadeSteps made{{0, 0, 4, 4, 20, 1, 29}, 40};
  CHECK(shown_of(made).buckets == 40);
  CHECK(tried_of(made).front().name() == "DistributedDataParallel.bucket_cap_mb=100");
}

TEST_CASE("for a run with many small buckets, larger ones come before what computes for longer") {
  MadeSteps made{{0, 0, 4, 14, 9, 1, 28}, 40};
  CHECK(shown_of(made).bucket_bytes == 1000);
  CHECK(shown_of(made).shares[2] > shown_of(made).shares[1]);
  CHECK(tried_of(made).front().name() == "DistributedDataParallel.bucket_cap_mb=100");
  made.bucket_bytes = 25e6;
  CHECK(tried_of(made).front().part == StepPart::kComputing);
}

TEST_CASE("for a run that exchanges gradients in every pass, one per step is tried first") {
  const MadeSteps made{{0, 0, 4, 4, 20, 1, 29}, 1, 4};
  CHECK(shown_of(made).exchanges == 4);
  CHECK(tried_of(made).front().name() == "DistributedDataParallel.no_sync=4");
}

TEST_CASE("for a run with more threads than cores, its share of the threads is tried first") {
  const MadeSteps made{{0, 0, 14, 14, 1, 1, 30}, 1, 1, 8};
  CHECK(shown_of(made).threads == 8);
  const auto all = tried_of(made);
  CHECK(all.front().name() == "torch.set_num_threads=1");
  CHECK_FALSE(all.front().is_idle());
}

TEST_CASE("for a run that computes all the time, no other part is worth a trial") {
  const auto all = tried_of({{0, 0, 14, 14, 0.1, 1, 29.1}});
  for (const auto& one : all) {
    INFO(one.name());
    CHECK(one.is_idle() == (one.part != StepPart::kComputing));
  }
}

TEST_CASE("a run without steps suggests nothing, and all fitting changes may be tried") {
  const support::MadeRun run(2);
  const launch::Shown shown = shown_by(run.model());
  CHECK(std::isnan(shown.shares[0]));
  CHECK(shown.torch == false);
  CHECK(shown.buckets == 0);
}

TEST_CASE("each tried change is a row, and one that certainly saves enough is kept") {
  Tries tries{"#12", 32e6, 600};
  tries.changes = {tried_change("DataLoader.num_workers=2", -0.5, analysis::PairVerdict::kShorter),
                   tried_change("DataLoader.pin_memory=1", -0.025, analysis::PairVerdict::kShorter),
                   tried_change("A.b=1", 0.1, analysis::PairVerdict::kLonger)};
  tries.changes.push_back({{{}, "A.c=1", "why"}, {}, {}, {}, "at most 0.2 % to gain"});
  tries.changes.push_back({{{}, "A.d=1", "why"}});
  tries.changes[0].same_numbers = false;
  tries.changes[1].same_numbers = true;
  const Table table = tried_table(tries);
  CHECK(cell_at(table, 0, "answer").text == "quicker");
  CHECK(cell_at(table, 0, "time").text == "50.0 % less (48.0 to 52.0)");
  CHECK(cell_at(table, 0, "keep").text == "num_workers=2 in DataLoader(...)");
  CHECK(cell_at(table, 0, "numbers").text == "others");
  CHECK(cell_at(table, 1, "answer").text == "quicker, by too little to keep");
  CHECK(cell_at(table, 1, "time").text == "2.5 % less (0.5 to 4.5)");
  CHECK(cell_at(table, 1, "keep").text == kDash);
  CHECK(cell_at(table, 1, "numbers").text == "as before");
  CHECK(cell_at(table, 2, "answer").text == "slower");
  CHECK(cell_at(table, 3, "answer").text == "not tried: at most 0.2 % to gain");
  CHECK(cell_at(table, 4, "answer").text == "waits");
  tries.changes[4].going = true;
  CHECK(cell_at(tried_table(tries), 4, "answer").text == "being tried");
  REQUIRE(table.notes.size() == 2);
  CHECK(table.notes[0] == "As it is: #12, 32.0 ms a step.");
  CHECK(
      table.notes[1] ==
      "DataLoader.num_workers=2 should not change the numbers, and did: look before you keep it.");
  CHECK(tries_words(tries) == "Tried 3 changes of 5: quicker with DataLoader.num_workers=2.");
}

TEST_CASE("a recipe that fails ends the tries, which says why and keeps what was found") {
  TryFacts facts{"#12"};
  facts.tried_run = "#12";
  facts.tries.changes = {tried_change("A.b=1", -0.5, analysis::PairVerdict::kShorter)};
  facts.tries.failed = "the recipe without the change failed";
  const TryView view = build_try_view(facts);
  CHECK(view.status ==
        "Tried 1 change of 1: quicker with A.b=1. No more is tried: the recipe without the change "
        "failed");
  CHECK(view.tone == Tone::kError);
  CHECK(view.can_launch);
  CHECK(view.table.notes ==
        std::vector<std::string>{"No more is tried: the recipe without the change failed"});
}

TEST_CASE("a change that has nothing to gain is not tried, and says so before the start") {
  launch::Candidate idle{{}, "A.b=1", "why"};
  idle.most = 0.002;
  const Table table = candidates_table({{{}, "A.c=1", "why"}, idle}, "");
  CHECK(table.notes.empty());
  CHECK(cell_at(table, 0, "why").text == "why");
  CHECK(cell_at(table, 1, "why").text == "not tried: at most 0.2 % to gain");
}

TEST_CASE("a change that alters the numbers is measured, and keeping it is left to a person") {
  Tries tries;
  tries.changes = {
      tried_change("DistributedDataParallel.bf16=1", -0.5, analysis::PairVerdict::kShorter)};
  tries.changes[0].candidate.alters_numbers = true;
  const Table table = tried_table(tries);
  CHECK(cell_at(table, 0, "answer").text == "quicker, alters the numbers");
  CHECK(cell_at(table, 0, "numbers").text == "altered");
  CHECK(cell_at(table, 0, "keep").text.find("torch.autocast") != std::string::npos);
  CHECK(table.notes[0].find("it is not kept") != std::string::npos);
  CHECK_FALSE(tries.any_kept());
  CHECK(cell_at(candidates_table({tries.changes[0].candidate}, ""), 0, "why").text ==
        "why; alters the numbers");
}

TEST_CASE("tables say why a program is changed from outside alone") {
  Tries tries;
  tries.outside = "it reports no PyTorch";
  const std::string words = "only be changed from outside, by its threads, cores and variables";
  CHECK(tried_table(tries).notes.front().find(words) != std::string::npos);
  TryFacts facts{"#12"};
  facts.outside = tries.outside;
  CHECK(build_try_view(facts).table.notes.front().find(words) != std::string::npos);
}

TEST_CASE("if no change is certainly quicker, the recipe stays unchanged") {
  Tries tries;
  tries.changes = {tried_change("A.b=1", -0.5, analysis::PairVerdict::kOpen)};
  CHECK_FALSE(tries.any_kept());
  CHECK(cell_at(tried_table(tries), 0, "answer").text == "not certain");
  tries.changes[0].facts.saves_less = true;
  CHECK(cell_at(tried_table(tries), 0, "answer").text == "saves less than 3 %");
  CHECK(tried_table(tries).notes.back() ==
        "Nothing was certainly quicker by 3 % or more: the recipe stays as it is.");
  const std::string found = tries.changes[0].why_not;
  tries.changes[0].why_not = "its runs failed";
  CHECK(tried_table(tries).notes.back() ==
        "No change was tried to its end, so nothing is known: the recipe stays as it is.");
  tries.changes[0].why_not = found;
  tries.stopped = true;
  CHECK(tries_words(tries) == "Stopped. Tried 1 change of 1: nothing was certainly quicker.");
}

TEST_CASE("the sheet shows the changes to try, then their results") {
  TryFacts facts{"#12", "It is still training."};
  facts.proposed = {{{}, "DataLoader.num_workers=2", "why"}};
  TryView view = build_try_view(facts);
  CHECK_FALSE(view.can_start);
  CHECK(view.status == "It is still training.");
  CHECK(view.table.key == "candidates");
  facts.not_of_run.clear();
  CHECK(build_try_view(facts).can_start);
  facts.tried_run = "#12";
  facts.tries.doing = "the recipe as it is";
  view = build_try_view(facts);
  CHECK(view.going);
  CHECK(view.status == "Trying the recipe as it is");
  facts.tries.doing.clear();
  facts.tries.changes = {
      tried_change("DataLoader.num_workers=2", -0.5, analysis::PairVerdict::kShorter)};
  view = build_try_view(facts);
  CHECK(view.can_start);
  CHECK(view.can_launch);
  CHECK(view.table.key == "tried");
  facts.problem = "there is no agent";
  CHECK(build_try_view(facts).tone == Tone::kError);
}
