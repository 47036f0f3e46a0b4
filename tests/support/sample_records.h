// One record of every type with every field set to something of its own. Pure.
#pragma once

#include <vector>

#include "protocol/messages/step_records.h"

namespace ringside::support {

/// Records in the order of RecordType, from RankHello to RankGoodbye.
std::vector<messages::Record> one_of_each();

/// A step report whose numbers follow from `step`, for logs of many records.
messages::StepReport step_report(Step step);

}  // namespace ringside::support
