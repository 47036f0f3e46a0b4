// TensorBoard's event files: scalars of both kinds, the old simple_value and the tensor of one
// number of tf.summary.scalar; where a session began again; the settings of its hparams plugin.
// Everything else in them is counted and passed over. Behind a damaged record the next whole one is
// looked for: its length has a checksum of its own. The format's sources stand in
// gui/export/tf_events.h.
#pragma once

#include <unordered_set>

#include "gui/watch/file_reader.h"

namespace ringside::watch {

/// Whether a file that begins so is one: the head of a record with its checksum.
bool begins_as_tensorboard(std::string_view bytes);

class TensorBoardReader final : public FileReader {
 public:
  std::size_t take(std::string_view bytes, bool at_end, Findings& found) override;
  void begin_again(bool) override { *this = TensorBoardReader(); }
  std::string foreign() const override;

 private:
  /// Bytes of the record at the front, of what is damaged there, or 0: it is not whole yet.
  std::size_t take_record(std::string_view rest, bool at_end, Findings& found);
  std::size_t skip_to_record(std::string_view rest, bool at_end) const;
  void read_event(std::string_view bytes, Findings& found);
  /// False: it is not one of protocol buffers.
  bool read_value(std::string_view bytes, double wall_s, Step step, Findings& found);
  void damaged(std::string what, Findings& found);

  std::uint64_t offset_ = 0;
  std::uint64_t skipped_ = 0;  ///< bytes still to come of a record above the limit
  bool lost_ = false;          ///< within bytes that are not a record
  bool any_record_ = false;
  std::unordered_set<std::string> other_tags_;  ///< of plugins whose values are not scalars
};

}  // namespace ringside::watch
