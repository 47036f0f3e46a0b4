// The choice called "fast": the settings with which our trainer makes the most of newer GPUs. Its
// settings, where it is available and how it changes the numbers are decided only here. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/launch/preflight/preflight.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::launch {

inline constexpr const char* kFastEffect =
    "forward and backward compute in bf16, with two to three significant digits, weights and their "
    "updates stay fp32: losses differ from fp32's in the third digit, and those of two runs in "
    "their last ones";

/// Why it is not available on the ranks' GPUs with these compute capabilities ("8.6"); empty: it
/// is.
std::string why_not_fast(const messages::RunSpec& spec,
                         const std::vector<std::string>& capabilities);

/// Compute capabilities of the GPUs that `spec` names, or of all GPUs if it names none.
std::vector<std::string> capabilities_of(const messages::RunSpec& spec, const Machine& machine);

/// The settings of "fast", such as "train.precision=bf16". `step_ms`: step time of such a run on
/// this machine, if known: only if steps are so short that the host is slower than the GPU are they
/// recorded as a CUDA graph.
std::vector<std::string> fast_settings(const messages::RunSpec& spec,
                                       std::optional<double> step_ms = std::nullopt);

/// Whether the settings are those of "fast", with or without a CUDA graph.
bool is_fast(const messages::RunSpec& spec);

inline constexpr const char* kSpeedTitle = "Speed";
/// The preflight check that offers it or describes its effect; nothing where it is not available.
std::optional<Check> check_speed(const Plan& plan, const Machine& machine);

}  // namespace ringside::launch
