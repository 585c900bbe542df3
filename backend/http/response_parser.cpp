// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/http/char_class.h"
#include "backend/http/fields.h"
#include "backend/http/parser.h"

#include <algorithm>

namespace yardmaster::http {

namespace {

using Phase = HeadPosition::Phase;

constexpr int kBadGateway = 502;

/// RFC 9112 6.3: these end behind their head whatever their fields say.
bool hasNoBody(int status, Method requestMethod) {
    return requestMethod == Method::Head || status < 200 || status == 204 || status == 304
        || (requestMethod == Method::Connect && status < 300);
}

} // namespace

ParseStatus ResponseParser::fail(const char* reason) {
    m_position.phase = Phase::Failed;
    m_error = ParseError{kBadGateway, reason};
    return ParseStatus::Error;
}

ParseStatus ResponseParser::parse(std::string_view bytes, Method requestMethod) {
    if (m_position.phase == Phase::Complete || m_position.phase == Phase::Failed) {
        return m_position.status();
    }
    if (bytes.empty()) {
        return ParseStatus::NeedMore;
    }
    if (m_position.base != bytes.data()) {
        if (m_position.phase == Phase::Fields) {
            rebase(m_head.reason, m_position.base, bytes.data());
            rebase(m_head.fields, m_position.base, bytes.data());
        }
        m_position.base = bytes.data();
    }
    ParseStatus status = ParseStatus::Complete;
    if (m_position.phase == Phase::Start) {
        // What is no HTTP may never send an LF: refused at the first wrong byte.
        constexpr std::string_view kName = "HTTP/1.";
        const std::size_t length = std::min(kName.size(), bytes.size());
        if (bytes.substr(0, length) != kName.substr(0, length)) {
            return fail("not an HTTP/1 response");
        }
        std::string_view line;
        status = takeLine(bytes, m_limits, kBadGateway, m_position, line, m_error);
        if (status != ParseStatus::Complete) {
            m_error.status = kBadGateway;
            return status;
        }
        if (const char* wrong = readStatusLine(line); wrong != nullptr) {
            return fail(wrong);
        }
        m_position.phase = Phase::Fields;
    }
    status = takeFields(bytes, m_limits, m_position, m_head.fields, m_error);
    if (status == ParseStatus::Complete) {
        return finish(requestMethod);
    }
    m_error.status = kBadGateway;
    return status;
}

const char* ResponseParser::readStatusLine(std::string_view line) {
    // "HTTP/1.x NNN reason"; the space behind the status is not optional (RFC 9112 4).
    constexpr std::size_t kReasonAt = 13;
    if (line.size() < kReasonAt || line[8] != ' ' || line[12] != ' '
        || !chars::areAll(line.substr(9, 3), chars::Digit)) {
        return "invalid status line";
    }
    if (line[7] != '0' && line[7] != '1') {
        return "unsupported HTTP version";
    }
    m_head.minorVersion = line[7] - '0';
    m_head.status = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
    if (m_head.status < 100 || m_head.status > 599) {
        return "status outside 100-599";
    }
    m_head.reason = line.substr(kReasonAt);
    const char* const end = line.data() + line.size();
    return chars::findNotText(m_head.reason.data(), end) == end ? nullptr
                                                                : "control character in the status line";
}

ParseStatus ResponseParser::finish(Method requestMethod) {
    ResponseHead& head = m_head;
    head.headBytes = m_position.lineStart;
    FramingFields framing;
    if (!readFraming(head.fields, head.minorVersion, framing, m_error)) {
        return fail(m_error.reason);
    }
    bool hasConnection = false;
    bool hasUpgrade = false;
    for (const Field& field : head.fields) {
        hasConnection = hasConnection || field.id == FieldId::Connection;
        hasUpgrade = hasUpgrade || field.id == FieldId::Upgrade;
    }
    ConnectionOptions connection;
    if (hasConnection) {
        connection = applyConnection(head.fields);
    }
    head.isUpgrade = head.status == 101;
    if (head.isUpgrade && (!hasUpgrade || !connection.upgrade)) {
        return fail("101 without Upgrade");
    }
    head.keepAlive = !connection.close && (head.minorVersion == 1 || connection.keepAlive);
    head.contentLength = framing.contentLength;
    head.hasContentLength = framing.hasContentLength;
    if (hasNoBody(head.status, requestMethod)) {
        head.framing = BodyFraming::None;
        if (head.status < 200 || head.status == 204) {
            // RFC 9110 8.6 and RFC 9112 6.1 forbid both fields here: they are not passed on, and a server
            // that announces a body may send one, which must not be taken for the next response.
            head.keepAlive = head.keepAlive && !framing.chunked && framing.contentLength == 0;
            head.hasContentLength = false;
        }
    } else if (framing.chunked) {
        head.framing = BodyFraming::Chunked;
    } else if (framing.hasContentLength) {
        head.framing = BodyFraming::ContentLength;
        if (head.contentLength > m_limits.maxBodyBytes) {
            return fail("body larger than the limit");
        }
    } else {
        head.framing = BodyFraming::UntilClose;
        head.keepAlive = false;
    }
    return ParseStatus::Complete;
}

void ResponseParser::reset() {
    m_position = {};
    m_error = {};
    m_head.fields.clear();
    m_head.reason = {};
}

} // namespace yardmaster::http
