// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace yardmaster::worker {

/// One line a request, written by a thread of its own; when it cannot keep up the oldest lines are dropped,
/// never a request delayed. No header field is logged, so no credential is.
class AccessLog {
public:
    struct Entry {
        std::string_view requestId, client, method, host, path, cluster, backend;
        int status = 0;
        std::uint64_t bytes = 0; ///< to the client
        std::uint64_t latencyUs = 0;
    };

    [[nodiscard]] static Expected<std::unique_ptr<AccessLog>> open(const std::string& path);
    ~AccessLog();

    void write(const Entry& entry);

private:
    struct Private;
    explicit AccessLog(std::unique_ptr<Private> parts);
    std::unique_ptr<Private> d;
};

} // namespace yardmaster::worker
