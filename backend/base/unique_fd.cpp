// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/base/unique_fd.h"

#include <fcntl.h>
#include <unistd.h>

namespace yardmaster {

void UniqueFd::reset(int fd) noexcept {
    const int old = std::exchange(m_fd, fd);
    // EINTR is not retried: on Linux the descriptor is gone either way.
    if (old >= 0)
        ::close(old);
}

UniqueFd UniqueFd::duplicate() const {
    return duplicateAbove(0);
}

UniqueFd UniqueFd::duplicateAbove(int lowest) const {
    return UniqueFd(::fcntl(m_fd, F_DUPFD_CLOEXEC, lowest));
}

} // namespace yardmaster
