// A run without a model: every rank draws its samples epoch by epoch and reports them. No device,
// no LibTorch call, no collective; ranks do not connect.
#pragma once

#include <functional>
#include <string>

#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"
#include "trainer/dist/environment.h"
#include "trainer/engine/ending.h"
#include "trainer/telemetry/reporter.h"

namespace ringside::engine {

/// Posts hello, ShardReports and states to `reporter` and prints the first samples of each epoch.
/// `stop_request` is polled between epochs; above 0 ends the run as stopped.
Result<Ending> draw_samples(const messages::RunSpec& spec, const dist::LaunchEnvironment& env,
                            telemetry::Reporter& reporter,
                            const std::function<int()>& stop_request);

}  // namespace ringside::engine
