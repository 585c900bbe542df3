// SPDX-License-Identifier: GPL-3.0-or-later
//
// The first byte picks the method that is answered. What is passed on of an accepted response must be one
// complete response with the same status; a chunked body behind it must decode the same in pieces.
#include "backend/http/head_writer.h"
#include "backend/http/parser.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace yardmaster::http;

namespace {

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

struct Decoded {
    std::string body;
    std::string trailers;
    std::size_t consumed = 0;
    ChunkedDecoder::Kind last = ChunkedDecoder::Kind::NeedMore;
    bool operator==(const Decoded&) const = default;
};

Decoded decode(std::string_view bytes, std::size_t step) {
    ChunkedDecoder decoder(1 << 20);
    Decoded result;
    while (!bytes.empty()) {
        const auto taken = decoder.next(bytes.substr(0, step));
        bytes.remove_prefix(taken.consumed);
        result.consumed += taken.consumed;
        if (taken.kind == ChunkedDecoder::Kind::Data) {
            result.body += taken.data;
        } else if (taken.kind != ChunkedDecoder::Kind::NeedMore) {
            result.last = taken.kind;
            result.trailers = taken.data;
            break;
        }
    }
    return result;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const Method method = data[0] % 4 == 0 ? Method::Head : Method::Get;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    ResponseParser parser;
    const ParseStatus status = parser.parse(bytes, method);
    ResponseParser slow;
    ParseStatus slowStatus = ParseStatus::NeedMore;
    for (std::size_t end = 0; end <= bytes.size() && slowStatus == ParseStatus::NeedMore; ++end) {
        slowStatus = slow.parse(bytes.substr(0, end), method);
    }
    require(slowStatus == status);
    if (status != ParseStatus::Complete) {
        require(status == ParseStatus::NeedMore || parser.error().status == 502);
        return 0;
    }
    const ResponseHead& head = parser.head();
    require(head.headBytes <= bytes.size() && head.headBytes == slow.head().headBytes);
    ResponseOptions options;
    options.keepAlive = head.keepAlive;
    options.chunked = head.framing == BodyFraming::Chunked || head.framing == BodyFraming::UntilClose;
    std::string out;
    writeClientResponse(out, head, options);
    ParserLimits generous;
    generous.maxLineBytes = generous.maxHeadBytes = 1 << 20;
    generous.maxHeaderCount = 1 << 10;
    ResponseParser sent(generous);
    require(sent.parse(out, method) == ParseStatus::Complete);
    require(sent.head().headBytes == out.size() && sent.head().status == head.status
        && sent.head().hasContentLength == head.hasContentLength
        && (!head.hasContentLength || sent.head().contentLength == head.contentLength));
    if (head.framing == BodyFraming::Chunked) {
        const std::string_view body = bytes.substr(head.headBytes);
        require(decode(body, body.size()) == decode(body, 1));
    }
    return 0;
}
