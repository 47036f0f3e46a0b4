#include "tests/gpu/device.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>

namespace fake_gpu {

thread_local cudaError_t last_error = cudaSuccess;
thread_local int current_device = 0;
thread_local cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;

double setting(const char* variable, double otherwise) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' ? std::strtod(value, nullptr) : otherwise;
}

std::int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

std::uint64_t thread_number() {
  static std::atomic<std::uint64_t> newest{0};
  thread_local const std::uint64_t number = ++newest;
  return number;
}

// Writes each line with one call, so that it is complete even if the process is killed right after.
void trace(const char* kind, const std::string& detail) {
  static const int file = [] {
    const char* folder = std::getenv("FAKE_TRACE");
    if (folder == nullptr) return -1;
    const std::string path = std::string(folder) + "/" + std::to_string(::getpid());
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }();
  if (file < 0) return;
  const std::string line = std::string(kind) + " " + detail.substr(0, 300) + "\n";
  if (::write(file, line.data(), line.size()) < 0) std::abort();
}

Devices& Devices::get() {
  static auto* const devices = new Devices;
  return *devices;
}

// The list ends at the first unknown entry, as in CUDA. FAKE_FAIL is KIND:WHICH:CODE.
Devices::Devices() {
  const int present = static_cast<int>(setting("FAKE_GPUS", 0));
  const char* chosen = std::getenv("CUDA_VISIBLE_DEVICES");
  if (chosen == nullptr) {
    for (int i = 0; i < present; ++i) visible_.push_back(i);
  } else {
    for (std::string list = chosen; !list.empty();) {
      const std::string one = list.substr(0, list.find(','));
      list.erase(0, one.size() + 1);
      const bool uuid = one.rfind("GPU-", 0) == 0;
      char* end = nullptr;
      const long index = uuid ? std::strtol(one.c_str() + one.find_last_of("-") + 1, &end, 16)
                              : std::strtol(one.c_str(), &end, 10);
      if (one.empty() || *end != '\0' || index < 0 || index >= present) break;
      visible_.push_back(static_cast<int>(index));
    }
  }
  for (int i = 0; i < count(); ++i) {
    defaults_.push_back(std::make_unique<Stream>());
    defaults_.back()->device = i;
    streams.insert(defaults_.back().get());
  }
  total_bytes_ = static_cast<std::size_t>(setting("FAKE_MEMORY", 48.0 * (1 << 30)));
  if (const char* fail = std::getenv("FAKE_FAIL")) {
    const std::string text = fail;
    fail_kind_ = text.substr(0, text.find(':'));
    fail_at_ = std::strtol(text.c_str() + fail_kind_.size() + 1, nullptr, 10);
    fail_code_ = std::atoi(text.c_str() + text.rfind(':') + 1);
  }
}

std::size_t Devices::used_bytes(int device) const {
  std::size_t sum = 0;
  for (const auto& entry : blocks)
    if (entry.second.device == device) sum += entry.second.bytes;
  return sum;
}

// Writes a file per process for NVML, which is valid as long as the process lives.
void Devices::tell_use() const {
  static const char* const folder = std::getenv("FAKE_USE");
  if (folder == nullptr) return;
  std::ofstream file(std::string(folder) + "/" + std::to_string(::getpid()));
  for (int i = 0; i < count(); ++i) file << number(i) << ' ' << used_bytes(i) << '\n';
}

// Reports the XID of a lost context to NVML.
void Devices::tell_xid() const {
  static const char* const folder = std::getenv("FAKE_USE");
  const int xid = broken_ == cudaErrorECCUncorrectable ? 48
                  : broken_ == cudaErrorIllegalAddress ? 31
                  : broken_ == cudaErrorLaunchFailure  ? 13
                  : broken_ == cudaErrorAssert         ? 43
                                                       : 0;
  if (folder == nullptr || xid == 0) return;
  std::ofstream(std::string(folder) + "/xid", std::ios::app)
      << number(current_device) << ' ' << xid << '\n';
}

const Block* Devices::block(const void* pointer) const {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  auto after = blocks.upper_bound(address);
  if (after == blocks.begin()) return nullptr;
  --after;
  return address < after->first + std::max<std::size_t>(after->second.bytes, 1) ? &after->second
                                                                                : nullptr;
}

// Untouched pages cost no memory, and new memory is zero.
cudaError_t Devices::allocate(void** into, std::size_t bytes, int device) {
  if (device >= 0 && used_bytes(device) + bytes > total_bytes_) return cudaErrorMemoryAllocation;
  void* memory = ::mmap(nullptr, std::max<std::size_t>(bytes, 1), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return cudaErrorMemoryAllocation;
  blocks[reinterpret_cast<std::uintptr_t>(memory)] = {bytes, device, false};
  if (device >= 0) tell_use();
  *into = memory;
  return cudaSuccess;
}

// Releases memory as CUDA does, after waiting for work that uses it.
cudaError_t Devices::release(void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  const auto found = blocks.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (found == blocks.end()) return cudaErrorInvalidValue;
  ::munmap(pointer, std::max<std::size_t>(found->second.bytes, 1));
  blocks.erase(found);
  tell_use();
  return cudaSuccess;
}

Stream& Devices::stream(cudaStream_t handle) {
  const bool is_default = reinterpret_cast<std::uintptr_t>(handle) <= 2;
  return is_default ? *defaults_.at(static_cast<std::size_t>(current_device))
                    : *reinterpret_cast<Stream*>(handle);
}

cudaError_t Devices::post(Stream& stream, Work work) {
  if (broken_ != cudaSuccess) return broken_;
  if (Capture* capture = stream.capture.get()) {
    capture->work.push_back(std::move(work));
    capture->last[&stream] = capture->work.size();
    return capture->invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
  }
  work.posted_ns = now_ns();
  stream.queue.push_back(std::move(work));
  return cudaSuccess;
}

cudaError_t Devices::post_event(Stream& stream, const std::shared_ptr<Event>& event) {
  const std::uint64_t number = ++event->recorded;
  return post(stream, Work{0, [event, number](std::int64_t& at_ns) {
                             event->done = number;
                             event->at_ns = at_ns;
                             return true;
                           }});
}

bool Devices::advance(Stream& stream, std::int64_t now) {
  bool moved = false;
  while (!stream.queue.empty()) {
    Work& work = stream.queue.front();
    std::int64_t at_ns = std::max(stream.clock_ns, work.posted_ns) + work.cost_ns;
    if (at_ns > now || (work.run && !work.run(at_ns))) break;
    stream.clock_ns = at_ns;
    stream.queue.pop_front();
    moved = true;
  }
  return moved;
}

void Devices::advance() {
  const std::int64_t now = now_ns();
  for (bool moved = true; moved;) {
    moved = false;
    for (Stream* stream : streams) moved = advance(*stream, now) || moved;
  }
}

cudaError_t Devices::wait(const std::function<bool()>& done) {
  for (;;) {
    {
      const std::lock_guard lock(mutex);
      advance();
      if (broken_ != cudaSuccess) return broken_;
      if (done()) return cudaSuccess;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

void Devices::advance_always() {
  if (std::exchange(always_, true)) return;
  std::thread([this] {
    for (;;) {
      {
        const std::lock_guard lock(mutex);
        advance();
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }).detach();
}

// Refuses a call that may wait for the device if this thread records, or any thread records in
// global mode, unless this thread has chosen "relaxed".
cudaError_t Devices::refused() {
  if (capture_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  for (Stream* stream : streams) {
    Capture* capture = stream->capture.get();
    if (capture == nullptr || capture->mode == cudaStreamCaptureModeRelaxed) continue;
    const bool mine = capture->thread == thread_number();
    const bool everybody =
        capture->mode == cudaStreamCaptureModeGlobal && capture_mode == cudaStreamCaptureModeGlobal;
    if (!mine && !everybody) continue;
    capture->invalid = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  return cudaSuccess;
}

cudaError_t Devices::failing(const char* kind) {
  if (fail_kind_ == kind && --fail_at_ == 0) {
    const auto code = static_cast<cudaError_t>(fail_code_);
    if (code == cudaErrorMemoryAllocation) return code;
    broken_ = code;  // the context is lost
    tell_xid();
  }
  return broken_;
}

void hang(const char* kind) {
  const char* wanted = std::getenv("FAKE_HANG");
  const char* rank = std::getenv("RANK");
  if (wanted == nullptr || rank == nullptr || std::string(kind) + ":" + rank != wanted) return;
  for (;;) (void)::pause();
}

cudaError_t say(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

cudaError_t synchronize(Stream& stream, const char* kind) {
  auto& devices = Devices::get();
  {
    const std::lock_guard lock(devices.mutex);
    trace("synchronize", kind);
    if (const auto failed = devices.failing("synchronize"); failed != cudaSuccess)
      return say(failed);
    if (stream.capture) {
      stream.capture->invalid = true;
      return say(cudaErrorStreamCaptureUnsupported);
    }
    if (const auto no = devices.refused(); no != cudaSuccess) return say(no);
  }
  return say(devices.wait([&stream] { return stream.queue.empty(); }));
}

cudaError_t launch(cudaStream_t handle, const std::string& name) {
  static const auto cost_ns = static_cast<std::int64_t>(setting("FAKE_KERNEL_US", 2) * 1000);
  constexpr std::size_t kQueue = 1024;
  auto& devices = Devices::get();
  Stream& stream = devices.stream(handle);
  std::unique_lock lock(devices.mutex);
  if (stream.queue.size() > kQueue) {  // a GPU's queue is limited: the launching thread waits
    lock.unlock();
    (void)devices.wait([&stream] { return stream.queue.size() <= kQueue; });
    lock.lock();
  }
  trace(stream.capture ? "record" : "launch", name);
  // A launch does not return a failure of its kernel, as on a GPU; the next call that checks does.
  const cudaError_t posted = devices.post(stream, {cost_ns, nullptr});
  (void)devices.failing("launch");
  return posted;
}

}  // namespace fake_gpu
