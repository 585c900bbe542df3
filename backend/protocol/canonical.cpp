// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/protocol/canonical.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message_lite.h>

namespace yardmaster::protocol {

void appendCanonical(const google::protobuf::MessageLite& message, std::string& out) {
    google::protobuf::io::StringOutputStream sink(&out);
    google::protobuf::io::CodedOutputStream coded(&sink);
    coded.SetSerializationDeterministic(true);
    message.SerializePartialToCodedStream(&coded);
    coded.Trim();
}

std::string canonicalBytes(const google::protobuf::MessageLite& message) {
    std::string bytes;
    appendCanonical(message, bytes);
    return bytes;
}

bool sameMessage(const google::protobuf::MessageLite& left, const google::protobuf::MessageLite& right) {
    return left.ByteSizeLong() == right.ByteSizeLong() && canonicalBytes(left) == canonicalBytes(right);
}

} // namespace yardmaster::protocol
