// Includes Catch2 in whichever of its two layouts the system has. Tests include only this and write
// Approx without a namespace.
#pragma once

#ifdef RINGSIDE_CATCH3
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
