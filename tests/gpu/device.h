// The GPUs of one process, made of host memory: what a program puts on a stream waits there until
// its time has come and somebody asks, synchronises or waits. Kernels only take time and are
// counted. All threads of the process share it, under one mutex; it is never destroyed.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace fake_gpu {

/// Names what the caller asks for in the file of FAKE_TRACE, one line each: "launch NAME".
void trace(const char* kind, const std::string& detail);

/// The number of an environment variable, or `otherwise`.
double setting(const char* variable, double otherwise);

std::int64_t now_ns();

/// Something on a stream. It is done once `run` says so; `at_ns`, the device's time, may be moved
/// to later by what it has to wait for. A recorded step runs it again and again.
struct Work {
  std::int64_t cost_ns = 0;
  std::function<bool(std::int64_t& at_ns)> run;
  std::int64_t posted_ns = 0;
  cudaEvent_t event = nullptr;  ///< of a recorded step: this work is to record it, at each replay
};

struct Stream;

struct Capture {
  Stream* origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::uint64_t thread = 0;
  std::uint64_t id = 0;
  bool invalid = false;
  std::vector<Work> work;
  std::map<Stream*, std::size_t> last;    ///< of each stream that takes part: its newest work
  std::map<Stream*, std::size_t> joined;  ///< up to where another stream waits for it
};

struct Event {
  int device = 0;
  bool timing = true;
  std::uint64_t recorded = 0;
  std::uint64_t done = 0;
  std::int64_t at_ns = 0;
  std::shared_ptr<Capture> capture;  ///< its newest record stands in one
  Stream* captured_on = nullptr;
  std::size_t captured_at = 0;
};

struct Stream {
  int device = 0;
  int priority = 0;
  std::int64_t clock_ns = 0;
  std::deque<Work> queue;
  std::shared_ptr<Capture> capture;
};

struct Graph {
  std::vector<Work> work;
  const Graph* origin = nullptr;  ///< of one that can be started: what it was made of
};

struct Block {
  std::size_t bytes = 0;
  int device = -1;  ///< below 0: pinned memory of the host
  bool registered = false;
};

class Devices {
 public:
  static Devices& get();

  std::recursive_mutex mutex;
  std::map<std::uintptr_t, Block> blocks;
  std::map<cudaEvent_t, std::shared_ptr<Event>> events;
  std::set<Stream*> streams;

  int count() const { return static_cast<int>(visible_.size()); }
  /// The GPU's number on the machine, as CUDA_VISIBLE_DEVICES has chosen it.
  int number(int device) const { return visible_.at(static_cast<std::size_t>(device)); }
  std::size_t total_bytes() const { return total_bytes_; }
  std::size_t used_bytes(int device) const;

  /// The block in which a pointer lies, or null.
  const Block* block(const void* pointer) const;
  cudaError_t allocate(void** into, std::size_t bytes, int device);
  cudaError_t release(void* pointer);

  Stream& stream(cudaStream_t handle);
  /// Puts work on a stream, or into the recording that the stream takes part in.
  cudaError_t post(Stream& stream, Work work);
  /// Has the event done when all work before it on the stream is.
  cudaError_t post_event(Stream& stream, const std::shared_ptr<Event>& event);
  /// Does all work whose time has come.
  void advance();
  /// Waits until `done` says so, doing work meanwhile.
  cudaError_t wait(const std::function<bool()>& done);
  /// Has a thread of its own do work from now on: other processes wait for it.
  void advance_always();

  /// Why a call that a recording forbids is refused; a recording that it disturbs is lost.
  cudaError_t refused();
  /// What FAKE_FAIL says about the newest call of this kind, or the error that stays.
  cudaError_t failing(const char* kind);

 private:
  Devices();
  bool advance(Stream& stream, std::int64_t now);
  void tell_use() const;
  void tell_xid() const;

  std::vector<int> visible_;
  std::vector<std::unique_ptr<Stream>> defaults_;
  std::size_t total_bytes_;
  std::string fail_kind_;
  long fail_at_ = 0;
  int fail_code_ = 0;
  cudaError_t broken_ = cudaSuccess;
  bool always_ = false;
};

/// FAKE_HANG is KIND:RANK: that rank never comes back from a call of this kind.
void hang(const char* kind);

/// The device and capture mode of this thread.
extern thread_local int current_device;
extern thread_local cudaStreamCaptureMode capture_mode;
std::uint64_t thread_number();

/// The newest error of this thread, for cudaGetLastError().
extern thread_local cudaError_t last_error;
cudaError_t say(cudaError_t error);

/// Runs `work` under the mutex, and keeps its error as CUDA does.
template <class Function>
cudaError_t locked(Function work) {
  auto& devices = Devices::get();
  const std::lock_guard lock(devices.mutex);
  return say(work(devices));
}

/// Waits until a stream is empty, for a call named `kind`.
cudaError_t synchronize(Stream& stream, const char* kind);

/// Puts a kernel or a library's operation on a stream and counts it.
cudaError_t launch(cudaStream_t stream, const std::string& name);

}  // namespace fake_gpu
