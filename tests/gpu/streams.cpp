// Streams, events and recorded steps: the calls of libcudart about order.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <utility>

#include "tests/gpu/device.h"

using namespace fake_gpu;

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* into, unsigned, int priority) {
  return locked([&](Devices& devices) {
    auto* stream = new Stream;
    stream->device = current_device;
    stream->priority = priority;
    devices.streams.insert(stream);
    *into = reinterpret_cast<cudaStream_t>(stream);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamCreate(cudaStream_t* into) {
  return cudaStreamCreateWithPriority(into, 0, 0);
}
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }  // its queued work continues
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  *priority = Devices::get().stream(stream).priority;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return synchronize(Devices::get().stream(stream), "stream");
}
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return locked([&](Devices& devices) {
    Stream& stream = devices.stream(handle);
    if (stream.capture) {
      stream.capture->invalid = true;
      return cudaErrorStreamCaptureUnsupported;
    }
    if (const auto no = devices.refused(); no != cudaSuccess) return no;
    devices.advance();
    return stream.queue.empty() ? devices.failing("query") : cudaErrorNotReady;
  });
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* into, unsigned flags) {
  return locked([&](Devices& devices) {
    auto event = std::make_shared<Event>();
    event->device = current_device;
    event->timing = (flags & cudaEventDisableTiming) == 0;
    *into = reinterpret_cast<cudaEvent_t>(event.get());
    devices.events[*into] = std::move(event);
    return cudaSuccess;
  });
}
cudaError_t cudaEventCreate(cudaEvent_t* into) { return cudaEventCreateWithFlags(into, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return locked([&](Devices& devices) {
    return devices.events.erase(event) > 0 ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t on, unsigned flags) {
  return locked([&](Devices& devices) {
    const auto event = devices.events.at(handle);
    Stream& stream = devices.stream(on);
    // CUDA refuses an event of another device.
    if (event->device != stream.device) return cudaErrorInvalidResourceHandle;
    if (stream.capture && (flags & cudaEventRecordExternal) == 0) {
      event->capture = stream.capture;
      event->captured_on = &stream;
      event->captured_at = stream.capture->last[&stream];
      return cudaSuccess;
    }
    event->capture.reset();
    if (event->timing) trace("moment", std::to_string(reinterpret_cast<std::uintptr_t>(&stream)));
    if (!stream.capture) return devices.post_event(stream, event);
    Work work;
    work.event = handle;
    return devices.post(stream, std::move(work));
  });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned) {
  return locked([&](Devices& devices) {
    const auto event = devices.events.at(event_handle);
    Stream& stream = devices.stream(handle);
    if (event->capture) {
      if (stream.capture && stream.capture != event->capture) return cudaErrorStreamCaptureMerge;
      if (!stream.capture && event->capture->origin == nullptr) return cudaErrorCapturedEvent;
      stream.capture = event->capture;
      auto& joined = event->capture->joined[event->captured_on];
      joined = std::max(joined, event->captured_at);
      event->capture->last.try_emplace(&stream, 0);
      return cudaSuccess;
    }
    if (stream.capture) {
      // A recorded step must not depend on work outside of it.
      stream.capture->invalid = true;
      return cudaErrorStreamCaptureIsolation;
    }
    const std::uint64_t number = event->recorded;
    return devices.post(stream, Work{0, [event, number](std::int64_t& at_ns) {
                                       if (event->done < number) return false;
                                       at_ns = std::max(at_ns, event->at_ns);
                                       return true;
                                     }});
  });
}
cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return locked([&](Devices& devices) {
    const auto event = devices.events.at(handle);
    if (event->capture) {
      event->capture->invalid = true;
      return cudaErrorCapturedEvent;
    }
    if (const auto no = devices.refused(); no != cudaSuccess) return no;
    devices.advance();
    return event->done >= event->recorded ? devices.failing("query") : cudaErrorNotReady;
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  auto& devices = Devices::get();
  std::shared_ptr<Event> event;
  {
    const std::lock_guard lock(devices.mutex);
    trace("synchronize", "event");
    event = devices.events.at(handle);
    if (event->capture) {
      event->capture->invalid = true;
      return say(cudaErrorCapturedEvent);
    }
    if (const auto no = devices.refused(); no != cudaSuccess) return say(no);
  }
  return say(devices.wait([&event] { return event->done >= event->recorded; }));
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from_handle, cudaEvent_t to_handle) {
  static const double rate = 1 + setting("FAKE_DRIFT_PPM", 0) * 1e-6;
  return locked([&](Devices& devices) {
    const auto from = devices.events.at(from_handle);
    const auto to = devices.events.at(to_handle);
    if (!from->timing || !to->timing || from->device != to->device || from->recorded == 0 ||
        to->recorded == 0)
      return cudaErrorInvalidResourceHandle;
    devices.advance();
    if (from->done < from->recorded || to->done < to->recorded) return cudaErrorNotReady;
    *ms = static_cast<float>(static_cast<double>(to->at_ns - from->at_ns) * 1e-6 * rate);
    return cudaSuccess;
  });
}

// The recording of a step.

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(capture_mode, *mode);
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return locked([&](Devices& devices) {
    static unsigned long long newest = 0;
    Stream& stream = devices.stream(handle);
    if (reinterpret_cast<std::uintptr_t>(handle) <= 1) return cudaErrorStreamCaptureUnsupported;
    if (stream.capture) return cudaErrorIllegalState;
    stream.capture = std::make_shared<Capture>();
    stream.capture->origin = &stream;
    stream.capture->mode = mode;
    stream.capture->thread = thread_number();
    stream.capture->id = ++newest;
    trace("capture", "begin");
    return cudaSuccess;
  });
}
cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* into) {
  return locked([&](Devices& devices) {
    *into = nullptr;
    Stream& origin = devices.stream(handle);
    const auto capture = origin.capture;
    if (capture == nullptr || capture->origin != &origin) return cudaErrorIllegalState;
    bool unjoined = false;
    for (const auto& [stream, last] : capture->last)
      unjoined = unjoined || (stream != &origin && capture->joined[stream] < last);
    for (Stream* stream : devices.streams)
      if (stream->capture == capture) stream->capture.reset();
    capture->origin = nullptr;
    trace("capture", capture->invalid ? "lost" : "end");
    if (capture->invalid) return cudaErrorStreamCaptureInvalidated;
    if (unjoined) return cudaErrorStreamCaptureUnjoined;
    *into = reinterpret_cast<cudaGraph_t>(new Graph{std::move(capture->work), nullptr});
    return cudaSuccess;
  });
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, std::size_t* count) {
  return locked([&](Devices& devices) {
    const auto& capture = devices.stream(handle).capture;
    *status = capture == nullptr ? cudaStreamCaptureStatusNone
              : capture->invalid ? cudaStreamCaptureStatusInvalidated
                                 : cudaStreamCaptureStatusActive;
    if (capture == nullptr) return cudaSuccess;
    if (id != nullptr) *id = capture->id;
    if (graph != nullptr) *graph = nullptr;
    if (dependencies != nullptr) *dependencies = nullptr;
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = 0;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return cudaStreamGetCaptureInfo(stream, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* into, cudaGraph_t graph,
                                          unsigned long long) {
  const auto* origin = reinterpret_cast<const Graph*>(graph);
  *into = reinterpret_cast<cudaGraphExec_t>(new Graph{origin->work, origin});
  return cudaSuccess;
}
// A node is the index of its work in the recorded step.
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  auto& work = reinterpret_cast<Graph*>(graph)->work;
  for (std::size_t i = 0; nodes != nullptr && i < std::min(*count, work.size()); ++i)
    nodes[i] = reinterpret_cast<cudaGraphNode_t>(&work[i]);
  *count = work.size();
  return cudaSuccess;
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  const bool records = reinterpret_cast<const Work*>(node)->event != nullptr;
  *type = records ? cudaGraphNodeTypeEventRecord : cudaGraphNodeTypeKernel;
  return cudaSuccess;
}
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  *event = reinterpret_cast<const Work*>(node)->event;
  return say(*event != nullptr ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t started, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  return locked([&](Devices& devices) {
    auto* graph = reinterpret_cast<Graph*>(started);
    const auto place = reinterpret_cast<const Work*>(node) - graph->origin->work.data();
    if (place < 0 || place >= static_cast<std::ptrdiff_t>(graph->work.size()) ||
        devices.events.count(event) == 0)
      return cudaErrorInvalidValue;
    Work& work = graph->work[static_cast<std::size_t>(place)];
    if (work.event == nullptr) return cudaErrorInvalidValue;
    trace("replace", std::to_string(place));
    work.event = event;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t handle) {
  return locked([&](Devices& devices) {
    Stream& stream = devices.stream(handle);
    trace("replay", std::to_string(reinterpret_cast<Graph*>(graph)->work.size()));
    (void)devices.failing("replay");
    for (const Work& work : reinterpret_cast<Graph*>(graph)->work) {
      const auto error = work.event == nullptr
                             ? devices.post(stream, work)
                             : devices.post_event(stream, devices.events.at(work.event));
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete reinterpret_cast<Graph*>(graph);
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  delete reinterpret_cast<Graph*>(graph);
  return cudaSuccess;
}

}  // extern "C"
