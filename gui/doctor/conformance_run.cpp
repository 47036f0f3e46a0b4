#include "gui/doctor/conformance_run.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "gui/doctor/trial.h"
#include "gui/doctor/work_folder.h"
#include "gui/launch/preflight/preflight.h"
#include "gui/launch/start/ask_stop.h"
#include "protocol/base/clock.h"
#include "protocol/messages/record_sink.h"
#include "protocol/runlog/log_reader.h"

namespace ringside::doctor {
namespace {

constexpr Step kStopAfter = 1;

class RecordListener final : public messages::RecordSink {
 public:
  explicit RecordListener(ReceivedRecords& received) : received_(received) {}
  void accept(const messages::Stamp& stamp, const messages::Record& record) override {
    received_.reported.push_back({stamp, record});
  }

 private:
  ReceivedRecords& received_;
};

Result<ReceivedRecords> heard_in(const runlog::RunFolder& folder, std::int32_t ranks) {
  ReceivedRecords received;
  received.ranks = ranks;
  RecordListener listener(received);
  const auto read = RINGSIDE_TRY(runlog::read_log(folder.log_path(0), listener));
  received.decoded = read.decoded;
  return received;
}

messages::RunSpec spec_of(const ConformanceRequest& request) {
  messages::RunSpec spec;
  spec.name = "conformance";
  spec.program.argv = request.command;
  std::error_code ignored;
  spec.program.cwd = std::filesystem::current_path(ignored).string();
  spec.program.instrument = false;  // the program must send its records itself
  spec.devices.kind = "cpu";
  spec.devices.world_size = request.ranks;
  spec.devices.when_busy = "share";
  return spec;
}

void begin_limit(Site& site, const ConformanceRequest& request) {
  site.deadline_ns = mono_now_ns() + static_cast<std::int64_t>(request.limit_s * 1e9);
}

Result<ReceivedRecords> hear_to_end(Site& site, const ConformanceRequest& request) {
  begin_limit(site, request);
  const auto trial = RINGSIDE_TRY(Trial::start(site, spec_of(request)));
  if (const auto ended = trial->follow_to_end(); !ended)
    return failure("the first start of the command: " + ended.error().message +
                   "; give it fewer steps, or --limit more seconds");
  return heard_in(trial->folder(), request.ranks);
}

/// Time at which the agent saw the last rank end.
std::int64_t ranks_left_ns(const ReceivedRecords& received) {
  std::int64_t left_ns = 0;
  for (const auto& reported : received.reported) {
    const auto* state = std::get_if<messages::RankState>(&reported.record);
    if (state == nullptr || reported.stamp.rank != kNoRank || state->about == kNoRank) continue;
    if (messages::is_final(state->state)) left_ns = std::max(left_ns, reported.stamp.mono_ns);
  }
  return left_ns;
}

Result<StopSeen> stop_on_the_way(Site& site, const ConformanceRequest& request) {
  begin_limit(site, request);
  StopSeen stop;
  const auto trial = RINGSIDE_TRY(Trial::start(site, spec_of(request)));
  const auto going =
      trial->follow_until([](const Trial& run) { return run.newest_step() >= kStopAfter; });
  const std::int64_t asked_ns = mono_now_ns();
  if (going) stop.asked = launch::ask_stop(trial->folder(), wire::StopMode::kGraceful).has_value();
  if (!stop.asked) return stop;
  begin_limit(site, request);
  if (const auto ended = trial->follow_to_end(); !ended)
    return failure("the second start of the command, asked to stop: " + ended.error().message);
  auto received = RINGSIDE_TRY(heard_in(trial->folder(), request.ranks));
  stop.received = std::move(received);
  stop.seconds = static_cast<double>(ranks_left_ns(stop.received) - asked_ns) / 1e9;
  return stop;
}

}  // namespace

Result<std::vector<RuleResult>> try_conformance(const launch::Machine& machine,
                                                const ConformanceRequest& request) {
  const WorkFolder folder;
  if (folder.path().empty()) return failure("no folder could be made for the runs in TMPDIR");
  RINGSIDE_TRY(launch::refuse_failures(launch::check_script(spec_of(request).program)));
  Site site{machine, false, false, folder.path(), request.cancelled, 0};
  const auto received = RINGSIDE_TRY(hear_to_end(site, request));
  const auto stop = RINGSIDE_TRY(stop_on_the_way(site, request));
  return judge_conformance(received, stop);
}

}  // namespace ringside::doctor
