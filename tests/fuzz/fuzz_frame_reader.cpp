// SPDX-License-Identifier: GPL-3.0-or-later
//
// The first byte sets how the stream is cut into reads; however it is cut, the same payloads must come out.
#include "backend/protocol/command.pb.h"
#include "backend/protocol/frame.h"
#include "backend/protocol/request_names.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Outcome {
    std::vector<std::string> payloads;
    bool failed = false;
    std::size_t pending = 0;
    bool operator==(const Outcome&) const = default;
};

Outcome readAll(std::string_view stream, std::size_t step) {
    Outcome outcome;
    yardmaster::protocol::FrameReader reader(4096);
    while (!outcome.failed) {
        std::string_view payload;
        const auto next = reader.next(payload);
        if (!next) {
            outcome.failed = true;
        } else if (*next) {
            outcome.payloads.emplace_back(payload);
        } else if (stream.empty()) {
            break;
        } else {
            reader.append(stream.substr(0, step));
            stream.remove_prefix(std::min(step, stream.size()));
        }
    }
    outcome.pending = outcome.failed ? 0 : reader.pendingBytes();
    return outcome;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0)
        return 0;
    const std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);
    const Outcome whole = readAll(stream, stream.size() + 1);
    if (readAll(stream, 1 + data[0] % 32) != whole)
        std::abort();
    for (const auto& payload : whole.payloads) {
        yardmaster::proto::Request request;
        if (!yardmaster::protocol::decodePayload(payload, request))
            continue;
        if (yardmaster::protocol::describeRequest(request).find('\n') != std::string::npos)
            std::abort();
        // What was accepted can be written again.
        if (!yardmaster::protocol::encodeFrame(request, 1 << 20))
            std::abort();
    }
    return 0;
}
