#include "gui/session/machines/remote_command.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::session;
using Words = std::vector<std::string>;

namespace {

/// Returns the command line that the other machine runs for the request.
Words words_of(const remote::RemoteAction& act) {
  const auto came = remote::parse_question(remote::to_json(act)).value();
  return remote::command_of(std::get<remote::RemoteAction>(came)).words;
}

}  // namespace

TEST_CASE("actions on listed runs and studies become commands of the other machine's ringside") {
  const auto words = [](const view::Command& command) {
    const RemoteHandling answer = elsewhere(command);
    const auto* there = std::get_if<RemoteCommand>(&answer);
    return there != nullptr ? words_of(there->act) : Words();
  };
  CHECK(words(view::TrashRun{"7f3a"}) == Words{"delete", "7f3a"});
  CHECK(words(view::TrashStudy{"S-07", false}) == Words{"delete", "S-07"});
  CHECK(words(view::TrashStudy{"S-07", true}) == Words{"delete", "S-07", "--runs"});
  CHECK(words_of(*std::get<RemoteCommand>(elsewhere(view::TrashStudy{"S-07", true})).undo) ==
        Words{"delete", "S-07", "--restore", "--runs"});
  CHECK(words(view::StopStudy{"S-07"}) == Words{"stop", "S-07"});
  CHECK(words(view::MeasurePair{"7f3a", "9b1c"}) ==
        Words{"ab", "7f3a", "9b1c", "--repeats", "6", "--detach"});
  CHECK(words(view::ContinueStudy{"S-07"}) == Words{"resume", "S-07", "--detach"});
  CHECK(words(view::SelectPage{}).empty());
  CHECK(std::holds_alternative<RemoteOnly>(elsewhere(view::StartTries{})));
  CHECK(words_of(remote_stop("7f3a", view::StopMode::kNow).act) == Words{"stop", "7f3a", "--now"});
  CHECK(words_of(remote_resume("7f3a").act) == Words{"resume", "7f3a", "--detach"});
  // A connection takes seconds, so a message is shown at once.
  CHECK_FALSE(remote_stop("7f3a", view::StopMode::kCheckpoint).doing.empty());
  CHECK_FALSE(remote_resume("7f3a").doing.empty());
}

TEST_CASE("the form of a study of settings becomes the command that starts it") {
  view::StudyForm form;
  form.settings = true;
  form.vary = {"optimizer.lr=0.01,0.03", "batch.size=32,64", ""};
  form.random = "3";
  form.repeats = "2";
  CHECK(words_of(remote_start_study(form).act) ==
        Words{"sweep", "demo", "--repeats", "2", "--set", "optimizer.lr=0.01,0.03", "--set",
              "batch.size=32,64", "--random", "3", "--detach"});
  form.more = "S-02";
  CHECK(words_of(remote_start_study(form).act) ==
        Words{"sweep", "S-02", "--repeats", "2", "--detach"});
}

TEST_CASE("the form of a study becomes the command that starts it") {
  view::StudyForm form;
  CHECK(words_of(remote_start_study(form).act) ==
        Words{"sweep", "demo", "--world", "1,2", "--repeats", "3", "--detach"});
  form.quick = form.fresh = true;
  form.series = "both";
  form.variants = "dp@2";
  CHECK(words_of(remote_start_study(form).act) == Words{"sweep", "demo", "--world", "1,2",
                                                        "--repeats", "3", "--both", "--variants",
                                                        "dp@2", "--quick", "--fresh", "--detach"});
  form = {};
  form.more = "S-07";
  form.world = "4";
  CHECK(words_of(remote_start_study(form).act) ==
        Words{"sweep", "S-07", "--world", "4", "--detach"});
  form.slurm.edit("slurm.where", "Slurm");
  form.slurm.edit("slurm.partition", "gpu");
  form.slurm.edit("slurm.nodes", "2");
  form.slurm.edit("slurm.sbatch", "mem=8G exclusive");
  CHECK(words_of(remote_start_study(form).act) ==
        Words{"sweep", "S-07", "--world", "4", "--slurm", "--nodes", "2", "--partition", "gpu",
              "--sbatch-option", "mem=8G", "--sbatch-option", "exclusive", "--detach"});
}

TEST_CASE("actions that another machine does not support are named, and the others work") {
  const auto only_there = [](const view::Command& command) {
    return std::holds_alternative<RemoteOnly>(elsewhere(command));
  };
  CHECK(only_there(view::ImportRun{"/x"}));
  CHECK(only_there(view::EditLabels{"7f3a"}));
  CHECK(only_there(view::WatchFolder{}));
  CHECK_FALSE(only_there(view::TrashRun{"7f3a"}));
  CHECK(std::holds_alternative<HandledLocally>(elsewhere(view::SelectStudy{"S-07"})));
}
