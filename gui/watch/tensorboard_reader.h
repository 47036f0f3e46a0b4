// TensorBoard's event files: scalars of both kinds, the old simple_value and the tensor of one
// element of tf.summary.scalar. Everything else in them is passed over. The format's sources stand
// in gui/export/tf_events.h, and tensors in tensorflow/core/framework/tensor.proto.
#pragma once

#include "gui/watch/file_reader.h"

namespace ringside::watch {

class TensorBoardReader final : public FileReader {
 public:
  Result<std::size_t> take(std::string_view bytes, bool at_end, Findings& found) override;
  void begin_again(bool) override { offset_ = 0; }

 private:
  std::uint64_t offset_ = 0;
};

}  // namespace ringside::watch
