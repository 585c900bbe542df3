// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/http/path.h"

#include "string_compare.h"

#include <algorithm>
#include <optional>
#include <random>
#include <sstream>
#include <vector>

using namespace yardmaster;
using namespace std::string_literals;

class TestPath : public QObject {
    Q_OBJECT

private slots:
    void normalises_and_refuses_data();
    void normalises_and_refuses();
    void a_normal_path_is_not_copied();
    void every_escape();
    void agrees_with_a_plain_model();
    void hosts_data();
    void hosts();
    void a_normal_host_is_not_copied();
};

namespace {

std::string normal(const std::string& path) {
    std::string storage;
    const auto result = http::normalisePath(path, storage);
    return result ? std::string(*result) : "refused: " + result.error().what;
}

bool isUnreserved(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
        || std::string_view("-._~").find(c) != std::string_view::npos;
}

std::optional<int> hexDigit(char c) {
    const std::size_t at = std::string_view("0123456789abcdef")
                               .find(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    return at == std::string_view::npos ? std::nullopt : std::optional<int>(static_cast<int>(at));
}

/// The rules one after another, each over the whole text.
std::optional<std::string> slowNormal(const std::string& path) {
    if (path.empty() || path[0] != '/') {
        return path == "*" ? std::optional<std::string>("*") : std::nullopt;
    }
    std::string decoded;
    for (std::size_t i = 0; i < path.size(); ++i) {
        if (path[i] != '%') {
            if (!isUnreserved(path[i])
                && std::string_view("/!$&'()*+,;=:@[]|").find(path[i]) == std::string_view::npos) {
                return std::nullopt;
            }
            decoded += path[i];
            continue;
        }
        if (i + 2 >= path.size() || !hexDigit(path[i + 1]) || !hexDigit(path[i + 2])) {
            return std::nullopt;
        }
        const char c = static_cast<char>(*hexDigit(path[i + 1]) * 16 + *hexDigit(path[i + 2]));
        if (c == '/' || c == '\\' || c == '\0') {
            return std::nullopt;
        }
        if (isUnreserved(c)) {
            decoded += c;
        } else {
            decoded += '%';
            decoded += static_cast<char>(std::toupper(static_cast<unsigned char>(path[i + 1])));
            decoded += static_cast<char>(std::toupper(static_cast<unsigned char>(path[i + 2])));
        }
        i += 2;
    }
    std::vector<std::string> segments;
    std::istringstream stream(decoded);
    std::string last;
    for (std::string segment; std::getline(stream, segment, '/');) {
        last = segment;
        if (segment.empty() || segment == ".") {
            continue;
        }
        for (const char* disguised : {".;", "..;", ".%3B", "..%3B"}) {
            if (segment.rfind(disguised, 0) == 0) {
                return std::nullopt;
            }
        }
        if (segment == "..") {
            if (segments.empty()) {
                return std::nullopt;
            }
            segments.pop_back();
        } else {
            segments.push_back(segment);
        }
    }
    std::string result;
    for (const std::string& segment : segments) {
        result += "/" + segment;
    }
    const bool directory = decoded.back() == '/' || last == "." || last == "..";
    return directory || result.empty() ? result + "/" : result;
}

} // namespace

void TestPath::normalises_and_refuses_data() {
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<QByteArray>("expected"); // empty: refused
    const auto row = [](const std::string& path, const std::string& expected) {
        QTest::newRow(path.c_str()) << QByteArray::fromStdString(path) << QByteArray::fromStdString(expected);
    };
    row("/", "/");
    row("/a/b", "/a/b");
    row("/a/b/", "/a/b/");
    row("/.well-known/x", "/.well-known/x");
    row("/..a/...", "/..a/...");
    row("/a.", "/a.");
    row("*", "*");
    // 3986-6.2.2.2: unreserved characters
    row("/%61dmin", "/admin");
    row("/%41%5A%7e%2D%5f%2E", "/AZ~-_.");
    row("/%2541", "/%2541");
    row("/a%20b", "/a%20b");
    // 3986-6.2.2.1: case
    row("/%c3%a9", "/%C3%A9");
    row("/%3f%23", "/%3F%23");
    row("/a%3bb", "/a%3Bb");
    // 3986-6.2.2.3: dot segments
    row("/a/./b", "/a/b");
    row("/a/../b", "/b");
    row("/a/b/c/./../../g", "/a/g");
    row("/a/.", "/a/");
    row("/a/..", "/");
    row("/a/b/..", "/a/");
    row("/a/b/../", "/a/");
    row("/.", "/");
    row("/./", "/");
    row("/a/%2e%2E/b", "/b");
    row("/a/.%2e/b", "/b");
    row("/a/%2e/b", "/a/b");
    row("/public/..%2e", "/public/...");
    // slashes
    row("//", "/");
    row("//a///b//", "/a/b/");
    row("/a//../b", "/b");
    row("///..a", "/..a");
    // refused
    for (const std::string wrong :
        {"", "a", "a/b", "/..", "/../a", "/a/../..", "/a/../../b", "/%2e%2e", "//..", "/a\\b", "/a%5cb",
            "/a%5Cb", "/a%2fb", "/a%2Fb", "/..%2fa", "/%00", "/a%00b", "/%", "/%4", "/%zz", "/%4g", "/a%",
            "/a b", "/a\tb", "/a?b", "/a#b", "/a\"b", "/caf\xc3\xa9", "/a\x7f", "/..;/a", "/.;x/a",
            "/a/..;x=1/b", "/a/..%3b/b", "/a/%2e%2e;/b", "**", "*/", "/a/%/b", "/a%4/1"}) {
        row(wrong, "");
    }
}

void TestPath::normalises_and_refuses() {
    QFETCH(QByteArray, path);
    QFETCH(QByteArray, expected);
    const std::string result = normal(path.toStdString());
    if (expected.isEmpty()) {
        QVERIFY2(result.rfind("refused: ", 0) == 0, result.c_str());
    } else {
        QCOMPARE(result, expected.toStdString());
        QCOMPARE(normal(result), result);
    }
}

void TestPath::a_normal_path_is_not_copied() {
    std::string storage = "untouched";
    for (const std::string_view path : {"/", "/a/b.c/d-e_f~g/;x=1", "/.well-known/a", "*"}) {
        const auto result = http::normalisePath(path, storage);
        QVERIFY(result.has_value());
        QCOMPARE(static_cast<const void*>(result->data()), static_cast<const void*>(path.data()));
        QCOMPARE(storage, "untouched"s);
    }
}

void TestPath::every_escape() {
    const char* const upper = "0123456789ABCDEF";
    const char* const lower = "0123456789abcdef";
    for (int byte = 0; byte < 256; ++byte) {
        const auto high = static_cast<std::size_t>(byte / 16);
        const auto low = static_cast<std::size_t>(byte % 16);
        const std::string escape = {'%', upper[high], upper[low]};
        const char c = static_cast<char>(byte);
        const bool refused = c == '/' || c == '\\' || c == '\0';
        const std::string expected = "/x" + (isUnreserved(c) ? std::string(1, c) : escape);
        for (const std::string& written : {escape, std::string{'%', lower[high], lower[low]}}) {
            const std::string result = normal("/x" + written);
            QVERIFY2(refused ? result.rfind("refused: ", 0) == 0 : result == expected, result.c_str());
        }
    }
}

void TestPath::agrees_with_a_plain_model() {
    std::mt19937 random(20261130); // fixed: a failure can be repeated
    const std::vector<std::string> parts{"/", "/", "//", ".", "..", "/.", "/..", "/../", "/./", "a", "b",
        "c1", "%2e", "%2E", "%61", "%41", "%2f", "%5c", "%00", "%c3%A9", "%3b", ";", ";x", "%", "%4", "~",
        "-", "_", "@", "|", "[", "\\", " ", "%25", "%252e", "..;", "=", "\xc3", "?"};
    std::size_t accepted = 0;
    for (int round = 0; round < 60'000; ++round) {
        std::string path = random() % 20 == 0 ? "" : "/";
        for (auto count = random() % 9; count > 0; --count) {
            // The wrong ones, which are last, only now and then: most paths should pass.
            const std::size_t choice = random() % 8 == 0 ? parts.size() : 17;
            path += parts[random() % choice % parts.size()];
        }
        const std::optional<std::string> expected = slowNormal(path);
        const std::string result = normal(path);
        if (!expected) {
            QVERIFY2(result.rfind("refused: ", 0) == 0, (path + " -> " + result).c_str());
            continue;
        }
        ++accepted;
        QVERIFY2(result == *expected, (path + " -> " + result + ", model: " + *expected).c_str());
        QCOMPARE(normal(result), result);
        if (result == "*") {
            continue;
        }
        QVERIFY2(result[0] == '/' && result.find("//") == std::string::npos, result.c_str());
        const std::string closed = result + "/";
        QVERIFY2(closed.find("/./") == std::string::npos && closed.find("/../") == std::string::npos,
            result.c_str());
        for (std::size_t at = result.find('%'); at != std::string::npos; at = result.find('%', at + 1)) {
            const std::string hex = result.substr(at + 1, 2);
            QVERIFY(hex.size() == 2 && std::none_of(hex.begin(), hex.end(), [](char c) { return c >= 'a'; }));
            QVERIFY(!isUnreserved(static_cast<char>(std::stoi(hex, nullptr, 16))));
        }
    }
    QVERIFY(accepted > 10'000);
}

void TestPath::hosts_data() {
    QTest::addColumn<QByteArray>("host");
    QTest::addColumn<QByteArray>("expected"); // empty: refused
    const auto row = [](const std::string& host, const std::string& expected) {
        QTest::newRow(host.c_str()) << QByteArray::fromStdString(host) << QByteArray::fromStdString(expected);
    };
    row("example.com", "example.com");
    row("EXAMPLE.Com", "example.com");
    row("example.com.", "example.com");
    row("Example.COM.", "example.com");
    row("a_b-c.d", "a_b-c.d");
    row("192.0.2.1", "192.0.2.1");
    row("[::1]", "[::1]");
    row("[2001:DB8::A]", "[2001:db8::a]");
    row("xn--caf-dma.example", "xn--caf-dma.example");
    for (const std::string wrong : {"", ".", "..", "a..", "a..b", ".a", "a b", "a/b", "a:80", "me@a", "a,b",
             "a%2e", "caf\xc3\xa9", "[::1", "[::1]:80", "[::1].", "[]", "[x]", "[1.2.3.4]", "::1", "a\\b",
             "a#", "a?b", "\tx", "a]"}) {
        row(wrong, "");
    }
    row(std::string(256, 'a'), "");
}

void TestPath::hosts() {
    QFETCH(QByteArray, host);
    QFETCH(QByteArray, expected);
    std::string storage;
    const std::string text = host.toStdString();
    const auto result = http::normaliseHost(text, storage);
    QCOMPARE(result.has_value(), !expected.isEmpty());
    if (result) {
        QCOMPARE(std::string(*result), expected.toStdString());
    } else {
        QVERIFY(result.error().code == Error::Code::InvalidArgument);
    }
}

void TestPath::a_normal_host_is_not_copied() {
    std::string storage = "untouched";
    for (const std::string_view host : {"example.com", "example.com.", "[::1]"}) {
        const auto result = http::normaliseHost(host, storage);
        QVERIFY(result.has_value());
        QCOMPARE(static_cast<const void*>(result->data()), static_cast<const void*>(host.data()));
        QCOMPARE(storage, "untouched"s);
    }
}

QTEST_APPLESS_MAIN(TestPath)
#include "tst_path.moc"
