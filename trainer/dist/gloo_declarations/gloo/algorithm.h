// Gloo's public headers are not in LibTorch's packages, but ProcessGroupGloo.hpp includes five of
// them. The files in this folder declare what that header names and nothing more; the definitions
// live in libtorch_cpu. Nothing of ours calls them: never use GlooStore or
// ProcessGroupGloo::setTimeout, whose layouts are not known here.
#pragma once
