// SPDX-License-Identifier: GPL-3.0-or-later
//
// Nanoseconds a message for what a proxied request costs in the codec. Usage: http_codec_bench [rounds]

#include "backend/http/head_writer.h"
#include "backend/http/parser.h"
#include "backend/http/path.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

using namespace yardmaster;

namespace {

constexpr std::string_view kWrkRequest = "GET /items/42?full=1 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n";
constexpr std::string_view kBrowserRequest =
    "GET /static/app/main.css HTTP/1.1\r\nHost: www.example.com\r\nConnection: keep-alive\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Safari/537.36\r\n"
    "Accept: text/css,*/*;q=0.1\r\nSec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: no-cors\r\n"
    "Referer: https://www.example.com/\r\nAccept-Encoding: gzip, deflate, br\r\n"
    "Accept-Language: en-US,en;q=0.9\r\nCookie: session=0123456789abcdef0123456789abcdef; theme=dark\r\n"
    "\r\n";
constexpr std::string_view kNginxResponse =
    "HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Mon, 30 Nov 2026 10:00:00 GMT\r\n"
    "Content-Type: application/octet-stream\r\nContent-Length: 1024\r\n"
    "Last-Modified: Sun, 29 Nov 2026 09:00:00 GMT\r\nConnection: keep-alive\r\n"
    "ETag: \"65672d20-400\"\r\nAccept-Ranges: bytes\r\n\r\n";

/// The best of several runs: the machine is rarely quiet.
void measure(const char* name, int rounds, const std::function<void()>& once) {
    double best = 1e18;
    for (int run = 0; run < 7; ++run) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < rounds; ++i) {
            once();
        }
        const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
        best = std::min(best, spent.count() / rounds);
    }
    std::printf("%-28s %8.1f ns\n", name, best);
}

[[noreturn]] void giveUp(const char* what) {
    std::fprintf(stderr, "http_codec_bench: %s\n", what);
    std::exit(1);
}

} // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 300'000;
    http::RequestParser requests;
    http::ResponseParser responses;
    http::ForwardedInfo info;
    info.clientAddress = "192.0.2.7";
    info.port = "8080";
    info.requestId = "01HG7Z3W9Q5R8T2V4X6Y8Z0A1B";
    std::string storage;
    std::string out;

    const auto parseRequest = [&](std::string_view bytes) {
        requests.reset();
        if (requests.parse(bytes) != http::ParseStatus::Complete) {
            giveUp(requests.error().reason);
        }
    };
    const auto parseResponse = [&] {
        responses.reset();
        if (responses.parse(kNginxResponse, http::Method::Get) != http::ParseStatus::Complete) {
            giveUp(responses.error().reason);
        }
    };
    const auto writeRequest = [&] {
        const auto path = http::normalisePath(requests.head().path, storage);
        const auto host = http::normaliseHost(requests.head().host, storage);
        if (!path || !host) {
            giveUp("path or host refused");
        }
        out.clear();
        http::writeUpstreamRequest(out, requests.head(), *path, info);
    };
    const auto writeResponse = [&] {
        out.clear();
        http::writeClientResponse(out, responses.head(), {});
    };

    for (const auto& [name, bytes] : {std::pair{"wrk", kWrkRequest}, std::pair{"browser", kBrowserRequest}}) {
        std::printf("request as %s sends it, 1 KB response of nginx\n", name);
        measure("  parse request", rounds, [&, b = bytes] { parseRequest(b); });
        measure("  normalise, write request", rounds, writeRequest);
        measure("  parse response", rounds, parseResponse);
        measure("  write response", rounds, writeResponse);
        measure("  all four", rounds, [&, b = bytes] {
            parseRequest(b);
            writeRequest();
            parseResponse();
            writeResponse();
        });
    }
    writeRequest();
    std::printf("\n%s", out.c_str());
    out.clear();
    writeResponse();
    std::printf("%s", out.c_str());
    return 0;
}
