// SPDX-License-Identifier: GPL-3.0-or-later
#include "response_cases.h"

using namespace std::string_literals;
using yardmaster::http::Method;

namespace {

using Verdict = ResponseCase::Verdict;

ResponseCase good(std::string name, std::string bytes, std::string words, Method method = Method::Get) {
    return {std::move(name), std::move(bytes), Verdict::Accepted, std::move(words), method};
}

ResponseCase bad(std::string name, std::string bytes, std::string reason, Method method = Method::Get) {
    return {std::move(name), std::move(bytes), Verdict::Refused, std::move(reason), method};
}

ResponseCase open(std::string name, std::string bytes) {
    return {std::move(name), std::move(bytes), Verdict::Incomplete, {}, Method::Get};
}

std::string line(const std::string& statusLine) {
    return statusLine + "\r\nContent-Length: 0\r\n\r\n";
}

std::string with(const std::string& lines, const std::string& start = "HTTP/1.1 200 OK") {
    return start + "\r\n" + lines + "\r\n";
}

const char* const kBadLine = "invalid status line";
const char* const kNotHttp = "not an HTTP/1 response";
const char* const kRange = "status outside 100-599";
const char* const kBadLength = "invalid Content-Length";
const char* const kBadCoding = "invalid Transfer-Encoding";
const char* const kControl = "control character in a field value";
const char* const kFolded = "folded field line";

std::vector<ResponseCase> statusLineCases() {
    return {
        good("9112-4 OK", line("HTTP/1.1 200 OK"),
            "status=200 reason=OK minor=1 keep body=length:0 no-upgrade"),
        good("9112-4 empty reason", line("HTTP/1.1 200 "), "status=200 reason="),
        good("9112-4 reason with blanks", line("HTTP/1.1 404 Not Found"), "reason=Not~Found"),
        good("9112-4 reason with high bytes", line("HTTP/1.1 200 d\xc3\xa9j\xc3\xa0"), "status=200"),
        good("9112-4 reason with a tab", line("HTTP/1.1 200 a\tb"), "status=200"),
        good("9112-4 reason that begins with a space", line("HTTP/1.1 200  OK"), "reason=~OK"),
        good("9110-15 unknown status", line("HTTP/1.1 299 Odd"), "status=299"),
        good("9110-15 last status", line("HTTP/1.1 599 Last"), "status=599"),
        good("9112-2.3 HTTP/1.0", line("HTTP/1.0 200 OK"), "minor=0 close body=length:0"),
        bad("9110-15 status 099", line("HTTP/1.1 099 Low"), kRange),
        bad("9110-15 status 000", line("HTTP/1.1 000 Zero"), kRange),
        bad("9110-15 status 600", line("HTTP/1.1 600 High"), kRange),
        bad("9110-15 status 999", line("HTTP/1.1 999 High"), kRange),
        bad("9112-4 two digits", line("HTTP/1.1 20 OK"), kBadLine),
        bad("9112-4 four digits", line("HTTP/1.1 2000 OK"), kBadLine),
        bad("9112-4 letters as status", line("HTTP/1.1 abc OK"), kBadLine),
        bad("9112-4 signed status", line("HTTP/1.1 +20 OK"), kBadLine),
        bad("9112-4 no status", line("HTTP/1.1 OK"), kBadLine),
        bad("9112-4 version alone", line("HTTP/1.1"), kBadLine),
        bad("9112-4 no space behind the status", line("HTTP/1.1 200"), kBadLine),
        bad("9112-4 tab behind the status", line("HTTP/1.1 200\tOK"), kBadLine),
        bad("9112-4 two spaces before the status", line("HTTP/1.1  200 OK"), kBadLine),
        bad("9112-4 tab before the status", line("HTTP/1.1\t200 OK"), kBadLine),
        bad("9112-4 status runs into the reason", line("HTTP/1.1 200OK"), kBadLine),
        bad("9112-4 NUL in the reason", line("HTTP/1.1 200 O\0K"s), "control character in the status line"),
        bad("9112-4 CR in the reason", line("HTTP/1.1 200 O\rK"), "control character in the status line"),
        bad("9112-4 ESC in the reason", line("HTTP/1.1 200 \x1b[1m"), "control character in the status line"),
        bad("9112-2.3 HTTP/1.2", line("HTTP/1.2 200 OK"), "unsupported HTTP version"),
        bad("9112-2.3 HTTP/1.x", line("HTTP/1.x 200 OK"), "unsupported HTTP version"),
        bad("9112-2.3 two minor digits", line("HTTP/1.10 200 OK"), kBadLine),
        bad("9112-2.3 HTTP/2.0", line("HTTP/2.0 200 OK"), kNotHttp),
        bad("9112-2.3 HTTP/0.9", line("HTTP/0.9 200 OK"), kNotHttp),
        bad("9112-2.3 lower case", line("http/1.1 200 OK"), kNotHttp),
        bad("no HTTP: a body at once", "<html>hello</html>", kNotHttp),
        bad("no HTTP: HTTP/0.9 body", "hello\n", kNotHttp),
        bad("no HTTP: TLS alert", "\x15\x03\x01\x00\x02\x02\x50"s, kNotHttp),
        bad("no HTTP: HTTP/2 frame", "\0\0\x12\x04\0\0\0\0\0"s, kNotHttp),
        bad("no HTTP: SSH banner", "SSH-2.0-OpenSSH_9.2\r\n", kNotHttp),
        bad("no HTTP: ICY", "ICY 200 OK\r\n\r\n", kNotHttp),
        bad("no HTTP: HTTQ", "HTTQ/1.1 200 OK\r\n\r\n", kNotHttp),
        bad("no HTTP: a request", "GET / HTTP/1.1\r\n\r\n", kNotHttp),
        bad("left-over CRLF in front", "\r\n" + line("HTTP/1.1 200 OK"), kNotHttp),
        bad("left-over bytes in front", "0\r\n\r\n" + line("HTTP/1.1 200 OK"), kNotHttp),
        bad("left-over space in front", " " + line("HTTP/1.1 200 OK"), kNotHttp),
        bad("9112-2.2 bare LF behind the status line", "HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n",
            "bare LF"),
        open("part of the name", "HTT"),
        open("part of a status line", "HTTP/1.1 20"),
        open("status line only", "HTTP/1.1 200 OK\r\n"),
        open("no empty line", "HTTP/1.1 200 OK\r\nA: b\r\n"),
    };
}

std::vector<ResponseCase> fieldCases() {
    return {
        good("9112-5 no fields", with(""), "fields=0 body=until-close close"),
        good("9112-5 blanks around a value", with("A: \t b \t\r\nContent-Length: 0\r\n"), "fields=2"),
        good("9110-5.3 repeated fields", with("Set-Cookie: a\r\nSet-Cookie: b\r\nContent-Length:0\r\n"),
            "fields=3"),
        good("9110-5.5 high bytes", with("A: \xc3\xa9\r\nContent-Length: 0\r\n"), "fields=2"),
        bad("9112-5.1 space before the colon", with("Content-Length : 5\r\n"),
            "white space in or behind a field name"),
        bad("9112-5.1 no colon", with("hello\r\n"), "field line without a colon"),
        bad("9112-5.1 empty name", with(": a\r\n"), "empty field name"),
        bad("9112-5.1 separator in the name", with("a(b): c\r\n"), "invalid character in a field name"),
        bad("9112-5.1 NUL in the name", with("A\0: b\r\n"s), "invalid character in a field name"),
        bad("9112-5.2 folded with a space", with("A: b\r\n c\r\n"), kFolded),
        bad("9112-5.2 folded with a tab", with("A: b\r\n\tc\r\n"), kFolded),
        bad("9112-5.2 blank before the first field", with(" A: b\r\n"), kFolded),
        bad("9110-5.5 NUL in a value", with("A: b\0c\r\n"s), kControl),
        bad("9110-5.5 DEL in a value", with("A: \x7f\r\n"), kControl),
        bad("9110-5.5 ESC in a value", with("A: \x1b\r\n"), kControl),
        bad("9112-2.2 bare LF", with("A: b\nC: d\r\n"), "bare LF"),
        bad("9112-2.2 bare LF as the end", "HTTP/1.1 200 OK\r\nA: b\r\n\n", "bare LF"),
        bad("9112-2.2 bare CR", with("A: b\rC: d\r\n"), "bare CR"),
        bad("9112-2.2 CR CR LF", with("A: b\r\r\n"), "bare CR"),
    };
}

std::vector<ResponseCase> lengthCases() {
    const auto length = [](const std::string& value) { return with("Content-Length: " + value + "\r\n"); };
    return {
        good("9112-6.3 length", length("1024"), "body=length:1024 has-length keep"),
        good("9112-6.3 zero", length("0"), "body=length:0"),
        good("9112-6.3 leading zeros", length("007"), "body=length:7"),
        bad("9112-6.3 empty", with("Content-Length:\r\n"), kBadLength),
        bad("9112-6.3 minus", length("-1"), kBadLength),
        bad("9112-6.3 plus", length("+1"), kBadLength),
        bad("9112-6.3 letters", length("abc"), kBadLength),
        bad("9112-6.3 hex", length("0x10"), kBadLength),
        bad("9112-6.3 unit", length("10 bytes"), kBadLength),
        bad("9112-6.3 equal list", length("5, 5"), kBadLength),
        bad("9112-6.3 differing list", length("5, 6"), kBadLength),
        bad("9112-6.3 too large", length("99999999999999999999"), kBadLength),
        bad("9112-6.3 twice, equal", with("Content-Length: 5\r\nContent-Length: 5\r\n"),
            "more than one Content-Length"),
        bad("9112-6.3 twice, differing", with("Content-Length: 5\r\nContent-Length: 6\r\n"),
            "more than one Content-Length"),
        bad("9112-6.3 invalid on a HEAD", length("x"), kBadLength, Method::Head),
        bad("9112-6.3 invalid on a 304", with("Content-Length: 1,2\r\n", "HTTP/1.1 304 Not Modified"),
            kBadLength),
        bad("9112-6.3 invalid on a 204", with("Content-Length: x\r\n", "HTTP/1.1 204 No Content"),
            kBadLength),
        good("9112-7.1 chunked", with("Transfer-Encoding: chunked\r\n"), "body=chunked no-length keep"),
        good("9112-7.1 case", with("transfer-encoding: CHUNKED\r\n"), "body=chunked"),
        bad("9112-6.3 both", with("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"),
            "Content-Length with Transfer-Encoding"),
        bad("9112-6.3 both, length first", with("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
            "Content-Length with Transfer-Encoding"),
        bad("9112-6.1 coding in HTTP/1.0", with("Transfer-Encoding: chunked\r\n", "HTTP/1.0 200 OK"),
            "Transfer-Encoding in HTTP/1.0"),
        bad("9112-6.1 gzip, chunked", with("Transfer-Encoding: gzip, chunked\r\n"),
            "unsupported transfer coding"),
        bad("9112-6.3 gzip", with("Transfer-Encoding: gzip\r\n"), kBadCoding),
        bad("9112-6.3 identity", with("Transfer-Encoding: identity\r\n"), kBadCoding),
        bad("9112-6.3 xchunked", with("Transfer-Encoding: xchunked\r\n"), kBadCoding),
        bad("9112-7.1 chunked twice", with("Transfer-Encoding: chunked, chunked\r\n"), kBadCoding),
        bad("9112-7.1 two fields", with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
            "more than one Transfer-Encoding"),
        good("9112-6.3 until close", with("A: b\r\n"), "body=until-close close"),
        good("9112-6.3 until close in spite of keep-alive", with("Connection: keep-alive\r\n"),
            "body=until-close close"),
    };
}

std::vector<ResponseCase> bodylessCases() {
    const std::string length = "Content-Length: 5\r\n";
    const std::string chunked = "Transfer-Encoding: chunked\r\n";
    const std::string upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
    const std::string switching = "HTTP/1.1 101 Switching Protocols";
    return {
        good("9112-6.3 HEAD with a length", with(length), "body=none has-length length=5 keep", Method::Head),
        good("9112-6.3 HEAD chunked", with(chunked), "body=none no-length keep", Method::Head),
        good("9112-6.3 HEAD without either", with(""), "body=none no-length keep", Method::Head),
        good("9112-6.3 304 with a length", with(length, "HTTP/1.1 304 Not Modified"),
            "body=none has-length length=5 keep"),
        good("9112-6.3 304", with("", "HTTP/1.1 304 Not Modified"), "body=none no-length keep"),
        good("9112-6.3 204", with("", "HTTP/1.1 204 No Content"), "body=none no-length keep"),
        good("9110-8.6 204 with a zero length", with("Content-Length: 0\r\n", "HTTP/1.1 204 No Content"),
            "body=none no-length keep"),
        good("9110-8.6 204 with a length", with(length, "HTTP/1.1 204 No Content"),
            "body=none no-length close"),
        good("9112-6.1 204 chunked", with(chunked, "HTTP/1.1 204 No Content"), "body=none no-length close"),
        good("9110-15.2.1 100", with("", "HTTP/1.1 100 Continue"), "status=100 body=none no-upgrade keep"),
        good("8297-2 103", with("Link: </a>; rel=preload\r\n", "HTTP/1.1 103 Early Hints"),
            "status=103 body=none fields=1"),
        good("9110-8.6 103 with a length", with(length, "HTTP/1.1 103 Early Hints"),
            "body=none no-length close"),
        good("9110-15.2.2 101", with(upgrade, switching), "status=101 upgrade body=none"),
        good("6455-4.2.2 101 with a list",
            with("Upgrade: websocket\r\nConnection: keep-alive, upgrade\r\n", switching), "upgrade"),
        bad("9110-15.2.2 101 without Upgrade", with("Connection: upgrade\r\n", switching),
            "101 without Upgrade"),
        bad("9110-7.8 101 without Connection", with("Upgrade: websocket\r\n", switching),
            "101 without Upgrade"),
        good("9112-6.3 CONNECT", with(length), "body=none", Method::Connect),
        good("9112-6.3 refused CONNECT", with(length, "HTTP/1.1 403 Forbidden"), "body=length:5",
            Method::Connect),
        good("9110-15.3.6 205", with("Content-Length: 0\r\n", "HTTP/1.1 205 Reset Content"), "body=length:0"),
        good("9112-9.3 close", with("Connection: close\r\nContent-Length: 5\r\n"), "close body=length:5"),
        good("9112-9.3 close in a list", with("Connection: x, Close\r\nContent-Length: 5\r\n"), "close"),
        good("9112-9.3 keep-alive in HTTP/1.0",
            with("Connection: keep-alive\r\nContent-Length: 5\r\n", "HTTP/1.0 200 OK"), "keep minor=0"),
        good("9112-9.3 HTTP/1.0", with(length, "HTTP/1.0 200 OK"), "close minor=0"),
    };
}

} // namespace

std::vector<ResponseCase> responseCases() {
    std::vector<ResponseCase> all;
    for (const auto& part : {statusLineCases(), fieldCases(), lengthCases(), bodylessCases()}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}
