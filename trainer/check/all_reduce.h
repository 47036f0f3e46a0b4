// All-reduce between the ranks and its duration. Training thread only; collective.
#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "trainer/check/check_rank.h"

namespace ringside::check {

/// The largest size that is measured: 256 MiB, or 16 MiB in a quick check.
std::int64_t largest_bytes(const CheckRank& rank);

/// Makes NCCL log to the run folder how it connects. Call before prepare().
void log_transport(const CheckRank& rank);
/// "P2P/CUMEM", the first connection in NCCL's log, empty if it has none; "TCP" for Gloo.
std::string transport_of(const CheckRank& rank, const engine::RankParts& parts);

void all_reduce(c10d::ProcessGroup& group, at::Tensor& tensor);

/// Seconds per all-reduce on the gradients' group, averaged over `times` in a row without pauses,
/// as nccl-tests measure it.
double seconds_of_one(const engine::RankParts& parts, at::Tensor& tensor, int times);

/// Returns the bus bandwidth: the bytes per second that each rank must at least send and receive,
/// with any algorithm.
double bus_rate(std::int64_t size_bytes, double seconds, int ranks);

}  // namespace ringside::check
