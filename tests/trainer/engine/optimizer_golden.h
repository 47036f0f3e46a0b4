// Where torch.optim of PyTorch 2.11.0 takes 12 numbers in 200 steps.
// Written by optimizer_golden.py.
#pragma once

#include <array>

#include "protocol/messages/spec/run_spec.h"

struct OptimizerGolden {
  ringside::messages::OptimizerSpec optimizer;
  std::array<float, 12> ends;
};

inline const OptimizerGolden kOptimizerGolden[] = {
    {{.name = "sgd", .momentum = 0},
     {-2.60964489F, -2.60486484F, -2.59988666F, -2.59465218F, -2.58909822F, -2.58314323F,
      -2.57669425F, -2.56962872F, -2.58909822F, -2.57669425F, -2.56179404F, -2.54296994F}},
    {{.name = "sgd", .momentum = 0.9, .weight_decay = 0.01},
     {-4.10588932F, -4.10611582F, -4.10631275F, -4.10648441F, -4.10663939F, -4.10678673F,
      -4.10694075F, -4.10709953F, -4.10663939F, -4.10694075F, -4.10727549F, -4.10770702F}},
    {{.name = "sgd", .momentum = 0.9, .weight_decay = 0.01, .nesterov = true},
     {-4.25787449F, -4.25788021F, -4.25788212F, -4.25788546F, -4.25788879F, -4.25789213F,
      -4.25789595F, -4.25789738F, -4.25788879F, -4.25789595F, -4.25789928F, -4.25790787F}},
    {{.name = "adam"},
     {-7.01795292F, -7.18508625F, -7.33884239F, -7.4904294F, -7.66968632F, -7.67096996F,
      -7.54471111F, -7.40389824F, -7.66968632F, -7.54471111F, -7.22623634F, -6.70105791F}},
    {{.name = "adam", .weight_decay = 0.02, .beta1 = 0.8, .beta2 = 0.95, .eps = 1e-3},
     {-6.94072008F, -7.06698895F, -7.18701077F, -7.30117559F, -7.40299797F, -7.39851904F,
      -7.30978489F, -7.1595974F, -7.40299797F, -7.30978489F, -6.94223833F, -6.18787718F}},
    {{.name = "adamw", .weight_decay = 0.02},
     {-6.30784893F, -6.60522032F, -6.88631296F, -7.15418577F, -7.45004463F, -7.45270157F,
      -7.25154161F, -7.00602865F, -7.45004463F, -7.25154161F, -6.69180584F, -5.77964354F}},
};
