// Whether a rank's reason tells of another one. Pure; any thread.
#pragma once

#include <string_view>

namespace ringside::agent {

/// Whether the message only tells that a connection broke or that others did not come.
bool blames_peer(std::string_view told);

}  // namespace ringside::agent
