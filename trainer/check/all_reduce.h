// All-reduce among the ranks, and how long it takes. Training thread only; collective.
#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>

#include "trainer/check/check_rank.h"

namespace ringside::check {

/// The largest that is tried: 256 MiB, quickly 16 MiB.
std::int64_t largest_bytes(const CheckRank& rank);

/// Lets NCCL write into the run folder how it connects. To be called before prepare().
void log_transport(const CheckRank& rank);
/// "P2P/CUMEM", as NCCL's own log names the first connection that it made, empty where it says
/// nothing; "TCP" of Gloo.
std::string transport_of(const CheckRank& rank, const engine::RankParts& parts);

void all_reduce(c10d::ProcessGroup& group, at::Tensor& tensor);

/// Seconds of one all-reduce on the way of the gradients, of `times` that follow each other without
/// a pause, as nccl-tests count them.
double seconds_of_one(const engine::RankParts& parts, at::Tensor& tensor, int times);

/// What each rank sends and receives per second at least, whichever way the sums are made.
double bus_rate(std::int64_t size_bytes, double seconds, int ranks);

}  // namespace ringside::check
