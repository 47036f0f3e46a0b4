#include "trainer/cuda/cuda_loader.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>

#include "protocol/host/pci_bus.h"
#include "trainer/cuda/cuda_api.h"

namespace ringside::cuda {
namespace {

// Loading libcuda would initialize the driver; checking that the file exists is enough.
bool driver_present() {
  std::error_code ignored;
  if (!std::filesystem::exists("/dev/nvidiactl", ignored) &&
      !std::filesystem::exists("/dev/dxg", ignored))
    return false;
  void* handle = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return false;
  ::dlclose(handle);
  return true;
}

/// True when CUDA_VISIBLE_DEVICES hides all GPUs.
bool all_hidden() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible != nullptr && (*visible == '\0' || *visible == '-');
}

std::filesystem::path module_path() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return program.parent_path() / "ringside-trainer-cuda.so";
}

template <class Function>
Function symbol(void* library, const char* name) {
  void* found = ::dlsym(library, name);
  Function function = nullptr;
  static_assert(sizeof function == sizeof found);
  std::memcpy(&function, &found, sizeof function);
  return function;
}

CudaModule open_module() {
  const auto path = module_path();
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr)
    return {nullptr, std::string("the CUDA module could not be loaded: ") + ::dlerror(), true};
  const auto version = symbol<int (*)()>(library, "ringside_cuda_api_version");
  const auto make = symbol<CudaApi* (*)()>(library, "ringside_cuda_api");
  if (version == nullptr || make == nullptr || version() != kCudaApiVersion) {
    return {nullptr, path.string() + " belongs to another version of ringside-trainer", true};
  }
  return {make(), {}};
}

}  // namespace

CudaModule load_cuda() {
  if (!driver_present()) {
    if (!nvidia_gpu_on_bus()) return {nullptr, "no NVIDIA driver on this machine"};
    return {nullptr, "this machine has an NVIDIA GPU and no driver for it", true};
  }
  const CudaModule module = open_module();
  if (module.api == nullptr) return module;
  if (module.api->device_count() < 1)
    return {nullptr, "the NVIDIA driver offers no device", !all_hidden()};
  return module;
}

std::string cuda_build_text() {
  const CudaModule module = open_module();
  try {
    return module.api != nullptr ? module.api->build_text() : std::string();
  } catch (const std::exception&) {  // LibTorch queries the driver version, which may throw
    return {};
  }
}

}  // namespace ringside::cuda
