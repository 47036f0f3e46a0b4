// Reads Weights & Biases' offline files, run-ID.wandb: protocol buffer records in the blocks of
// LevelDB's log. After a damaged part the next intact one of its block is searched, or else the
// next block. Sources of the format: wandb/sdk/internal/datastore.py (frames; the checksum is
// zlib's crc32, not LevelDB's) and wandb/proto/wandb_internal.proto (messages), as of wandb 0.31.
#pragma once

#include "gui/watch/file_reader.h"

namespace ringside::watch {

class WandbReader final : public FileReader {
 public:
  std::size_t take(std::string_view bytes, bool at_end, Findings& found) override;
  void begin_again(bool) override { *this = WandbReader(); }
  std::string foreign() const override;

 private:
  std::size_t take_head(std::string_view bytes, bool at_end, Findings& found);
  /// Size of the part at the front; 0: it is incomplete.
  std::size_t take_chunk(std::string_view rest, bool at_end, Findings& found);
  std::size_t pass_damage(std::string_view block, bool complete, const char* what, Findings& found);
  void take_part(std::uint8_t type, std::string_view part, Findings& found);
  void damaged(const std::string& what, Findings& found);

  std::uint64_t offset_ = 0;
  std::string record_;  ///< the parts so far of a record that spans several blocks
  bool inside_ = false;
  bool lost_ = false;  ///< after damage, until the next record begins
  bool begins_well_ = false;
  bool any_record_ = false;
  Step next_step_ = 0;
};

}  // namespace ringside::watch
