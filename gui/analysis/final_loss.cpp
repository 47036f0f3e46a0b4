#include "gui/analysis/final_loss.h"

#include <cmath>
#include <limits>

#include "gui/analysis/accuracy.h"
#include "gui/analysis/alerts/alert_rules.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {

double final_loss(const model::RunModel& model) {
  const auto train = passes(model, messages::Phase::kTrain);
  for (auto pass = train.rbegin(); pass != train.rend(); ++pass) {
    if (pass->reported) return pass->loss;
  }
  const Step newest = model.newest_common_step();
  return newest < 0 ? std::numeric_limits<double>::quiet_NaN()
                    : static_cast<double>(model.mean_loss().at(static_cast<std::size_t>(newest)));
}

bool ended_in_nan(const model::RunModel& model) {
  return std::isnan(final_loss(model)) && broken_loss(model).has_value();
}

}  // namespace ringside::analysis
