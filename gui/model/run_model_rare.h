// Rarely sent records in RunModel. Included only by its sources.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gui/model/groups/group_store.h"
#include "gui/model/machine_model.h"
#include "gui/model/run_events.h"
#include "gui/model/run_model.h"

namespace ringside::model {

struct RunModel::Rare {
  std::optional<messages::RankState> run_state;
  std::vector<StateChange> run_states;
  std::vector<DeviceModel> devices;
  std::map<std::pair<Node, std::string>, std::size_t> device_places;
  std::map<Node, HostModel> hosts;
  std::map<std::pair<Node, std::set<std::string>>, std::string> links;  ///< by both devices
  std::deque<NoticeEntry> notices;
  std::vector<CheckpointEntry> checkpoints;
  GroupStore groups;
};

}  // namespace ringside::model
