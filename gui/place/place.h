// A place is where runs run, as seen by plans, checks and starts: this machine, a cluster's queue,
// an allocation on it, or the tasks of a person's own srun. Shared; any thread. Functions that
// start something block until it has started.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/launch/place_options.h"
#include "gui/launch/plan.h"
#include "gui/launch/start/start.h"
#include "gui/launch/studies/study_settings.h"
#include "protocol/base/result.h"

namespace ringside::place {

class Place;
using PlacePtr = std::shared_ptr<const Place>;

/// A preview of what would be started: a title and the arguments of one command line each.
struct Preview {
  std::string title;  ///< "The baseline's job"
  std::vector<std::string> argv;
};

struct Kind;

/// What a person sees about a place before anything is started there.
struct Offer {
  const Kind* kind = nullptr;
  std::string title;    ///< "Slurm", "Slurm job 12"
  bool inside = false;  ///< this program runs inside of it, so nothing waits in a queue
  std::string nodes;    ///< "n[1-2], 2 nodes with 4 GPUs each"; empty: the place chooses nodes
  bool told = true;     ///< whether the number of its devices is known
  std::vector<launch::PlaceOption> options;  ///< options that can still be given to it
};

/// The default implementations are those of a place that can run anything unchanged and on which a
/// study may continue.
class Place : public std::enable_shared_from_this<Place> {
 public:
  Place() = default;
  virtual ~Place() = default;
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  /// True for this machine, whose devices are visible to planning. Other places share only files.
  virtual bool is_here() const { return false; }
  /// What the place offers; empty for this machine.
  virtual Offer offer() const { return {}; }
  /// The same place with these options as typed. Returns a bad request if it does not take them.
  virtual Result<PlacePtr> with(const launch::Typed& /*typed*/) const { return shared_from_this(); }
  /// The place with its current state, for which its programs are asked.
  virtual PlacePtr now(const launch::Cancelled& /*cancelled*/) const { return shared_from_this(); }
  /// This machine, as seen from this place.
  virtual PlacePtr beside() const;
  /// The machine as seen from inside this place, with the reason why it cannot see all of its
  /// devices.
  virtual launch::Machine seen_inside(launch::Machine machine) const { return machine; }
  /// Returns a bad request if this machine lacks the programs that start something there.
  virtual Result<void> can_be_asked() const { return {}; }
  /// One sentence that a person must know about a run that goes there; empty: nothing.
  virtual std::string note() const { return {}; }
  /// True if the other processes of the run already exist (srun tasks) and read the state of the
  /// run from its folder: the folder is then kept, and each process inspects its own devices.
  virtual bool has_begun() const { return false; }
  /// The machine that planning works with.
  virtual Result<launch::Machine> machine(const launch::Cancelled& cancelled) const = 0;
  /// Adapts the recipe and the numbers of devices of a study to this place, and returns where the
  /// study then runs. Returns a bad request if the place cannot have them.
  virtual Result<PlacePtr> for_study(messages::RunSpec& /*recipe*/,
                                     launch::StudyRequest& /*request*/) const {
    return shared_from_this();
  }
  /// Where a study with these runs continues if no place was given. Returns a bad request if it
  /// cannot continue from here.
  virtual Result<PlacePtr> to_go_on(const std::string& /*study*/,
                                    const std::filesystem::path& /*runs_dir*/,
                                    const std::vector<std::string>& /*run_ids*/) const {
    return shared_from_this();
  }
  /// Returns a bad request if this run, a `point` of a study, is too large for the place.
  virtual Result<void> fits(const std::string& /*point*/, const messages::RunSpec& /*spec*/) const {
    return {};
  }
  /// Whether the place still exists and has finished with these runs, which are to be restarted.
  virtual Result<void> can_begin(const std::vector<runlog::RunFolder>& /*runs*/,
                                 const launch::Cancelled& /*cancelled*/) const {
    return {};
  }
  /// What would be started. Empty where only our agent is.
  virtual Result<std::vector<Preview>> preview(const launch::Plan& /*plan*/,
                                               const std::filesystem::path& /*runs_dir*/) const {
    return std::vector<Preview>();
  }
  /// Starts the runs of these folders, which already have their settings. Folders stay if it fails.
  virtual Result<launch::Started> start(std::vector<launch::LockedFolder> runs,
                                        const launch::Plan& plan,
                                        const launch::Cancelled& cancelled) const = 0;
  /// Starts a new attempt in this folder, in the place where the run ran before.
  virtual Result<launch::Started> restart_run(const runlog::RunFolder& folder,
                                              const std::optional<messages::RunSpec>& spec,
                                              const launch::Cancelled& cancelled) const;
  /// What a study that was started there is doing: "trains", "is in Slurm's queue".
  virtual std::string doing() const = 0;
  /// One sentence on how this many runs of a study are submitted; empty: nothing unusual.
  virtual std::string order(std::size_t /*runs*/) const { return {}; }
};

}  // namespace ringside::place
