// Reads TensorBoard's event files: scalars in both forms, the old simple_value and the one-element
// tensor of tf.summary.scalar; restarts of a session; the settings of the hparams plugin.
// Everything else is counted and skipped. After a damaged record the next intact one is searched,
// as the length has a checksum of its own. The sources of the format are listed in
// gui/export/tf_events.h.
#pragma once

#include <unordered_set>

#include "gui/watch/file_reader.h"

namespace ringside::watch {

/// Whether a file that begins with these bytes is an event file: they are the head of a record with
/// its checksum.
bool begins_as_tensorboard(std::string_view bytes);

class TensorBoardReader final : public FileReader {
 public:
  std::size_t take(std::string_view bytes, bool at_end, Findings& found) override;
  void begin_again(bool) override { *this = TensorBoardReader(); }
  std::string foreign() const override;

 private:
  /// Size of the record, or of the damaged part, at the front of `rest`; 0: it is incomplete.
  std::size_t take_record(std::string_view rest, bool at_end, Findings& found);
  std::size_t skip_to_record(std::string_view rest, bool at_end) const;
  void read_event(std::string_view bytes, Findings& found);
  /// False: the bytes are not a protocol buffer.
  bool read_value(std::string_view bytes, double wall_s, Step step, Findings& found);
  void damaged(std::string what, Findings& found);

  std::uint64_t offset_ = 0;
  std::uint64_t skipped_ = 0;  ///< remaining bytes of a record above the limit
  bool lost_ = false;          ///< inside of bytes that are not a record
  bool any_record_ = false;
  std::unordered_set<std::string> other_tags_;  ///< tags of plugins whose values are not scalars
};

}  // namespace ringside::watch
