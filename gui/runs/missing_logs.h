// Nodes of a run whose logs are not in its folder: it was copied incompletely, or nodes write into
// folders of their own. Looks into the folder; any thread.
#pragma once

#include <vector>

#include "protocol/messages/spec/run_spec.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::runs {

/// Whether the run's agents took it up: more than logs lies in its folder.
bool has_begun(const runlog::RunFolder& folder);

/// The nodes of the run that are not among these, ascending.
std::vector<Node> nodes_without(const messages::RunSpec& spec, const std::vector<Node>& logged);

/// Nodes whose logs are missing. None before the run's ranks have begun: until then an agent may
/// still come. `ranks_spoke`: a record of a rank was read.
std::vector<Node> missing_logs(const runlog::RunFolder& folder, const messages::RunSpec& spec,
                               bool ranks_spoke);

}  // namespace ringside::runs
