#include "gui/view/live/run_charts.h"

namespace ringside::view {

Menu run_chart_menu(const ChartView& chart, const ChartChoice& choice, const std::string& name,
                    const std::optional<MenuEntry>& note) {
  const bool loss = name == "loss";
  ChartStyle now;
  if (loss || name == "step_time") now.smoothing = choice.smoothing;
  if (name != "step_time") now.axis = chart.axis;
  if (loss) now.logarithmic = choice.logarithmic;
  if (loss || name == "accuracy") now.plan = choice.plan;
  const auto set = [now](const ChartStyle& wanted) -> Command {
    if (wanted.smoothing != now.smoothing) return SetSmoothing{*wanted.smoothing};
    if (wanted.logarithmic != now.logarithmic) return SetLogScale{*wanted.logarithmic};
    if (wanted.plan != now.plan) return SetPlan{*wanted.plan};
    return SetXAxis{wanted.axis.value_or(XAxis::kStep)};
  };
  Menu menu = chart_menu(now, set, Command(WholeRun{}), name);
  if (note) menu.insert(menu.begin(), {*note, MenuEntry{}});
  return menu;
}

}  // namespace ringside::view
