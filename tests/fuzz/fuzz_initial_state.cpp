// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reading record by record must accept exactly what parsing the whole message accepts, as long as there is
// nothing but records in it.
#include "backend/protocol/canonical.h"
#include "backend/protocol/command.pb.h"
#include "backend/protocol/initial_state.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    yardmaster::proto::InitialState streamed;
    const auto count = yardmaster::protocol::forEachInitialRequest(
        bytes, [&](const yardmaster::proto::WorkerRequest& record) -> yardmaster::Expected<void> {
            *streamed.add_requests() = record;
            return {};
        });
    if (!count)
        return 0;
    yardmaster::proto::InitialState whole;
    if (!whole.ParseFromArray(data, static_cast<int>(size)))
        std::abort();
    if (*count != static_cast<std::uint64_t>(whole.requests_size())
        || !yardmaster::protocol::sameMessage(whole, streamed))
        std::abort();
    return 0;
}
