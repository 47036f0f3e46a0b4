// Simulated GPUs of one process, in host memory: work on a stream waits until its time has come and
// a call queries, synchronises or waits. Kernels only take time and are counted. All threads of the
// process share this state under one mutex; it is never destroyed.
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

/// Writes a request of the caller to the file FAKE_TRACE, one line each: "launch NAME".
void trace(const char* kind, const std::string& detail);

/// Returns the number in an environment variable, or `otherwise`.
double setting(const char* variable, double otherwise);

std::int64_t now_ns();

/// Work on a stream. It is done once `run` returns true; `at_ns`, in device time, may be moved
/// later by work that it has to wait for. A recorded step runs it repeatedly.
struct Work {
  std::int64_t cost_ns = 0;
  std::function<bool(std::int64_t& at_ns)> run;
  std::int64_t posted_ns = 0;
  cudaEvent_t event = nullptr;  ///< in a recorded step: the event recorded at each replay
};

struct Stream;

struct Capture {
  Stream* origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::uint64_t thread = 0;
  std::uint64_t id = 0;
  bool invalid = false;
  std::vector<Work> work;
  std::map<Stream*, std::size_t> last;    ///< newest work of each participating stream
  std::map<Stream*, std::size_t> joined;  ///< how far another stream waits for each stream
};

struct Event {
  int device = 0;
  bool timing = true;
  std::uint64_t recorded = 0;
  std::uint64_t done = 0;
  std::int64_t at_ns = 0;
  std::shared_ptr<Capture> capture;  ///< set if its newest record is part of a recorded step
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
  const Graph* origin = nullptr;  ///< for an executable graph: the graph it was made of
};

struct Block {
  std::size_t bytes = 0;
  int device = -1;  ///< below 0: pinned host memory
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
  /// Number of the GPU on the machine after CUDA_VISIBLE_DEVICES.
  int number(int device) const { return visible_.at(static_cast<std::size_t>(device)); }
  std::size_t total_bytes() const { return total_bytes_; }
  std::size_t used_bytes(int device) const;

  /// Returns the block that contains a pointer, or null.
  const Block* block(const void* pointer) const;
  cudaError_t allocate(void** into, std::size_t bytes, int device);
  cudaError_t release(void* pointer);

  Stream& stream(cudaStream_t handle);
  /// Adds work to a stream, or to the recording that the stream takes part in.
  cudaError_t post(Stream& stream, Work work);
  /// Marks the event as done when all earlier work on the stream is done.
  cudaError_t post_event(Stream& stream, const std::shared_ptr<Event>& event);
  /// Runs all work whose time has come.
  void advance();
  /// Runs work until `done` returns true.
  cudaError_t wait(const std::function<bool()>& done);
  /// Starts a thread that runs work from now on, because other processes wait for it.
  void advance_always();

  /// Returns the error for a call that is forbidden during recording, and invalidates the
  /// recording.
  cudaError_t refused();
  /// Returns the error that FAKE_FAIL sets for the newest call of this kind, or a lasting error.
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

/// Never returns in rank RANK for a call of this kind if FAKE_HANG is KIND:RANK.
void hang(const char* kind);

/// Current device of this thread; its capture mode follows.
extern thread_local int current_device;
extern thread_local cudaStreamCaptureMode capture_mode;
std::uint64_t thread_number();

/// The newest error of this thread, for cudaGetLastError().
extern thread_local cudaError_t last_error;
cudaError_t say(cudaError_t error);

/// Runs `work` under the mutex, and stores its error as CUDA does.
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
