// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/http/head_reader.h"
#include "backend/http/message.h"
#include "backend/http/target.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace yardmaster::http {

/// Incremental parser for a request head, RFC 9112 sections 2-6 read strictly: anything two readers could
/// understand differently is an error, never repaired. Call parse() with all bytes from the head's first byte
/// on; on NeedMore call it again with the same bytes and more (they may have moved). It does not scan a byte
/// twice while it looks for the end of the head. Refused, among others: bare CR or LF, white space before the
/// colon, obs-fold, NUL and other control bytes, Content-Length with Transfer-Encoding, differing or
/// non-digit Content-Length (a list of equal values too), a Transfer-Encoding other than exactly "chunked",
/// in HTTP/1.0 any; no or more than one Host in 1.1, a Host that disagrees with an absolute-form target,
/// userinfo in it, an authority with characters outside RFC 3986, versions other than HTTP/1.0 and 1.1. At
/// most one empty line (CRLF) before the request line is skipped (RFC 9112 2.2).
class RequestParser {
public:
    explicit RequestParser(const ParserLimits& limits = {})
        : m_limits(limits) { }

    [[nodiscard]] ParseStatus parse(std::string_view bytes);
    /// After Complete; views into the bytes of the last call.
    [[nodiscard]] const RequestHead& head() const { return m_head; }
    [[nodiscard]] ParseError error() const { return m_error; }
    /// For the next message; keeps the memory of the field list.
    void reset();
    void setLimits(const ParserLimits& limits) { m_limits = limits; }

private:
    /// What the checks need of the fields.
    struct FieldSummary {
        const Field* host = nullptr;
        std::string_view upgrade;
        bool hasUpgrade = false;
        bool upgradeUsable = false;
        bool expectContinue = false;
        bool hasConnection = false;
    };

    ParseStatus fail(int status, const char* reason);
    bool refuse(int status, const char* reason);
    ParseStatus skipEmptyLine(std::string_view bytes);
    ParseStatus readRequestLine(std::string_view line);
    ParseStatus finish();
    bool summarise(FieldSummary& summary);
    bool readHost(const Field* hostField);
    const char* readTargetParts();

    ParserLimits m_limits;
    RequestHead m_head;
    ParseError m_error;
    HeadPosition m_position;
    Target m_target;
};

/// The same for a response, as strict. The framing depends on the request's method (RFC 9112 6.3): HEAD, 1xx,
/// 204 and 304 have no body. Errors all mean 502 for the client.
class ResponseParser {
public:
    explicit ResponseParser(const ParserLimits& limits = {})
        : m_limits(limits) { }

    [[nodiscard]] ParseStatus parse(std::string_view bytes, Method requestMethod);
    [[nodiscard]] const ResponseHead& head() const { return m_head; }
    [[nodiscard]] ParseError error() const { return m_error; }
    void reset();
    void setLimits(const ParserLimits& limits) { m_limits = limits; }

private:
    ParseStatus fail(const char* reason);
    const char* readStatusLine(std::string_view line);
    ParseStatus finish(Method requestMethod);

    ParserLimits m_limits;
    ResponseHead m_head;
    ParseError m_error;
    HeadPosition m_position;
};

/// Chunked transfer coding, RFC 9112 section 7.1, strict: hex digits only, at most 16, CRLF only, extensions
/// skipped up to a limit, trailers checked as fields (framing and routing fields are refused there).
class ChunkedDecoder {
public:
    enum class Kind : std::uint8_t {
        NeedMore, ///< all given bytes were consumed
        Data, ///< `data` is a piece of the body
        End, ///< the body and trailers are complete; `data` is the trailer section ("name: value\r\n"...),
             ///< maybe empty
        Error,
    };
    struct Step {
        Kind kind = Kind::NeedMore;
        std::size_t consumed = 0;
        std::string_view data; ///< Data: into the given bytes. End: into the decoder.
    };

    explicit ChunkedDecoder(std::uint64_t maxBodyBytes = UINT64_MAX)
        : m_maxBodyBytes(maxBodyBytes) { }

    /// Decodes the next step from `bytes`; call again with what is left until NeedMore, End or Error.
    [[nodiscard]] Step next(std::string_view bytes);
    [[nodiscard]] ParseError error() const { return m_error; }
    [[nodiscard]] std::uint64_t bodyBytes() const { return m_bodyBytes; }
    void reset();

private:
    enum class State : std::uint8_t {
        Size,
        Extension,
        SizeLf,
        Data,
        DataCr,
        DataLf,
        TrailerLine,
        Done,
        Failed
    };

    Step fail(std::size_t consumed, int status, const char* reason);
    bool readSizeByte(char c);
    bool readExtensionByte(char c);
    bool beginData();
    Step readTrailers(std::string_view bytes, std::size_t at);
    bool addTrailer(std::string_view line);

    State m_state = State::Size;
    std::uint64_t m_maxBodyBytes;
    std::uint64_t m_remaining = 0;
    std::uint64_t m_bodyBytes = 0;
    std::uint32_t m_digits = 0;
    bool m_extensionOpen = false; ///< a ';' was seen behind the size
    std::uint64_t m_extensionBytes = 0; ///< of the whole message
    std::size_t m_trailerCount = 0;
    std::size_t m_trailerBytes = 0; ///< as received
    std::vector<char> m_line;
    std::vector<char> m_trailers;
    ParseError m_error;
};

} // namespace yardmaster::http
