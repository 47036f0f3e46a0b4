#include "gui/doctor/doctor.h"

#include <algorithm>
#include <array>

#include "gui/doctor/checks.h"
#include "gui/doctor/work_folder.h"
#include "protocol/base/clock.h"
#include "protocol/base/nearest.h"

namespace ringside::doctor {
namespace {

using Check = Result<CheckVerdict> (*)(const Site&);

/// The functions of the checks, in the order of kChecks.
constexpr std::array<Check, kChecks.size()> kHow{
    check_load, check_identity, check_nvml,   check_copies,    check_sums, check_ddp,
    check_amp,  check_replay,   check_timing, check_straggler, check_ends, check_feed};

/// Why the check is skipped; empty: it is run.
std::string reason_to_skip(const launch::Machine& machine, const Site& site) {
  if (!site.gpu) return {};
  if (machine.gpus.empty()) {
    return machine.driver_problem.empty() ? "this machine has no GPU" : machine.driver_problem;
  }
  if (site.machine.gpus.empty()) return "every GPU is in use by another program";
  return {};
}

CheckResult carry_out(const CheckKind& kind, Check how, double limit_s, Site& site) {
  const std::int64_t begin_ns = mono_now_ns();
  site.deadline_ns = begin_ns + static_cast<std::int64_t>(limit_s * 1e9);
  const auto judged = how(site);
  const double seconds = static_cast<double>(mono_now_ns() - begin_ns) / 1e9;
  return judged ? result_of(kind, *judged, seconds) : broken(kind, judged.error().message, seconds);
}

bool wanted(const CheckKind& kind, const DoctorRequest& request) {
  if (!request.gpu && !kind.on_cpu) return false;
  return request.only.empty() || std::ranges::count(request.only, kind.name) > 0;
}

}  // namespace

Result<void> known_checks(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const CheckKind& kind : kChecks) known.emplace_back(kind.name);
  for (const std::string& name : names) {
    if (std::ranges::count(known, name) == 0)
      return bad_request("there is no check \"" + name + "\"" + suggestion(name, known));
  }
  return {};
}

std::vector<CheckResult> examine(const launch::Machine& machine, const DoctorRequest& request,
                                 const CheckWatch& watch) {
  const WorkFolder folder;
  Site site{machine, request.gpu, request.quick, folder.path(), request.cancelled, 0};
  std::erase_if(site.machine.gpus, [](const launch::Gpu& gpu) { return !gpu.pids.empty(); });
  std::vector<CheckResult> results;
  for (std::size_t i = 0; i < kChecks.size(); ++i) {
    const CheckKind& kind = kChecks[i];
    if (!wanted(kind, request)) continue;
    std::string reason = reason_to_skip(machine, site);
    if (folder.path().empty()) reason = "no folder could be made for its runs";
    if (request.cancelled && request.cancelled()) reason = "cancelled";
    if (watch) watch(kind, nullptr);
    results.push_back(
        reason.empty()
            ? carry_out(kind, kHow[i], request.limit_s > 0 ? request.limit_s : kind.limit_s, site)
            : skipped(kind, reason));
    if (watch) watch(kind, &results.back());
  }
  return results;
}

bool healthy(const std::vector<CheckResult>& results) {
  return std::none_of(results.begin(), results.end(),
                      [](const CheckResult& result) { return result.outcome == Outcome::kFail; });
}

}  // namespace ringside::doctor
