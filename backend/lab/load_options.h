// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/lab/socket_address.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace yardmaster::lab {

enum class LoadMethod { Get, Post, Mix };

struct LoadOptions {
    SocketAddress target;
    std::string host = "localhost"; ///< of the Host field
    std::uint32_t connections = 50;
    double requestsPerSecond = 0; ///< 0: closed loop, each connection sends when it was answered
    double seconds = 0; ///< 0: until told to stop
    std::uint64_t requests = 0; ///< at most so many; 0: as many as go
    LoadMethod method = LoadMethod::Get;
    std::size_t bodyBytes = 512; ///< of a POST; its echo is compared byte by byte
    std::optional<std::uint64_t> expectedBytes; ///< of the answer to a GET; not checked without
    bool keepAlive = true; ///< else one connection a request
    std::uint32_t timeoutMs = 10'000; ///< from the begin of the request (connecting counts)
    std::uint32_t seriesMs = 1000;
    bool seriesHistograms = false; ///< the buckets of each window, so that a reader can merge windows
    std::vector<std::string> paths{"/"}; ///< in turn
};

} // namespace yardmaster::lab
