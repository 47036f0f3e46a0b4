#include "trainer/probe/gpu_health.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ringside::probe {
namespace {

using messages::Notice;
using messages::Severity;

// Maximum number of events per poll; more would add nothing.
constexpr int kMostEvents = 64;

constexpr const char* kLost =
    "it has fallen off its bus: the machine has to restart before it comes back; leave it out with "
    "devices.ids until then, and have its seat, power and cooling looked at if it comes again";
constexpr const char* kProgramFault =
    "a fault of the program, not of the GPU: a kernel left its memory or was stopped; run with "
    "CUDA_LAUNCH_BLOCKING=1 to see which (where it comes on one GPU alone, that one may be broken)";
constexpr const char* kNeedsReset =
    "the GPU itself does not answer as it should: have it reset (`nvidia-smi --gpu-reset`) or the "
    "machine restarted, and leave it out with devices.ids until then";

struct Meaning {
  unsigned long long xid;
  Severity severity;
  const char* text;
};
constexpr Meaning kMeanings[] = {
    {13, Severity::kWarning, kProgramFault},
    {31, Severity::kWarning, kProgramFault},
    {32, Severity::kError,
     "the commands that reached it were damaged: the driver, or the GPU's seat on its bus"},
    {43, Severity::kWarning, kProgramFault},
    {48, Severity::kError,
     "a double-bit error in its memory, which ECC cannot correct: what was computed with it is "
     "lost; have it reset (`nvidia-smi --gpu-reset`), and leave it out with devices.ids until "
     "then"},
    {61, Severity::kError, kNeedsReset},
    {62, Severity::kError, kNeedsReset},
    {63, Severity::kWarning,
     "a faulty place of its memory was taken out of use: the repair is done when it is reset "
     "(`nvidia-smi --gpu-reset`) next time"},
    {64, Severity::kError,
     "a faulty place of its memory could not be taken out of use: leave the GPU out with "
     "devices.ids and have it exchanged"},
    {69, Severity::kWarning, kProgramFault},
    {74, Severity::kError,
     "a link to another GPU failed (NVLink): `nvidia-smi nvlink --errorcounters` shows which; "
     "ranks that talk over it hang or fail"},
    {79, Severity::kError, kLost},
    {92, Severity::kWarning,
     "its memory has many single-bit errors, which ECC still corrects: watch it, and have it "
     "exchanged if they grow"},
    {94, Severity::kError,
     "an error in its memory that ECC could not correct; the program that met it is lost, others "
     "are not: have it reset (`nvidia-smi --gpu-reset`) when it is free"},
    {95, Severity::kError,
     "an error in its memory that ECC could not correct, and what it reached is not known: have it "
     "reset (`nvidia-smi --gpu-reset`) before anything else runs there"},
    {109, Severity::kError, kNeedsReset},
    {119, Severity::kError, kNeedsReset},
    {120, Severity::kError, kNeedsReset},
    {140, Severity::kError,
     "an error in its memory that ECC could not correct: have it reset (`nvidia-smi --gpu-reset`)"},
};
constexpr unsigned long long kEndOfAProgram = 45;
constexpr unsigned long long kOfMemory[] = {48, 63, 64, 92, 94, 95, 140};

}  // namespace

Notice xid_notice(std::int32_t gpu, unsigned long long xid) {
  Notice notice{Severity::kWarning, fmt::format("gpu_{}_xid_{}", gpu, xid), {}};
  if (xid == kEndOfAProgram) return notice;
  const auto* known = std::find_if(std::begin(kMeanings), std::end(kMeanings),
                                   [xid](const Meaning& one) { return one.xid == xid; });
  const char* text = "NVIDIA's list of XID errors says what it means";
  if (known != std::end(kMeanings)) {
    notice.severity = known->severity;
    text = known->text;
  }
  notice.text = fmt::format("GPU {} reports XID {}: {}", gpu, xid, text);
  return notice;
}

GpuHealth::GpuHealth(const NvmlApi& api, std::vector<Watched> gpus) : api_(api) {
  for (Watched& gpu : gpus) gpus_.push_back({std::move(gpu)});
  if (api_.event_set_create == nullptr || api_.event_set_free == nullptr ||
      api_.register_events == nullptr || api_.event_wait == nullptr ||
      api_.event_set_create(&events_) != kNvmlSuccess) {
    events_ = nullptr;
    return;
  }
  // A GPU that does not support events, as some virtual ones, must not prevent those of the others.
  for (const Gpu& gpu : gpus_) (void)api_.register_events(gpu.it.device, kNvmlEventXid, events_);
}

GpuHealth::~GpuHealth() {
  if (events_ != nullptr) (void)api_.event_set_free(events_);
}

std::vector<GpuTrouble> GpuHealth::look() {
  look_for_events();
  for (Gpu& gpu : gpus_) {
    look_at_memory(gpu);
    look_whether_lost(gpu);
    gpu.seen = true;
  }
  return std::exchange(found_, {});
}

void GpuHealth::look_for_events() {
  NvmlEvent event{};
  for (int i = 0; events_ != nullptr && i < kMostEvents; ++i) {
    if (api_.event_wait(events_, &event, 0) != kNvmlSuccess) return;
    const auto gpu = std::find_if(gpus_.begin(), gpus_.end(), [&event](const Gpu& one) {
      return one.it.device == event.device;
    });
    if (gpu == gpus_.end() || event.type != kNvmlEventXid) continue;
    Notice notice = xid_notice(gpu->it.index, event.data);
    if (notice.text.empty()) continue;
    gpu->told_lost = gpu->told_lost || notice.text.ends_with(kLost);
    gpu->told_ecc =
        gpu->told_ecc || std::count(std::begin(kOfMemory), std::end(kOfMemory), event.data) > 0;
    found_.push_back({gpu->it.uuid, std::move(notice)});
  }
}

void GpuHealth::look_at_memory(Gpu& gpu) {
  unsigned long long errors = 0;
  if (api_.ecc_errors != nullptr && api_.ecc_errors(gpu.it.device, kNvmlEccUncorrected,
                                                    kNvmlEccVolatile, &errors) == kNvmlSuccess) {
    const auto before = std::exchange(gpu.ecc_errors, errors);
    if (gpu.seen && errors > before && !std::exchange(gpu.told_ecc, true))
      tell(gpu, Severity::kError, "ecc",
           fmt::format("has {} new error{} in its memory that ECC could not correct: what was "
                       "computed with it is lost; have it reset (`nvidia-smi --gpu-reset`), and "
                       "leave it out with devices.ids until then",
                       errors - before, errors - before == 1 ? "" : "s"));
  }
  if (gpu.seen) return;
  unsigned corrected = 0;
  unsigned uncorrected = 0;
  unsigned pending = 0;
  unsigned failed = 0;
  if (api_.remapped_rows == nullptr || api_.remapped_rows(gpu.it.device, &corrected, &uncorrected,
                                                          &pending, &failed) != kNvmlSuccess)
    (void)(api_.retired_pending != nullptr && api_.retired_pending(gpu.it.device, &pending));
  if (failed != 0)
    tell(gpu, Severity::kError, "worn",
         "has faulty memory for which nothing is left to take its place: leave it out with "
         "devices.ids and have it exchanged");
  else if (pending != 0)
    tell(gpu, Severity::kWarning, "reset_due",
         "has faulty memory that is replaced when it is reset: do so (`nvidia-smi --gpu-reset`) "
         "before long runs");
}

void GpuHealth::look_whether_lost(Gpu& gpu) {
  unsigned ignored = 0;
  if (api_.temperature == nullptr ||
      api_.temperature(gpu.it.device, kNvmlTemperatureGpu, &ignored) != kNvmlGpuIsLost)
    return;
  if (!std::exchange(gpu.told_lost, true))
    tell(gpu, Severity::kError, "lost", fmt::format("is lost: {}", kLost));
}

void GpuHealth::tell(const Gpu& gpu, Severity severity, const std::string& kind,
                     const std::string& text) {
  found_.push_back({gpu.it.uuid,
                    {severity, fmt::format("gpu_{}_{}", gpu.it.index, kind),
                     fmt::format("GPU {} {}", gpu.it.index, text)}});
}

}  // namespace ringside::probe
