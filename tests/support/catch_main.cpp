// Compiles the framework once for all test programs. Catch2 3 has its own main function.
#ifndef RINGSIDE_CATCH3
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
