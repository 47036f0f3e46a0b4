// The error file of a rank that fails: error.json as torchrun reads it, and the flight recorder of
// the process groups.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ringside::cuda {
class CudaApi;
}

namespace ringside::engine {

/// Where a failure is written; `cuda`: knows what NCCL did, null without a GPU.
struct ErrorFile {
  std::filesystem::path path;
  cuda::CudaApi* cuda = nullptr;
};

/// The message for a person of an exception thrown while training: names another rank where that is
/// the likely cause, and what to do where a GPU failed.
std::string explain(const std::string& thrown);

/// {"message": {"message": text, "extraInfo": {"timestamp": seconds}}}: the form of
/// torch.distributed.elastic.
std::string error_json(const std::string& text, std::int64_t wall_ns);

/// Writes error.json and flight_recorder.json beside it: what Gloo's groups did last, and with NCCL
/// what its groups did, with Gloo's under "gloo". Empty path: nothing. What cannot be written is
/// left out, since the process is about to end for a better reason.
void write_error_file(const ErrorFile& file, const std::string& text);

/// Writes an exception that nobody catches from here on, on whatever thread, to the error file and
/// to standard error before it ends the process: so NCCL's watchdog leaves when a collective does
/// not end. Once.
void write_error_file_on_terminate(const ErrorFile& file);

}  // namespace ringside::engine
