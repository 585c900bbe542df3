// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/http/head_writer.h"

#include "backend/http/char_class.h"
#include "backend/http/field_names.h"
#include "backend/http/fields.h"
#include "backend/http/forwarded.h"
#include "backend/http/head_buffer.h"

namespace yardmaster::http {

namespace {

/// Covers every literal and number of a head.
constexpr std::size_t kFixedRoom = 512;
constexpr std::size_t kRoomPerField = 4; ///< ": " and CRLF

std::size_t roomOf(const std::vector<Field>& fields) {
    std::size_t room = 0;
    for (const Field& field : fields) {
        room += field.name.size() + field.value.size() + kRoomPerField;
    }
    return room;
}

/// Written by ourselves, so never copied from the client.
constexpr std::uint32_t kOwnRequestFields = bitOf(FieldId::Host) | bitOf(FieldId::ContentLength)
    | bitOf(FieldId::TransferEncoding) | bitOf(FieldId::Forwarded) | bitOf(FieldId::XForwardedFor)
    | bitOf(FieldId::XForwardedProto) | bitOf(FieldId::XForwardedPort);
/// What else a client could use to claim another address or name; not believed where the chain begins here.
constexpr std::uint32_t kClaims = bitOf(FieldId::XRealIp) | bitOf(FieldId::XForwardedHost);

struct RequestFields {
    bool hasForwardedFor = false;
    bool appendForwarded = false; ///< there are Forwarded fields and all are well-formed
    bool keepRequestId = false;
};

bool isRequestId(const Field& field, const ForwardedInfo& info, bool standardName) {
    return standardName ? field.id == FieldId::XRequestId
                        : equalsIgnoringCase(field.name, info.requestIdHeader);
}

/// Copies the end-to-end fields and notes what the ones that we write ourselves have to consider.
RequestFields copyRequestFields(HeadBuffer& buffer, const RequestHead& head, const ForwardedInfo& info) {
    const bool standardName = fieldIdOf(info.requestIdHeader) == FieldId::XRequestId;
    const std::uint32_t notCopied = kOwnRequestFields | (info.replaceForwardedFor ? kClaims : 0)
        | (head.expectContinue ? 0 : bitOf(FieldId::Expect));
    RequestFields found;
    bool forwardedIsSane = true;
    const Field* requestId = nullptr;
    int requestIds = 0;
    FieldCopier copier(buffer);
    for (const Field& field : head.fields) {
        const std::uint32_t bit = bitOf(field.id);
        if ((bit & notCopied) != 0) {
            found.hasForwardedFor |= field.id == FieldId::XForwardedFor && !field.value.empty();
            if (field.id == FieldId::Forwarded) {
                found.appendForwarded = true;
                forwardedIsSane = forwardedIsSane && isForwardedValue(field.value);
            }
        } else if (isRequestId(field, info, standardName)) {
            requestId = &field;
            ++requestIds;
        } else if (!field.hopByHop) {
            copier.copy(field);
        }
    }
    // More than one leaves open which of them a reader takes.
    found.keepRequestId = requestIds == 1 && isSaneRequestId(requestId->value);
    if (found.keepRequestId) {
        copier.copy(*requestId);
    }
    copier.flush();
    found.hasForwardedFor = found.hasForwardedFor && !info.replaceForwardedFor;
    found.appendForwarded = found.appendForwarded && forwardedIsSane && !info.replaceForwardedFor;
    return found;
}

void putReceived(HeadBuffer& buffer, const RequestHead& head, FieldId id) {
    for (const Field& field : head.fields) {
        if (field.id == id && !field.value.empty()) {
            buffer.put(field.value);
            buffer.put(", ");
        }
    }
}

/// RFC 7239 section 4: a value that is not a token is quoted. Addresses and authorities hold no '"' or '\'.
void putPairValue(HeadBuffer& buffer, std::string_view value) {
    if (isToken(value)) {
        buffer.put(value);
    } else {
        buffer.put('"');
        buffer.put(value);
        buffer.put('"');
    }
}

void putForwarded(
    HeadBuffer& buffer, const RequestHead& head, const ForwardedInfo& info, const RequestFields& found) {
    buffer.put("Forwarded: ");
    if (found.appendForwarded) {
        putReceived(buffer, head, FieldId::Forwarded);
    }
    buffer.put("for=");
    if (info.clientAddress.empty()) {
        buffer.put("unknown"); // RFC 7239 6.2
    } else if (info.clientAddress.find(':') != std::string_view::npos) {
        buffer.put("\"[");
        buffer.put(info.clientAddress);
        buffer.put("]\"");
    } else {
        putPairValue(buffer, info.clientAddress);
    }
    buffer.put(";proto=");
    buffer.put(info.proto);
    if (!head.authority.empty()) {
        buffer.put(";host=");
        putPairValue(buffer, head.authority);
    }
    buffer.put("\r\n");
}

void putForwardingFields(
    HeadBuffer& buffer, const RequestHead& head, const ForwardedInfo& info, const RequestFields& found) {
    if (!info.clientAddress.empty() || found.hasForwardedFor) {
        buffer.put("X-Forwarded-For: ");
        if (found.hasForwardedFor) {
            putReceived(buffer, head, FieldId::XForwardedFor);
        }
        buffer.put(info.clientAddress.empty() ? std::string_view("unknown") : info.clientAddress);
        buffer.put("\r\n");
    }
    buffer.put("X-Forwarded-Proto: ");
    buffer.put(info.proto);
    if (!info.port.empty()) {
        buffer.put("\r\nX-Forwarded-Port: ");
        buffer.put(info.port);
    }
    buffer.put("\r\n");
    putForwarded(buffer, head, info, found);
    if (!found.keepRequestId && !info.requestId.empty()) {
        buffer.put(info.requestIdHeader);
        buffer.put(": ");
        buffer.put(info.requestId);
        buffer.put("\r\n");
    }
}

void putContentLength(HeadBuffer& buffer, std::uint64_t length) {
    buffer.put("Content-Length: ");
    buffer.putNumber(length);
    buffer.put("\r\n");
}

/// Digits without a leading zero: may be copied as they came.
bool isPlainLength(std::string_view value) {
    return value.size() == 1 || (!value.empty() && value.front() != '0');
}

void putStatusLine(HeadBuffer& buffer, int status, std::string_view reason) {
    buffer.put("HTTP/1.1 ");
    buffer.putNumber(static_cast<std::uint64_t>(status));
    buffer.put(' ');
    buffer.put(reason);
    buffer.put("\r\n");
}

/// Fields of an upgrade are hop-by-hop, so they are written anew for the next hop (RFC 9110 7.8). False when
/// there are none.
bool putUpgradeFields(HeadBuffer& buffer, const ResponseHead& head, bool close) {
    bool offered = false;
    for (const Field& field : head.fields) {
        if (field.id == FieldId::Upgrade) {
            buffer.put("Upgrade: ");
            buffer.put(field.value);
            buffer.put("\r\n");
            offered = true;
        }
    }
    if (offered) {
        buffer.put("Connection: upgrade");
        if (close) {
            buffer.put(", close");
        }
        buffer.put("\r\n");
    }
    return offered;
}

void putConnection(HeadBuffer& buffer, const ResponseHead& head, const ResponseOptions& options) {
    constexpr int kUpgradeRequired = 426;
    if ((head.isUpgrade || head.status == kUpgradeRequired)
        && putUpgradeFields(buffer, head, !head.isUpgrade && !options.keepAlive)) {
        return;
    }
    if (head.status < 200) {
        return; // an interim response says nothing about the connection
    }
    if (!options.keepAlive) {
        buffer.put("Connection: close\r\n");
    } else if (options.clientMinorVersion == 0) {
        buffer.put("Connection: keep-alive\r\n");
    }
}

} // namespace

void writeUpstreamRequest(
    std::string& out, const RequestHead& head, std::string_view normalisedPath, const ForwardedInfo& info) {
    // Every field may be written once, and once more as a part of what we append to.
    const std::size_t room = kFixedRoom + roomOf(head.fields) + head.methodText.size() + head.target.size()
        + normalisedPath.size() + head.query.size() + 2 * head.authority.size() + head.upgrade.size()
        + 2 * info.clientAddress.size() + 2 * info.proto.size() + info.port.size() + info.requestId.size()
        + info.requestIdHeader.size();
    HeadBuffer buffer(out, room);
    buffer.put(head.methodText);
    buffer.put(' ');
    if (head.method == Method::Connect) {
        buffer.put(head.target);
    } else {
        buffer.put(normalisedPath);
        if (head.hasQuery) {
            buffer.put('?');
            buffer.put(head.query);
        }
    }
    buffer.put(" HTTP/1.1\r\nHost: ");
    buffer.put(head.authority);
    buffer.put("\r\n");
    const RequestFields found = copyRequestFields(buffer, head, info);
    if (head.framing == BodyFraming::ContentLength) {
        putContentLength(buffer, head.contentLength);
    } else if (head.framing == BodyFraming::Chunked) {
        buffer.put("Transfer-Encoding: chunked\r\n");
    }
    if (head.wantsUpgrade) {
        buffer.put("Connection: upgrade\r\nUpgrade: ");
        buffer.put(head.upgrade);
        buffer.put("\r\n");
    }
    putForwardingFields(buffer, head, info, found);
    buffer.put("\r\n");
    buffer.commit();
}

void writeClientResponse(std::string& out, const ResponseHead& head, const ResponseOptions& options) {
    HeadBuffer buffer(out, kFixedRoom + 2 * roomOf(head.fields) + head.reason.size());
    putStatusLine(buffer, head.status, head.reason);
    const bool sendsLength =
        !options.chunked && (head.framing == BodyFraming::ContentLength || head.hasContentLength);
    bool lengthWritten = !sendsLength;
    FieldCopier copier(buffer);
    for (const Field& field : head.fields) {
        if (field.id == FieldId::ContentLength) {
            if (!lengthWritten && isPlainLength(field.value)) {
                copier.copy(field);
                lengthWritten = true;
            }
        } else if (!field.hopByHop) {
            copier.copy(field);
        }
    }
    copier.flush();
    if (!lengthWritten) {
        putContentLength(buffer, head.contentLength);
    }
    if (options.chunked) {
        buffer.put("Transfer-Encoding: chunked\r\n");
    }
    putConnection(buffer, head, options);
    buffer.put("\r\n");
    buffer.commit();
}

void writeOwnAnswer(std::string& out, int status, bool keepAlive, bool headRequest, std::string_view body,
    std::string_view extraFields) {
    const std::string_view reason = reasonPhrase(status);
    HeadBuffer buffer(out, kFixedRoom + 2 * reason.size() + body.size() + extraFields.size());
    putStatusLine(buffer, status, reason);
    const bool isInterim = status < 200;
    const bool hasBody = !isInterim && status != 204 && status != 304;
    constexpr std::size_t kStatusDigits = 3;
    // "404 Not Found\n"
    const std::size_t bodySize = body.empty() ? kStatusDigits + 1 + reason.size() + 1 : body.size();
    if (hasBody) {
        buffer.put("Content-Type: text/plain\r\n");
        putContentLength(buffer, bodySize);
    }
    if (!isInterim) {
        buffer.put(keepAlive ? std::string_view("Connection: keep-alive\r\n")
                             : std::string_view("Connection: close\r\n"));
    }
    buffer.put(extraFields);
    buffer.put("\r\n");
    if (hasBody && !headRequest) {
        if (body.empty()) {
            buffer.putNumber(static_cast<std::uint64_t>(status));
            buffer.put(' ');
            buffer.put(reason);
            buffer.put('\n');
        } else {
            buffer.put(body);
        }
    }
    buffer.commit();
}

} // namespace yardmaster::http
