#include "gui/runs/log_end.h"

#include <variant>

#include "protocol/messages/records.h"
#include "protocol/messages/run_state.h"

namespace ringside::runs {
namespace {

template <std::size_t At = 0>
std::string_view kind_of(std::size_t place) {
  if constexpr (At < std::variant_size_v<messages::Record>) {
    using Body = std::variant_alternative_t<At, messages::Record>;
    return place == At ? std::string_view(Body::kName) : kind_of<At + 1>(place);
  } else {
    return {};
  }
}

}  // namespace

void LogEndWatch::accept(const messages::Stamp& stamp, const messages::Record& record) {
  to_.accept(stamp, record);
  stamp_ = stamp;
  place_ = record.index();
  const auto* step = std::get_if<messages::StepReport>(&record);
  step_ = step != nullptr ? step->step : -1;
  ranks_spoke_ = ranks_spoke_ || stamp.rank != kNoRank;
  const auto* state = std::get_if<messages::RankState>(&record);
  if (messages::is_of_run(stamp, state)) ended_ = messages::is_final(state->state);
}

LogEnd LogEndWatch::end() const {
  if (!stamp_) return {};
  return {stamp_, kind_of(place_), step_, ended_, ranks_spoke_};
}

}  // namespace ringside::runs
