// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/lab/request_factory.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace yardmaster::lab {

namespace {
constexpr std::size_t letters = 26;
} // namespace

RequestFactory::RequestFactory(const LoadOptions& options, std::uint64_t runId)
    : m_method(options.method)
    , m_bodyBytes(options.bodyBytes)
    , m_runId(std::to_string(runId) + ".") {
    for (const std::string& path : options.paths) {
        const std::string rest = path + " HTTP/1.1\r\nHost: " + options.host
            + "\r\nUser-Agent: yardmaster-lab\r\n" + (options.keepAlive ? "" : "Connection: close\r\n");
        m_getHeads.push_back("GET " + rest + "\r\n");
        m_postHeads.push_back("POST " + rest
            + "Content-Type: text/plain\r\nContent-Length: " + std::to_string(m_bodyBytes) + "\r\n\r\n");
    }
    for (std::size_t at = 0; at < m_bodyBytes + letters; ++at)
        m_pattern.push_back(static_cast<char>('a' + at % letters));
}

RequestFactory::Request RequestFactory::next(std::string& bytes) {
    const std::uint64_t sequence = m_sequence++;
    // In a mix each path has both methods in turn.
    const bool isPost = m_method == LoadMethod::Post
        || (m_method == LoadMethod::Mix && (sequence / m_getHeads.size()) % 2 == 1);
    const std::string& head = (isPost ? m_postHeads : m_getHeads)[sequence % m_getHeads.size()];
    bytes.assign(head);
    if (isPost) {
        bytes.append(m_pattern, sequence % letters, m_bodyBytes);
        std::array<char, 64> mark{};
        const std::size_t runBytes = std::min(m_runId.size(), mark.size() / 2);
        std::memcpy(mark.data(), m_runId.data(), runBytes);
        char* end = std::to_chars(mark.data() + runBytes, mark.data() + mark.size(), sequence).ptr;
        // The end is what differs: a body too short for all of it keeps that.
        const std::size_t markBytes = static_cast<std::size_t>(end - mark.data());
        const std::size_t kept = std::min(markBytes, m_bodyBytes);
        std::memcpy(bytes.data() + head.size(), end - kept, kept);
    }
    return {isPost ? http::Method::Post : http::Method::Get, head.size()};
}

} // namespace yardmaster::lab
