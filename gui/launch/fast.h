// The way called "fast": the settings with which our trainer makes the most of newer GPUs, as one
// choice. What it sets, where it can be had and what it changes in the numbers is decided here
// alone. Pure.
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

/// Why it cannot be had on GPUs of these compute capabilities ("8.6"), those of the ranks; empty:
/// it can.
std::string why_not_fast(const messages::RunSpec& spec,
                         const std::vector<std::string>& capabilities);

/// Compute capabilities of the GPUs that `spec` names, of all where it names none.
std::vector<std::string> capabilities_of(const messages::RunSpec& spec, const Machine& machine);

/// What it sets, "train.precision=bf16". `step_ms`: of such a run here, where one is known; the
/// host takes longer than the GPU only with short steps, which are recorded then.
std::vector<std::string> fast_settings(const messages::RunSpec& spec,
                                       std::optional<double> step_ms = std::nullopt);

/// The settings are its own, graph or not.
bool is_fast(const messages::RunSpec& spec);

inline constexpr const char* kSpeedTitle = "Speed";
/// The check of a preflight that offers it or says what it does; nothing where it cannot be had.
std::optional<Check> check_speed(const Plan& plan, const Machine& machine);

}  // namespace ringside::launch
