// Options of a rank in addition to its settings, from its command line or its agent. Without
// LibTorch, so that a main file is compiled quickly.
#pragma once

#include <filesystem>
#include <string>

namespace ringside::engine {

/// Command line options in addition to the spec.
struct RankOptions {
  std::filesystem::path folder;  ///< run folder (or --out), whose subfolder gets the checkpoints;
                                 ///< empty: none are saved
  std::filesystem::path rendezvous;  ///< file for the rendezvous of the ranks; empty: TCP
  std::string dump_losses;    ///< test hook: "step loss step_ns cpu_ns" lines, one file per rank
  std::string weights_in;     ///< test hook: initial weights, instead of model.init_from
  std::string weights_out;    ///< test hook: rank 0 writes the final weights there
  bool group_of_one = false;  ///< creates process groups even for a single rank
  bool share_gpu = false;     ///< all ranks use one GPU, and their gradients go through Gloo
};

}  // namespace ringside::engine
