// SPDX-License-Identifier: GPL-3.0-or-later
//
// The first byte says where the rest is cut in two. A request that is accepted must come to the same head
// when it is cut, and what is forwarded of it must be one complete request with the same framing.
#include "backend/http/head_writer.h"
#include "backend/http/parser.h"
#include "backend/http/path.h"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

using namespace yardmaster::http;

namespace {

/// In memory of its own, which ends where the bytes do.
std::unique_ptr<char[]> copyOf(std::string_view bytes) {
    auto copy = std::make_unique<char[]>(bytes.size());
    bytes.copy(copy.get(), bytes.size());
    return copy;
}

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

void checkForwarded(const RequestHead& head) {
    std::string pathStorage;
    std::string hostStorage;
    const auto host = normaliseHost(head.host, hostStorage);
    const auto path = normalisePath(head.path, pathStorage);
    if (!host || !path) {
        return;
    }
    std::string again;
    const auto samePath = normalisePath(*path, again);
    require(samePath && *samePath == *path);
    ForwardedInfo info;
    info.clientAddress = "2001:db8::1";
    info.port = "80";
    info.requestId = "id";
    std::string out;
    writeUpstreamRequest(out, head, *path, info);
    ParserLimits generous;
    generous.maxLineBytes = generous.maxHeadBytes = 1 << 20;
    generous.maxHeaderCount = 1 << 10;
    RequestParser parser(generous);
    require(parser.parse(out) == ParseStatus::Complete);
    const RequestHead& sent = parser.head();
    require(sent.headBytes == out.size() && sent.methodText == head.methodText && sent.path == *path
        && sent.authority == head.authority && sent.framing == head.framing
        && sent.contentLength == head.contentLength && sent.wantsUpgrade == head.wantsUpgrade);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    const std::string_view start = bytes.substr(0, data[0]);
    const auto wholeCopy = copyOf(bytes);
    const std::string_view whole(wholeCopy.get(), bytes.size());
    RequestParser once;
    const ParseStatus status = once.parse(whole);
    RequestParser twice;
    ParseStatus cutStatus = ParseStatus::NeedMore;
    {
        const auto startCopy = copyOf(start);
        cutStatus = twice.parse(std::string_view(startCopy.get(), start.size()));
        if (cutStatus == ParseStatus::NeedMore) {
            cutStatus = twice.parse(whole);
        } else if (cutStatus == ParseStatus::Complete) {
            checkForwarded(twice.head());
        }
    }
    require(cutStatus == status);
    if (status == ParseStatus::Error) {
        require(once.error().status == twice.error().status
            && std::string_view(once.error().reason) == twice.error().reason);
    } else if (status == ParseStatus::Complete) {
        require(once.head().headBytes == twice.head().headBytes && once.head().headBytes <= bytes.size());
        checkForwarded(once.head());
    }
    return 0;
}
