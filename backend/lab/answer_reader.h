// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/http/parser.h"
#include "backend/io/byte_buffer.h"
#include "backend/lab/load_stats.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace yardmaster::lab {

/// Judges one response as it comes in: complete, well-formed (RFC 9112, read as strictly as the proxy reads),
/// 2xx, and the body that was asked for.
class AnswerReader {
public:
    struct Expectation {
        http::Method method = http::Method::Get;
        std::optional<std::string_view> body; ///< byte by byte; must stay valid until the verdict
        std::optional<std::uint64_t> bodyBytes; ///< the size only
    };
    enum class Verdict : std::uint8_t { NeedMore, Right, Lost };

    void begin(const Expectation& expectation);
    /// Takes what is in `input`. Bytes left behind a complete response are a protocol error: nobody asked for
    /// them, and the next request would take them for its answer.
    [[nodiscard]] Verdict read(io::ByteBuffer& input);
    [[nodiscard]] Verdict endOfStream();

    [[nodiscard]] Loss loss() const { return m_loss; } ///< after Lost
    [[nodiscard]] bool keepAlive() const { return m_keepAlive; } ///< after Right
    [[nodiscard]] bool sawBytes() const { return m_sawBytes; }

private:
    Verdict readHead(io::ByteBuffer& input);
    Verdict readBody(io::ByteBuffer& input);
    Verdict readChunks(io::ByteBuffer& input);
    Verdict complete(const io::ByteBuffer& input);
    Verdict lost(Loss loss);
    void take(std::string_view bytes);

    Expectation m_expectation;
    http::ResponseParser m_parser;
    http::ChunkedDecoder m_chunks;
    http::BodyFraming m_framing = http::BodyFraming::None;
    bool m_hasHead = false, m_sawBytes = false, m_differs = false, m_keepAlive = true;
    int m_status = 0;
    std::uint64_t m_received = 0, m_length = 0;
    Loss m_loss = Loss::ProtocolError;
};

} // namespace yardmaster::lab
