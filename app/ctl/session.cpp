// SPDX-License-Identifier: GPL-3.0-or-later
#include "session.h"

#include <algorithm>
#include <cstdio>

namespace yardmaster::ctl {

namespace {
constexpr int standardTimeoutMs = 10'000;
constexpr int failed = 1;
constexpr int notAsked = 2;

Expected<proto::Response> exchange(const Options& options, const proto::Request& request,
    const std::function<bool(const proto::Response&)>& progress) {
    const int timeoutMs = options.timeoutMs < 0 ? standardTimeoutMs : options.timeoutMs;
    auto client = agent::BlockingClient::connect(options.socket, timeoutMs, options.maxFrameBytes);
    if (!client)
        return failure(client.error());
    return client->call(request, progress);
}

int complain(const std::string& text, int exitStatus) {
    std::fprintf(stderr, "yardmasterctl: %s\n", text.c_str());
    return exitStatus;
}

} // namespace

int ask(const Options& options, const proto::Request& request,
    const std::function<void(const proto::Response&)>& show,
    const std::function<bool(const proto::Response&)>& progress) {
    const auto response = exchange(options, request, progress);
    if (!response)
        return complain(response.error().toString(), notAsked);
    if (response->status() != proto::OK)
        return complain(response->message(), failed);
    show(*response);
    return 0;
}

int askJob(const Options& options, const proto::Request& request,
    const std::function<void(const proto::Response&)>& show) {
    const auto response = exchange(options, request, [&](const proto::Response& progress) {
        show(progress);
        return true;
    });
    if (!response)
        return complain(response.error().toString(), notAsked);
    show(*response);
    return response->status() == proto::OK ? 0 : complain(response->message(), failed);
}

int tell(const Options& options, const proto::Request& request) {
    return ask(options, request, [&](const proto::Response& response) {
        if (options.json)
            printJson({{"message", response.message()}});
        else
            std::printf("%s\n", response.message().c_str());
    });
}

void printJson(const Json& json) {
    std::printf("%s\n", json.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
    std::fflush(stdout);
}

void printTable(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t column = 0; column < row.size(); ++column)
            widths[column] = std::max(widths[column], row[column].size());
    }
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t column = 0; column < row.size(); ++column) {
            line += row[column];
            if (column + 1 < row.size())
                line.append(widths[column] - row[column].size() + 2, ' ');
        }
        std::printf("%s\n", line.c_str());
    }
}

} // namespace yardmaster::ctl
