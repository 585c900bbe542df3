// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/http/char_class.h"
#include "backend/http/fields.h"
#include "backend/http/parser.h"
#include "backend/http/target.h"

#include <cstring>

namespace yardmaster::http {

namespace {

using Phase = HeadPosition::Phase;

/// Reads the version at the end of a request line. The status to refuse with, or 0.
int readVersion(std::string_view text, int& minorVersion) {
    constexpr std::string_view kName = "HTTP/";
    if (text.size() != 8 || text.substr(0, kName.size()) != kName || !chars::is(text[5], chars::Digit)
        || text[6] != '.' || !chars::is(text[7], chars::Digit)) {
        return 400;
    }
    minorVersion = text[7] - '0';
    return text[5] == '1' && minorVersion <= 1 ? 0 : 505;
}

/// The same place, with a port left out meaning the scheme's. `defaultPort` is empty where the host alone
/// counts (CONNECT, RFC 9112 3.2.3).
bool samePlace(const Authority& a, const Authority& b, std::string_view defaultPort) {
    if (!equalsIgnoringCase(a.host, b.host)) {
        return false;
    }
    const std::string_view portA = a.port.empty() ? defaultPort : a.port;
    const std::string_view portB = b.port.empty() ? defaultPort : b.port;
    return portA == portB || (defaultPort.empty() && (portA.empty() || portB.empty()));
}

} // namespace

ParseStatus RequestParser::fail(int status, const char* reason) {
    m_position.phase = Phase::Failed;
    m_error = ParseError{status, reason};
    return ParseStatus::Error;
}

ParseStatus RequestParser::parse(std::string_view bytes) {
    if (m_position.phase == Phase::Complete || m_position.phase == Phase::Failed) {
        return m_position.status();
    }
    if (bytes.empty()) {
        return ParseStatus::NeedMore;
    }
    if (m_position.base != bytes.data()) {
        if (m_position.phase == Phase::Fields) {
            rebase(m_head.methodText, m_position.base, bytes.data());
            rebase(m_head.target, m_position.base, bytes.data());
            rebase(m_head.fields, m_position.base, bytes.data());
            static_cast<void>(readTargetParts()); // it was right before
        }
        m_position.base = bytes.data();
    }
    if (m_position.phase == Phase::Start) {
        if (const ParseStatus status = skipEmptyLine(bytes); status != ParseStatus::Complete) {
            return status;
        }
    }
    if (m_position.phase == Phase::StartLine) {
        std::string_view line;
        const ParseStatus status = takeLine(bytes, m_limits, 414, m_position, line, m_error);
        if (status != ParseStatus::Complete) {
            return status;
        }
        if (const ParseStatus lineStatus = readRequestLine(line); lineStatus != ParseStatus::Complete) {
            return lineStatus;
        }
        m_position.phase = Phase::Fields;
    }
    const ParseStatus status = takeFields(bytes, m_limits, m_position, m_head.fields, m_error);
    return status == ParseStatus::Complete ? finish() : status;
}

ParseStatus RequestParser::skipEmptyLine(std::string_view bytes) {
    if (bytes[0] == '\r') {
        if (bytes.size() < 2) {
            return ParseStatus::NeedMore;
        }
        if (bytes[1] != '\n') {
            return fail(400, "bare CR");
        }
        m_position.lineStart = 2;
        if (bytes.size() == 2) {
            return ParseStatus::NeedMore;
        }
    }
    // What is no HTTP (a TLS handshake on a plaintext port) may never send an LF: refused at once.
    if (!chars::is(bytes[m_position.lineStart], chars::Token)) {
        return fail(400, "no method");
    }
    m_position.phase = Phase::StartLine;
    return ParseStatus::Complete;
}

ParseStatus RequestParser::readRequestLine(std::string_view line) {
    const char* const begin = line.data();
    const char* const end = begin + line.size();
    const char* p = begin;
    while (p != end && chars::is(*p, chars::Token)) {
        ++p;
    }
    if (p == end || *p != ' ') {
        return fail(400, "invalid method");
    }
    m_head.methodText = std::string_view(begin, static_cast<std::size_t>(p - begin));
    m_head.method = methodOf(m_head.methodText);
    ++p;
    const auto* space = static_cast<const char*>(std::memchr(p, ' ', static_cast<std::size_t>(end - p)));
    if (space == nullptr) {
        return fail(400, "no HTTP version");
    }
    m_head.target = std::string_view(p, static_cast<std::size_t>(space - p));
    const std::string_view version(space + 1, static_cast<std::size_t>(end - space - 1));
    if (const int status = readVersion(version, m_head.minorVersion); status != 0) {
        return fail(status, status == 505 ? "unsupported HTTP version" : "invalid HTTP version");
    }
    const char* wrong = readTargetParts();
    return wrong == nullptr ? ParseStatus::Complete : fail(400, wrong);
}

const char* RequestParser::readTargetParts() {
    m_target = {};
    return readTarget(
        m_head.target, m_head.method == Method::Connect, m_head.method == Method::Options, m_target);
}

ParseStatus RequestParser::finish() {
    m_position.phase = Phase::Failed; // until everything is checked
    RequestHead& head = m_head;
    head.headBytes = m_position.lineStart;

    head.path = m_target.path;
    head.query = m_target.query;
    head.hasQuery = m_target.hasQuery;

    FieldSummary summary;
    if (!summarise(summary)) {
        return ParseStatus::Error;
    }
    if (!readHost(summary.host)) {
        return ParseStatus::Error;
    }
    FramingFields framing;
    if (!readFraming(head.fields, head.minorVersion, framing, m_error)) {
        return ParseStatus::Error;
    }
    head.contentLength = framing.contentLength;
    head.framing = framing.chunked ? BodyFraming::Chunked
        : framing.hasContentLength ? BodyFraming::ContentLength
                                   : BodyFraming::None;
    if (head.contentLength > m_limits.maxBodyBytes) {
        return fail(413, "body larger than the limit");
    }
    if (head.framing != BodyFraming::None && head.method == Method::Connect) {
        return fail(400, "CONNECT with a body");
    }
    head.expectContinue =
        summary.expectContinue && head.minorVersion == 1 && head.framing != BodyFraming::None;

    ConnectionOptions connection;
    if (summary.hasConnection) {
        connection = applyConnection(head.fields);
    }
    head.keepAlive = !connection.close && (head.minorVersion == 1 || connection.keepAlive);
    head.upgrade = summary.upgrade;
    head.wantsUpgrade = connection.upgrade && summary.upgradeUsable && head.minorVersion == 1
        && head.framing == BodyFraming::None;
    m_position.phase = Phase::Complete;
    return ParseStatus::Complete;
}

bool RequestParser::summarise(FieldSummary& summary) {
    for (const Field& field : m_head.fields) {
        switch (field.id) {
        case FieldId::Host:
            if (summary.host != nullptr) {
                return refuse(400, "more than one Host");
            }
            summary.host = &field;
            break;
        case FieldId::Connection:
            summary.hasConnection = true;
            break;
        case FieldId::Upgrade:
            // Passing h2c on would let a client speak HTTP/2 past every check here (RFC 9113 3.1 has
            // dropped it). Two fields have no single value to forward.
            summary.upgradeUsable =
                !summary.hasUpgrade && !field.value.empty() && !listContains(field.value, "h2c");
            summary.hasUpgrade = true;
            summary.upgrade = field.value;
            break;
        case FieldId::Expect:
            if (m_head.minorVersion == 1 && !equalsIgnoringCase(field.value, "100-continue")) {
                return refuse(417, "unknown expectation");
            }
            summary.expectContinue = true;
            break;
        default:
            break;
        }
    }
    return true;
}

bool RequestParser::readHost(const Field* hostField) {
    m_head.host = {};
    m_head.authority = {};
    Authority named;
    if (hostField != nullptr) {
        if (const char* wrong = readAuthority(hostField->value, named); wrong != nullptr) {
            return refuse(400, wrong);
        }
        m_head.authority = hostField->value;
        m_head.host = named.host;
    } else if (m_head.minorVersion == 1) {
        return refuse(400, "no Host");
    }
    if (m_target.form != Target::Form::Absolute && m_target.form != Target::Form::Authority) {
        return true;
    }
    Authority asked;
    if (const char* wrong = readAuthority(m_target.authority, asked); wrong != nullptr) {
        return refuse(400, wrong);
    }
    if (m_target.form == Target::Form::Authority && asked.port.empty()) {
        return refuse(400, "CONNECT without a port");
    }
    if (hostField != nullptr && !samePlace(asked, named, m_target.defaultPort)) {
        return refuse(400, "Host differs from the target");
    }
    m_head.authority = m_target.authority;
    m_head.host = asked.host;
    return true;
}

bool RequestParser::refuse(int status, const char* reason) {
    m_error = ParseError{status, reason};
    return false;
}

void RequestParser::reset() {
    m_position = {};
    m_error = {};
    m_head.fields.clear();
    m_head.methodText = {};
    m_head.target = {};
}

} // namespace yardmaster::http
