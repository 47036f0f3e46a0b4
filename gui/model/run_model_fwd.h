// Names of the model for headers that only refer to it. Whoever looks into a run includes
// run_model.h.
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
