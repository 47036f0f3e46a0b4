// Tests what a library that proposes settings is given, and when it is not asked.
#include "gui/session/studies/next_trial.h"

#include <cmath>

#include "tests/support/catch.h"

using namespace ringside;

namespace {

/// Returns a study with two of three trials and these losses; NaN: the trial failed.
view::StudyFacts asked_study(double first, double second) {
  view::StudyFacts facts;
  facts.study.head.repeats = 1;
  facts.study.ask = {"optuna", 3, {"lr=0.1..1", "size=32,64"}, 7, "", {}};
  int number = 0;
  for (const double loss : {first, second}) {
    const bool ended = std::isfinite(loss);
    const std::string key = "lr=0." + std::to_string(++number) + " size=32-1";
    facts.study.settings.push_back({key, {"run"}, {}, {}});
    view::StudySettingFacts setting;
    setting.key = key;
    setting.runs.push_back({"run", "#1", ended ? "finished" : "failed", "", false, 1, 10});
    facts.settings.push_back(setting);
    analysis::ScalingSetting measured{key, "", 1, false, {}};
    if (ended) measured.runs.emplace_back().train_loss = loss;
    facts.measured.push_back(measured);
  }
  return facts;
}

}  // namespace

TEST_CASE("a library is given what each combination reached by the study's metric") {
  view::StudyFacts facts = asked_study(0.5, 0.25);
  const auto question = session::question_of(facts);
  CHECK(question.library == "optuna");
  CHECK(question.python == "python3");
  CHECK(question.seed == 7);
  CHECK_FALSE(question.more_is_better);
  REQUIRE(question.trials.size() == 2);
  CHECK(question.trials[1].values ==
        std::vector<std::pair<std::string, std::string>>{{"lr", "0.2"}, {"size", "32"}});
  CHECK(question.trials[1].reached == Approx(0.25));
  // A failed trial has no result, and one result is enough to name the metric.
  const auto one = session::question_of(asked_study(0.5, std::nan("")));
  CHECK(one.trials[0].reached == Approx(0.5));
  CHECK(std::isnan(one.trials[1].reached));
  CHECK_FALSE(one.more_is_better);
  facts.study.ask.best_by = facts.best_by = "val_accuracy";
  CHECK(session::question_of(facts).more_is_better);
  CHECK(std::isnan(session::question_of(facts).trials[0].reached));
  // A custom command uses its own Python.
  facts.study.ask.command = {"/opt/env/bin/python3", "train.py", "--lr={lr}"};
  CHECK(session::question_of(facts).python == "/opt/env/bin/python3");
}

TEST_CASE("no library is asked when all trials are done or a person has stopped the study") {
  view::StudyFacts facts = asked_study(0.5, 0.25);
  facts.study.ask.trials = 2;
  auto next = session::next_trial(facts, {});
  REQUIRE(next);
  CHECK_FALSE(*next);
  facts.study.ask.trials = 3;
  facts.settings[1].runs[0].word = "stopped";
  next = session::next_trial(facts, {});
  REQUIRE(next);
  CHECK_FALSE(*next);
  facts.study.ask = {};
  next = session::next_trial(facts, {});
  REQUIRE(next);
  CHECK_FALSE(*next);
}

TEST_CASE("no library is asked for more when finished trials lack the metric of --best") {
  view::StudyFacts facts = asked_study(0.5, std::nan(""));
  facts.study.ask.best_by = facts.best_by = "val_accuracy";
  const auto next = session::next_trial(facts, {});
  REQUIRE_FALSE(next);
  CHECK(next.error().kind == ErrorKind::kRequest);
  CHECK(next.error().message ==
        "--best val_accuracy: the finished trials have no final validation accuracy; they have "
        "train_loss, take one of these");
}
