// Verdicts on words that tell of another rank. Pure; any thread.
#pragma once

#include <string_view>

namespace ringside::agent {

/// Whether the message only tells that a connection broke or that others did not come.
bool blames_peer(std::string_view told);

/// The likely reason of a rank that left while another waited in `collective`, or in none that is
/// known; `begun`: both had made steps.
std::string_view why_it_left(std::string_view collective, bool begun);

}  // namespace ringside::agent
