// What the helper on the far machine says about runs and their files. Reads only, and only inside
// of run folders. Used by one thread.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "gui/remote/questions.h"
#include "protocol/base/result.h"

namespace ringside::remote {

/// Takes the next bytes of a file that is read.
using TakeBytes = std::function<void(std::string_view)>;

/// Fails with what keeps it from answering.
Result<nlohmann::json> answer_about_files(const FileQuestion& asked, const TakeBytes& take);

}  // namespace ringside::remote
