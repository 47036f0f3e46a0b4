// A libnvidia-ml.so.1 with fake GPUs, for programs that load NVML by name: tests put its folder
// into LD_LIBRARY_PATH. FAKE_GPUS: number of GPUs (default 0); GPUs 2k and 2k+1 share four NVLinks,
// and four GPUs a socket. FAKE_GPU_PID: a process that computes on the last GPU.
// FAKE_GPU_CAPABILITY: 61 for 6.1, default 86. FAKE_MIG: number of MIG instances of each GPU.
// FAKE_USE: a folder with a file per process that uses memory, with lines "GPU BYTES", and a file
// "xid" with lines "GPU XID": events for a process that waits for them.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "trainer/probe/nvml_api.h"

using namespace ringside::probe;

namespace {

std::size_t number(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? std::strtoul(value, nullptr, 10) : 0;
}

// A handle is the GPU's number, from 1 on, plus 256 times the instance's number, from 1 on.
std::size_t index_of(NvmlDevice device) { return reinterpret_cast<std::size_t>(device) % 256 - 1; }
std::size_t instance_of(NvmlDevice device) { return reinterpret_cast<std::size_t>(device) / 256; }

int put(const std::string& text, char* into, unsigned room) {
  if (text.size() + 1 > room) return 7;
  std::memcpy(into, text.c_str(), text.size() + 1);
  return kNvmlSuccess;
}

int put_bus(std::size_t index, NvmlPciInfo* info) {
  return put("00000000:0" + std::to_string(index) + ":00.0", info->bus_id, sizeof info->bus_id);
}

/// Calls `tell` for each living process with memory of a GPU.
void each_user(NvmlDevice device, const std::function<void(unsigned, unsigned long long)>& tell) {
  const char* folder = std::getenv("FAKE_USE");
  if (folder == nullptr) return;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string pid = entry.path().filename();
    if (!std::filesystem::exists("/proc/" + pid)) continue;
    std::ifstream file(entry.path());
    std::size_t gpu = 0;
    for (unsigned long long bytes = 0; file >> gpu >> bytes;)
      if (gpu == index_of(device) && bytes > 0) tell(static_cast<unsigned>(std::stoul(pid)), bytes);
  }
}

/// The events so far: GPU and XID.
std::vector<std::pair<std::size_t, unsigned long long>> xids() {
  std::vector<std::pair<std::size_t, unsigned long long>> all;
  const char* folder = std::getenv("FAKE_USE");
  std::ifstream file(std::string(folder != nullptr ? folder : "") + "/xid");
  std::size_t gpu = 0;
  for (unsigned long long xid = 0; file >> gpu >> xid;) all.emplace_back(gpu, xid);
  return all;
}

}  // namespace

/// An event set: number of events that it has delivered.
struct ringside::probe::NvmlEventSetOpaque {
  std::size_t told = xids().size();
};

extern "C" {

int nvmlInit_v2() { return kNvmlSuccess; }

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(number("FAKE_GPUS"));
  return kNvmlSuccess;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, NvmlDevice* device) {
  *device = reinterpret_cast<NvmlDevice>(std::size_t{index} + 1);
  return kNvmlSuccess;
}

int nvmlDeviceGetUUID(NvmlDevice device, char* into, unsigned room) {
  const std::size_t instance = instance_of(device);
  return put((instance > 0 ? "MIG-fake000" : "GPU-fa4e0000-0000-0000-0000-00000000000") +
                 std::to_string(index_of(device)) +
                 (instance > 0 ? "-" + std::to_string(instance - 1) : ""),
             into, room);
}

int nvmlDeviceGetName(NvmlDevice, char* into, unsigned room) {
  return put("Fake A6000", into, room);
}

int nvmlSystemGetDriverVersion(char* into, unsigned room) { return put("580.1", into, room); }

int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = 13000;
  return kNvmlSuccess;
}

int nvmlDeviceGetPciInfo_v3(NvmlDevice device, NvmlPciInfo* info) {
  return put_bus(index_of(device), info);
}

int nvmlDeviceGetCudaComputeCapability(NvmlDevice, int* major, int* minor) {
  const auto set = static_cast<int>(number("FAKE_GPU_CAPABILITY"));
  *major = set > 0 ? set / 10 : 8;
  *minor = set > 0 ? set % 10 : 6;
  return kNvmlSuccess;
}

int nvmlDeviceGetMigMode(NvmlDevice, unsigned* current, unsigned* pending) {
  *current = *pending = number("FAKE_MIG") > 0 ? 1 : 0;
  return kNvmlSuccess;
}

int nvmlDeviceGetMaxMigDeviceCount(NvmlDevice, unsigned* count) {
  *count = static_cast<unsigned>(number("FAKE_MIG"));
  return kNvmlSuccess;
}

int nvmlDeviceGetMigDeviceHandleByIndex(NvmlDevice device, unsigned index, NvmlDevice* instance) {
  *instance =
      reinterpret_cast<NvmlDevice>(reinterpret_cast<std::size_t>(device) + 256 * (index + 1));
  return kNvmlSuccess;
}

int nvmlDeviceGetMemoryInfo(NvmlDevice device, NvmlMemory* memory) {
  unsigned long long used = 1ULL << 30;
  each_user(device, [&used](unsigned, unsigned long long bytes) { used += bytes; });
  *memory = {48ULL << 30, (48ULL << 30) - used, used};
  return kNvmlSuccess;
}

int nvmlDeviceGetTopologyCommonAncestor(NvmlDevice a, NvmlDevice b, int* level) {
  *level = index_of(a) / 4 == index_of(b) / 4 ? 40 : 50;
  return kNvmlSuccess;
}

int nvmlDeviceGetNvLinkState(NvmlDevice device, unsigned link, unsigned* active) {
  const bool has_partner = (index_of(device) ^ 1U) < number("FAKE_GPUS");
  *active = has_partner && link < 4 ? 1 : 0;
  return kNvmlSuccess;
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(NvmlDevice device, unsigned, NvmlPciInfo* info) {
  return put_bus(index_of(device) ^ 1U, info);
}

int nvmlDeviceGetComputeRunningProcesses_v3(NvmlDevice device, unsigned* count, NvmlProcess* into) {
  unsigned found = 0;
  const auto put_process = [&](unsigned pid, unsigned long long bytes) {
    if (found < *count) into[found++] = {pid, bytes, 0, 0};
  };
  const std::size_t pid = number("FAKE_GPU_PID");
  if (pid != 0 && index_of(device) + 1 == number("FAKE_GPUS"))
    put_process(static_cast<unsigned>(pid), 1ULL << 30);
  each_user(device, put_process);
  *count = found;
  return kNvmlSuccess;
}

int nvmlDeviceGetTotalEccErrors(NvmlDevice device, int kind, int, unsigned long long* count) {
  const auto all = xids();
  *count = static_cast<unsigned long long>(std::count_if(all.begin(), all.end(), [&](auto& one) {
    return kind == kNvmlEccUncorrected && one.first == index_of(device) && one.second == 48;
  }));
  return kNvmlSuccess;
}

int nvmlEventSetCreate(NvmlEventSet* set) {
  *set = new NvmlEventSetOpaque;
  return kNvmlSuccess;
}

int nvmlEventSetFree(NvmlEventSet set) {
  delete set;
  return kNvmlSuccess;
}

int nvmlDeviceRegisterEvents(NvmlDevice, unsigned long long, NvmlEventSet) { return kNvmlSuccess; }

int nvmlEventSetWait_v2(NvmlEventSet set, NvmlEvent* event, unsigned) {
  const auto all = xids();
  if (set->told >= all.size()) return 10;
  const auto& [gpu, xid] = all[set->told++];
  *event = {};
  event->type = kNvmlEventXid;
  event->data = xid;
  return nvmlDeviceGetHandleByIndex_v2(static_cast<unsigned>(gpu), &event->device);
}

// LibTorch calls these when memory has run out, to report which process uses it.
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, NvmlDevice* device) {
  return nvmlDeviceGetHandleByIndex_v2(
      static_cast<unsigned>(std::strtoul(std::strchr(bus_id, ':') + 1, nullptr, 16)), device);
}

int nvmlDeviceGetComputeRunningProcesses(NvmlDevice, unsigned* count, void*) {
  *count = 0;
  return kNvmlSuccess;
}

int nvmlDeviceGetNvLinkRemoteDeviceType(NvmlDevice, unsigned, int*) { return 3; }
int nvmlDeviceGetGpuFabricInfoV(NvmlDevice, void*) { return 3; }

}  // extern "C"
