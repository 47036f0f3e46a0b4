// The settings of a run as TensorBoard's hparams plugin keeps them in an event file. Source:
// tensorboard/plugins/hparams/plugin_data.proto and api.proto. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace ringside::watch {

/// "batch_size=32, lr=0.1" of the plugin's data, in their order there; empty: none are in it.
std::string hparams_text(std::string_view plugin_content);

}  // namespace ringside::watch
