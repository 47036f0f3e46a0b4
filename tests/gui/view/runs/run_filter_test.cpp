// Tests filters of runs, which the list of the window and the command line share.
#include "gui/view/runs/run_filter.h"

#include <algorithm>
#include <span>

#include "gui/view/runs/run_columns.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

namespace {

std::vector<RunSummary> filtered_runs() {
  std::vector<RunSummary> runs(3);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    messages::RunSpec spec;
    spec.optimizer.lr = 0.01 * static_cast<double>(i + 1);
    RunSummary& run = runs[i];
    run.number = static_cast<int>(i) + 1;
    run.id = "2026112" + std::to_string(i);
    run.spec = std::make_shared<const messages::RunSpec>(spec);
    run.figures.val_accuracy = 0.97 + 0.01 * static_cast<double>(i);
    run.outcome = RunOutcome::kFinished;
    run.state = "finished";
  }
  runs[0].outcome = RunOutcome::kFailed;
  runs[0].state = "failed";
  runs[0].tags = {"rank 1 was slow"};  // the reason of the failure, which nobody wrote as a tag
  runs[1].own_tags = runs[1].tags = {"slow"};
  runs[2].script = "train.py";
  runs[2].starred = true;
  runs[2].figures.logged = {{"val_loss", 0.25}};
  return runs;
}

std::string kept(const std::string& text) {
  const auto runs = filtered_runs();
  const RunFilter filter = run_filter(runs, text);
  std::string numbers;
  for (const RunSummary& run : runs)
    if (fits(run, filter)) numbers += std::to_string(run.number);
  return numbers;
}

std::vector<std::string> offered(const std::string& text) {
  const auto runs = filtered_runs();
  std::vector<std::string> texts;
  for (const FilterOffer& offer : filter_offers(runs, text)) texts.push_back(offer.text);
  return texts;
}

}  // namespace

TEST_CASE("Filters match settings, figures, states, tags, stars, scripts and logged values") {
  CHECK(kept("") == "123");
  CHECK(kept("lr>0.015") == "23");
  CHECK(kept("optimizer.lr<=0.01") == "1");
  CHECK(kept("state:failed") == "1");
  CHECK(kept("tag:slow") == "2");
  CHECK(kept("is:tagged") == "2");
  CHECK(kept("is:starred") == "3");
  CHECK(kept("script:train.py") == "3");
  CHECK(kept("val_loss<0.3") == "3");
  CHECK(kept("lr>0.005 state:finished tag:slow") == "2");
}

TEST_CASE("A run that finished with a loss of NaN is found by the word in its row alone") {
  RunSummary run = filtered_runs()[1];
  const auto found = [&run](const char* filter) {
    return fits(run, run_filter(std::span(&run, 1), filter));
  };
  CHECK(found("state:finished"));
  CHECK(found("state=finished"));
  CHECK_FALSE(found("state:nan"));
  run.loss_broke = true;
  CHECK(run_cell(run, "state", 0).text == label::kFinishedNan);
  CHECK_FALSE(found("state:finished"));
  CHECK_FALSE(found("state=finished"));
  CHECK(found("state!=finished"));
  CHECK(found("state:nan"));
  CHECK(found("state:NaN/Inf"));
  CHECK(run_cell(run, "state", 0).value == CellValue(std::string("finished")));  // for scripts
}

TEST_CASE("Runs with an injected fault are found by that word, and say what the fault is") {
  std::vector<RunSummary> runs = filtered_runs();
  messages::RunSpec spec = *runs[2].spec;
  spec.inject.fault = "stop_rank";
  runs[2].spec = std::make_shared<const messages::RunSpec>(spec);
  for (const char* filter : {"is:injected", "injected"}) {
    for (const RunSummary& run : runs)
      CHECK(fits(run, run_filter(runs, filter)) == (run.number == 3));
  }
  CHECK(injected_in(runs[1]).empty());
  CHECK(injected_in(runs[2]) == "Rank 0 stops itself (SIGSTOP) in step 1");
}

TEST_CASE("A share can be typed as a fraction, a percentage, or the number in the column") {
  CHECK(kept("val>0.985") == "3");
  CHECK(kept("val>98.5%") == "3");
  CHECK(kept("val>98.5") == "3");
  CHECK(kept("val<=98") == "12");
}

TEST_CASE("A filter word with an unknown column is reported, and matched as plain text") {
  const auto runs = filtered_runs();
  CHECK(run_filter(runs, "lr>1 tag:x").problem.empty());
  CHECK(run_filter(runs, "lrr>1").problem.find("lrr") != std::string::npos);
  CHECK(kept("lrr>1").empty());
}

TEST_CASE("is takes : and !=, and no other sign") {
  CHECK(kept("is!=starred") == "12");
  CHECK(kept("is=starred") == "3");
  CHECK(kept("is<starred").empty());
  const auto runs = filtered_runs();
  CHECK(run_filter(runs, "is!=starred").problem.empty());
  CHECK(run_filter(runs, "is<starred").problem.find("is:starred") != std::string::npos);
}

TEST_CASE("Completion offers keys, and after a key the values of the runs") {
  const auto keys = offered("lr");
  REQUIRE_FALSE(keys.empty());
  CHECK(std::ranges::count(keys, "optimizer.lr>") == 1);
  CHECK(offered("is:finished st").size() <= kMostOffers);
  CHECK(std::ranges::count(offered("val>98 stat"), "val>98 state:") == 1);
  CHECK(offered("state:") == std::vector<std::string>{"state:Finished ", "state:Failed "});
  CHECK(offered("state:fa") == std::vector<std::string>{"state:Failed "});
  CHECK(offered("is:st") == std::vector<std::string>{"is:starred "});
  CHECK(offered("script:") == std::vector<std::string>{"script:train.py "});
  CHECK(offered("").empty());
  CHECK(offered("lr>0.01 ").empty());
  CHECK(offered("nothing_like_it:").empty());
}
