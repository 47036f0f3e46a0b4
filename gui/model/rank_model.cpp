#include "gui/model/rank_model.h"

namespace ringside::model {

const EpochEntry* RankModel::epoch(messages::Phase phase, Epoch epoch) const {
  const auto& list = epochs[static_cast<std::size_t>(phase)];
  if (epoch < 0 || static_cast<std::size_t>(epoch) >= list.size()) return nullptr;
  const auto& entry = list[static_cast<std::size_t>(epoch)];
  return entry ? &*entry : nullptr;
}

}  // namespace ringside::model
