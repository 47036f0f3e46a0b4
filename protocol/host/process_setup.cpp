#include "protocol/host/process_setup.h"

#include <fcntl.h>

#include <csignal>

namespace ringside {

void set_up_process() {
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int fd : {0, 1, 2}) {
    // Not writable: whoever closed them is told as before that nothing arrives.
    if (::fcntl(fd, F_GETFD) < 0) (void)!::open("/dev/null", O_RDONLY);
  }
}

}  // namespace ringside
