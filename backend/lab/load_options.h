// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace yardmaster::lab {

enum class LoadMethod { Get, Post, Mix };

struct LoadOptions {
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;
    std::string host = "localhost"; ///< of the Host field
    std::uint32_t connections = 50;
    double requestsPerSecond = 0; ///< 0: closed loop, each connection sends when it was answered
    double seconds = 0; ///< 0: until told to stop
    LoadMethod method = LoadMethod::Get;
    std::size_t bodyBytes = 512; ///< of a POST; its echo is compared byte by byte
    bool keepAlive = true; ///< else one connection a request
    std::uint32_t timeoutMs = 10'000;
    std::uint32_t seriesMs = 1000;
    std::vector<std::string> paths{"/"};
};

} // namespace yardmaster::lab
