// SPDX-License-Identifier: GPL-3.0-or-later
#include "request_cases.h"

using namespace std::string_literals;

namespace {

std::string line(const std::string& requestLine) {
    return requestLine + "\r\nHost: h\r\n\r\n";
}

std::string targetOf(const std::string& target) {
    return line("GET " + target + " HTTP/1.1");
}

RequestCase good(std::string name, std::string bytes, std::string words) {
    return {std::move(name), std::move(bytes), 0, std::move(words)};
}

RequestCase bad(std::string name, std::string bytes, std::string reason, int status = 400) {
    return {std::move(name), std::move(bytes), status, std::move(reason)};
}

RequestCase open(std::string name, std::string bytes) {
    return {std::move(name), std::move(bytes), -1, {}};
}

const char* const kNoMethod = "no method";
const char* const kBadMethod = "invalid method";
const char* const kNoVersion = "no HTTP version";
const char* const kBadVersion = "invalid HTTP version";
const char* const kOtherVersion = "unsupported HTTP version";
const char* const kBadTarget = "invalid character in the target";
const char* const kBlankTarget = "white space or control character in the target";
const char* const kNoUri = "target is neither a path nor an http URI";

std::vector<RequestCase> methodCases() {
    return {
        good("9110-9.3.1 GET", line("GET / HTTP/1.1"), "method=GET id=0 path=/ body=none keep minor=1"),
        good("9110-9.3.2 HEAD", line("HEAD / HTTP/1.1"), "method=HEAD id=1"),
        good("9110-9.3.3 POST", line("POST / HTTP/1.1"), "method=POST id=2 body=none"),
        good("9110-9.3.4 PUT", line("PUT / HTTP/1.1"), "method=PUT id=3"),
        good("9110-9.3.5 DELETE", line("DELETE / HTTP/1.1"), "method=DELETE id=4"),
        good("9110-9.3.7 OPTIONS", line("OPTIONS / HTTP/1.1"), "method=OPTIONS id=6 path=/"),
        good("9110-9.3.8 TRACE", line("TRACE / HTTP/1.1"), "method=TRACE id=7"),
        good("5789 PATCH", line("PATCH / HTTP/1.1"), "method=PATCH id=8"),
        good("9110-9.1 case matters", line("get / HTTP/1.1"), "method=get id=9"),
        good("9110-9.1 unknown method", line("PROPFIND / HTTP/1.1"), "method=PROPFIND id=9"),
        good("9110-5.6.2 all token characters", line("!#$%&'*+-.^_`|~09azAZ / HTTP/1.1"), "id=9"),
        bad("9112-3.1 no method", line(" / HTTP/1.1"), kNoMethod),
        bad("9112-3.1 quote first", line("\"GET\" / HTTP/1.1"), kNoMethod),
        bad("9112-3.1 method with a slash", line("GE/T / HTTP/1.1"), kBadMethod),
        bad("9112-3.1 method with a colon", line("GET: / HTTP/1.1"), kBadMethod),
        bad("9112-3.1 method with NUL", line("GE\0T / HTTP/1.1"s), kBadMethod),
        bad("9112-3.1 method with a high byte", line("G\xc3\x89T / HTTP/1.1"), kBadMethod),
        bad("9112-3.1 method alone", line("GET"), kBadMethod),
        bad("9112-3.1 high byte first", line("\x80GET / HTTP/1.1"), kNoMethod),
        bad("TLS handshake", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"s, kNoMethod),
        bad("binary zero", "\0"s, kNoMethod),
        bad("9113-3.4 HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", kOtherVersion, 505),
    };
}

std::vector<RequestCase> separatorCases() {
    return {
        bad("9112-3 two spaces before the target", line("GET  / HTTP/1.1"), kBadVersion),
        bad("9112-3 two spaces before the version", line("GET /  HTTP/1.1"), kBadVersion),
        bad("9112-3 space behind the version", line("GET / HTTP/1.1 "), kBadVersion),
        bad("9112-3 tab as separator", line("GET\t/ HTTP/1.1"), kBadMethod),
        bad("9112-3 tab before the version", line("GET /\tHTTP/1.1"), kNoVersion),
        bad("9112-3 vertical tab as separator", line("GET\v/ HTTP/1.1"), kBadMethod),
        bad("9112-3 form feed before the version", line("GET /\f HTTP/1.1"), kBlankTarget),
        bad("9112-3.2 blank in the target", line("GET /a b HTTP/1.1"), kBadVersion),
        bad("9112-3 leading space", line(" GET / HTTP/1.1"), kNoMethod),
        bad("9112-2.2 bare LF behind the request line", "GET / HTTP/1.1\nHost: h\r\n\r\n", "bare LF"),
        bad("9112-2.2 bare LF everywhere", "GET / HTTP/1.1\nHost: h\n\n", "bare LF"),
        bad("9112-2.2 bare CR in the request line", "GET /\r HTTP/1.1\r\nHost: h\r\n\r\n", kBlankTarget),
        bad("9112-2.2 CR CR LF", "GET / HTTP/1.1\r\r\nHost: h\r\n\r\n", kBadVersion),
        bad("9112-2.2 bare CR as line end", "GET / HTTP/1.1\rHost: h\r\n\r\n", kBadVersion),
        good("9112-2.2 one empty line in front", "\r\n" + line("GET / HTTP/1.1"), "path=/ bytes=29"),
        bad("9112-2.2 two empty lines in front", "\r\n\r\n" + line("GET / HTTP/1.1"), kNoMethod),
        bad("9112-2.2 LF in front", "\n" + line("GET / HTTP/1.1"), kNoMethod),
        bad("9112-2.2 CR in front", "\r" + line("GET / HTTP/1.1"), "bare CR"),
        bad("9112-2.2 blank line in front", " \r\n" + line("GET / HTTP/1.1"), kNoMethod),
        open("9112-2.2 only an empty line", "\r\n"),
        open("only a CR", "\r"),
        open("part of a method", "GE"),
        open("part of a request line", "GET / HTTP/1."),
        open("request line without LF", "GET / HTTP/1.1\r"),
        open("request line only", "GET / HTTP/1.1\r\n"),
        open("no empty line", "GET / HTTP/1.1\r\nHost: h\r\n"),
        open("half an empty line", "GET / HTTP/1.1\r\nHost: h\r\n\r"),
    };
}

std::vector<RequestCase> versionCases() {
    return {
        good("9112-2.3 HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", "minor=0 close host= fields=0"),
        good("9112-2.3 HTTP/1.0 with Host", line("GET / HTTP/1.0"), "minor=0 close host=h"),
        bad("9112-3 HTTP/0.9", "GET /\r\n\r\n", kNoVersion),
        bad("9112-2.3 HTTP/0.9 named", line("GET / HTTP/0.9"), kOtherVersion, 505),
        bad("9112-2.3 HTTP/1.2", line("GET / HTTP/1.2"), kOtherVersion, 505),
        bad("9112-2.3 HTTP/2.0", line("GET / HTTP/2.0"), kOtherVersion, 505),
        bad("9112-2.3 HTTP/3.1", line("GET / HTTP/3.1"), kOtherVersion, 505),
        bad("9112-2.3 no minor", line("GET / HTTP/2"), kBadVersion),
        bad("9112-2.3 lower case", line("GET / http/1.1"), kBadVersion),
        bad("9112-2.3 mixed case", line("GET / Http/1.1"), kBadVersion),
        bad("9112-2.3 two minor digits", line("GET / HTTP/1.10"), kBadVersion),
        bad("9112-2.3 leading zero", line("GET / HTTP/01.1"), kBadVersion),
        bad("9112-2.3 comma", line("GET / HTTP/1,1"), kBadVersion),
        bad("9112-2.3 letter", line("GET / HTTP/1.x"), kBadVersion),
        bad("9112-2.3 sign", line("GET / HTTP/+.1"), kBadVersion),
        bad("9112-2.3 other name", line("GET / HTTQ/1.1"), kBadVersion),
        bad("9112-2.3 no slash", line("GET / HTTP 1.1"), kBadVersion),
        bad("9112-2.3 empty version", line("GET / "), kBadVersion),
        bad("9112-2.3 NUL behind", line("GET / HTTP/1.1\0"s), kBadVersion),
    };
}

std::vector<RequestCase> originFormCases() {
    return {
        good("9112-3.2.1 path and query", targetOf("/where?q=now"), "path=/where query=q=now"),
        good("9112-3.2.1 empty query", targetOf("/where?"), "path=/where query="),
        good("9112-3.2.1 no query", targetOf("/where"), "path=/where query=(none)"),
        good("3986-3.4 question marks in the query", targetOf("/a?b?c"), "path=/a query=b?c"),
        good("3986-3.4 slashes in the query", targetOf("/a?b/../c"), "path=/a query=b/../c"),
        good("3986-3.3 all path characters", targetOf("/-._~!$&'()*+,;=:@"), "path=/-._~!$&'()*+,;=:@"),
        good("3986-2.1 escapes", targetOf("/%41%2f?%zz"), "path=/%41%2f query=%zz"),
        good("3986-3.3 two slashes in front", targetOf("//other/x"), "path=//other/x host=h"),
        good("URL standard: raw in a query", targetOf("/?[]{}|\\^`"), "query=[]{}|\\^`"),
        good("URL standard: raw in a path", targetOf("/a[1]|b"), "path=/a[1]|b"),
        bad("9112-3.2 fragment", targetOf("/a#b"), "fragment in the target"),
        bad("9112-3.2 fragment in the query", targetOf("/a?b#c"), "fragment in the target"),
        bad("3986 raw UTF-8", targetOf("/caf\xc3\xa9"), "non-ASCII byte in the target"),
        bad("3986 raw UTF-8 in the query", targetOf("/?q=\xc3\xa9"), "non-ASCII byte in the target"),
        bad("3986 backslash", targetOf("/a\\b"), kBadTarget),
        bad("3986 quote", targetOf("/a\"b"), kBadTarget),
        bad("3986 angle bracket", targetOf("/<script>"), kBadTarget),
        bad("3986 angle bracket in the query", targetOf("/?<script>"), kBadTarget),
        bad("3986 brace in the path", targetOf("/{id}"), kBadTarget),
        bad("3986 caret in the path", targetOf("/a^b"), kBadTarget),
        bad("control: tab", targetOf("/a\tb"), kBlankTarget),
        bad("control: NUL", targetOf("/a\0b"s), kBlankTarget),
        bad("control: DEL", targetOf("/a\x7f"), kBlankTarget),
        bad("control: ESC in the query", targetOf("/?\x1b"), kBlankTarget),
        bad("9112-3.2 relative path", targetOf("index.html"), kNoUri),
        bad("9112-3.2 query alone", targetOf("?a=b"), kNoUri),
        bad("9112-3.2 host without a scheme", targetOf("example.com/a"), kNoUri),
        bad("9112-3.2 backslash first", targetOf("\\a"), kNoUri),
        bad("9112-3 no target", line("GET HTTP/1.1"), kNoVersion),
    };
}

std::vector<RequestCase> otherFormCases() {
    const auto absolute = [](const std::string& target, const std::string& host) {
        return "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
    };
    const auto connect = [](const std::string& target, const std::string& host) {
        return "CONNECT " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
    };
    const std::string differs = "Host differs from the target";
    return {
        good("9112-3.2.2 absolute form", absolute("http://h/a?b", "h"), "host=h path=/a query=b authority=h"),
        good("9112-3.2.2 scheme in capitals", absolute("HTTP://h/", "h"), "host=h path=/"),
        good("9112-3.2.2 https", absolute("https://h/", "h"), "host=h path=/"),
        good("9112-3.2.2 empty path", absolute("http://h", "h"), "path=/ query=(none)"),
        good("9112-3.2.2 empty path with query", absolute("http://h?x", "h"), "path=/ query=x"),
        good("9112-3.2.2 host in capitals", absolute("http://EX.com/", "ex.COM"), "host=EX.com"),
        good("9110-4.2.3 default port", absolute("http://h:80/", "h"), "host=h authority=h:80"),
        good("9110-4.2.3 default port of https", absolute("https://h/", "h:443"), "authority=h"),
        good("9112-3.2.2 port", absolute("http://h:81/", "h:81"), "authority=h:81"),
        good("9112-3.2.2 in HTTP/1.0 without Host", "GET http://h/ HTTP/1.0\r\n\r\n", "host=h path=/"),
        bad("9112-3.2.2 Host differs", absolute("http://a/", "b"), differs),
        bad("9112-3.2.2 port differs", absolute("http://h:81/", "h"), differs),
        bad("9112-3.2.2 port of the other scheme", absolute("https://h/", "h:80"), differs),
        bad("9112-3.2.2 no Host", "GET http://h/ HTTP/1.1\r\n\r\n", "no Host"),
        bad("9110-4.2.4 userinfo", absolute("http://me@h/", "h"), "userinfo in the authority"),
        bad("9110-4.2.4 userinfo with password", absolute("http://me:pw@h/", "h"),
            "userinfo in the authority"),
        bad("9110-4.2.1 empty host", absolute("http:///a", "h"), "empty host"),
        bad("9110-4.2.1 port only", absolute("http://:80/", "h"), "empty host"),
        bad("9112-3.2.2 one slash", absolute("http:/h/", "h"), kNoUri),
        bad("9112-3.2.2 ftp", absolute("ftp://h/", "h"), kNoUri),
        bad("9112-3.2.2 javascript", absolute("javascript:alert(1)", "h"), kNoUri),
        bad("9112-3.2.2 fragment", absolute("http://h/#a", "h"), "fragment in the target"),
        bad("9112-3.2.2 fragment behind the host", absolute("http://h#a", "h"), "fragment in the target"),
        bad("9112-3.2.2 backslash behind the host", absolute("http://h\\@x/", "h"),
            "invalid character in the host"),
        bad("9112-3.2.2 high port", absolute("http://h:65536/", "h"), "invalid port"),

        good("9112-3.2.3 CONNECT", connect("h:443", "h:443"), "id=5 path= host=h authority=h:443"),
        good("9112-3.2.3 CONNECT with the short Host", connect("h:80", "h"), "id=5 authority=h:80"),
        good("9112-3.2.3 CONNECT to IPv6", connect("[::1]:80", "[::1]"), "id=5 host=[::1]"),
        bad("9112-3.2.3 CONNECT without a port", connect("h", "h"), "CONNECT without a port"),
        bad("9112-3.2.3 CONNECT with an empty port", connect("h:", "h"), "CONNECT without a port"),
        bad("9112-3.2.3 CONNECT with a path", connect("/", "h"), "empty host"),
        bad("9112-3.2.3 CONNECT with a URI", connect("http://h/", "h"), "invalid port"),
        bad("9112-3.2.3 CONNECT with an asterisk", connect("*", "h"), "CONNECT without a port"),
        bad("9112-3.2.3 CONNECT elsewhere", connect("a:80", "b"), differs),
        bad("9112-3.2.3 CONNECT to another port", connect("h:80", "h:81"), differs),
        bad("9112-3.2.3 CONNECT with userinfo", connect("me@h:80", "h"), "userinfo in the authority"),
        bad("9112-3.2.3 authority form for GET", targetOf("h:80"), kNoUri),

        good("9112-3.2.4 asterisk", line("OPTIONS * HTTP/1.1"), "path=* query=(none) host=h"),
        good("9112-3.2.4 OPTIONS of a server", "OPTIONS http://h HTTP/1.1\r\nHost: h\r\n\r\n", "path=*"),
        good("9112-3.2.4 OPTIONS of its root", "OPTIONS http://h/ HTTP/1.1\r\nHost: h\r\n\r\n", "path=/"),
        bad("9112-3.2.4 asterisk for GET", targetOf("*"), "asterisk target for another method than OPTIONS"),
        bad("9112-3.2.4 asterisk and more", line("OPTIONS *a HTTP/1.1"), kNoUri),
        bad("9112-3.2.4 asterisk with a query", line("OPTIONS *?a HTTP/1.1"), kNoUri),
    };
}

} // namespace

std::vector<RequestCase> requestLineCases() {
    std::vector<RequestCase> all;
    for (const auto& part :
        {methodCases(), separatorCases(), versionCases(), originFormCases(), otherFormCases()}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}
