// What the settings have to know of the tables of data sets and models: their names, and which
// settings matter for which. Implemented beside the tables, so that they reach nobody else. Pure;
// any thread.
#pragma once

#include <string_view>

namespace ringside::messages {

/// All names separated by spaces, in the order of the table; they live as long as the program.
std::string_view data_set_words();
std::string_view model_words();  ///< "none" included
std::string_view stem_words();

/// False for a name that is not in the table.
bool is_generated(std::string_view data_set);
bool has_images(std::string_view data_set);
bool is_residual(std::string_view model);

}  // namespace ringside::messages
