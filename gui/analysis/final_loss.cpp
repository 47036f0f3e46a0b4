#include "gui/analysis/final_loss.h"

#include "gui/analysis/accuracy.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {

FinalLoss final_loss(const model::RunModel& model) {
  const auto train = passes(model, messages::Phase::kTrain);
  for (auto pass = train.rbegin(); pass != train.rend(); ++pass) {
    if (pass->reported) return {pass->loss, pass->epoch, -1};
  }
  const Step newest = model.newest_common_step();
  if (newest < 0) return {};
  return {static_cast<double>(model.mean_loss().at(static_cast<std::size_t>(newest))), -1, newest};
}

}  // namespace ringside::analysis
