// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/control/worker_control.h"

namespace yardmaster::control {

namespace {
std::string textOf(const std::optional<Error>& error) {
    return error ? error->toString() : std::string();
}
} // namespace

bool Job::operator==(const Job& other) const {
    return id == other.id && kind == other.kind && title == other.title && state == other.state
        && steps == other.steps && startedUnixNs == other.startedUnixNs && endedUnixNs == other.endedUnixNs
        && workerId == other.workerId && newWorkerId == other.newWorkerId && done == other.done
        && total == other.total && drain == other.drain && textOf(error) == textOf(other.error);
}

} // namespace yardmaster::control
