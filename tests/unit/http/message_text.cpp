// SPDX-License-Identifier: GPL-3.0-or-later
#include "message_text.h"

#include <sstream>

using namespace yardmaster::http;

namespace {

std::string framingText(BodyFraming framing, std::uint64_t length) {
    switch (framing) {
    case BodyFraming::None:
        return "none";
    case BodyFraming::ContentLength:
        return "length:" + std::to_string(length);
    case BodyFraming::Chunked:
        return "chunked";
    case BodyFraming::UntilClose:
        return "until-close";
    }
    return "?";
}

std::string withoutBlanks(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        c = c == ' ' ? '~' : c;
    }
    return result;
}

template <typename Parser>
Outcome makeOutcome(const Parser& parser, ParseStatus status) {
    Outcome outcome;
    outcome.status = status;
    if (status == ParseStatus::Error) {
        outcome.errorStatus = parser.error().status;
        outcome.reason = parser.error().reason;
    } else if (status == ParseStatus::Complete) {
        outcome.text = describe(parser.head()) + "\n" + describe(parser.head().fields);
    }
    return outcome;
}

} // namespace

std::string describe(const RequestHead& head) {
    std::ostringstream text;
    text << "method=" << head.methodText << " id=" << static_cast<int>(head.method)
         << " target=" << head.target << " path=" << head.path
         << " query=" << (head.hasQuery ? std::string(head.query) : "(none)") << " host=" << head.host
         << " authority=" << head.authority << " minor=" << head.minorVersion
         << (head.keepAlive ? " keep" : " close") << (head.expectContinue ? " expect" : " no-expect")
         << " upgrade=" << (head.wantsUpgrade ? withoutBlanks(head.upgrade) : "(none)")
         << " body=" << framingText(head.framing, head.contentLength) << " fields=" << head.fields.size()
         << " bytes=" << head.headBytes;
    return text.str();
}

std::string describe(const ResponseHead& head) {
    std::ostringstream text;
    text << "status=" << head.status << " reason=" << withoutBlanks(head.reason)
         << " minor=" << head.minorVersion << (head.keepAlive ? " keep" : " close")
         << (head.isUpgrade ? " upgrade" : " no-upgrade")
         << " body=" << framingText(head.framing, head.contentLength)
         << (head.hasContentLength ? " has-length" : " no-length") << " length=" << head.contentLength
         << " fields=" << head.fields.size() << " bytes=" << head.headBytes;
    return text.str();
}

std::string describe(const std::vector<Field>& fields) {
    std::ostringstream text;
    for (const Field& field : fields) {
        text << (field.hopByHop ? "-" : "") << field.name << ": " << field.value << " ("
             << static_cast<int>(field.id) << ")\n";
    }
    return text.str();
}

std::string Outcome::toString() const {
    switch (status) {
    case ParseStatus::NeedMore:
        return "needs more";
    case ParseStatus::Error:
        return "error " + std::to_string(errorStatus) + ": " + reason;
    case ParseStatus::Complete:
        return text;
    }
    return "?";
}

Outcome outcomeOf(const RequestParser& parser, ParseStatus status) {
    return makeOutcome(parser, status);
}

Outcome outcomeOf(const ResponseParser& parser, ParseStatus status) {
    return makeOutcome(parser, status);
}

std::string missingWords(std::string_view text, std::string_view wanted) {
    std::istringstream words{std::string(wanted)};
    const std::string padded = " " + std::string(text) + " ";
    std::string missing;
    for (std::string word; words >> word;) {
        if (padded.find(" " + word + " ") == std::string::npos) {
            missing += word + " ";
        }
    }
    return missing;
}
