// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/http/message.h"

#include <string>
#include <string_view>

namespace yardmaster::http {

/// What a proxy adds to a forwarded request.
struct ForwardedInfo {
    std::string_view clientAddress; ///< without port, "::1" without brackets
    std::string_view proto = "http";
    std::string_view port; ///< of the listener
    std::string_view requestId; ///< generated when the client sent none
    std::string_view requestIdHeader = "X-Request-Id";
    bool replaceForwardedFor = false; ///< else appended (ListenerLimits.forwarded_for)
};

/// Appends the head as sent upstream to `out`: request line with the normalised path, Host, the end-to-end
/// fields, framing (Content-Length or chunked), X-Forwarded-For/-Proto/-Port, Forwarded, the request id, and
/// for an upgrade Connection and Upgrade.
void writeUpstreamRequest(
    std::string& out, const RequestHead& head, std::string_view normalisedPath, const ForwardedInfo& info);

struct ResponseOptions {
    bool keepAlive = true; ///< "Connection: close" otherwise; kept quiet for 1.1 when true, said for 1.0
    bool chunked = false; ///< re-framed because the length is unknown and the client speaks 1.1
    int clientMinorVersion = 1;
};
/// Appends the head as sent to the client.
void writeClientResponse(std::string& out, const ResponseHead& head, const ResponseOptions& options);

/// A complete small answer of our own, plain text: status line, Content-Length, Connection (always said, so
/// it fits clients of both versions), body ("404 Not Found\n" unless given). `extraFields` are whole lines
/// with their CRLF ("Allow: GET\r\n"). 1xx, 204 and 304 get no body and no length, and 1xx no Connection.
void writeOwnAnswer(std::string& out, int status, bool keepAlive, bool headRequest,
    std::string_view body = {}, std::string_view extraFields = {});

} // namespace yardmaster::http
