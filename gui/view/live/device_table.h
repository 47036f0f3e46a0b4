// The table of devices, with a line about the host. Pure.
#pragma once

#include "gui/model/run_model_fwd.h"
#include "gui/view/table.h"

namespace ringside::view {

struct DeviceTableView {
  Table table;
  Sentence host;  ///< "Host: CPU 45 %, memory 6.2 of 15.6 GiB, 412 GiB free"
};
DeviceTableView build_device_table(const model::RunModel& model);

}  // namespace ringside::view
