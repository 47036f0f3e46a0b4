// The error file of a failed rank: error.json as torchrun reads it, and the flight recorder of the
// process groups.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ringside::cuda {
class CudaApi;
}

namespace ringside::engine {

/// Where to write a failure; `cuda` provides NCCL's records, null without a GPU.
struct ErrorFile {
  std::filesystem::path path;
  cuda::CudaApi* cuda = nullptr;
};

/// An error message for users from an exception thrown in training: it names another rank if that
/// is the likely cause, and what to do if a GPU failed.
std::string explain(const std::string& thrown);

/// {"message": {"message": text, "extraInfo": {"timestamp": seconds}}}: the format of
/// torch.distributed.elastic.
std::string error_json(const std::string& text, std::int64_t wall_ns);

/// Writes error.json and, beside it, flight_recorder.json: the last operations of Gloo's groups or,
/// with NCCL, those of its groups with Gloo's under "gloo". An empty path writes nothing. Write
/// errors are ignored, since the process is about to end for another reason.
void write_error_file(const ErrorFile& file, const std::string& text);

/// Makes an uncaught exception on any thread write the error file and to standard error before it
/// ends the process. NCCL's watchdog ends a process this way when a collective does not complete.
/// Call once.
void write_error_file_on_terminate(const ErrorFile& file);

}  // namespace ringside::engine
