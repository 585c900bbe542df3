// SPDX-License-Identifier: GPL-3.0-or-later
#include "slow_reference.h"

#include "message_text.h"

#include "backend/http/fields.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include <netdb.h>
#include <sys/socket.h>

using namespace yardmaster;

namespace {

const std::string kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const std::string kDigits = "0123456789";
const std::string kHex = kDigits + "abcdefABCDEF";
const std::string kToken = kLetters + kDigits + "!#$%&'*+-.^_`|~";
const std::string kRegName = kLetters + kDigits + "-._~!$&'()*+;=";
const std::string kPath = kLetters + kDigits + "-._~!$&'()*+,;=:@%/[]|";
const std::string kQuery = kPath + "?{}\\^`";

struct NamedValue {
    std::string name;
    std::string value;
};

bool onlyOf(const std::string& text, const std::string& allowed) {
    return text.find_first_not_of(allowed) == std::string::npos;
}

std::string lower(std::string text) {
    for (char& c : text) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    }
    return text;
}

std::string trim(const std::string& text) {
    const auto first = text.find_first_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool isText(const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte == 9 || (byte >= 32 && byte != 127);
    });
}

std::vector<std::string> split(const std::string& text, const std::string& separator) {
    std::vector<std::string> parts;
    std::size_t from = 0;
    for (std::size_t at = text.find(separator); at != std::string::npos; at = text.find(separator, from)) {
        parts.push_back(text.substr(from, at - from));
        from = at + separator.size();
    }
    parts.push_back(text.substr(from));
    return parts;
}

std::set<std::string> listItems(const std::vector<NamedValue>& fields, const std::string& name) {
    std::set<std::string> items;
    for (const NamedValue& field : fields) {
        if (lower(field.name) == name) {
            for (const std::string& item : split(field.value, ",")) {
                items.insert(lower(trim(item)));
            }
        }
    }
    items.erase("");
    return items;
}

std::vector<std::string> valuesOf(const std::vector<NamedValue>& fields, const std::string& name) {
    std::vector<std::string> values;
    for (const NamedValue& field : fields) {
        if (lower(field.name) == name) {
            values.push_back(field.value);
        }
    }
    return values;
}

std::optional<NamedValue> fieldOf(const std::string& line) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || colon == 0 || !onlyOf(line.substr(0, colon), kToken)
        || !isText(line.substr(colon + 1))) {
        return std::nullopt;
    }
    return NamedValue{line.substr(0, colon), trim(line.substr(colon + 1))};
}

struct Head {
    std::string startLine;
    std::vector<NamedValue> fields;
    std::size_t size = 0;
};

std::optional<Head> headOf(const std::string& text) {
    const auto end = text.find("\r\n\r\n");
    if (end == std::string::npos) {
        return std::nullopt;
    }
    std::vector<std::string> lines = split(text.substr(0, end), "\r\n");
    Head head;
    head.size = end + 4;
    head.startLine = lines[0];
    lines.erase(lines.begin());
    for (const std::string& line : lines) {
        const auto field = fieldOf(line);
        if (!field) {
            return std::nullopt;
        }
        head.fields.push_back(*field);
    }
    return head;
}

const std::set<std::string> kHopByHop{"connection", "keep-alive", "proxy-connection", "te",
    "transfer-encoding", "upgrade", "proxy-authenticate", "proxy-authorization"};
const std::set<std::string> kProtected{"host", "content-length", "transfer-encoding", "forwarded",
    "x-forwarded-for", "x-forwarded-proto", "x-forwarded-port", "x-forwarded-host", "x-real-ip",
    "x-request-id"};

bool isDisguise(const std::string& name) {
    std::string plain = lower(name);
    std::replace(plain.begin(), plain.end(), '_', '-');
    return name.find('_') != std::string::npos && http::fieldIdOf(plain) != http::FieldId::Other;
}

std::string fieldsText(const std::vector<NamedValue>& fields) {
    const std::set<std::string> named = listItems(fields, "connection");
    std::vector<http::Field> views;
    for (const NamedValue& field : fields) {
        const std::string name = lower(field.name);
        const bool dropped = kHopByHop.contains(name) || isDisguise(name)
            || (named.contains(name) && !kProtected.contains(name));
        views.push_back(http::Field{field.name, field.value, http::fieldIdOf(name), dropped});
    }
    return describe(views);
}

struct Framing {
    bool chunked = false;
    bool hasLength = false;
    unsigned long long length = 0;
};

std::optional<Framing> framingOf(const std::vector<NamedValue>& fields, int minor) {
    const auto lengths = valuesOf(fields, "content-length");
    const auto codings = valuesOf(fields, "transfer-encoding");
    Framing framing;
    if (lengths.size() + codings.size() > 1
        || (!codings.empty() && (minor == 0 || lower(codings[0]) != "chunked"))) {
        return std::nullopt;
    }
    framing.chunked = !codings.empty();
    framing.hasLength = !lengths.empty();
    if (framing.hasLength) {
        if (lengths[0].empty() || lengths[0].size() > 19 || !onlyOf(lengths[0], kDigits)) {
            return std::nullopt;
        }
        framing.length = std::stoull(lengths[0]);
    }
    return framing;
}

struct Place {
    std::string host;
    std::string port;
};

std::optional<Place> placeOf(const std::string& authority) {
    Place place;
    std::string rest;
    if (authority.rfind('[', 0) == 0) {
        const auto close = authority.find(']');
        if (close == std::string::npos) {
            return std::nullopt;
        }
        const std::string address = authority.substr(1, close - 1);
        addrinfo hints{};
        hints.ai_family = AF_INET6;
        hints.ai_flags = AI_NUMERICHOST;
        addrinfo* found = nullptr;
        if (!onlyOf(address, kHex + ":.") || address.empty()
            || getaddrinfo(address.c_str(), nullptr, &hints, &found) != 0) {
            return std::nullopt;
        }
        freeaddrinfo(found);
        place.host = authority.substr(0, close + 1);
        rest = authority.substr(close + 1);
    } else {
        const auto colon = std::min(authority.find(':'), authority.size());
        place.host = authority.substr(0, colon);
        rest = authority.substr(colon);
    }
    const bool literal = place.host.rfind('[', 0) == 0;
    if (place.host.empty() || (!literal && !onlyOf(place.host, kRegName))) {
        return std::nullopt;
    }
    if (rest.empty()) {
        return place;
    }
    place.port = rest.substr(1);
    if (rest[0] != ':' || !onlyOf(place.port, kDigits) || place.port.size() > 5
        || (!place.port.empty() && std::stoi(place.port) > 65535)) {
        return std::nullopt;
    }
    return place;
}

/// Splits path and query into the head; false for what no target may hold.
bool splitPath(const std::string& text, std::string& path, std::optional<std::string>& query) {
    const auto mark = text.find('?');
    path = text.substr(0, mark);
    if (mark != std::string::npos) {
        query = text.substr(mark + 1);
    }
    return onlyOf(path, kPath) && onlyOf(query.value_or(""), kQuery);
}

} // namespace

std::optional<std::string> slowRequest(const std::string& bytes) {
    const std::size_t skipped = bytes.rfind("\r\n", 0) == 0 ? 2 : 0;
    const auto head = headOf(bytes.substr(skipped));
    if (!head) {
        return std::nullopt;
    }
    const auto words = split(head->startLine, " ");
    if (words.size() != 3 || words[0].empty() || !onlyOf(words[0], kToken)
        || (words[2] != "HTTP/1.0" && words[2] != "HTTP/1.1")) {
        return std::nullopt;
    }
    const std::string& method = words[0];
    const std::string& target = words[1];
    const int minor = words[2] == "HTTP/1.1" ? 1 : 0;
    std::string path;
    std::optional<std::string> query;
    std::optional<std::string> authority;
    std::string defaultPort;
    if (method == "CONNECT") {
        authority = target;
    } else if (target == "*") {
        path = "*";
        if (method != "OPTIONS") {
            return std::nullopt;
        }
    } else if (target.rfind('/', 0) == 0) {
        if (!splitPath(target, path, query)) {
            return std::nullopt;
        }
    } else {
        const bool http = lower(target).rfind("http://", 0) == 0;
        if (!http && lower(target).rfind("https://", 0) != 0) {
            return std::nullopt;
        }
        defaultPort = http ? "80" : "443";
        const std::string rest = target.substr(http ? 7 : 8);
        const auto end = std::min(rest.find_first_of("/?#"), rest.size());
        authority = rest.substr(0, end);
        if (!splitPath(rest.substr(end), path, query)) {
            return std::nullopt;
        }
        if (path.empty()) {
            path = method == "OPTIONS" && !query ? "*" : "/";
        }
    }

    const auto hosts = valuesOf(head->fields, "host");
    if (hosts.size() > 1 || (hosts.empty() && minor == 1)) {
        return std::nullopt;
    }
    std::optional<Place> place;
    if (!hosts.empty()) {
        place = placeOf(hosts[0]);
        if (!place) {
            return std::nullopt;
        }
    }
    if (authority) {
        const auto asked = placeOf(*authority);
        if (!asked || (method == "CONNECT" && asked->port.empty())) {
            return std::nullopt;
        }
        if (place) {
            const auto portOr = [&](const std::string& port) { return port.empty() ? defaultPort : port; };
            const bool portsDiffer =
                portOr(asked->port) != portOr(place->port) && !(method == "CONNECT" && place->port.empty());
            if (lower(asked->host) != lower(place->host) || portsDiffer) {
                return std::nullopt;
            }
        }
        place = asked;
    } else if (!hosts.empty()) {
        authority = hosts[0];
    }

    const auto framing = framingOf(head->fields, minor);
    if (!framing || (method == "CONNECT" && (framing->chunked || framing->hasLength))) {
        return std::nullopt;
    }
    const bool hasBody = framing->chunked || framing->hasLength;
    const auto expectations = valuesOf(head->fields, "expect");
    for (const std::string& expectation : expectations) {
        if (minor == 1 && lower(expectation) != "100-continue") {
            return std::nullopt;
        }
    }
    const auto options = listItems(head->fields, "connection");
    const auto upgrades = valuesOf(head->fields, "upgrade");

    http::RequestHead result;
    result.methodText = method;
    result.method = http::methodOf(method);
    result.target = target;
    result.path = path;
    result.hasQuery = query.has_value();
    const std::string queryText = query.value_or("");
    result.query = queryText;
    const std::string hostText = place ? place->host : "";
    result.host = hostText;
    const std::string authorityText = authority.value_or("");
    result.authority = authorityText;
    result.minorVersion = minor;
    result.keepAlive = !options.contains("close") && (minor == 1 || options.contains("keep-alive"));
    result.expectContinue = !expectations.empty() && minor == 1 && hasBody;
    result.wantsUpgrade = options.contains("upgrade") && upgrades.size() == 1 && !upgrades[0].empty()
        && !listItems(head->fields, "upgrade").contains("h2c") && minor == 1 && !hasBody;
    result.upgrade = result.wantsUpgrade ? std::string_view(upgrades[0]) : std::string_view();
    result.framing = framing->chunked ? http::BodyFraming::Chunked
        : framing->hasLength          ? http::BodyFraming::ContentLength
                                      : http::BodyFraming::None;
    result.contentLength = framing->length;
    result.fields.resize(head->fields.size());
    result.headBytes = head->size + skipped;
    return describe(result) + "\n" + fieldsText(head->fields);
}

std::optional<std::string> slowResponse(const std::string& bytes, bool toHead) {
    const auto head = headOf(bytes);
    if (!head) {
        return std::nullopt;
    }
    const std::string& line = head->startLine;
    if (line.size() < 13 || line.substr(0, 7) != "HTTP/1." || !onlyOf(line.substr(7, 1), "01")
        || line[8] != ' ' || !onlyOf(line.substr(9, 1), "12345") || !onlyOf(line.substr(10, 2), kDigits)
        || line[12] != ' ' || !isText(line.substr(13))) {
        return std::nullopt;
    }
    const int minor = line[7] - '0';
    const int status = std::stoi(line.substr(9, 3));
    const auto framing = framingOf(head->fields, minor);
    const auto options = listItems(head->fields, "connection");
    const bool lacksUpgrade = valuesOf(head->fields, "upgrade").empty() || !options.contains("upgrade");
    if (!framing || (status == 101 && lacksUpgrade)) {
        return std::nullopt;
    }
    const bool mayHaveLength = status >= 200 && status != 204;
    const bool noBody = toHead || status == 304 || !mayHaveLength;
    http::ResponseHead result;
    result.status = status;
    const std::string reason = line.substr(13);
    result.reason = reason;
    result.minorVersion = minor;
    result.isUpgrade = status == 101;
    result.framing = noBody  ? http::BodyFraming::None
        : framing->chunked   ? http::BodyFraming::Chunked
        : framing->hasLength ? http::BodyFraming::ContentLength
                             : http::BodyFraming::UntilClose;
    result.keepAlive = !options.contains("close") && (minor == 1 || options.contains("keep-alive"))
        && result.framing != http::BodyFraming::UntilClose
        && (mayHaveLength || (!framing->chunked && framing->length == 0));
    result.hasContentLength = framing->hasLength && mayHaveLength;
    result.contentLength = framing->length;
    result.fields.resize(head->fields.size());
    result.headBytes = head->size;
    return describe(result) + "\n" + fieldsText(head->fields);
}

std::optional<SlowBody> slowChunked(const std::string& bytes) {
    const std::set<std::string> refused{"trailer", "expect", "cookie"};
    const std::set<std::string> dropped{"authorization", "cache-control", "content-encoding", "content-range",
        "content-type", "max-forwards", "pragma", "range", "set-cookie", "www-authenticate"};
    SlowBody result;
    std::size_t at = 0;
    const auto takeLine = [&]() -> std::optional<std::string> {
        const auto end = bytes.find("\r\n", at);
        if (end == std::string::npos || !isText(bytes.substr(at, end - at))) {
            return std::nullopt;
        }
        const std::string line = bytes.substr(at, end - at);
        at = end + 2;
        return line;
    };
    while (true) {
        const auto line = takeLine();
        if (!line) {
            return std::nullopt;
        }
        const auto sizeEnd = std::min(line->find_first_not_of(kHex), line->size());
        const std::string extension = trim(line->substr(sizeEnd));
        if (sizeEnd == 0 || sizeEnd > 16 || (sizeEnd != line->size() && extension.rfind(';', 0) != 0)) {
            return std::nullopt;
        }
        const unsigned long long size = std::stoull(line->substr(0, sizeEnd), nullptr, 16);
        if (size == 0) {
            break;
        }
        if (size > bytes.size() - at || bytes.size() - at - size < 2
            || bytes.substr(at + size, 2) != "\r\n") {
            return std::nullopt;
        }
        result.body += bytes.substr(at, size);
        at += size + 2;
    }
    while (true) {
        const auto line = takeLine();
        if (!line) {
            return std::nullopt;
        }
        if (line->empty()) {
            result.consumed = at;
            return result;
        }
        const auto field = fieldOf(*line);
        const std::string name = field ? lower(field->name) : "";
        if (!field || kHopByHop.contains(name) || kProtected.contains(name) || refused.contains(name)
            || isDisguise(name)) {
            return std::nullopt;
        }
        if (!dropped.contains(name)) {
            result.trailers += field->name + ": " + field->value + "\r\n";
        }
    }
}
