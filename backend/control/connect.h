// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/worker_control.h"

#include <QString>

#include <memory>

namespace yardmaster::control {

/// The workers behind a command socket, whoever listens there: a Yardmaster agent or a Sozu 2.1. Which one it
/// is is found out on each connect, as the peer of a path may change. Nothing is dialled before
/// WorkerControl::start().
[[nodiscard]] std::unique_ptr<WorkerControl> connectWorkerControl(const QString& socketPath);

} // namespace yardmaster::control
