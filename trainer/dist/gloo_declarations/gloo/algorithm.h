// Gloo's public headers are not in LibTorch's packages, but ProcessGroupGloo.hpp includes five of
// them. The files in this folder declare only the names that it uses; the definitions are in
// libtorch_cpu. Never use GlooStore or ProcessGroupGloo::setTimeout, whose layouts are unknown
// here.
#pragma once
