#include "gui/view/launch/slurm_form.h"

#include <algorithm>

#include "gui/slurm/options.h"
#include "protocol/base/shell_word.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

namespace {

SlurmForm to_slurm() {
  SlurmForm form;
  form.edit("slurm.where", "Slurm");
  return form;
}

const FieldView* field_of(const SlurmForm& form, const std::string& key) {
  static FormSection section;
  section = form.section();
  const auto found = std::find_if(section.fields.begin(), section.fields.end(),
                                  [&](const FieldView& field) { return field.key == key; });
  return found == section.fields.end() ? nullptr : &*found;
}

slurm::Options asked(const SlurmForm& form) {
  REQUIRE(form.chosen());
  return slurm::read_options(form.typed().value()).value();
}

SlurmForm inside(std::int64_t gpus = 4, const std::string& ended = {}) {
  SlurmForm form;
  form.set_there(place::on_slurm({}, slurm::Allocation{"12", "n[1-2]", 2, 8, gpus, ended}));
  return form;
}

LaunchView page(const SlurmForm& form, std::vector<std::string> argv = {}, bool busy = false) {
  LaunchView view;
  view.cards.resize(3);
  show_slurm(form, LaunchForm(), argv, busy, view);
  return view;
}

}  // namespace

TEST_CASE("only the choice is shown until Slurm is chosen") {
  const SlurmForm form;
  CHECK_FALSE(form.on());
  REQUIRE(form.section().fields.size() == 1);
  CHECK(form.section().fields[0].text == label::kThisMachine);
  CHECK(page(form).cards.size() == 3);
  CHECK(page(form).button.empty());
}

TEST_CASE("the typed options are those of the Slurm job") {
  SlurmForm form = to_slurm();
  form.edit("slurm.partition", "gpu");
  form.edit("slurm.account", "lab");
  form.edit("slurm.time", "2:00:00");
  form.edit("slurm.qos", "high");
  form.edit("slurm.constraint", "a100");
  form.edit("slurm.nodes", "2");
  form.edit("slurm.gpus_per_node", "4");
  form.edit("slurm.sbatch", "mem=8G  exclusive");
  const slurm::Options options = asked(form);
  CHECK(options.partition == "gpu");
  CHECK(options.account == "lab");
  CHECK(options.time == "2:00:00");
  CHECK(options.qos == "high");
  CHECK(options.constraint == "a100");
  CHECK(options.nodes == 2);
  CHECK(options.gpus_per_node == 4);
  CHECK(options.more == std::vector<std::string>{"mem=8G", "exclusive"});
  CHECK(shell_words(form.words()) ==
        "--slurm --nodes 2 --gpus-per-node 4 --partition gpu --account lab --time 2:00:00 --qos "
        "high --constraint a100 --sbatch-option mem=8G --sbatch-option exclusive");
  CHECK(page(form).button == "Submit 8 ranks");
  CHECK(page(form).can_launch);
}

TEST_CASE("an invalid number is marked, and blocks") {
  SlurmForm form = to_slurm();
  form.edit("slurm.nodes", "two");
  REQUIRE(field_of(form, "slurm.nodes") != nullptr);
  CHECK(field_of(form, "slurm.nodes")->text == "two");
  CHECK_FALSE(field_of(form, "slurm.nodes")->error.empty());
  CHECK_FALSE(page(form).can_launch);
  CHECK(page(form).button_hint == "Nodes: \"two\" is not a whole number");
  form.edit("slurm.nodes", "2");
  form.edit("slurm.sbatch", "wrap=id");
  CHECK_FALSE(page(form).can_launch);
  CHECK(page(form).button_hint.find("wrap") != std::string::npos);
}

TEST_CASE("a time limit that leaves no time to train blocks, with the reason") {
  SlurmForm form = to_slurm();
  form.edit("slurm.time", "2");
  CHECK_FALSE(page(form).can_launch);
  CHECK(page(form).button_hint.find("a time limit of 2 is too short") != std::string::npos);
  form.edit("slurm.time", "4");
  CHECK(page(form).can_launch);
}

TEST_CASE("the page shows the job instead of this machine's devices") {
  const LaunchView view = page(to_slurm(), {"/usr/bin/sbatch", "--comment=a b"});
  CHECK(view.cards.empty());
  REQUIRE_FALSE(view.preview.empty());
  CHECK(view.preview[0].title == "Job");
  CHECK(view.preview[0].lines[0] == "/usr/bin/sbatch '--comment=a b'");
  CHECK(view.preview[0].lines[2] == "#!/bin/sh");
  CHECK_FALSE(page(to_slurm(), {}, true).can_launch);
}

TEST_CASE("a script without a name is not submitted, and the button says so") {
  LaunchView view;
  view.script.missing = label::kNoProgram;
  show_slurm(to_slurm(), LaunchForm(), {}, false, view);
  CHECK_FALSE(view.can_launch);
  CHECK(view.button_hint == label::kNoProgram);
}

TEST_CASE("an empty field shows the default, and a filled one does not") {
  SlurmForm form = to_slurm();
  CHECK(field_of(form, "slurm.partition")->hint == "the site's default");
  CHECK(field_of(form, "slurm.gpus_per_node")->hint == "CPU ranks");
  form.edit("slurm.partition", "gpu");
  CHECK(field_of(form, "slurm.partition")->hint.empty());
}

TEST_CASE("a window inside an allocation says so, and its run is a step of it") {
  SlurmForm form = inside();
  REQUIRE(field_of(form, "slurm.where") != nullptr);
  CHECK(field_of(form, "slurm.where")->text == label::kThisMachine);
  CHECK(field_of(form, "slurm.where")->choices ==
        std::vector<std::string>{label::kThisMachine, label::kAnotherMachine, "Slurm job 12"});
  CHECK(field_of(form, "slurm.where")->hint ==
        "inside Slurm job 12, n[1-2], 2 nodes with 4 GPUs each");
  CHECK(form.words().empty());
  form.edit("slurm.where", "Slurm job 12");
  CHECK(form.on());
  CHECK(field_of(form, "slurm.where")->hint == "n[1-2], 2 nodes with 4 GPUs each");
  CHECK(field_of(form, "slurm.gpus_per_node")->hint == "all");
  // Options that were set for the allocation cannot be set again.
  CHECK(field_of(form, "slurm.partition") == nullptr);
  const LaunchView view = page(form, {"/usr/bin/env", "/bin/sh"});
  CHECK(view.button == "Launch 8 ranks");
  CHECK(view.can_launch);
  CHECK(view.cards.empty());
  CHECK(view.devices_empty[0].text == "Slurm job 12 has n[1-2], 2 nodes with 4 GPUs each. ");
  CHECK(view.preview[0].title == "Step");
  CHECK(view.preview[0].lines[0] == "/usr/bin/env /bin/sh");
}

TEST_CASE("more than the allocation has blocks, and so does an allocation that is over") {
  SlurmForm form = inside(0);
  form.edit("slurm.where", "Slurm job 12");
  CHECK(field_of(form, "slurm.gpus_per_node")->hint == "CPU ranks");
  CHECK(page(form).can_launch);
  form.edit("slurm.nodes", "3");
  CHECK_FALSE(page(form).can_launch);
  CHECK(page(form).button_hint == "--nodes 3: Slurm job 12, inside which this is, has 2");
  SlurmForm over = inside(4, "its time limit was reached");
  over.edit("slurm.where", "Slurm job 12");
  CHECK_FALSE(page(over).can_launch);
  CHECK(page(over).button_hint.find("its time limit was reached") != std::string::npos);
}

TEST_CASE("Slurm's last answer about the allocation is kept while it does not respond") {
  slurm::Allocation silent{"12", "n[1-2]", 2, 8, 0};
  silent.gpus_unknown = "no answer";
  SlurmForm form;
  form.set_there(place::on_slurm({}, silent));
  form.edit("slurm.where", "Slurm job 12");
  CHECK(field_of(form, "slurm.gpus_per_node")->hint == "not known yet");
  CHECK(page(form).button_hint.find("no answer") != std::string::npos);
  form.set_there(place::on_slurm({}, slurm::Allocation{"12", "n[1-2]", 2, 8, 4}));
  form.set_there(place::on_slurm({}, silent));
  CHECK(form.there()->offer().nodes == "n[1-2], 2 nodes with 4 GPUs each");
  CHECK(page(form).can_launch);
}

TEST_CASE("the command beside the form has the options of Slurm") {
  SlurmForm form = to_slurm();
  form.edit("slurm.time", "60");
  LaunchView view;
  view.preview = {{"Command", {"ringside run demo \\", "  --set train.epochs=1"}},
                  {"r0", {"RANK=0"}}};
  show_slurm(form, LaunchForm(), {}, false, view);
  REQUIRE(view.preview.size() == 3);
  CHECK(view.preview[1].lines[0] == "ringside run --slurm --time 60 demo \\");
  CHECK(view.preview[2].lines[0] == "RANK=0");
}

TEST_CASE("a study sets its nodes itself") {
  const auto fields = to_slurm().section(true).fields;
  CHECK(fields[0].key == "slurm.where");
  CHECK(fields[1].key == "slurm.gpus_per_node");
}

TEST_CASE("if the window shows another machine, the choice is that machine and its Slurm") {
  SlurmForm form;
  form.set_machine("ssh://login");
  CHECK(field_of(form, "slurm.where")->text == "ssh://login");
  CHECK(field_of(form, "slurm.where")->choices ==
        std::vector<std::string>{"ssh://login", label::kAnotherMachine, "Slurm"});
  CHECK(SlurmForm::asks_for_machine({"slurm.where", label::kAnotherMachine}));
  CHECK_FALSE(SlurmForm::asks_for_machine({"slurm.where", "Slurm"}));
  CHECK_FALSE(SlurmForm::asks_for_machine({"slurm.partition", label::kAnotherMachine}));
  // A study is created on the machine of the window.
  CHECK(form.section(true).fields[0].choices.size() == 2);
  form.edit("slurm.where", "Slurm");
  CHECK(form.on());
  form.edit("slurm.where", "ssh://login");
  CHECK_FALSE(form.on());
}

TEST_CASE("options of existing jobs are filled into the fields as they were requested") {
  slurm::Options options;
  options.partition = "gpu";
  options.time = "2:00:00";
  options.gpus_per_node = 4;
  options.more = {"mem=8G", "comment=a b", "exclusive"};
  SlurmForm form;
  form.edit("slurm.account", "typed before");
  form.set_options(slurm::typed_of(options));
  CHECK(form.on());
  CHECK(asked(form) == options);
  form.edit("slurm.sbatch", "comment='a b");
  const auto refused = form.chosen();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.starts_with("More options: "));
}
