#include "protocol/host/pci_bus.h"

#include <fstream>
#include <string>
#include <system_error>

namespace ringside {
namespace {

std::string first_word(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string word;
  stream >> word;
  return word;
}

}  // namespace

bool nvidia_gpu_on_bus(const std::filesystem::path& devices) {
  std::error_code error;
  for (std::filesystem::directory_iterator it(devices, error), end; !error && it != end;
       it.increment(error)) {
    // PCI class 03: display controllers, including those without a display.
    if (first_word(it->path() / "vendor") == "0x10de" &&
        first_word(it->path() / "class").starts_with("0x03"))
      return true;
  }
  return false;
}

}  // namespace ringside
