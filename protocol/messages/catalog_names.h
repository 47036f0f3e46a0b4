// The names of the data sets and models, as far as the settings need them. They are implemented
// beside the tables, so that code which needs only names does not include the tables. Pure; any
// thread.
#pragma once

#include <string_view>

namespace ringside::messages {

/// All names separated by spaces, in the order of the table; valid for the lifetime of the program.
std::string_view data_set_words();
std::string_view model_words();  ///< "none" included
std::string_view stem_words();

/// False for a name that is not in the table.
bool is_generated(std::string_view data_set);
bool has_images(std::string_view data_set);
bool is_residual(std::string_view model);

}  // namespace ringside::messages
