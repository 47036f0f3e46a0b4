// How a rank's work ended when nothing failed.
#pragma once

namespace ringside::engine {

enum class Ending { kFinished, kStopped };

}  // namespace ringside::engine
