// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace google::protobuf {
class MessageLite;
}

namespace yardmaster::protocol {

/// The encoding of a message with the entries of its maps in order: equal content gives equal bytes, which a
/// plain encoding does not promise. For comparing and hashing.
void appendCanonical(const google::protobuf::MessageLite& message, std::string& out);
[[nodiscard]] std::string canonicalBytes(const google::protobuf::MessageLite& message);
[[nodiscard]] bool sameMessage(
    const google::protobuf::MessageLite& left, const google::protobuf::MessageLite& right);

} // namespace yardmaster::protocol
