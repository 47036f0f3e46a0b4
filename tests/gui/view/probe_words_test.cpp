// Results of a probe: in Preflight, beside a speedup, in tables.
#include "gui/view/probe_words.h"

#include "gui/view/launch/launch_probe.h"
#include "gui/view/live/speedup_view.h"
#include "gui/view/live/step_bars.h"
#include "gui/view/number_format.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using analysis::LinkProbe;
using support::model_of;

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kMinuteNs = 60'000'000'000;

LinkProbe probe_of(Rank ranks, double ceiling) {
  LinkProbe probe;
  probe.devices = {"host", "gloo", {}, ranks, 1};
  probe.transport = "TCP";
  probe.sizes = {{4, 0.000112}, {kMiB, 0.002}, {16 * kMiB, 0.017}};
  probe.step = "lenet, 32 samples, fp32";
  probe.alone_s = 0.01;
  probe.together_s = 0.0115;
  probe.ceiling = ceiling;
  return probe;
}

messages::RunSpec lenet() {
  messages::RunSpec spec;
  spec.devices.world_size = 2;
  spec.model.name = "lenet";
  return spec;
}

}  // namespace

TEST_CASE("A probe is summarized in a few words, each with its number") {
  const LinkProbe probe = probe_of(2, 1.74);
  CHECK(probed_text(probe) == "2 CPU slots, gloo over TCP");
  CHECK(links_text(probe) == "0.11 ms for 4 B, bus bandwidth 1.0 GB/s");
  CHECK(expected_text(probe, 2 * kMiB) ==
        "2.1 MB of gradients are expected to take 4.00 ms a step");
  CHECK(ceiling_text(probe) == "2 copies at once reach 1.74× of one");
  LinkProbe busy = probe;
  busy.others_cores = 0.84;
  busy.host_cores = 2;
  CHECK(ceiling_text(busy) ==
        "2 copies at once reach 1.74× of one on a busy host, where other processes took 0.8 of 2 "
        "cores");
  CHECK(contention_text(busy, 1.5).find("on a busy host") != std::string::npos);
  CHECK(probe_age_text(probe, 34 * kMinuteNs) == "34 min ago");
  CHECK(probe_age_text(probe, -kMinuteNs).ends_with(" ago"));  // a clock was set back
  const Table table = probe_table(probe);
  REQUIRE(table.rows.size() == 3);
  CHECK(table.rows[1].cells[0].text == "1 MiB");
  CHECK(table.rows[1].cells[1].text == "2.00");
}

TEST_CASE("The loss below the ideal is split into contention and the rest, which add up") {
  const LinkProbe probe = probe_of(2, 1.74);
  CHECK(contention_text(probe, 1.5) ==
        "2 copies at once reach 1.74× of one (lenet, 32 samples, fp32): of the 0.50× below the "
        "ideal 0.26× is what the copies take from each other, 0.24× exchange and all else.");
  // The first speedup is above the ceiling, and the second above the ideal.
  CHECK(contention_text(probe, 1.9).find("0.10× is what the copies") != std::string::npos);
  CHECK(contention_text(probe, 2.1) ==
        "2 copies at once reach 1.74× of one (lenet, 32 samples, fp32).");
}

TEST_CASE("Preflight has a row for the links: not probed, probing, probed, not possible") {
  ProbeFacts facts;
  CheckView check = probe_check(lenet(), facts, "");
  CHECK(check.title == label::kLinksCheck);
  CHECK(check.state == CheckState::kPass);
  CHECK(check.action == label::kProbe);
  CHECK(check.detail.starts_with("not probed yet"));
  facts.running = true;
  check = probe_check(lenet(), facts, "");
  CHECK(check.state == CheckState::kRunning);
  CHECK(check.action == label::kCancelProbe);
  facts.running = false;
  const LinkProbe probe = probe_of(2, 1.74);
  facts.newest = &probe;
  facts.now_wall_ns = 34 * kMinuteNs;
  check = probe_check(lenet(), facts, "");
  CHECK(check.state == CheckState::kPass);
  CHECK(check.detail.starts_with("0.11 ms"));
  CHECK(check.detail.ends_with("; probed 34 min ago, 2 CPU slots, gloo over TCP"));
  CHECK(check.detail.find("of gradients are expected to take") != std::string::npos);
  CHECK(check.detail.find("2 copies at once reach 1.74× of one") != std::string::npos);
  check = probe_check(lenet(), facts, "GPU 2, 3 are joined by NV12 or faster");
  CHECK(check.state == CheckState::kWarning);
  CHECK(check.hint == "GPU 2, 3 are joined by NV12 or faster");
  facts.problem = "the probe hung and was ended after 60 s";
  check = probe_check(lenet(), facts, "");
  CHECK(check.state == CheckState::kWarning);
  CHECK(check.detail == facts.problem);
  CHECK(check.word == label::kWarning);
}

TEST_CASE("The measured ceiling is shown beside the ideal on the speedup card") {
  const auto run = model_of(support::demo_run());
  const auto baseline = model_of(support::demo_baseline());
  RunContext context = support::live_context(run);
  const SpeedupView before = build_speedup_view(run, context, {&baseline, "base", 983});
  CHECK(before.ceiling_share == 0);
  context.probe = std::make_shared<const LinkProbe>(probe_of(4, 3.6));
  const SpeedupView card = build_speedup_view(run, context, {&baseline, "base", 983});
  CHECK(card.ceiling_share == Approx(card.ideal_share * 4 / 3.6));
  CHECK(card.ideal_label.starts_with(before.ideal_label + ", ceiling "));
  CHECK(plain(card.note).find("4 copies at once reach 3.60× of one") != std::string::npos);
  // A probe of another step, or of other devices, gives no ceiling either.
  context.probe = std::make_shared<const LinkProbe>(probe_of(4, 0));
  CHECK(build_speedup_view(run, context, {&baseline, "base", 983}).ideal_label ==
        before.ideal_label);
  context.probe = std::make_shared<const LinkProbe>(probe_of(2, 1.7));
  CHECK(build_speedup_view(run, context, {&baseline, "base", 983}).ceiling_share == 0);
}

TEST_CASE(
    "The expected all-reduce time is shown beside the measured one, in Live and in the report") {
  support::MadeRun made(2);
  for (const Rank rank : {0, 1}) {
    made.bucket(rank, 0, 0, 60, 64, kMiB);
    made.bucket(rank, 0, 1, 62, 66, kMiB);
    made.step(rank, 0, 92, {5, 1, 20, 36, 4, 5, 92});
  }
  ReportRun run;
  run.id = "7";
  run.model = &made.model();
  CHECK(expected_table(run).rows.empty());
  run.probe = std::make_shared<const LinkProbe>(probe_of(2, 1.74));
  const Table table = expected_table(run);
  REQUIRE(table.rows.size() == 1);
  CHECK(cell_of(table, table.rows[0], "expected_ns").text == "4.00 ms");
  CHECK(cell_of(table, table.rows[0], "measured_ns").text == "6.00 ms");
  CHECK(cell_of(table, table.rows[0], "exposed_ns").text == "4.00 ms");
  CHECK(cell_of(table, table.rows[0], "overlapped_ns").text == "2.00 ms");
  CHECK(cell_of(table, table.rows[0], "ceiling").text == "1.74×");
  RunContext context;
  context.probe = run.probe;
  const StepBarsView bars = build_step_bars(made.model(), context);
  CHECK(plain(bars.transfer).ends_with("The probe expects 4.0 ms"));
  run.probe = std::make_shared<const LinkProbe>(probe_of(2, 0));
  const Table other = expected_table(run);
  CHECK(cell_of(other, other.rows[0], "expected_ns").text == "4.00 ms");
  CHECK(cell_of(other, other.rows[0], "ceiling").text == kDash);
  CHECK(other.notes.empty());
}
