#include "trainer/engine/rank/gpu_advice.h"

namespace ringside::engine {
namespace {

struct Advice {
  std::string_view words;
  std::string_view sentence;
};

// Messages of cudaGetErrorString and of LibTorch's allocator. Hardware errors have an XID, a number
// in the kernel log.
constexpr Advice kAdvice[] = {
    {"CUDA out of memory",
     "the GPU's memory is too small for this: lower batch.size or raise batch.accumulate, which "
     "keeps the global batch and holds less at a time, or try train.precision = \"bf16\"; "
     "`ringside doctor` names other processes on the GPU"},
    {"uncorrectable ECC error",
     "the GPU's memory is faulty: `nvidia-smi -q -d ECC,PAGE_RETIREMENT,ROW_REMAPPER` shows how "
     "far; have it reset (`nvidia-smi --gpu-reset`), leave it out with devices.ids until then, and "
     "tell whoever runs the machine if it comes again"},
    {"device-side assert",
     "a kernel found a value that it cannot use, most often a label below 0 or not below "
     "model.classes: run with CUDA_LAUNCH_BLOCKING=1, or once with devices.kind = \"cpu\", to see "
     "which"},
    {"illegal memory access",
     "a kernel left its memory: run with CUDA_LAUNCH_BLOCKING=1 to see which; where it comes on "
     "one GPU alone, `dmesg | grep -i xid` tells whether that one is broken"},
    {"STATUS_EXECUTION_FAILED",
     "cuBLAS or cuDNN met the failure of a kernel before it, most often of a label that is not "
     "below model.classes: run with CUDA_LAUNCH_BLOCKING=1 to see which"},
    {"unspecified launch failure",
     "a kernel crashed: `dmesg | grep -i xid` tells whether the GPU is broken; leave it out with "
     "devices.ids if so"},
    {"launch timed out",
     "the GPU also draws a screen, where a kernel may take some seconds only: leave it out with "
     "devices.ids"},
    {"GPU is lost",
     "the GPU has fallen off its bus: `dmesg | grep -i xid` says when; the machine has to restart "
     "before it comes back, leave it out with devices.ids until then"},
    {"CUDA-capable device(s) is/are busy or unavailable",
     "another process has the GPU to itself (`nvidia-smi -q -d COMPUTE`), or it is broken: `dmesg "
     "| grep -i xid` tells"},
    {"no kernel image is available",
     "this build has no code for so old or so new a GPU: `ringside doctor` says for which it has"},
};

}  // namespace

std::string gpu_advice(std::string_view thrown) {
  for (const Advice& one : kAdvice) {
    if (thrown.find(one.words) != std::string_view::npos) return std::string(one.sentence);
  }
  return {};
}

}  // namespace ringside::engine
