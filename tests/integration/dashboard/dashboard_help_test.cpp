// The manual in the real window: F1 on a page, a link, its own question marks, and the way back.
#include "gui/view/choices.h"
#include "gui/view/manual/manual_view.h"
#include "gui/view/window/sheet_labels.h"
#include "tests/integration/dashboard/dashboard_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using testing::DashboardRig;

TEST_CASE("F1 opens the manual with its list and search, and Escape closes it") {
  DashboardRig rig;
  rig.open({"--place", "runs"});
  rig.wait_for("##run filter");
  rig.press_for("F1", view::label::kCloseManual);
  rig.wait_for("##window#runs");  // the topic of the page, and its sections
  rig.click("##ssh#");
  rig.wait_for(view::label::kManualBack);
  rig.click(view::label::kManualBack);
  rig.wait_until_gone(view::label::kManualBack);
  rig.type_into(view::label::kSearchManual, "waterfall");
  rig.wait_for("##waterfall#");
  rig.key("Escape");  // closes the search
  rig.wait_for("##ssh#");
  rig.key("Escape");
  rig.wait_until_gone(view::label::kCloseManual);
  rig.click(view::label::kSettings);
  rig.click("Help with window");
  rig.wait_for(view::label::kCloseManual);
  rig.click(view::label::kCloseManual);
  rig.wait_for(view::label::kResetLayout);  // the settings are shown again
}
