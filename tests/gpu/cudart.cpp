// The libcudart calls that PyTorch makes, on the GPUs of device.h. Loaded before the real library;
// calls that were not needed so far are missing and reach the real one, which finds no driver.
#include <cuda_runtime_api.h>
#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "tests/gpu/device.h"

using namespace fake_gpu;

namespace {

// Names point into the program's own tables. Filled before main(), by one thread.
std::unordered_map<const void*, const char*>& kernels() {
  static auto* const map = new std::unordered_map<const void*, const char*>;
  return *map;
}

const std::string& kernel_name(const void* function) {
  static auto* const known = new std::unordered_map<const void*, std::string>;
  const std::lock_guard lock(Devices::get().mutex);
  const auto [entry, fresh] = known->try_emplace(function);
  if (!fresh) return entry->second;
  const auto found = kernels().find(function);
  const char* mangled = found != kernels().end() ? found->second : "unknown";
  int status = 0;
  char* name = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  entry->second = name != nullptr ? name : mangled;
  std::free(name);
  return entry->second;
}

bool on_device(const void* pointer) {
  const Block* block = Devices::get().block(pointer);
  return block != nullptr && block->device >= 0;
}

const char* direction(const void* to, const void* from) {
  if (!on_device(from)) return on_device(to) ? "h2d" : "h2h";
  return on_device(to) ? "d2d" : "d2h";
}

// Pageable memory is read at once, and writes to it are waited for, as with CUDA.
cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaStream_t handle) {
  static const double per_ns = setting("FAKE_COPY_GB_PER_S", 20);
  auto& devices = Devices::get();
  bool wait = false;
  Stream* stream = nullptr;
  {
    const std::lock_guard lock(devices.mutex);
    stream = &devices.stream(handle);
    const bool pageable_from = devices.block(from) == nullptr;
    wait = devices.block(to) == nullptr && on_device(from);
    trace("copy", std::string(direction(to, from)) + " " + std::to_string(bytes) +
                      (pageable_from || wait ? " pageable" : ""));
    if (stream->capture && wait) {
      stream->capture->invalid = true;
      return say(cudaErrorStreamCaptureUnsupported);
    }
    if (const auto failed = devices.failing("copy"); failed != cudaSuccess) return say(failed);
    const auto cost_ns = 2000 + static_cast<std::int64_t>(static_cast<double>(bytes) / per_ns);
    auto run = [to, from, bytes](std::int64_t&) {
      std::memmove(to, from, bytes);
      return true;
    };
    auto staged = std::make_shared<std::string>();
    if (pageable_from) staged->assign(static_cast<const char*>(from), bytes);
    auto run_staged = [to, staged](std::int64_t&) {
      std::memcpy(to, staged->data(), staged->size());
      return true;
    };
    Work work{cost_ns, nullptr, 0};
    if (pageable_from)
      work.run = run_staged;
    else
      work.run = run;
    if (const auto error = devices.post(*stream, std::move(work)); error != cudaSuccess)
      return say(error);
  }
  return wait ? synchronize(*stream, "pageable copy") : cudaSuccess;
}

cudaError_t fill(void* to, int value, std::size_t bytes, cudaStream_t handle) {
  return locked([&](Devices& devices) {
    trace("memset", std::to_string(bytes));
    return devices.post(devices.stream(handle), {2000,
                                                 [to, value, bytes](std::int64_t&) {
                                                   std::memset(to, value, bytes);
                                                   return true;
                                                 },
                                                 0});
  });
}

cudaError_t allocate(void** into, std::size_t bytes, int device) {
  return locked([&](Devices& devices) {
    trace(device < 0 ? "pin" : "allocate", std::to_string(bytes));
    if (const auto failed = devices.failing("allocate"); failed != cudaSuccess) return failed;
    if (const auto no = devices.refused(); no != cudaSuccess) return no;
    return devices.allocate(into, bytes, device);
  });
}

// Releases memory as CUDA does, after waiting for work that may still use it.
cudaError_t release(void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  auto& devices = Devices::get();
  const auto waited = devices.wait([&devices] {
    for (const Stream* stream : devices.streams)
      if (!stream->queue.empty()) return false;
    return true;
  });
  if (waited != cudaSuccess) return say(waited);
  return locked([&](Devices& known) {
    trace("release", "");
    if (const auto no = known.refused(); no != cudaSuccess) return no;
    return known.release(pointer);
  });
}

void put_uuid(int number, cudaUUID_t& uuid) {
  std::memset(&uuid, 0, sizeof uuid);
  uuid.bytes[0] = static_cast<char>(0xfa);
  uuid.bytes[1] = 0x4e;
  uuid.bytes[15] = static_cast<char>(number);
}

}  // namespace

extern "C" {

// Kernels: their registration and launch.

void** __cudaRegisterFatBinary(void* code) { return static_cast<void**>(code); }
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {}
void __cudaRegisterFunction(void**, const char* function, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  kernels()[function] = name;
}

struct CallConfiguration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
static thread_local CallConfiguration configuration;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                     cudaStream_t stream) {
  configuration = {grid, block, shared, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  *grid = configuration.grid;
  *block = configuration.block;
  *shared = configuration.shared;
  *static_cast<cudaStream_t*>(stream) = configuration.stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3, dim3, void**, std::size_t,
                               cudaStream_t stream) {
  return say(launch(stream, kernel_name(kernel)));
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void**) {
  return say(launch(config->stream, kernel_name(function)));
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return locked([&](Devices& devices) {
    return devices.post(devices.stream(stream), {0,
                                                 [function, data](std::int64_t&) {
                                                   function(data);
                                                   return true;
                                                 },
                                                 0});
  });
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  *attributes = {};
  attributes->maxThreadsPerBlock = 1024;
  attributes->numRegs = 32;
  attributes->binaryVersion = attributes->ptxVersion = 86;
  attributes->maxDynamicSharedSizeBytes = 48 << 10;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*, int,
                                                                   std::size_t, unsigned) {
  *blocks = 4;
  return cudaSuccess;
}
cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  *pointer = const_cast<void*>(symbol);
  return cudaSuccess;
}
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                               std::size_t offset, cudaMemcpyKind) {
  std::memcpy(static_cast<char*>(const_cast<void*>(symbol)) + offset, from, bytes);
  return cudaSuccess;
}

// Devices.

cudaError_t cudaGetDeviceCount(int* count) {
  *count = Devices::get().count();
  return *count > 0 ? cudaSuccess : say(cudaErrorNoDevice);
}
cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  hang("device");
  if (device < 0 || device >= Devices::get().count()) return say(cudaErrorInvalidDevice);
  current_device = device;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  const int number = Devices::get().number(device);
  *properties = {};
  std::strcpy(properties->name, "Fake A6000");
  put_uuid(number, properties->uuid);
  properties->totalGlobalMem = Devices::get().total_bytes();
  properties->sharedMemPerBlock = 48 << 10;
  properties->sharedMemPerBlockOptin = 99 << 10;
  properties->sharedMemPerMultiprocessor = 100 << 10;
  properties->regsPerBlock = properties->regsPerMultiprocessor = 65536;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = properties->maxThreadsDim[0] = properties->maxThreadsDim[1] =
      1024;
  properties->maxThreadsDim[2] = 64;
  properties->maxGridSize[0] = 0x7fffffff;
  properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
  properties->major = 8;
  properties->minor = 6;
  properties->textureAlignment = 512;
  properties->multiProcessorCount = 84;
  properties->maxThreadsPerMultiProcessor = 1536;
  properties->l2CacheSize = 6 << 20;
  properties->pciBusID = number;
  properties->unifiedAddressing = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp properties;
  (void)cudaGetDeviceProperties(&properties, device);
  switch (attribute) {
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(properties.sharedMemPerBlockOptin);
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = properties.multiProcessorCount;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = properties.major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = properties.minor;
      break;
    default:
      *value = 0;
  }
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int room, int device) {
  std::snprintf(text, static_cast<std::size_t>(room), "0000:%02x:00.0",
                static_cast<unsigned>(Devices::get().number(device)));
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  *can = device != peer ? 1 : 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return cudaSuccess; }
cudaError_t cudaDeviceGetStreamPriorityRange(int* lowest, int* highest) {
  *lowest = 0;
  *highest = -5;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  auto& devices = Devices::get();
  {
    const std::lock_guard lock(devices.mutex);
    trace("synchronize", "device");
    if (const auto failed = devices.failing("synchronize"); failed != cudaSuccess)
      return say(failed);
    if (const auto no = devices.refused(); no != cudaSuccess) return say(no);
  }
  return say(devices.wait([&devices, device = current_device] {
    for (const Stream* stream : devices.streams)
      if (stream->device == device && !stream->queue.empty()) return false;
    return true;
  }));
}

// Memory.

cudaError_t cudaMalloc(void** into, std::size_t bytes) {
  return allocate(into, bytes, current_device);
}
cudaError_t cudaHostAlloc(void** into, std::size_t bytes, unsigned) {
  return allocate(into, bytes, -1);
}
cudaError_t cudaFree(void* pointer) { return release(pointer); }
cudaError_t cudaFreeHost(void* pointer) { return release(pointer); }
cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned) {
  return locked([&](Devices& devices) {
    devices.blocks[reinterpret_cast<std::uintptr_t>(pointer)] = {bytes, -1, true};
    return cudaSuccess;
  });
}
cudaError_t cudaHostUnregister(void* pointer) {
  return locked([&](Devices& devices) {
    devices.blocks.erase(reinterpret_cast<std::uintptr_t>(pointer));
    return cudaSuccess;
  });
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return locked([&](Devices& devices) {
    *total = devices.total_bytes();
    *free = *total - devices.used_bytes(current_device);
    return cudaSuccess;
  });
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return locked([&](Devices& devices) {
    *attributes = {};
    const Block* block = devices.block(pointer);
    if (block == nullptr) return cudaSuccess;  // memory that CUDA did not allocate
    attributes->type = block->device >= 0 ? cudaMemoryTypeDevice : cudaMemoryTypeHost;
    attributes->device = std::max(block->device, 0);
    attributes->devicePointer = const_cast<void*>(pointer);
    if (block->device < 0) attributes->hostPointer = const_cast<void*>(pointer);
    return cudaSuccess;
  });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  return copy(to, from, bytes, stream);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes,
                                cudaStream_t stream) {
  return copy(to, from, bytes, stream);
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  const auto error = copy(to, from, bytes, nullptr);
  return error != cudaSuccess ? error : synchronize(Devices::get().stream(nullptr), "copy");
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return fill(to, value, bytes, stream);
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return fill(to, value, bytes, nullptr);
}

// Errors; their texts come from the real library.

cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return last_error; }

}  // extern "C"
