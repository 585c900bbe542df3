// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace google::protobuf {
class MessageLite;
}

namespace yardmaster::protocol {

/// Frames of the command socket: an 8-byte little-endian length that includes itself, then one protobuf
/// message.
inline constexpr std::size_t frameHeaderBytes = 8;
inline constexpr std::size_t defaultMaxFrameBytes = 2'000'000; ///< Sozu's default cap, either direction

/// Header and message in one buffer; ResourceExhausted when it would exceed `maxFrameBytes` (nothing to send
/// then), InvalidArgument when a required field is not set.
[[nodiscard]] Expected<std::string> encodeFrame(
    const google::protobuf::MessageLite& message, std::size_t maxFrameBytes = defaultMaxFrameBytes);

/// Parses one payload; DataLoss naming the message type when it does not decode or lacks a required field.
[[nodiscard]] Expected<void> decodePayload(std::string_view payload, google::protobuf::MessageLite& message);

/// Cuts a byte stream into payloads. Feed what was read; take payloads until there is none. After an error
/// the stream cannot be resynchronised: close that connection.
///  - length below 8: DataLoss            - length above the cap: ResourceExhausted
class FrameReader {
public:
    explicit FrameReader(std::size_t maxFrameBytes = defaultMaxFrameBytes)
        : m_maxFrameBytes(maxFrameBytes) { }

    void append(std::string_view bytes) { m_buffer.append(bytes); }

    /// True and `payload` set (valid until the next call of any member), false when more bytes are needed.
    [[nodiscard]] Expected<bool> next(std::string_view& payload);

    /// Bytes that wait for the rest of their frame: not zero at the end of the stream means a truncated
    /// frame.
    [[nodiscard]] std::size_t pendingBytes() const { return m_buffer.size() - m_offset; }

private:
    std::string m_buffer;
    std::size_t m_offset = 0;
    std::size_t m_maxFrameBytes;
};

} // namespace yardmaster::protocol
