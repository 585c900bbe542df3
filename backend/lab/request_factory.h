// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/http/message.h"
#include "backend/lab/load_options.h"

#include <cstdint>
#include <string>
#include <vector>

namespace yardmaster::lab {

/// Writes the requests of a run. The body of each POST begins with the run and its number in it, so that an
/// answer to somebody else's request is noticed.
class RequestFactory {
public:
    /// `runId` tells runs apart that go on at the same time.
    RequestFactory(const LoadOptions& options, std::uint64_t runId);

    struct Request {
        http::Method method = http::Method::Get;
        std::size_t headBytes = 0;
    };
    /// Replaces `bytes` by the next request, head and body.
    [[nodiscard]] Request next(std::string& bytes);

private:
    LoadMethod m_method;
    std::size_t m_bodyBytes;
    std::string m_runId;
    std::uint64_t m_sequence = 0;
    std::vector<std::string> m_getHeads, m_postHeads; ///< of each path
    std::string m_pattern;
};

} // namespace yardmaster::lab
