// One record of every type, with a different value in every field. Pure.
#pragma once

#include <vector>

#include "protocol/messages/step_records.h"

namespace ringside::support {

/// Records in the order of RecordType, from RankHello to RankGoodbye.
std::vector<messages::Record> one_of_each();

/// A step report whose numbers depend on `step`, for logs of many records.
messages::StepReport step_report(Step step);

}  // namespace ringside::support
