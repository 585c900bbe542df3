// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/base/monotonic_clock.h"
#include "backend/worker/worker.h"

#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <sys/prctl.h>

namespace {

bool readNumber(std::string_view text, std::uint32_t& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}

} // namespace

// Started by the agent only (backend/protocol/worker_channel.h), so two numbers are all there is to parse.
int main(int argc, char** argv) {
    yardmaster::worker::WorkerArguments arguments;
    arguments.spawnedNs = yardmaster::monotonicNowNs();
    bool ok = argc == 5;
    for (int at = 1; ok && at + 1 < argc; at += 2) {
        const std::string_view name = argv[at];
        ok = (name == "--id" && readNumber(argv[at + 1], arguments.id))
            || (name == "--slot" && readNumber(argv[at + 1], arguments.slot));
    }
    if (argc == 2 && std::string_view(argv[1]) == "--version") {
        std::puts("yardmaster-worker " YARDMASTER_VERSION);
        return 0;
    }
    if (!ok) {
        std::fputs("yardmaster-worker is started by yardmasterd, with --id N --slot N and its descriptors\n",
            stderr);
        return 2;
    }
    ::prctl(PR_SET_NAME, ("ym-worker-" + std::to_string(arguments.id)).c_str());
    return yardmaster::worker::runWorker(arguments);
}
