#include "protocol/host/pci_bus.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;

TEST_CASE("a GPU is distinguished from other devices of its vendor and from other vendors' GPUs") {
  const TempFolder bus;
  CHECK_FALSE(nvidia_gpu_on_bus(bus.path() / "none"));
  CHECK_FALSE(nvidia_gpu_on_bus(bus.path()));
  bus.write("0000:00:01.0/vendor", "0x8086\n");
  bus.write("0000:00:01.0/class", "0x030000\n");
  bus.write("0000:01:00.1/vendor", "0x10de\n");
  bus.write("0000:01:00.1/class", "0x040300\n");  // the audio function of a graphics card
  CHECK_FALSE(nvidia_gpu_on_bus(bus.path()));
  bus.write("0000:01:00.0/vendor", "0x10de\n");
  bus.write("0000:01:00.0/class", "0x030200\n");
  CHECK(nvidia_gpu_on_bus(bus.path()));
}
