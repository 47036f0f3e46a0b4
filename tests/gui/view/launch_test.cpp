#include "gui/view/launch/launch_view.h"

#include <algorithm>
#include <optional>
#include <span>

#include "gui/launch/preflight/fast.h"
#include "gui/view/launch/launch_probe.h"
#include "protocol/messages/spec/settings.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

namespace {

MachineSummary eight_gpus() {
  MachineSummary machine;
  machine.cores = 64;
  for (int i = 0; i < 8; ++i) {
    DeviceSummary gpu;
    gpu.index = i;
    gpu.uuid = "GPU-0000000" + std::to_string(i) + "-1111";
    gpu.name = "RTX A6000";
    gpu.memory_total_bytes = std::int64_t{48} << 30;
    gpu.memory_used_bytes = std::int64_t{400} << 20;
    gpu.utilisation = 0;
    gpu.temperature_c = 31;
    gpu.power_w = 22;
    if (i < 2) gpu.used_by = "uid 1003 · python 218114";
    machine.gpus.push_back(gpu);
  }
  return machine;
}

MachineSummary laptop() {
  MachineSummary machine;
  machine.cores = 2;
  machine.cpu_name = "EPYC";
  return machine;
}

messages::RunSpec cifar(std::int64_t ranks) {
  messages::RunSpec spec;
  spec.model.name = "resnet18";
  spec.data.name = "cifar10";
  spec.devices.world_size = ranks;
  spec.batch.size = 128;
  spec.batch.meaning = "per_rank";
  spec.train.epochs = 60;
  return spec;
}

LaunchView view_of(const LaunchForm& form, const MachineSummary& machine) {
  return build_launch_view(form, machine, {}, {}, false);
}

const FieldView* field(const LaunchView& view, const std::string& key) {
  for (const FormSection& section : view.sections) {
    for (const FieldView& one : section.fields) {
      if (one.key == key) return &one;
    }
  }
  return nullptr;
}

std::string plan_of(const LaunchView& view, const std::string& label) {
  for (const Fact& fact : view.plan) {
    if (fact.label == label) return plain(fact.value);
  }
  return "";
}

}  // namespace

TEST_CASE("Both ways to spread batches are shown side by side") {
  const LaunchForm form(cifar(4));
  const LaunchView view = view_of(form, laptop());
  REQUIRE(view.batch.rows.size() == 2);
  CHECK(view.batch.rows[0].key == "per_rank");
  CHECK(view.batch.rows[1].key == "global");
  CHECK(table_tsv(view.batch) ==
        "Batch\tPer rank\tGlobal\tSteps / epoch\tLast batch\tPadding\n"
        "Weak\t128\t512\t98\t84\t0\nStrong\t32\t128\t391\t20\t0\n");
}

TEST_CASE("Fast is offered if a preflight found it, and restores the settings that it changed") {
  messages::RunSpec spec;
  spec.train.precision = "fp32";
  LaunchForm form(spec);
  const std::vector<CheckView> speed = {{CheckState::kPass, launch::kSpeedTitle, "", "Pass"}};
  const auto fast = [&](std::span<const CheckView> checks) -> std::optional<FieldView> {
    const auto view = build_launch_view(form, eight_gpus(), {}, checks, false);
    for (const FormSection& section : view.sections) {
      for (const FieldView& field : section.fields)
        if (field.label == "Fast") return field;
    }
    return std::nullopt;
  };
  CHECK_FALSE(fast({}));
  REQUIRE(fast(speed));
  CHECK_FALSE(fast(speed)->on);
  form.edit(fast(speed)->key, "true");
  CHECK(fast(speed)->on);
  CHECK(form.text("train.precision") == "bf16");
  CHECK(form.text("train.channels_last") == "true");
  form.edit(fast(speed)->key, "false");
  CHECK_FALSE(fast(speed)->on);
  CHECK(messages::differences(form.spec(), spec).empty());
}

TEST_CASE("A batch that does not divide shows the requested and the actual size") {
  LaunchForm form(cifar(3));
  form.edit("batch.meaning", "global");
  const LaunchView view = view_of(form, laptop());
  CHECK(table_tsv(view.batch).find("\t126 of 128\t") != std::string::npos);
  CHECK(table_tsv(view.batch).ends_with("\t35\t1\n"));
  CHECK(plan_of(view, "Padding") == "1 sample repeated per epoch");
}

TEST_CASE("One rank has one row of batches") {
  LaunchForm form(cifar(1));
  const LaunchView view = view_of(form, laptop());
  REQUIRE(view.batch.rows.size() == 1);
  CHECK(view.batch.rows[0].key == form.spec().batch.meaning);
  CHECK(table_tsv(view.batch).find("\nOne rank\t128\t128\t391\t") != std::string::npos);
  CHECK(view.button == "Launch 1 rank");
}

TEST_CASE("A batch too small for its ranks blocks the launch with the reason") {
  LaunchForm form(cifar(4));
  form.edit("batch.meaning", "global");
  form.edit("batch.size", "3");
  const LaunchView view = view_of(form, laptop());
  CHECK_FALSE(view.can_launch);
  CHECK(view.button_hint == refusal(view.batch.rows[1]));
  CHECK(table_tsv(view.batch)
            .starts_with("Batch\tPer rank\tGlobal\tSteps / epoch\tLast batch\t"
                         "Padding\tRefused\nWeak\t3\t12\t"));
  CHECK(table_tsv(view.batch).ends_with("Strong\t–\t–\t–\t–\t–\t" + view.button_hint + "\n"));
  CHECK(refusal(view.batch.rows[0]).empty());
}

TEST_CASE("A text that cannot be parsed is kept, marked, and blocks") {
  LaunchForm form(cifar(2));
  form.edit("optimizer.lr", "0.0x");
  LaunchView view = view_of(form, laptop());
  CHECK(field(view, "optimizer.lr")->text == "0.0x");
  CHECK(field(view, "optimizer.lr")->error ==
        "Write a number from 0 to 1e6, such as 0.01 or 5e-4.");
  CHECK_FALSE(view.can_launch);
  CHECK(view.button_hint == label::kBadFields);
  CHECK(form.spec().optimizer.lr == 0.01);
  form.edit("optimizer.lr", " 5e-4 ");
  view = view_of(form, laptop());
  CHECK(field(view, "optimizer.lr")->error.empty());
  CHECK(form.spec().optimizer.lr == 5e-4);
  CHECK(view.can_launch);
}

TEST_CASE("Every kind of field is parsed, or refused") {
  LaunchForm form(cifar(2));
  form.edit("train.epochs", "1,000");
  CHECK(form.spec().train.epochs == 1000);
  form.edit("train.epochs", "2.5");
  CHECK(form.error("train.epochs") == "Write a whole number from 0 to 1e6.");
  CHECK(form.spec().train.epochs == 1000);
  form.edit("train.epochs", "");
  CHECK_FALSE(form.error("train.epochs").empty());
  form.edit("train.epochs", "2");
  form.edit("sampler.shuffle", "false");
  CHECK_FALSE(form.spec().sampler.shuffle);
  form.edit("sampler.shuffle", "maybe");
  CHECK_FALSE(form.error("sampler.shuffle").empty());
  form.edit("sampler.shuffle", "true");
  form.edit("model.name", "vgg");
  CHECK(form.error("model.name") == "Choose one of the words in the list.");
  form.edit("model.name", "convnet");
  form.edit("name", "two words = \"fine\"");
  CHECK(form.spec().name == "two words = \"fine\"");
  form.edit("data.mean", "0.5, 0.25");
  CHECK(form.spec().data.mean == std::vector<double>{0.5, 0.25});
  form.edit("data.mean", "0.5; 1");
  CHECK_FALSE(form.error("data.mean").empty());
  form.edit("data.mean", "");
  CHECK(form.spec().data.mean.empty());
  form.edit("devices.ids", "a, b");
  CHECK(form.spec().devices.ids == std::vector<std::string>{"a", "b"});
  form.edit("no.such", "1");
  CHECK(form.error("no.such") == "There is no such setting.");
  CHECK(form.errors() == 1);
}

TEST_CASE("A number out of its range shows an error at its field") {
  LaunchForm form(cifar(2));
  form.edit("optimizer.momentum", "3");
  CHECK_FALSE(form.error("optimizer.momentum").empty());
  CHECK(form.errors() == 0);
  const LaunchView view = view_of(form, laptop());
  CHECK_FALSE(view.can_launch);
  CHECK(view.button_hint == form.invalid());
}

TEST_CASE("Every field for which a run is refused is marked at once, with its own reason") {
  LaunchForm form(cifar(2));
  form.edit("optimizer.momentum", "3");
  form.edit("optimizer.lr_batch", "-1");
  form.edit("train.seed", "-5");
  form.edit("data.mean", "0.5");
  for (const char* key : {"optimizer.momentum", "optimizer.lr_batch", "train.seed"}) {
    CAPTURE(key);
    CHECK(form.error(key).starts_with(std::string(key) + " = "));
  }
  CHECK(form.error("data.std") == form.error("data.mean"));
  CHECK_FALSE(form.error("data.std").empty());
  CHECK(form.error("optimizer.lr").empty());  // its name is only the beginning of another one's
  CHECK(form.error("train.epochs").empty());
  CHECK(form.problems() == 4);
  CHECK(view_of(form, laptop()).button_hint == form.invalid() + "; 3 other problems are marked.");
  form.edit("optimizer.momentum", "0.9");
  CHECK(form.error("optimizer.momentum").empty());
  CHECK(form.problems() == 3);
}

TEST_CASE("More ranks than CPU slots are allowed, and the form says what that means") {
  MachineSummary small = laptop();
  small.cores = 2;
  LaunchForm form(cifar(4));
  CHECK(plain(view_of(form, small).selected) == "Selected 4 CPU slots of 2: ranks share cores");
  form.set_cpu_ranks(2);
  CHECK(plain(view_of(form, small).selected) == "Selected 2 CPU slots");
}

TEST_CASE("Reset restores the preset") {
  LaunchForm form(cifar(2), "cifar");
  form.edit("train.epochs", "x");
  form.edit("train.seed", "7");
  form.reset();
  CHECK(form.errors() == 0);
  CHECK(form.spec().train.seed == 42);
  CHECK(form.preset() == "cifar");
}

TEST_CASE("Without a GPU ranks run on the CPU, and too many ranks are reported") {
  LaunchForm form(cifar(2));
  const LaunchView view = view_of(form, laptop());
  CHECK(plain(view.devices_empty) == "No GPU found. Ranks will run on the CPU with Gloo.");
  CHECK(view.devices_subtitle == "2 cores, EPYC");
  REQUIRE(view.cards.size() == 2);
  CHECK(view.cards[1].picked);
  CHECK(view.cards[1].rank == 1);
  CHECK(plan_of(view, "Ranks") == "r0–r1 on the CPU, 1 thread each");
  CHECK(plan_of(view, "Backend") == "Gloo");
  form.set_cpu_ranks(4);
  const LaunchView more = view_of(form, laptop());
  CHECK(more.cards.size() == 4);
  CHECK(more.cards[3].note_tone == Tone::kWarning);
  form.pick_device("cpu:1", false);
  CHECK(form.spec().devices.world_size == 1);
  form.pick_device("cpu:2", true);
  CHECK(form.spec().devices.world_size == 3);
}

TEST_CASE("A plan for GPUs does not mention the CPU if there are no GPUs") {
  messages::RunSpec spec = cifar(4);
  spec.devices.kind = "cuda";
  const LaunchView view = view_of(LaunchForm(spec), laptop());
  CHECK(plan_of(view, "Ranks") == "r0–r3 on GPUs, and this machine has none");
  CHECK(plain(view.devices_empty).find("on the CPU with Gloo") == std::string::npos);
}

TEST_CASE("GPUs in use by others cannot be picked, and free ones are picked in order") {
  const MachineSummary machine = eight_gpus();
  LaunchForm form(cifar(4));
  form.settle_devices(machine);
  CHECK(form.spec().devices.ids.size() == 4);
  LaunchView view = view_of(form, machine);
  CHECK(view.devices_subtitle == "8 × RTX A6000, 48 GiB");
  CHECK_FALSE(view.cards[0].can_pick);
  CHECK_FALSE(view.cards[0].picked);
  CHECK(view.cards[0].note == "uid 1003 · python 218114");
  CHECK(view.cards[2].picked);
  CHECK(view.cards[2].rank == 0);
  CHECK(view.cards[2].memory_text == "0.4 / 48 GiB");
  CHECK(view.cards[2].climate == "31 °C  22 W");
  CHECK(plain(view.selected) == "Selected 2, 3, 4, 5");
  CHECK(plan_of(view, "Ranks") == "r0–r3 on GPU 2, 3, 4, 5");
  CHECK(plan_of(view, "Global batch") == "128 × 4 = 512");
  CHECK(plan_of(view, "Steps") == "98 × 60 = 5,880");
  CHECK(plan_of(view, "All-reduce") == "44.7 MB per step");
  CHECK(view.can_launch);
  form.pick_device(machine.gpus[3].uuid, false);
  CHECK(form.spec().devices.world_size == 3);
  CHECK(view_of(form, machine).button == "Launch 3 ranks");
  for (const DeviceSummary& gpu : machine.gpus) form.pick_device(gpu.uuid, false);
  view = view_of(form, machine);
  CHECK_FALSE(view.can_launch);
  CHECK(view.button_hint == label::kNoGpuPicked);
}

TEST_CASE("A failed check blocks and is named, and warnings do not block") {
  const LaunchForm form(cifar(2));
  std::vector<CheckView> checks{
      {CheckState::kPass, "Disk space", "412 GiB free", label::kPass},
      {CheckState::kWarning, "Loader cores", "16 wanted", label::kWarning}};
  LaunchView view = build_launch_view(form, laptop(), {}, checks, false);
  CHECK(view.can_launch);
  CHECK(view.checks_summary == "1 passed, 1 warning");
  CHECK(view.button_hint == "1 warning does not block. Ctrl Enter launches.");
  checks.push_back({CheckState::kFail, "Dataset checksum", "cifar10 is damaged", label::kFailed});
  view = build_launch_view(form, laptop(), {}, checks, false);
  CHECK_FALSE(view.can_launch);
  CHECK(view.button_hint == "Dataset checksum: cifar10 is damaged");
  checks.push_back({CheckState::kRunning, "Probe", "", ""});
  CHECK(build_launch_view(form, laptop(), {}, checks, false).checks_summary == "3 of 4 checks");
  checks.assign(1, {CheckState::kLater, "Other machine", "is checked there", label::kLater});
  view = build_launch_view(form, laptop(), {}, checks, false);
  CHECK(view.can_launch);
  CHECK(view.checks_summary.empty());
  view = build_launch_view(form, laptop(), {}, {}, true);
  CHECK_FALSE(view.can_launch);
  CHECK(view.button == label::kStarting);
}

TEST_CASE("A baseline is reused, run first, or left out") {
  LaunchForm form(cifar(4));
  const BaselineChoice known{"20261120T101500Z-00aa11", 983, "resnet50", 2018.4, 0.7604, true};
  LaunchView view = build_launch_view(form, laptop(), std::span(&known, 1), {}, false);
  REQUIRE(view.baseline.size() == 3);
  CHECK(view.baseline[0].label == "Use run #983");
  CHECK(view.baseline[0].hint == "33:38, val 76.04 %, same model, data and epochs");
  CHECK(view.baseline[2].picked);
  form.edit("baseline.run", known.id);
  form.edit("baseline.mode", "reuse");
  view = build_launch_view(form, laptop(), std::span(&known, 1), {}, false);
  CHECK(view.baseline[0].picked);
  form.edit("baseline.mode", "run");
  view = build_launch_view(form, laptop(), {}, {}, false);
  CHECK(view.baseline[0].picked);
  CHECK(plan_of(view, "Order") == "baseline first, then this run");
  CHECK_FALSE(view_of(LaunchForm(cifar(1)), laptop()).baseline[0].enabled);
}

TEST_CASE("The preview is the command that would run, quoted for a shell") {
  LaunchForm form(cifar(2), "cifar");
  form.edit("train.seed", "7");
  form.edit("name", "it's mine");
  const LaunchView view = view_of(form, laptop());
  REQUIRE(view.preview.size() == 4);
  CHECK(view.preview[0].title == "Command");
  CHECK(view.preview[0].lines[0] == "ringside run cifar \\");
  const auto& lines = view.preview[0].lines;
  CHECK(std::find(lines.begin(), lines.end(), "  --set train.seed=7") != lines.end());
  CHECK(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("'name=\"it'\\''s mine\"'") != std::string::npos;
  }));
  CHECK(view.preview[2].lines[0] == "RANK=1 LOCAL_RANK=1 WORLD_SIZE=2 LOCAL_WORLD_SIZE=2");
  MachineSummary box = laptop();
  box.elsewhere = "ssh://box";
  CHECK(view_of(form, box).preview[0].lines[0] == "ringside run cifar --on ssh://box \\");
  CHECK(view.preview[3].title == "Resolved settings");
  CHECK(std::find(view.preview[3].lines.begin(), view.preview[3].lines.end(), "[optimizer]") !=
        view.preview[3].lines.end());
}

TEST_CASE(
    "Nothing is stated about a machine that has not reported its devices, and nothing starts "
    "there") {
  MachineSummary box;
  box.elsewhere = "ssh://box";
  box.cores = 0;
  const LaunchView view = view_of(LaunchForm(), box);
  CHECK(view.cards.empty());
  CHECK(view.devices_subtitle.empty());
  CHECK(plain(view.devices_empty) == "ssh://box has not reported its devices yet.");
  CHECK_FALSE(view.can_launch);
  CHECK(view.button_hint == plain(view.devices_empty));
}

TEST_CASE("Fields without effect are not shown, and hints help to fill in the others") {
  LaunchForm form;
  LaunchView view = view_of(form, laptop());
  CHECK(field(view, "model.stem") == nullptr);
  CHECK(field(view, "data.root") == nullptr);
  CHECK(field(view, "train.max_steps")->hint == "no limit");
  CHECK(field(view, "train.epochs")->suffix == "epochs");
  CHECK(field(view, "optimizer.lr")->label == messages::label_of("optimizer.lr"));
  CHECK(field(view, "train.max_steps")->tip.ends_with("\n0 to 1e9 steps\n0: no limit"));
  CHECK(field(view, "data.train_samples") != nullptr);
  CHECK(field(view, "schedule.gamma") == nullptr);
  CHECK(field(view, "model.name")->hint == "21,840 parameters, 0.1 MB of gradients");
  CHECK(field(view, "model.name")->kind == FieldKind::kChoice);
  CHECK(field(view, "sampler.shuffle")->kind == FieldKind::kSwitch);
  CHECK(field(view, "data.name")->hint == "6,000 train, 1,000 val");
  form.edit("model.name", "lenet");
  CHECK(field(view_of(form, laptop()), "model.name")->hint ==
        "44,426 parameters, 0.2 MB of gradients");
  form.edit("model.name", "resnet18");
  form.edit("data.name", "cifar10");
  form.edit("schedule.name", "step");
  form.edit("sampler.set_epoch", "false");
  view = view_of(form, laptop());
  CHECK(field(view, "model.stem") != nullptr);
  CHECK(field(view, "data.root")->hint == "the cache folder");
  CHECK(field(view, "schedule.gamma") != nullptr);
  CHECK(field(view, "model.name")->hint == "11.2 M parameters, 44.7 MB of gradients");
  CHECK(field(view, "sampler.set_epoch")->hint == "off: the same order each epoch");
  CHECK(field(view, "name")->hint == "automatic: resnet18 · cifar10 · 1 rank");
}

TEST_CASE("Every setting has a description") {
  CHECK(field_facts({}, "optimizer.lr")->text == "0.01");
  CHECK_FALSE(field_facts({}, "optimizer").has_value());
  CHECK_FALSE(field_facts({}, "optimizer.").has_value());
}

TEST_CASE(
    "Links have a word for each pair, the slowest of the picked and a legend, but not for one "
    "GPU") {
  MachineSummary machine = eight_gpus();
  machine.gpus.resize(4);
  machine.links = {{0, 1, "NV4"}, {0, 2, "NODE"}, {0, 3, "SYS"},
                   {1, 2, "PXB"}, {1, 3, "SYS"},  {2, 3, "NV12"}};
  LaunchForm form(cifar(2));
  form.pick_devices({machine.gpus[1].uuid, machine.gpus[2].uuid});
  LaunchView view = view_of(form, machine);
  REQUIRE(view.links.table.rows.size() == 4);
  CHECK(view.links.table.rows[2].key == "2");
  CHECK(view.links.picked == std::vector<bool>{false, true, true, false});
  CHECK(table_tsv(view.links.table)
            .starts_with(
                "Link\tGPU 0\tGPU 1\tGPU 2\tGPU 3\nGPU 0\t\tNV4\tNODE\tSYS\nGPU 1\tNV4\t\t"));
  CHECK(link_kind(view.links.table.rows[0].cells[2].text) == LinkKind::kNvlink);
  CHECK(plain(view.links.slowest) == "Slowest link of the selected: PXB, GPU 1 and 2");
  std::string words;
  for (const LinkLegend& entry : view.links.legend) words += entry.word + " ";
  CHECK(words == "NV12 NV4 PXB NODE SYS ");
  // The best pair of four free GPUs has the most NVLinks; the best three have the fastest slowest
  // link.
  for (auto& gpu : machine.gpus) gpu.used_by.clear();
  CHECK(view_of(form, machine).best ==
        std::vector<std::string>{machine.gpus[2].uuid, machine.gpus[3].uuid});
  CHECK(link_advice(form, machine) ==
        "PXB, GPU 1 and 2, is the slowest link of these; GPU 2, 3 are joined by NV12 or faster");
  form.pick_devices({machine.gpus[0].uuid, machine.gpus[1].uuid, machine.gpus[2].uuid});
  CHECK(view_of(form, machine).best ==
        std::vector<std::string>{machine.gpus[0].uuid, machine.gpus[1].uuid, machine.gpus[2].uuid});
  CHECK(link_advice(form, machine).empty());  // these are the best three
  form.pick_devices({machine.gpus[1].uuid, machine.gpus[2].uuid});
  machine.gpus[3].used_by = "uid 1003";
  CHECK(view_of(form, machine).best ==
        std::vector<std::string>{machine.gpus[0].uuid, machine.gpus[1].uuid});
  machine.gpus[0].used_by = "uid 1003";
  CHECK(view_of(form, machine).best.empty());  // there is no choice
  // A pair of GPUs without a reported link is not made up.
  machine.links.pop_back();
  CHECK(view_of(form, machine).links.table.rows[2].cells[4].text == "?");
  machine.gpus.resize(1);
  CHECK(view_of(form, machine).links.table.rows.empty());
  form.edit("devices.kind", "cpu");
  CHECK(view_of(form, eight_gpus()).links.table.rows.empty());
}

TEST_CASE("A GPU that a run of ours uses can be picked, and the next run waits for it") {
  MachineSummary machine = eight_gpus();
  machine.gpus[0].used_by = "run #12";
  machine.gpus[0].takes_turns = true;
  const LaunchView view = view_of(LaunchForm(cifar(4)), machine);
  CHECK(view.cards[0].can_pick);
  CHECK(view.cards[0].note == "run #12, this run will queue");
  CHECK_FALSE(view.cards[1].can_pick);
  MachineSummary small = laptop();
  small.busy_slots = 2;
  CHECK(view_of(LaunchForm(cifar(2)), small).devices_subtitle == "2 cores, EPYC, 2 slots in use");
}

TEST_CASE("An equal baseline says briefly and in full why it counts as equal") {
  BaselineChoice known{"20261120T101500Z-00aa11", 983, "resnet50", 2018.4, 0.7604, true};
  known.brief = "47 settings equal, 1 CPU slot, 1 thread";
  known.reason = "run #983 finished and did the same";
  const LaunchView view =
      build_launch_view(LaunchForm(cifar(4)), laptop(), std::span(&known, 1), {}, false);
  CHECK(view.baseline[0].hint == "33:38, val 76.04 %, 47 settings equal, 1 CPU slot, 1 thread");
  CHECK(view.baseline[0].why == known.reason);
}
