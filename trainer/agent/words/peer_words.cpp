#include "trainer/agent/words/peer_words.h"

#include <algorithm>
#include <array>

#include "trainer/agent/words/error_message.h"

namespace ringside::agent {

// Matches errors that ranks report when another rank failed (messages of Gloo, NCCL and TCP).
bool blames_peer(std::string_view error_text) {
  const std::string_view text = without_advice(error_text);
  static constexpr std::array<std::string_view, 13> kWords = {
      "losed by peer",        "eset by peer",       "imed out waiting", "losed by remote",
      "emote process exited", "peration timed out", "roken pipe",       "onnect timeout",
      "ther ranks",           "ait timeout",        "cclRemoteError",   "atchdog caught collective",
      "waiting for key"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

std::string_view why_it_left(std::string_view collective, bool begun) {
  const auto in = [&](std::string_view word) { return collective.find(word) != collective.npos; };
  if (in("barrier")) return "a barrier that not every rank calls";
  if (!begun) return "a program that not every rank runs alike";
  if (collective.empty() || in("backward") || in("gradient"))
    return "an uneven number of batches per rank";
  return "an uneven number of batches per rank, or a call that not every rank makes";
}

}  // namespace ringside::agent
