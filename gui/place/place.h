// A place is where runs run, as plans, checks and starts see it: this machine, the queue of a
// cluster, an allocation there, the tasks of a person's own srun. Shared; any thread. What starts
// something waits for it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/launch/place_options.h"
#include "gui/launch/plan.h"
#include "gui/launch/start.h"
#include "gui/launch/study_settings.h"
#include "protocol/base/result.h"

namespace ringside::place {

class Place;
using PlacePtr = std::shared_ptr<const Place>;

/// What would be started: the words of one command line each, and what it is.
struct Preview {
  std::string title;  ///< "The baseline's job"
  std::vector<std::string> argv;
};

struct Kind;

/// What a person sees of a place before anything goes there.
struct Offer {
  const Kind* kind = nullptr;
  std::string title;    ///< "Slurm", "Slurm job 12"
  bool inside = false;  ///< this program is inside of it: nothing waits in a queue
  std::string nodes;    ///< "n[1-2], 2 nodes with 4 GPUs each"; empty: it chooses them
  bool told = true;     ///< it is known how many devices it has
  std::vector<launch::PlaceOption> options;  ///< that can be given to it as it is
};

/// The defaults are those of a place that can run anything as it is, and on which a study
/// continues.
class Place : public std::enable_shared_from_this<Place> {
 public:
  Place() = default;
  virtual ~Place() = default;
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  /// This machine, whose devices planning sees; of others its files alone.
  virtual bool is_here() const { return false; }
  /// None of this machine.
  virtual Offer offer() const { return {}; }
  /// The same with these options, as they are typed. A bad request: it cannot have them.
  virtual Result<PlacePtr> with(const launch::Typed& /*typed*/) const { return shared_from_this(); }
  /// The place as it is now: asks its programs.
  virtual PlacePtr now(const launch::Cancelled& /*cancelled*/) const { return shared_from_this(); }
  /// This machine, as it is beside that place.
  virtual PlacePtr beside() const;
  /// A machine that is seen from inside of it, and why it has not the devices that it has.
  virtual launch::Machine seen_inside(launch::Machine machine) const { return machine; }
  /// A bad request where this machine has not the programs that start something there.
  virtual Result<void> can_be_asked() const { return {}; }
  /// What must be known of a run that goes there, one sentence; empty: nothing.
  virtual std::string note() const { return {}; }
  /// The other processes of it run already (tasks of srun) and read in the folders what becomes of
  /// the run: folders stay, and each process looks at its own devices.
  virtual bool has_begun() const { return false; }
  /// As planning needs it.
  virtual Result<launch::Machine> machine(const launch::Cancelled& cancelled) const = 0;
  /// The recipe of a study and on which nodes its devices are, as this place has them; where that
  /// then runs. A bad request for what it has not.
  virtual Result<PlacePtr> for_study(messages::RunSpec& /*recipe*/,
                                     launch::StudyRequest& /*request*/) const {
    return shared_from_this();
  }
  /// Where a study with these runs continues if no place was asked for. A bad request if it cannot
  /// continue from here.
  virtual Result<PlacePtr> to_go_on(const std::string& /*study*/,
                                    const std::filesystem::path& /*runs_dir*/,
                                    const std::vector<std::string>& /*run_ids*/) const {
    return shared_from_this();
  }
  /// A bad request where this run, a `point` of a study, is too large for it.
  virtual Result<void> fits(const std::string& /*point*/, const messages::RunSpec& /*spec*/) const {
    return {};
  }
  /// Whether the place is still there, and done with these runs, which are to begin again.
  virtual Result<void> can_begin(const std::vector<runlog::RunFolder>& /*runs*/,
                                 const launch::Cancelled& /*cancelled*/) const {
    return {};
  }
  /// None where nothing but our agent is started.
  virtual Result<std::vector<Preview>> preview(const launch::Plan& /*plan*/,
                                               const std::filesystem::path& /*runs_dir*/) const {
    return std::vector<Preview>();
  }
  /// Starts what runs the folders of the plan, which have their settings; folders stay.
  virtual Result<launch::Started> start(std::vector<launch::LockedFolder> runs,
                                        const launch::Plan& plan,
                                        const launch::Cancelled& cancelled) const = 0;
  /// A new attempt in this folder: where the run ran before.
  virtual Result<launch::Started> start_again(const runlog::RunFolder& folder,
                                              const std::optional<messages::RunSpec>& spec,
                                              const launch::Cancelled& cancelled) const;
  /// What a study does that was started there: "trains", "is in Slurm's queue".
  virtual std::string doing() const = 0;
  /// How so many runs of a study go there, one sentence; empty: as everybody expects.
  virtual std::string order(std::size_t /*runs*/) const { return {}; }
};

}  // namespace ringside::place
