// First call in main of every program, before it has threads or opens a file.
#pragma once

namespace ringside {

/// Exceeding the file size limit becomes a write error, like a full disk, and does not end the
/// process. Descriptors 0, 1 and 2 are opened if closed: otherwise a file that is opened later
/// would get one of these numbers, and be written to by whatever prints.
void set_up_process();

}  // namespace ringside
