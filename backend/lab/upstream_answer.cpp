// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/lab/upstream_answer.h"

#include <charconv>

namespace yardmaster::lab {

namespace {

/// The value of "name=digits" in a query.
std::optional<std::uint64_t> queryNumber(std::string_view query, std::string_view name) {
    while (!query.empty()) {
        const std::size_t end = std::min(query.find('&'), query.size());
        const std::string_view pair = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        if (pair.size() <= name.size() || pair.substr(0, name.size()) != name || pair[name.size()] != '=')
            continue;
        const std::string_view digits = pair.substr(name.size() + 1);
        std::uint64_t value = 0;
        const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error == std::errc{} && stop == digits.data() + digits.size())
            return value;
    }
    return std::nullopt;
}

} // namespace

UpstreamAnswer planAnswer(const http::RequestHead& head, std::size_t bodyBytes) {
    UpstreamAnswer answer;
    const bool carriesBody = head.method == http::Method::Post || head.method == http::Method::Put
        || head.method == http::Method::Patch;
    answer.body = carriesBody ? UpstreamAnswer::Body::Echo : UpstreamAnswer::Body::Filler;
    answer.fillerBytes = queryNumber(head.query, "n").value_or(bodyBytes);
    if (const auto ms = queryNumber(head.query, "ms"); ms && *ms <= 3'600'000)
        answer.latencyMs = static_cast<std::uint32_t>(*ms);
    if (head.path == "/echo-headers")
        answer.body = UpstreamAnswer::Body::Head;
    else if (head.path == "/chunked")
        answer.chunked = head.minorVersion >= 1;
    else if (head.path == "/slow")
        answer.latencyMs = answer.latencyMs.value_or(1000);
    else if (head.path == "/status") {
        const std::uint64_t code = queryNumber(head.query, "code").value_or(200);
        // 1xx is no answer: the client would wait for another one.
        answer.status = code >= 200 && code <= 599 ? static_cast<int>(code) : 400;
    }
    return answer;
}

bool hasBody(http::Method method, int status) {
    return method != http::Method::Head && status != 204 && status != 304;
}

} // namespace yardmaster::lab
