// Classifies error messages that are about another rank. Pure; any thread.
#pragma once

#include <string_view>

namespace ringside::agent {

/// Whether the message only reports a broken connection or missing ranks.
bool blames_peer(std::string_view error_text);

/// The likely reason of a rank that ended while another waited in `collective` (empty if unknown);
/// `begun`: both had completed steps.
std::string_view why_it_left(std::string_view collective, bool begun);

}  // namespace ringside::agent
