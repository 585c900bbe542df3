// SPDX-License-Identifier: GPL-3.0-or-later
#include "request_cases.h"

using namespace std::string_literals;

namespace {

/// A request with these lines behind its Host.
std::string with(const std::string& lines, const std::string& start = "POST / HTTP/1.1") {
    return start + "\r\nHost: h\r\n" + lines + "\r\n";
}

std::string hosted(const std::string& host) {
    return "GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
}

RequestCase good(std::string name, std::string bytes, std::string words) {
    return {std::move(name), std::move(bytes), 0, std::move(words)};
}

RequestCase bad(std::string name, std::string bytes, std::string reason, int status = 400) {
    return {std::move(name), std::move(bytes), status, std::move(reason)};
}

const char* const kBadName = "invalid character in a field name";
const char* const kBlankName = "white space in or behind a field name";
const char* const kControl = "control character in a field value";
const char* const kFolded = "folded field line";
const char* const kBadLength = "invalid Content-Length";
const char* const kBadCoding = "invalid Transfer-Encoding";

std::vector<RequestCase> syntaxCases() {
    return {
        good("9112-5 no blank behind the colon", with("A:b\r\n"), "fields=2"),
        good("9112-5 blanks around the value", with("A: \t b c \t\r\n"), "fields=2"),
        good("9112-5 empty value", with("A:\r\nB: \r\n"), "fields=3"),
        good("9110-5.5 high bytes in a value", with("A: caf\xc3\xa9 \xff\r\n"), "fields=2"),
        good("9110-5.5 tab in a value", with("A: b\tc\r\n"), "fields=2"),
        good("9110-5.5 colons in a value", with("A: b:c:\r\n"), "fields=2"),
        good("9110-5.6.2 all token characters in a name", with("!#$%&'*+-.^_`|~9aZ: 1\r\n"), "fields=2"),
        bad("9112-5.1 space before the colon", with("A : b\r\n"), kBlankName),
        bad("9112-5.1 tab before the colon", with("A\t: b\r\n"), kBlankName),
        bad("9112-5.1 space in the name", with("A B: c\r\n"), kBlankName),
        bad("9112-5.1 no colon", with("Abc\r\n"), "field line without a colon"),
        bad("9112-5.1 empty name", with(": b\r\n"), "empty field name"),
        bad("9112-5.1 slash in the name", with("A/B: c\r\n"), kBadName),
        bad("9112-5.1 brackets in the name", with("A[]: c\r\n"), kBadName),
        bad("9112-5.1 quote in the name", with("\"A\": c\r\n"), kBadName),
        bad("9112-5.1 high byte in the name", with("\xc3\x84: c\r\n"), kBadName),
        bad("9112-5.1 NUL in the name", with("A\0: c\r\n"s), kBadName),
        bad("9112-5.1 vertical tab behind the name", with("A\v: c\r\n"), kBadName),
        bad("9112-5.1 semicolon instead of the colon", with("A; b\r\n"), kBadName),
        bad("9112-5.2 folded with a space", with("A: b\r\n c\r\n"), kFolded),
        bad("9112-5.2 folded with a tab", with("A: b\r\n\tc\r\n"), kFolded),
        bad("9112-5.2 folded length", with("Content-Length:\r\n 5\r\n"), kFolded),
        bad("9112-2.2 blank before the first field", "GET / HTTP/1.1\r\n Host: h\r\n\r\n", kFolded),
        bad("9112-2.2 line of blanks at the end", with("A: b\r\n \r\n"), kFolded),
        bad("9110-5.5 NUL in a value", with("A: b\0c\r\n"s), kControl),
        bad("9110-5.5 ESC in a value", with("A: \x1b[2J\r\n"), kControl),
        bad("9110-5.5 DEL in a value", with("A: b\x7f\r\n"), kControl),
        bad("9110-5.5 NUL behind 40 bytes", with("A: " + std::string(40, 'b') + "\0\r\n"s), kControl),
        bad("9110-5.5 form feed", with("A: b\fc\r\n"), kControl),
        bad("9112-2.2 bare LF behind a field", with("A: b\nC: d\r\n"), "bare LF"),
        bad("9112-2.2 bare CR in a value", with("A: b\rC: d\r\n"), "bare CR"),
        bad("9112-2.2 CR CR LF behind a field", with("A: b\r\r\n"), "bare CR"),
        bad("9112-2.2 LF as the empty line", "GET / HTTP/1.1\r\nHost: h\r\n\n", "bare LF"),
        bad("9112-2.2 LF in a name", with("A\nB: c\r\n"), "bare LF"),
        bad("9112-2.2 CR in a name", with("A\rB: c\r\n"), "bare CR"),
        bad("9112-2.2 CR as the empty line", "GET / HTTP/1.1\r\nHost: h\r\n\rX\r\n\r\n", "bare CR"),
    };
}

std::vector<RequestCase> hostCases() {
    const std::string badHost = "invalid character in the host";
    return {
        good("9110-7.2 name", hosted("www.example.com"), "host=www.example.com authority=www.example.com"),
        good("9110-7.2 name and port", hosted("example.com:8080"),
            "host=example.com authority=example.com:8080"),
        good("9110-7.2 empty port", hosted("example.com:"), "host=example.com"),
        good("9110-7.2 capitals stay", hosted("EXAMPLE.com"), "host=EXAMPLE.com"),
        good("9110-7.2 trailing dot", hosted("example.com."), "host=example.com."),
        good("3986-3.2.2 IPv4", hosted("192.0.2.1:80"), "host=192.0.2.1"),
        good("3986-3.2.2 IPv6", hosted("[2001:db8::1]:80"), "host=[2001:db8::1] authority=[2001:db8::1]:80"),
        good("3986-3.2.2 IPv6 with IPv4", hosted("[::ffff:192.0.2.1]"), "host=[::ffff:192.0.2.1]"),
        good("9112-3.2 Host: Host not first", "GET / HTTP/1.1\r\nA: b\r\nhOsT: h\r\n\r\n", "host=h"),
        bad("9112-3.2 Host: no Host", "GET / HTTP/1.1\r\n\r\n", "no Host"),
        bad("9112-3.2 Host: two Hosts", with("Host: g\r\n"), "more than one Host"),
        bad("9112-3.2 Host: two equal Hosts", with("Host: h\r\n"), "more than one Host"),
        bad("9112-3.2 Host: two Hosts in HTTP/1.0", with("Host: g\r\n", "GET / HTTP/1.0"),
            "more than one Host"),
        bad("9110-4.2.1 empty Host", hosted(""), "empty host"),
        bad("9110-4.2.1 port alone", hosted(":80"), "empty host"),
        bad("9112-3.2 Host: two names", hosted("a b"), badHost),
        bad("9112-3.2 Host: joined names", hosted("a,b"), badHost),
        bad("9112-3.2 Host: joined names with a blank", hosted("a, b"), badHost),
        bad("9112-3.2 Host: userinfo", hosted("me@h"), "userinfo in the authority"),
        bad("9112-3.2 Host: userinfo with password", hosted("me:pw@h"), "userinfo in the authority"),
        bad("9112-3.2 Host: path", hosted("h/a"), badHost),
        bad("9112-3.2 Host: query", hosted("h?a"), badHost),
        bad("9112-3.2 Host: fragment", hosted("h#a"), badHost),
        bad("9112-3.2 Host: backslash", hosted("h\\a"), badHost),
        bad("9112-3.2 Host: URI", hosted("http://h"), "invalid port"),
        bad("9112-3.2 Host: escape", hosted("h%2e"), badHost),
        bad("9112-3.2 Host: high byte", hosted("h\xc3\xa9"), badHost),
        bad("9112-3.2 Host: letters as port", hosted("h:http"), "invalid port"),
        bad("9112-3.2 Host: negative port", hosted("h:-1"), "invalid port"),
        bad("9112-3.2 Host: two ports", hosted("h:80:80"), "invalid port"),
        bad("9112-3.2 Host: large port", hosted("h:65536"), "invalid port"),
        bad("9112-3.2 Host: very large port", hosted("h:4294967376"), "invalid port"),
        bad("3986-3.2.2 IPv6 without brackets", hosted("::1"), "empty host"),
        bad("3986-3.2.2 open bracket", hosted("[::1"), "invalid IP literal"),
        bad("3986-3.2.2 no IPv6", hosted("[host]"), "invalid IP literal"),
        bad("3986-3.2.2 IPv4 in brackets", hosted("[192.0.2.1]"), "invalid IP literal"),
        bad("3986-3.2.2 zone", hosted("[fe80::1%25eth0]"), "invalid IP literal"),
        bad("3986-3.2.2 text behind the literal", hosted("[::1]x"), badHost),
        bad("3986-3.2.2 empty literal", hosted("[]"), "invalid IP literal"),
    };
}

std::vector<RequestCase> lengthCases() {
    const auto length = [](const std::string& value) { return with("Content-Length: " + value + "\r\n"); };
    return {
        good("9110-8.6 length", length("5"), "body=length:5"),
        good("9110-8.6 zero", length("0"), "body=length:0"),
        good("9110-8.6 leading zeros", length("0005"), "body=length:5"),
        good("9110-8.6 blanks around", with("Content-Length: \t7 \r\n"), "body=length:7"),
        good("9110-8.6 19 digits", length("9223372036854775807"), "body=length:9223372036854775807"),
        good("9110-8.6 on a GET", with("Content-Length: 3\r\n", "GET / HTTP/1.1"), "body=length:3"),
        good("9110-8.6 in HTTP/1.0", with("Content-Length: 3\r\n", "POST / HTTP/1.0"), "body=length:3"),
        bad("9112-6.3 empty", with("Content-Length:\r\n"), kBadLength),
        bad("9112-6.3 plus", length("+5"), kBadLength),
        bad("9112-6.3 minus", length("-5"), kBadLength),
        bad("9112-6.3 hex", length("0x5"), kBadLength),
        bad("9112-6.3 hex digit", length("a"), kBadLength),
        bad("9112-6.3 fraction", length("5.0"), kBadLength),
        bad("9112-6.3 exponent", length("5e1"), kBadLength),
        bad("9112-6.3 two numbers", length("5 6"), kBadLength),
        bad("9112-6.3 list of equal values", length("5, 5"), kBadLength),
        bad("9112-6.3 list of equal values, no blank", length("5,5"), kBadLength),
        bad("9112-6.3 list of differing values", length("5,6"), kBadLength),
        bad("9112-6.3 trailing comma", length("5,"), kBadLength),
        bad("9112-6.3 quoted", length("\"5\""), kBadLength),
        bad("9112-6.3 underscore", length("1_0"), kBadLength),
        bad("9112-6.3 2^64", length("18446744073709551616"), kBadLength),
        bad("9112-6.3 2^64 + 5", length("18446744073709551621"), kBadLength),
        bad("9112-6.3 twenty zeros", length("00000000000000000005"), kBadLength),
        bad("9112-6.3 300 digits", length(std::string(300, '1')), kBadLength),
        bad("9112-6.3 Arabic digit", length("\xd9\xa5"), kBadLength),
        bad("9112-6.3 twice, equal", with("Content-Length: 5\r\nContent-Length: 5\r\n"),
            "more than one Content-Length"),
        bad("9112-6.3 twice, differing", with("Content-Length: 5\r\ncontent-length: 6\r\n"),
            "more than one Content-Length"),
        bad("9112-6.3 second one empty", with("Content-Length: 5\r\nContent-Length:\r\n"),
            "more than one Content-Length"),
    };
}

std::vector<RequestCase> codingCases() {
    const auto coding = [](const std::string& value) { return with("Transfer-Encoding: " + value + "\r\n"); };
    const std::string both = "Content-Length with Transfer-Encoding";
    return {
        good("9112-7.1 chunked", coding("chunked"), "body=chunked"),
        good("9112-7.1 case", coding("Chunked"), "body=chunked"),
        good("9112-7.1 capitals", with("TRANSFER-ENCODING:CHUNKED\r\n"), "body=chunked"),
        bad("9112-6.1 both, length first", with("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), both),
        bad("9112-6.1 both, coding first", with("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), both),
        bad("9112-6.1 both, length zero", with("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n"), both),
        bad("9112-6.1 in HTTP/1.0", with("Transfer-Encoding: chunked\r\n", "POST / HTTP/1.0"),
            "Transfer-Encoding in HTTP/1.0"),
        bad("9112-6.1 unknown, then chunked", coding("gzip, chunked"), "unsupported transfer coding", 501),
        bad("9112-6.3 coding: unknown alone", coding("gzip"), kBadCoding),
        bad("9112-6.3 coding: xchunked", coding("xchunked"), kBadCoding),
        bad("9112-6.3 coding: chunkedx", coding("chunkedx"), kBadCoding),
        bad("9112-6.3 coding: identity", coding("identity"), kBadCoding),
        bad("9112-6.3 coding: chunked, identity", coding("chunked, identity"), kBadCoding),
        bad("9112-6.3 coding: chunked, gzip", coding("chunked, gzip"), kBadCoding),
        bad("9112-7.1 chunked twice", coding("chunked, chunked"), kBadCoding),
        bad("9112-7.1 chunked twice, no blank", coding("chunked,chunked"), kBadCoding),
        bad("9112-6.3 coding: empty", coding(""), kBadCoding),
        bad("9112-6.3 coding: comma behind", coding("chunked,"), kBadCoding),
        bad("9112-6.3 coding: comma in front", coding(", chunked"), "unsupported transfer coding", 501),
        bad("9112-6.3 coding: quoted", coding("\"chunked\""), kBadCoding),
        bad("9112-6.3 coding: with a parameter", coding("chunked;q=1"), kBadCoding),
        bad("9112-6.3 coding: semicolon behind", coding("chunked;"), kBadCoding),
        bad("9112-6.3 coding: vertical tab in front", coding("\vchunked"), kControl),
        bad("9112-6.3 coding: space inside", coding("chu nked"), kBadCoding),
        bad("9112-6.3 coding: two fields",
            with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
            "more than one Transfer-Encoding"),
        bad("9112-6.3 coding: two fields, identity last",
            with("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"),
            "more than one Transfer-Encoding"),
        bad("9112-5.1 space behind its name", with("Transfer-Encoding : chunked\r\n"), kBlankName),
        bad("9110-9.3.6 CONNECT with a body", "CONNECT h:80 HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n",
            "CONNECT with a body"),
    };
}

std::vector<RequestCase> connectionCases() {
    const auto get = [](const std::string& lines) { return with(lines, "GET / HTTP/1.1"); };
    const auto get10 = [](const std::string& lines) { return with(lines, "GET / HTTP/1.0"); };
    return {
        good("9112-9.3 close", get("Connection: close\r\n"), "close"),
        good("9112-9.3 close in capitals", get("Connection: CLOSE\r\n"), "close"),
        good("9112-9.3 close in a list", get("Connection: a, close ,b\r\n"), "close"),
        good("9112-9.3 close in a second field", get("Connection: a\r\nConnection: close\r\n"), "close"),
        good("9112-9.3 close wins", get("Connection: keep-alive, close\r\n"), "close"),
        good("9112-9.3 closed is not close", get("Connection: closed\r\n"), "keep"),
        good("9112-9.3 keep-alive", get("Connection: keep-alive\r\n"), "keep"),
        good("9112-9.3 keep-alive in HTTP/1.0", get10("Connection: Keep-Alive\r\n"), "keep minor=0"),
        good("9112-9.3 close in HTTP/1.0", get10("Connection: close\r\n"), "close minor=0"),
        good("9110-7.8 upgrade", get("Connection: Upgrade\r\nUpgrade: websocket\r\n"), "upgrade=websocket"),
        good("6455-4.1 list", get("Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n"),
            "upgrade=WebSocket keep"),
        good("9110-7.8 not named in Connection", get("Upgrade: websocket\r\n"), "upgrade=(none)"),
        good("9110-7.8 no Upgrade", get("Connection: upgrade\r\n"), "upgrade=(none)"),
        good("9110-7.8 ignored in HTTP/1.0", get10("Connection: upgrade\r\nUpgrade: websocket\r\n"),
            "upgrade=(none)"),
        good("9110-7.8 two fields", get("Connection: upgrade\r\nUpgrade: a\r\nUpgrade: b\r\n"),
            "upgrade=(none)"),
        good("9110-7.8 three fields, one empty",
            get("Connection: upgrade\r\nUpgrade: a\r\nUpgrade:\r\nUpgrade: b\r\n"), "upgrade=(none)"),
        good("9110-7.8 with a body", with("Connection: upgrade\r\nUpgrade: a\r\nContent-Length: 5\r\n"),
            "upgrade=(none)"),
        good("9113-3.1 h2c is ignored", get("Connection: upgrade\r\nUpgrade: h2c\r\n"), "upgrade=(none)"),
        good("9113-3.1 h2c in a list", get("Connection: upgrade\r\nUpgrade: websocket, H2C\r\n"),
            "upgrade=(none)"),
        good("9110-10.1.1 expectation", with("Expect: 100-continue\r\nContent-Length: 5\r\n"), "expect"),
        good(
            "9110-10.1.1 its case", with("Expect: 100-Continue\r\nTransfer-Encoding: chunked\r\n"), "expect"),
        good("9110-10.1.1 without a body", with("Expect: 100-continue\r\n"), "no-expect"),
        good("9110-10.1.1 in HTTP/1.0",
            with("Expect: 100-continue\r\nContent-Length: 5\r\n", "POST / HTTP/1.0"), "no-expect"),
        bad("9110-10.1.1 unknown", with("Expect: a-pony\r\n"), "unknown expectation", 417),
        bad("9110-10.1.1 list", with("Expect: 100-continue, a-pony\r\n"), "unknown expectation", 417),
        bad("9110-10.1.1 empty", with("Expect:\r\n"), "unknown expectation", 417),
    };
}

} // namespace

std::vector<RequestCase> requestFieldCases() {
    std::vector<RequestCase> all;
    for (const auto& part : {syntaxCases(), hostCases(), lengthCases(), codingCases(), connectionCases()}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

std::vector<RequestCase> requestCases() {
    std::vector<RequestCase> all = requestLineCases();
    const std::vector<RequestCase> fields = requestFieldCases();
    all.insert(all.end(), fields.begin(), fields.end());
    return all;
}
