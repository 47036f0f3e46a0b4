// Lines in the terminal about a run, and the JSON of a summary, from a made-up run.
#include "gui/cli/print/live_text.h"

#include <algorithm>

#include "gui/cli/print/json.h"
#include "gui/runs/chosen_baseline.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/record_list.h"
#include "tests/support/sample_records.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::cli;

namespace {

view::RunContext context_of(const model::RunModel& model) {
  view::RunContext context;
  context.contact = view::Contact::kLive;
  context.now_ns = model.last_ns();
  return context;
}

}  // namespace

TEST_CASE("the current one of several runs is numbered, and each has a line at its end") {
  CHECK(run_title(0, 2, true) == "Baseline");
  CHECK(run_title(1, 2, false) == "Run");
  CHECK(run_title(0, 5, true) == "Run 1 of 5");
  const auto line = [](messages::State state, std::optional<double> left_s) {
    return ended_line(2, 5, "demo · weak 2\n", state, 12.3, left_s);
  };
  CHECK(line(messages::State::kFinished, 41.0) ==
        "3 of 5: demo · weak 2\\n finished after 12 s; about 41 s left\n");
  CHECK(line(messages::State::kFailed, {}) == "3 of 5: demo · weak 2\\n failed after 12 s\n");
  CHECK(line(messages::State::kFinished, 0.0) == line(messages::State::kFinished, {}));
}

TEST_CASE("the progress line names epoch, step, loss and pace") {
  model::RunModel model(support::demo_spec(support::demo_run()));
  CHECK(progress_line(model, context_of(model)) == "starting");
  support::play_demo(support::demo_run(), model);
  const auto line = progress_line(model, context_of(model));
  INFO(line);
  CHECK(line.starts_with("epoch 47/60  step 4,569/5,880  loss "));
  CHECK(line.find("samples/s") != std::string::npos);
  CHECK(line.find(" left") != std::string::npos);
}

TEST_CASE("an error is one line, unless another line shows it, such as the end of the run") {
  session::AlertFacts facts;
  facts.alert = "notice";
  facts.severity = "error";
  facts.text = "the parameters of ranks 0 and 1\ndiffer\x1b[2J";
  facts.also = 2;
  const auto line = error_line(facts, false);
  INFO(line);
  CHECK(line.starts_with("error  the parameters of ranks 0 and 1"));
  CHECK(line.ends_with(" (and 2 more)\n"));
  CHECK(std::count(line.begin(), line.end(), '\n') == 1);
  CHECK(line.find('\x1b') == std::string::npos);
  for (const char* alert : {"run_failed", "run_interrupted", "rank_failed", "log_not_written"}) {
    facts.alert = alert;
    CHECK(error_line(facts, false).empty());
  }
  facts.alert = "late_rank";
  facts.severity = "warning";
  CHECK(error_line(facts, false).empty());
}

TEST_CASE("the rank table has a row for every rank") {
  model::RunModel model(support::demo_spec(support::demo_small(8)));
  support::play_demo(support::demo_small(8), model);
  const auto table = rank_table(model, context_of(model), false);
  CHECK(std::count(table.begin(), table.end(), '\n') == 9);
  CHECK(table.find("r7") != std::string::npos);
  CHECK(table.find('\x1b') == std::string::npos);
}

TEST_CASE("figures of a run and its baseline: speedup, efficiency, accuracy, times") {
  const TempFolder folder;
  auto one = support::demo_small(1);
  auto two = support::demo_small(2);
  one.batch = 128;
  two.batch = 64;
  support::make_run(folder.path(), "20261121T134005Z-000001", one);
  support::make_run(folder.path(), "20261121T134009Z-000002", two, "20261121T134005Z-000001");
  const auto found = runs::read_summaries(folder.path()).value();
  const auto& run = found.at(0);
  CHECK(run.state.word == "finished");
  CHECK(run.figures.seconds > 0);
  CHECK(run.figures.train_seconds > 0);
  CHECK(run.figures.train_seconds <= run.figures.seconds);
  CHECK(run.figures.samples_per_s > 0);
  CHECK(run.figures.val_accuracy > 0);
  CHECK(run.figures.best_val_accuracy >= run.figures.val_accuracy);
  CHECK(run.figures.steps == 120);
  CHECK(run.figures.lost_records == 0);
  if (run.figures.no_speedup.empty()) {
    CHECK(run.figures.efficiency == Approx(run.figures.speedup / 2));
  }
  const auto json = result_json({found[1], found[0]});
  CHECK(json.at("experiment") == "20261121T134009Z-000002");
  CHECK(json.at("runs").size() == 2);
  CHECK(json.at("runs").at(0).at("id") == "20261121T134005Z-000001");
  const auto text = result_text({found[1], found[0]}, false);
  INFO(text);
  // The folder of these runs is not the default one, so a command has to name it.
  CHECK(text.find("ringside export 20261121T134009Z-000002 --csv DIR --runs-dir ") !=
        std::string::npos);
  CHECK(text.find("ringside tail") == std::string::npos);
  auto script = found[0];
  script.spec.program.argv = {"python3", "train.py"};
  CHECK(result_text({script}, false).find("Output  ringside tail 20261121T134009Z-000002") !=
        std::string::npos);
}

TEST_CASE("a reused baseline counts as one that was trained with the run") {
  const TempFolder folder;
  support::make_run(folder.path(), "20261121T134005Z-000001", support::demo_small(1));
  support::make_run(folder.path(), "20261121T134009Z-000002", support::demo_small(2),
                    "20261121T134005Z-000001");
  auto found = runs::read_summaries(folder.path()).value();
  auto& run = found.at(0);
  run.figures.speedup = 1.5;
  run.figures.efficiency = 0.75;
  const auto together = result_text({found[1], run}, false);
  const auto reused = result_text({run}, false);
  for (const std::string& text : {together, reused}) {
    INFO(text);
    CHECK(text.find(" pp against the baseline") != std::string::npos);
  }
}

TEST_CASE("accuracy is compared with the baseline of the speedup") {
  const TempFolder folder;
  for (const char* id : {"20261121T134005Z-000001", "20261121T134007Z-000002"})
    support::make_run(folder.path(), id, support::demo_small(1));
  const auto asked = support::make_run(folder.path(), "20261121T134009Z-000003",
                                       support::demo_small(2), "20261121T134007Z-000002");
  REQUIRE(runs::choose_baseline(asked, "20261121T134005Z-000001"));
  auto found = runs::read_summaries(folder.path()).value();
  auto& run = found.at(0);
  auto& own = found.at(1);
  run.figures.speedup = 1.5;
  run.figures.efficiency = 0.75;
  own.figures.val_accuracy = 0.01;
  const auto difference_of = [](const std::string& text) {
    const auto at = text.find(", validation ");
    REQUIRE(at != std::string::npos);
    return text.substr(at, text.find('\n', at) - at);
  };
  CHECK(difference_of(result_text({own, run}, false)) == difference_of(result_text({run}, false)));
}

TEST_CASE("a run that waited for devices starts when it got them") {
  const auto figures = [](std::initializer_list<messages::State> states) {
    model::RunModel model;
    std::int64_t at_ns = 1'000;
    std::uint64_t seq = 0;
    for (const messages::State state : states) {
      messages::RankState body;
      body.state = state;
      model.accept({0, kNoRank, seq++, at_ns += 1'000}, body);
    }
    runlog::LogIdentity identity;
    identity.run_id = "20261121T134009Z-000002";
    identity.wall_ns = 1'795'271'067'000'000'000;
    identity.mono_ns = 1'000;
    return runs::figures_of(model, identity, nullptr).started_wall_ns - identity.wall_ns;
  };
  using messages::State;
  CHECK(figures({State::kStarting, State::kTraining}) == 0);
  CHECK(figures({State::kQueued, State::kStarting, State::kTraining}) == 2'000);
  CHECK(figures({State::kQueued}) < -1'000'000'000);  // it has not started
}

TEST_CASE("every kind of record has a JSON form with its name and all of its fields") {
  for (const auto& record : support::one_of_each()) {
    const auto json = record_json({1, kNoRank, 7, 8}, record);
    INFO(dump(json));
    CHECK(json.at("rank").is_null());
    CHECK(json.at("seq") == 7);
    CHECK(!json.at("record").get<std::string>().empty());
    std::visit(
        [&](const auto& body) {
          std::decay_t<decltype(body)>::fields(body, [&](std::string_view name, const auto&) {
            CHECK(json.contains(std::string(name)));
          });
        },
        record);
  }
  messages::StepReport step;
  step.loss = 0.1F;
  CHECK(dump(record_json({}, step)).find("\"loss\":0.1,") != std::string::npos);
}
