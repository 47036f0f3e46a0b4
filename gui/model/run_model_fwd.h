// Forward declarations of the model for headers that only refer to it. Code that reads a run
// includes run_model.h.
#pragma once

namespace ringside::model {

class Gaps;
class GroupStore;
class RunModel;
class Series;
struct CheckpointEntry;
struct DeviceModel;
struct HostModel;
struct NoticeEntry;
struct RankModel;
struct StateChange;

}  // namespace ringside::model
