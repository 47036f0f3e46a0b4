// Writes a run folder whose scalars are difficult to convert, for the test of the TensorBoard
// files: export_tool RUNS_DIR ID. It has three ranks of the synthetic run, one with NaN from step
// 30 on; then a rank without a loss, infinities, scalars, and samples of devices and hosts.
#include <cstdio>
#include <limits>

#include "protocol/messages/records.h"
#include "tests/gui/runs/run_on_disk.h"

namespace {

using namespace ringside;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void say_more(messages::RecordSink& sink, std::int64_t from_ns) {
  std::uint64_t seq = 1'000'000;
  const auto say = [&](Rank rank, const messages::Record& record) {
    sink.accept({0, rank, seq, from_ns + static_cast<std::int64_t>(seq) * 1'000}, record);
    ++seq;
  };
  for (Step step = 0; step < 5; ++step) {
    messages::StepReport silent;
    silent.step = step;
    silent.samples = 1;
    say(3, silent);
    messages::StepReport loud = silent;
    loud.loss = static_cast<float>(step % 2 == 0 ? kInfinity : -kInfinity);
    loud.grad_norm = static_cast<float>(kNan);
    loud.lr = 0.1 * static_cast<double>(step);
    say(4, loud);
  }
  for (const double value : {0.1, -0.0, kNan, kInfinity, 1e300, 16777217.0})
    say(4, messages::Scalar{"gr\xC3\xB6\xC3\x9F"
                            "e/x",
                            7, value});
  say(4, messages::Scalar{"broken \xFF", 1, 2.5});
  say(4, messages::Scalar{"step/loss", 1, 2.5});
  say(kNoRank, messages::Scalar{"of the run", 3, 4.5});
  messages::DeviceSample device;
  device.device_index = 1;
  device.device_uuid = "GPU-x";
  device.valid = 0b11;
  device.utilisation_pct = 87.5F;
  device.memory_used_bytes = std::int64_t{5} << 30;
  say(kNoRank, device);
}

/// Forwards records and remembers the time of the last one.
class Passing final : public messages::RecordSink {
 public:
  explicit Passing(messages::RecordSink& sink) : sink_(sink) {}
  void accept(const messages::Stamp& stamp, const messages::Record& record) override {
    last_ns = stamp.mono_ns;
    sink_.accept(stamp, record);
  }
  std::int64_t last_ns = 0;

 private:
  messages::RecordSink& sink_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("export_tool RUNS_DIR ID\n", stderr);
    return 2;
  }
  auto options = support::demo_small(3);
  options.nan_from = 30;
  const auto folder = support::make_folder(argv[1], argv[2], support::demo_spec(options));
  support::LogSink log(folder);
  Passing passing(log);
  support::play_demo(options, passing);
  say_more(log, passing.last_ns);
  return 0;
}
