#include "trainer/probe/nvml_api.h"

#include <dlfcn.h>

namespace ringside::probe {
namespace {

template <class Function>
void find(void* library, Function*& into, const char* symbol, const char* older = nullptr) {
  void* found = ::dlsym(library, symbol);
  if (found == nullptr && older != nullptr) found = ::dlsym(library, older);
  into = reinterpret_cast<Function*>(found);
}

void find_optional(void* library, NvmlApi& api) {
  find(library, api.error_text, "nvmlErrorString");
  find(library, api.driver_version, "nvmlSystemGetDriverVersion");
  find(library, api.cuda_version, "nvmlSystemGetCudaDriverVersion_v2",
       "nvmlSystemGetCudaDriverVersion");
  find(library, api.capability, "nvmlDeviceGetCudaComputeCapability");
  find(library, api.pci_info, "nvmlDeviceGetPciInfo_v3");
  find(library, api.memory, "nvmlDeviceGetMemoryInfo");
  find(library, api.memory_v2, "nvmlDeviceGetMemoryInfo_v2");
  find(library, api.utilization, "nvmlDeviceGetUtilizationRates");
  find(library, api.temperature, "nvmlDeviceGetTemperature");
  find(library, api.power_mw, "nvmlDeviceGetPowerUsage");
  find(library, api.clock_mhz, "nvmlDeviceGetClockInfo");
  find(library, api.throttle_reasons, "nvmlDeviceGetCurrentClocksEventReasons",
       "nvmlDeviceGetCurrentClocksThrottleReasons");
  find(library, api.pcie_kb_per_s, "nvmlDeviceGetPcieThroughput");
  find(library, api.field_values, "nvmlDeviceGetFieldValues");
  find(library, api.common_ancestor, "nvmlDeviceGetTopologyCommonAncestor");
  find(library, api.link_state, "nvmlDeviceGetNvLinkState");
  find(library, api.link_remote_pci, "nvmlDeviceGetNvLinkRemotePciInfo_v2");
  find(library, api.mig_mode, "nvmlDeviceGetMigMode");
  find(library, api.mig_most, "nvmlDeviceGetMaxMigDeviceCount");
  find(library, api.mig_by_index, "nvmlDeviceGetMigDeviceHandleByIndex");
  find(library, api.compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  find(library, api.ecc_errors, "nvmlDeviceGetTotalEccErrors");
  find(library, api.remapped_rows, "nvmlDeviceGetRemappedRows");
  find(library, api.retired_pending, "nvmlDeviceGetRetiredPagesPendingStatus");
  find(library, api.event_set_create, "nvmlEventSetCreate");
  find(library, api.event_set_free, "nvmlEventSetFree");
  find(library, api.register_events, "nvmlDeviceRegisterEvents");
  find(library, api.event_wait, "nvmlEventSetWait_v2", "nvmlEventSetWait");
}

}  // namespace

std::string NvmlApi::explain(NvmlReturn code) const {
  const char* text = error_text != nullptr ? error_text(code) : nullptr;
  return (text != nullptr ? std::string(text) : std::string("no text")) + " (NVML code " +
         std::to_string(code) + ")";
}

Result<NvmlApi> load_nvml(const char* library) {
  void* handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return failure(std::string("no NVIDIA driver here: ") + library + " cannot be loaded");
  }
  NvmlApi api;
  find(handle, api.init, "nvmlInit_v2");
  find(handle, api.device_count, "nvmlDeviceGetCount_v2");
  find(handle, api.device_by_index, "nvmlDeviceGetHandleByIndex_v2");
  find(handle, api.uuid, "nvmlDeviceGetUUID");
  find(handle, api.name, "nvmlDeviceGetName");
  if (api.init == nullptr || api.device_count == nullptr || api.device_by_index == nullptr ||
      api.uuid == nullptr || api.name == nullptr) {
    ::dlclose(handle);
    return failure(std::string(library) +
                   " lacks functions that every NVIDIA driver since 2014 has");
  }
  find_optional(handle, api);
  if (const NvmlReturn code = api.init(); code != kNvmlSuccess) {
    auto error = failure("the NVIDIA driver does not answer: " + api.explain(code) +
                         "; try nvidia-smi, and reboot after a driver update");
    ::dlclose(handle);
    return error;
  }
  return api;
}

}  // namespace ringside::probe
