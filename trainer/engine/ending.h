// How a rank ended without a failure.
#pragma once

namespace ringside::engine {

enum class Ending { kFinished, kStopped };

}  // namespace ringside::engine
