// Libraries around libcudart: the presence of the driver, and the cuBLAS and cuDNN calls of a
// training. They compute nothing; a handle knows its stream, so that each operation is counted
// there by name. Queried sizes and defaults are 0 or the only choice.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>

#include "tests/gpu/device.h"

using namespace fake_gpu;

namespace {

struct Handle {
  cudaStream_t stream = nullptr;
};

int make_handle(Handle** into) {
  *into = new Handle;
  return 0;
}

int set_stream(Handle* handle, cudaStream_t stream) {
  handle->stream = stream;
  return 0;
}

int put(int* into, int value) {
  *into = value;
  return 0;
}

int put_nothing(std::size_t* size) {
  *size = 0;
  return 0;
}

}  // namespace

extern "C" {

// C++ code checks whether the driver's device file exists; code built on an old system uses the
// second function.
int stat(const char* path, struct stat* into) {
  return ::fstatat(AT_FDCWD, std::strcmp(path, "/dev/nvidiactl") == 0 ? "/dev/null" : path, into,
                   0);
}

int __xstat(int, const char* path, struct stat* into) { return ::stat(path, into); }

int cuDevicePrimaryCtxGetState(int, unsigned* flags, int* active) {
  *flags = 0;
  return put(active, 1);
}

int cuCtxGetCurrent(void** context) {
  static int primary = 0;
  *context = &primary;
  return 0;
}
int cuCtxSetCurrent(void*) { return 0; }

static int not_supported() { return 801; }

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** into, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* found) {
  *into = ::dlsym(RTLD_DEFAULT, symbol);
  if (*into == nullptr) *into = reinterpret_cast<void*>(&not_supported);
  if (found != nullptr) *found = cudaDriverEntryPointSuccess;
  return cudaSuccess;
}

// Defines an operation whose first argument is the handle. Both libraries have their own code for
// "execution failed".
constexpr int kCublasFailed = 13;
constexpr int kCudnnFailed = 5000;
#define OPERATION(name, failed) \
  int name(Handle* handle) { return launch(handle->stream, #name) == cudaSuccess ? 0 : failed; }
#define NOTHING(name) \
  int name() { return 0; }

int cublasCreate_v2(Handle** into) { return make_handle(into); }
NOTHING(cublasDestroy_v2)
int cublasSetStream_v2(Handle* handle, cudaStream_t stream) { return set_stream(handle, stream); }
NOTHING(cublasSetWorkspace_v2)
NOTHING(cublasSetMathMode)
int cublasGetMathMode(Handle*, int* mode) { return put(mode, 0); }
NOTHING(cublasSetPointerMode_v2)
int cublasGetPointerMode_v2(Handle*, int* mode) { return put(mode, 0); }
OPERATION(cublasSgemm_v2, kCublasFailed)
OPERATION(cublasGemmEx, kCublasFailed)
OPERATION(cublasSgemmEx, kCublasFailed)
OPERATION(cublasSgemv_v2, kCublasFailed)
OPERATION(cublasSdot_v2, kCublasFailed)
OPERATION(cublasDotEx, kCublasFailed)
OPERATION(cublasSgemmStridedBatched, kCublasFailed)
OPERATION(cublasGemmStridedBatchedEx, kCublasFailed)

// A matrix multiplication of cuBLASLt; its arguments are a handle, 14 others, and a stream.
int cublasLtMatmul(Handle*, void*, const void*, const void*, void*, const void*, void*, const void*,
                   const void*, void*, void*, void*, const void*, void*, std::size_t,
                   cudaStream_t stream) {
  return launch(stream, "cublasLtMatmul") == cudaSuccess ? 0 : kCublasFailed;
}
static int make_anything(void** into) {
  *into = new std::uint64_t(0);
  return 0;
}
int cublasLtMatmulDescCreate(void** into) { return make_anything(into); }
int cublasLtMatrixLayoutCreate(void** into) { return make_anything(into); }
int cublasLtMatmulPreferenceCreate(void** into) { return make_anything(into); }
NOTHING(cublasLtMatmulDescDestroy)
NOTHING(cublasLtMatrixLayoutDestroy)
NOTHING(cublasLtMatmulPreferenceDestroy)
NOTHING(cublasLtMatmulDescSetAttribute)
NOTHING(cublasLtMatrixLayoutSetAttribute)
NOTHING(cublasLtMatmulPreferenceSetAttribute)
// All zeros are a valid choice without a workspace.
int cublasLtMatmulAlgoGetHeuristic(void*, void*, void*, void*, void*, void*, void*, int,
                                   void* results, int* count) {
  std::memset(results, 0, 96);
  return put(count, 1);
}

int cudnnCreate(Handle** into) { return make_handle(into); }
NOTHING(cudnnDestroy)
int cudnnSetStream(Handle* handle, cudaStream_t stream) { return set_stream(handle, stream); }
int cudnnGetStream(Handle* handle, cudaStream_t* stream) {
  *stream = handle->stream;
  return 0;
}
int cudnnCreateTensorDescriptor(void** into) { return make_anything(into); }
int cudnnCreateActivationDescriptor(void** into) { return make_anything(into); }
NOTHING(cudnnDestroyTensorDescriptor)
NOTHING(cudnnDestroyActivationDescriptor)
NOTHING(cudnnSetTensorNdDescriptor)
NOTHING(cudnnSetActivationDescriptor)
OPERATION(cudnnBatchNormalizationForwardTrainingEx, kCudnnFailed)
OPERATION(cudnnBatchNormalizationForwardInference, kCudnnFailed)
OPERATION(cudnnBatchNormalizationBackwardEx, kCudnnFailed)
int cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(void*, int, int, void*, void*, void*,
                                                             void*, void*, std::size_t* size) {
  return put_nothing(size);
}
int cudnnGetBatchNormalizationBackwardExWorkspaceSize(void*, int, int, void*, void*, void*, void*,
                                                      void*, void*, void*, std::size_t* size) {
  return put_nothing(size);
}
int cudnnGetBatchNormalizationTrainingExReserveSpaceSize(void*, int, int, void*, void*,
                                                         std::size_t* size) {
  return put_nothing(size);
}

// Descriptors of cuDNN 8 and later: graphs of operations, with one engine.
int cudnnBackendCreateDescriptor(int, void** into) { return make_anything(into); }
NOTHING(cudnnBackendDestroyDescriptor)
NOTHING(cudnnBackendSetAttribute)
NOTHING(cudnnBackendFinalize)
OPERATION(cudnnBackendExecute, kCudnnFailed)
int cudnnBackendGetAttribute(void*, int attribute, int, std::int64_t wanted, std::int64_t* count,
                             void* into) {
  constexpr int kHeuristicResults = 202;
  constexpr int kPlanWorkspaceSize = 402;
  const bool offered = attribute == kHeuristicResults || attribute == kPlanWorkspaceSize;
  if (count != nullptr) *count = offered ? 1 : 0;
  if (attribute == kPlanWorkspaceSize && wanted > 0) *static_cast<std::int64_t*>(into) = 0;
  return 0;
}

}  // extern "C"
