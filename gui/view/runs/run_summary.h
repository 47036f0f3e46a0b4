// The facts about a run that a list shows, filled by the caller from its catalogue. Plain data.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gui/runs/catalogue.h"
#include "gui/view/state_view.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::view {

struct RunSummary {
  std::string id{};
  int number = 0;
  std::string title{};
  std::string name{};  ///< given by the person; empty: title is derived from the settings
  std::string note{};
  std::string folder{};  ///< path
  std::string state{};   ///< as recorded: "finished"; empty: `outcome` is used
  std::string detail{};  ///< detail of the state, such as the reason of a failure
  bool live = false;
  RunOutcome outcome = RunOutcome::kUnknown;
  std::int64_t ranks = 1;  ///< 0: not known
  bool gpus = false;
  std::int64_t global_batch = 0;  ///< 0: not known
  std::string model{}, data{};
  std::string recipe{};  ///< "convnet · digits", "python3 train.py"
  std::string script{};  ///< the program of a run of a script: "train.py"
  runs::RunFigures figures{};
  bool loss_broke = false;              ///< ended in NaN or a failure: a cross at the end
  std::vector<std::string> tags{};      ///< the reason of a failure first
  std::vector<std::string> own_tags{};  ///< those of `tags` that a person wrote
  bool starred = false;
  std::string baseline{};    ///< id of the run that it is compared with; empty: none
  bool is_baseline = false;  ///< another run is compared with it
  std::string problem{};     ///< why some facts are missing
  std::shared_ptr<const messages::RunSpec> spec{};  ///< null: its settings could not be read
  bool read = true;                                 ///< false: only its folder is known yet
};

}  // namespace ringside::view
