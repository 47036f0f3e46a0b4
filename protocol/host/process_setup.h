// What every program of ours does first in main, before it has threads or opens a file.
#pragma once

namespace ringside {

/// A limit on the size of files becomes an error of the write, as a full disk is. 0, 1 and 2 become
/// open, so that no file is opened under their numbers and gets what is printed.
void set_up_process();

}  // namespace ringside
