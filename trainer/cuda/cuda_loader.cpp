#include "trainer/cuda/cuda_loader.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "trainer/cuda/cuda_api.h"

namespace ringside::cuda {
namespace {

// Asking the loader for libcuda would start the driver; checking what it would find is enough
// here.
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

}  // namespace

CudaModule load_cuda() {
  if (!driver_present()) return {nullptr, "no NVIDIA driver on this machine"};
  const auto path = module_path();
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr)
    return {nullptr, std::string("the CUDA module could not be loaded: ") + ::dlerror()};
  const auto version = symbol<int (*)()>(library, "ringside_cuda_api_version");
  const auto make = symbol<CudaApi* (*)()>(library, "ringside_cuda_api");
  if (version == nullptr || make == nullptr || version() != kCudaApiVersion) {
    return {nullptr, path.string() + " belongs to another version of ringside-trainer"};
  }
  CudaApi* api = make();
  if (api->device_count() < 1) return {nullptr, "the NVIDIA driver offers no device"};
  return {api, {}};
}

}  // namespace ringside::cuda
