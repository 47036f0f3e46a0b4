// Answers of the helper about runs and their files. Only reads, and only inside of run folders.
// Used by one thread.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "gui/remote/questions.h"
#include "protocol/base/result.h"

namespace ringside::remote {

/// Called with each block of a file that is read.
using TakeBytes = std::function<void(std::string_view)>;

/// Fails with the reason why it cannot answer.
Result<nlohmann::json> answer_about_files(const FileQuestion& asked, const TakeBytes& take);

}  // namespace ringside::remote
