// Nodes whose logs are not in the run folder: it was copied incompletely, or nodes write into
// folders of their own. Reads the folder; any thread.
#pragma once

#include <vector>

#include "protocol/messages/spec/run_spec.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::runs {

/// Whether agents of the run have started: the folder holds more than logs.
bool has_begun(const runlog::RunFolder& folder);

/// The nodes of the run that are not in `logged`, ascending.
std::vector<Node> nodes_without(const messages::RunSpec& spec, const std::vector<Node>& logged);

/// Nodes whose logs are missing. Empty before the run's ranks have begun, since an agent may still
/// start until then. `ranks_spoke`: a record of a rank was read.
std::vector<Node> missing_logs(const runlog::RunFolder& folder, const messages::RunSpec& spec,
                               bool ranks_spoke);

}  // namespace ringside::runs
