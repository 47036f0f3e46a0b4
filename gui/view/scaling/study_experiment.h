// What the sources of a study's settings published beside what the study measured. Pure.
#pragma once

#include "gui/analysis/scaling/scaling.h"
#include "gui/view/experiment/experiment_view.h"
#include "gui/view/scaling/study_facts.h"

namespace ringside::view {

ExperimentView build_experiment_view(const StudyFacts& facts, const analysis::Scaling& scaling);
/// Whether anything is published beside a study.
bool has_source(const StudyFacts& facts);

}  // namespace ringside::view
