// Weights & Biases' offline files, run-ID.wandb: records of protocol buffers in the blocks of
// LevelDB's log. Sources of the format: wandb/sdk/internal/datastore.py (frames; the checksum is
// zlib's crc32, not LevelDB's) and wandb/proto/wandb_internal.proto (messages), as wandb 0.31
// writes them.
#pragma once

#include "gui/watch/file_reader.h"

namespace ringside::watch {

class WandbReader final : public FileReader {
 public:
  Result<std::size_t> take(std::string_view bytes, bool at_end, Findings& found) override;
  void begin_again(bool) override { *this = WandbReader(); }

 private:
  /// Bytes of what stands at the front; 0: it is not whole yet.
  Result<std::size_t> take_chunk(std::string_view rest, Findings& found);
  Result<void> take_part(std::uint8_t type, std::string_view part, Findings& found);

  std::uint64_t offset_ = 0;
  std::string record_;  ///< what came of one that reaches over several blocks
  bool inside_ = false;
  Step next_step_ = 0;
};

}  // namespace ringside::watch
