// The settings of a run as stored by TensorBoard's hparams plugin in an event file. Source:
// tensorboard/plugins/hparams/plugin_data.proto and api.proto. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace ringside::watch {

/// The plugin's settings in their order, "batch_size=32, lr=0.1"; empty: there are none.
std::string hparams_text(std::string_view plugin_content);

}  // namespace ringside::watch
