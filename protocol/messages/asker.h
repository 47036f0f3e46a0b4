// What the reason of a stop names if a person asked for it through the agent or its stand-in. Pure.
#pragma once

namespace ringside::messages {

inline constexpr const char* kAsker = "Ringside's window or a command";

}  // namespace ringside::messages
