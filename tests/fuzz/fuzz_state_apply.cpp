// SPDX-License-Identifier: GPL-3.0-or-later
//
// The input is an initial state. Whatever its requests are, they are applied or refused; what was applied can
// be replayed into an equal state, and a difference leads from one state to the other.
#include "backend/protocol/command.pb.h"
#include "backend/protocol/initial_state.h"
#include "backend/state/config_state.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

using yardmaster::state::ConfigState;

namespace {

void require(bool holds) {
    if (!holds)
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size > 16'384) // keeps the quadratic parts of this test short
        return 0;
    ConfigState half;
    ConfigState whole;
    std::uint64_t number = 0;
    // A damaged record ends the input; what came before it counts.
    (void)yardmaster::protocol::forEachInitialRequest(
        std::string_view(reinterpret_cast<const char*>(data), size),
        [&](const yardmaster::proto::WorkerRequest& record) -> yardmaster::Expected<void> {
            const auto& request = record.content();
            const std::uint64_t before = whole.hash();
            const auto applied = whole.apply(request);
            if (!applied) {
                require(whole.hash() == before);
                require(!applied.error().what.empty());
            }
            require(applied || !ConfigState::isStateRequest(request)
                || applied.error().code != yardmaster::Error::Code::Internal);
            if (++number % 2 == 0)
                (void)half.apply(request);
            return {};
        });

    ConfigState replayed;
    whole.forEachRequest([&](const yardmaster::proto::Request& request) {
        require(replayed.apply(request, ConfigState::Checks::Trusted).has_value());
    });
    require(replayed == whole && replayed.hash() == whole.hash());

    for (const auto& request : half.diff(whole))
        require(half.apply(request).has_value());
    require(half == whole);
    require(half.clusterHashes() == whole.clusterHashes());
    return 0;
}
