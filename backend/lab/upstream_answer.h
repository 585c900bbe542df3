// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/http/message.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace yardmaster::lab {

/// What an upstream makes of a request's head: its answer to it.
struct UpstreamAnswer {
    enum class Body : std::uint8_t { Filler, Echo, Head };
    int status = 200;
    Body body = Body::Filler;
    std::uint64_t fillerBytes = 0;
    bool chunked = false;
    std::optional<std::uint32_t> latencyMs; ///< in place of the server's
};
[[nodiscard]] UpstreamAnswer planAnswer(const http::RequestHead& head, std::size_t bodyBytes);

/// Whether an answer with this status to this method has a body at all, RFC 9110 6.4.1.
[[nodiscard]] bool hasBody(http::Method method, int status);

} // namespace yardmaster::lab
