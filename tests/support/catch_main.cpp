// Compiles the framework once for all test programs. Catch2 3 brings its own main.
#ifndef RINGSIDE_CATCH3
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
