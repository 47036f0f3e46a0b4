// The test framework, in whichever of Catch2's two layouts the system ships. Tests include this and
// nothing of Catch's, and write Approx without a namespace.
#pragma once

#ifdef RINGSIDE_CATCH3
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
