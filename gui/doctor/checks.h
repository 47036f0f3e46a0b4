// The measurements of each check, taken from real runs on this machine. A check that cannot be
// measured returns the reason as its error. Any one thread; blocks until its runs have ended, at
// most until the site's deadline.
#pragma once

#include "gui/doctor/trial.h"

namespace ringside::doctor {

Result<CheckVerdict> check_load(const Site& site);
Result<CheckVerdict> check_identity(const Site& site);
Result<CheckVerdict> check_nvml(const Site& site);
Result<CheckVerdict> check_copies(const Site& site);
Result<CheckVerdict> check_sums(const Site& site);
Result<CheckVerdict> check_ddp(const Site& site);
Result<CheckVerdict> check_amp(const Site& site);
Result<CheckVerdict> check_replay(const Site& site);
Result<CheckVerdict> check_timing(const Site& site);
Result<CheckVerdict> check_straggler(const Site& site);
Result<CheckVerdict> check_ends(const Site& site);
Result<CheckVerdict> check_feed(const Site& site);

/// The runs that checks 6, 8 and 12 begin with.
messages::RunSpec ddp_run(const Site& site);
messages::RunSpec replay_run(const Site& site);
/// A model that keeps a GPU busy: the smallest one ends before its copies are asked for.
std::string feed_model(const Site& site);

/// Share of a core, 0 .. 1, that a thread gets if it wants a whole one. Takes a few hundred
/// milliseconds.
double calm_now();

}  // namespace ringside::doctor
