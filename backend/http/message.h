// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace yardmaster::http {

enum class Method : std::uint8_t { Get, Head, Post, Put, Delete, Connect, Options, Trace, Patch, Other };

/// Fields the proxy itself acts on; found once while parsing.
enum class FieldId : std::uint8_t {
    Other,
    Host,
    ContentLength,
    TransferEncoding,
    Connection,
    KeepAlive,
    ProxyConnection,
    Te,
    Trailer,
    Upgrade,
    Expect,
    ProxyAuthenticate,
    ProxyAuthorization,
    Forwarded,
    XForwardedFor,
    XForwardedProto,
    XForwardedPort,
    XForwardedHost,
    XRealIp,
    XRequestId,
    Cookie,
    Date,
    Server,
};

/// Views into the buffer that was parsed. `value` has no leading or trailing white space.
struct Field {
    std::string_view name;
    std::string_view value;
    FieldId id = FieldId::Other;
    /// Not to be forwarded: hop-by-hop by RFC 9110 7.6.1, or named in Connection (framing fields, Host and
    /// what the proxy adds itself cannot be removed that way).
    bool hopByHop = false;
};

/// RFC 9112 section 6.3.
enum class BodyFraming : std::uint8_t { None, ContentLength, Chunked, UntilClose };

struct ParserLimits {
    std::size_t maxLineBytes = 8192;
    std::size_t maxHeaderCount = 100;
    std::size_t maxHeadBytes = 32768;
    std::uint64_t maxBodyBytes = UINT64_MAX; ///< a declared length above it is refused with 413
};

/// Why a message was refused. `status` is what to answer a client with (400, 413, 414, 417, 431, 501, 505); a
/// response error always means 502 to the client. `reason` is a literal, for logs and tests ("bare LF in
/// header section").
struct ParseError {
    int status = 400;
    const char* reason = "";
};

enum class ParseStatus : std::uint8_t { NeedMore, Complete, Error };

struct RequestHead {
    Method method = Method::Other;
    std::string_view methodText;
    std::string_view target; ///< as received
    std::string_view host; ///< lower case not applied; without port; from the absolute-form target or Host
    std::string_view authority; ///< host with port as received
    std::string_view path; ///< of origin or absolute form, as received; "*" for OPTIONS *, empty for CONNECT
    std::string_view query; ///< without '?'; hasQuery tells "?" from none
    bool hasQuery = false;
    int minorVersion = 1; ///< HTTP/1.x
    bool keepAlive = true; ///< RFC 9112 9.3
    bool expectContinue = false;
    bool wantsUpgrade = false; ///< Connection: upgrade and an Upgrade field
    std::string_view upgrade; ///< value of Upgrade
    BodyFraming framing = BodyFraming::None;
    std::uint64_t contentLength = 0;
    std::vector<Field> fields;
    std::size_t headBytes = 0; ///< bytes of request line, fields and the empty line
};

struct ResponseHead {
    int status = 0;
    std::string_view reason;
    int minorVersion = 1;
    bool keepAlive = true;
    bool isUpgrade = false; ///< 101
    BodyFraming framing = BodyFraming::None;
    std::uint64_t contentLength = 0;
    bool hasContentLength = false; ///< to be forwarded even where there is no body (HEAD, 304)
    std::vector<Field> fields;
    std::size_t headBytes = 0;
};

} // namespace yardmaster::http
