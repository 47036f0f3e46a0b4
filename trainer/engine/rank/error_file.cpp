#include "trainer/engine/rank/error_file.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include <nlohmann/json.hpp>
#include <torch/csrc/distributed/c10d/FlightRecorder.hpp>

#include "protocol/base/clock.h"
#include "protocol/host/files.h"
#include "trainer/cuda/cuda_api.h"
#include "trainer/dist/last_collective.h"
#include "trainer/dist/rendezvous.h"
#include "trainer/engine/rank/gpu_advice.h"

namespace ringside::engine {
namespace {

// Never destroyed, since a thread may terminate while the process exits.
ErrorFile* file_on_terminate = nullptr;

// NCCL's own document if there is one, since torch's tools look for entries there.
std::string flight_record(cuda::CudaApi* cuda) {
  const std::string gloo =
      c10d::dump_fr_trace_json(/*includeCollectives=*/true, /*onlyActive=*/false);
  if (cuda == nullptr) return gloo;
  auto record = nlohmann::json::object();
  try {
    record = nlohmann::json::parse(cuda->flight_recorder());
  } catch (const std::exception& thrown) {
    record["error"] = thrown.what();
  }
  record["gloo"] = nlohmann::json::parse(gloo);
  return record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string text_of_current_exception() {
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
    return "the process was ended";
  } catch (const std::exception& thrown) {
    return explain(dist::describe(thrown));
  } catch (...) {
    return "an exception of an unknown kind";
  }
}

[[noreturn]] void on_terminate() {
  const std::string last = dist::last_collective();
  const std::string text =
      text_of_current_exception() + "; last collective entered: " + (last.empty() ? "none" : last);
  std::fprintf(stderr, "%s\n", text.c_str());
  std::fflush(stderr);
  write_error_file(*file_on_terminate, text);
  std::abort();
}

}  // namespace

std::string explain(const std::string& thrown) {
  if (const std::string advice = gpu_advice(thrown); !advice.empty())
    return advice + " (" + thrown + ")";
  // Gloo's exception types are not in LibTorch's headers; these are its messages for a peer that is
  // gone or hangs.
  constexpr std::array<std::string_view, 4> kPeerGone = {
      "Connection closed by peer", "Connection reset by peer", "Broken pipe", "Connection refused"};
  for (const auto words : kPeerGone) {
    if (thrown.find(words) != std::string::npos) {
      return "another rank left in the middle of training (its own log says why): " + thrown;
    }
  }
  if (thrown.find("Timed out") != std::string::npos ||
      thrown.find("timeout") != std::string::npos) {
    return "another rank did not answer within limits.collective_timeout_s: " + thrown;
  }
  return thrown;
}

std::string error_json(const std::string& text, std::int64_t wall_ns) {
  const nlohmann::json document = {
      {"message",
       {{"message", text},
        {"extraInfo", {{"timestamp", std::to_string(wall_ns / 1'000'000'000)}}}}}};
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void write_error_file(const ErrorFile& file, const std::string& text) {
  if (file.path.empty()) return;
  [[maybe_unused]] const auto written =
      write_text_atomically(file.path, error_json(text, SystemClock{}.wall_ns()));
  try {
    [[maybe_unused]] const auto recorded = write_text_atomically(
        file.path.parent_path() / "flight_recorder.json", flight_record(file.cuda));
  } catch (const std::exception&) {
    return;
  }
}

void write_error_file_on_terminate(const ErrorFile& file) {
  file_on_terminate = new ErrorFile(file);
  std::set_terminate(on_terminate);
}

}  // namespace ringside::engine
