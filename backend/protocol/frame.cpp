// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/protocol/frame.h"

#include <google/protobuf/message_lite.h>

#include <bit>
#include <cstring>
#include <limits>

namespace yardmaster::protocol {

static_assert(std::endian::native == std::endian::little, "the frame header is written as it lies in memory");

namespace {
constexpr std::size_t keptBufferBytes = 1 << 20;
}

Expected<std::string> encodeFrame(const google::protobuf::MessageLite& message, std::size_t maxFrameBytes) {
    if (!message.IsInitialized())
        return failure(Error::Code::InvalidArgument,
            "required fields not set: " + message.InitializationErrorString(), message.GetTypeName());
    const std::uint64_t length = frameHeaderBytes + message.ByteSizeLong();
    if (length > maxFrameBytes)
        return failure(Error::Code::ResourceExhausted,
            "frame of " + std::to_string(length) + " bytes exceeds the limit of "
                + std::to_string(maxFrameBytes),
            message.GetTypeName(), "raise max_command_buffer_size on both sides");
    if (length > std::numeric_limits<std::int32_t>::max())
        return failure(
            Error::Code::ResourceExhausted, "a message cannot be longer than 2 GiB", message.GetTypeName());
    std::string frame(length, '\0');
    std::memcpy(frame.data(), &length, frameHeaderBytes);
    message.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(frame.data()) + frameHeaderBytes);
    return frame;
}

Expected<void> decodePayload(std::string_view payload, google::protobuf::MessageLite& message) {
    if (payload.size() > std::numeric_limits<std::int32_t>::max())
        return failure(
            Error::Code::ResourceExhausted, "a message cannot be longer than 2 GiB", message.GetTypeName());
    if (!message.ParsePartialFromArray(payload.data(), static_cast<int>(payload.size())))
        return failure(Error::Code::DataLoss,
            "payload of " + std::to_string(payload.size()) + " bytes does not decode", message.GetTypeName());
    if (!message.IsInitialized())
        return failure(Error::Code::DataLoss,
            "required fields missing: " + message.InitializationErrorString(), message.GetTypeName());
    return {};
}

Expected<bool> FrameReader::next(std::string_view& payload) {
    const std::size_t available = pendingBytes();
    std::uint64_t length = 0;
    if (available >= frameHeaderBytes) {
        std::memcpy(&length, m_buffer.data() + m_offset, frameHeaderBytes);
        if (length < frameHeaderBytes)
            return failure(Error::Code::DataLoss,
                "frame length " + std::to_string(length) + " is below its own 8 bytes", "frame header");
        if (length > m_maxFrameBytes)
            return failure(Error::Code::ResourceExhausted,
                "frame of " + std::to_string(length) + " bytes exceeds the limit of "
                    + std::to_string(m_maxFrameBytes),
                "frame header", "raise max_command_buffer_size on both sides");
    }
    if (available < frameHeaderBytes || available < length) {
        // What was consumed is dropped only here, so that a payload view stays valid until the next call.
        m_buffer.erase(0, m_offset);
        m_offset = 0;
        // One huge frame must not hold its memory for as long as the connection lives.
        if (m_buffer.empty() && m_buffer.capacity() > keptBufferBytes)
            m_buffer.shrink_to_fit();
        return false;
    }
    payload = std::string_view(m_buffer).substr(m_offset + frameHeaderBytes, length - frameHeaderBytes);
    m_offset += length;
    return true;
}

} // namespace yardmaster::protocol
