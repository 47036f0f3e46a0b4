#include "trainer/probe/driver.h"

#include <chrono>
#include <cstdlib>
#include <future>
#include <optional>
#include <string_view>
#include <thread>

namespace ringside::probe {
namespace {

constexpr std::int64_t kWaitNs = 10'000'000'000;

// The result of `work`, or empty after the timeout.
template <class Work>
auto within(std::int64_t wait_ns, Work work) -> std::optional<decltype(work())> {
  auto promise = std::make_shared<std::promise<decltype(work())>>();
  auto answer = promise->get_future();
  std::thread([promise, work] { promise->set_value(work()); }).detach();
  if (answer.wait_for(std::chrono::nanoseconds(wait_ns)) != std::future_status::ready)
    return std::nullopt;
  return answer.get();
}

}  // namespace

Result<NvmlApi> ask_driver(std::int64_t wait_ns) {
  auto api = within(wait_ns, [] { return load_nvml(); });
  if (!api)
    return failure("the NVIDIA driver does not answer: its GPUs are left out; try nvidia-smi");
  return *api;
}

std::shared_ptr<GpuProbe> ask_gpus(const NvmlApi& api, std::int64_t wait_ns) {
  return within(wait_ns, [api] { return std::make_shared<GpuProbe>(api); }).value_or(nullptr);
}

SeenGpus ask_visible_gpus() {
  SeenGpus seen;
  const auto api = ask_driver(kWaitNs);
  if (!api) return seen;
  seen.probe = ask_gpus(*api, kWaitNs);
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (seen.probe) {
    seen.visible =
        visible_gpus(seen.probe->gpus(),
                     visible != nullptr ? std::optional<std::string_view>(visible) : std::nullopt);
    const char* order = std::getenv("CUDA_DEVICE_ORDER");
    seen.warning = order_warning(seen.probe->gpus(), visible != nullptr ? visible : "",
                                 order != nullptr ? order : "");
  }
  return seen;
}

}  // namespace ringside::probe
