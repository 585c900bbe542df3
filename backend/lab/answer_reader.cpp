// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/lab/answer_reader.h"

#include <algorithm>

namespace yardmaster::lab {

void AnswerReader::begin(const Expectation& expectation) {
    m_expectation = expectation;
    m_parser.reset();
    m_framing = http::BodyFraming::None;
    m_hasHead = m_sawBytes = m_differs = false;
    m_keepAlive = true;
    m_status = 0;
    m_received = m_length = 0;
}

AnswerReader::Verdict AnswerReader::lost(Loss loss) {
    m_loss = loss;
    return Verdict::Lost;
}

AnswerReader::Verdict AnswerReader::read(io::ByteBuffer& input) {
    m_sawBytes = m_sawBytes || !input.empty();
    if (!m_hasHead) {
        const Verdict verdict = readHead(input);
        if (verdict != Verdict::NeedMore || !m_hasHead)
            return verdict;
    }
    return readBody(input);
}

AnswerReader::Verdict AnswerReader::readHead(io::ByteBuffer& input) {
    for (;;) {
        const http::ParseStatus status = m_parser.parse(input.view(), m_expectation.method);
        if (status == http::ParseStatus::NeedMore)
            return Verdict::NeedMore;
        // 101 was not asked for, whatever it says.
        if (status == http::ParseStatus::Error || m_parser.head().status == 101)
            return lost(Loss::ProtocolError);
        const http::ResponseHead& head = m_parser.head();
        input.consume(head.headBytes);
        if (head.status < 200) {
            m_parser.reset();
            continue;
        }
        m_hasHead = true;
        m_status = head.status;
        m_framing = head.framing;
        m_length = head.contentLength;
        m_keepAlive = head.keepAlive && head.framing != http::BodyFraming::UntilClose;
        if (m_framing == http::BodyFraming::Chunked)
            m_chunks.reset();
        return Verdict::NeedMore;
    }
}

AnswerReader::Verdict AnswerReader::readBody(io::ByteBuffer& input) {
    switch (m_framing) {
    case http::BodyFraming::None:
        return complete(input);
    case http::BodyFraming::ContentLength: {
        const std::size_t count = std::min<std::uint64_t>(input.size(), m_length - m_received);
        take(input.view().substr(0, count));
        input.consume(count);
        return m_received == m_length ? complete(input) : Verdict::NeedMore;
    }
    case http::BodyFraming::UntilClose:
        take(input.view());
        input.clear();
        return Verdict::NeedMore;
    case http::BodyFraming::Chunked:
        break;
    }
    return readChunks(input);
}

AnswerReader::Verdict AnswerReader::readChunks(io::ByteBuffer& input) {
    for (;;) {
        const auto step = m_chunks.next(input.view());
        if (step.kind == http::ChunkedDecoder::Kind::Data)
            take(step.data);
        input.consume(step.consumed);
        if (step.kind == http::ChunkedDecoder::Kind::End)
            return complete(input);
        if (step.kind == http::ChunkedDecoder::Kind::Error)
            return lost(Loss::ProtocolError);
        if (step.kind == http::ChunkedDecoder::Kind::NeedMore)
            return Verdict::NeedMore;
    }
}

AnswerReader::Verdict AnswerReader::endOfStream() {
    if (m_hasHead && m_framing == http::BodyFraming::UntilClose)
        return complete(io::ByteBuffer(0));
    return lost(m_sawBytes ? Loss::ShortBody : Loss::ClosedBeforeResponse);
}

void AnswerReader::take(std::string_view bytes) {
    if (m_expectation.body && !m_differs) {
        const std::string_view wanted = *m_expectation.body;
        m_differs = m_received + bytes.size() > wanted.size()
            || wanted.substr(static_cast<std::size_t>(m_received), bytes.size()) != bytes;
    }
    m_received += bytes.size();
}

AnswerReader::Verdict AnswerReader::complete(const io::ByteBuffer& input) {
    if (!input.empty())
        return lost(Loss::ProtocolError);
    if (m_status / 100 != 2)
        return lost(Loss::BadStatus);
    const bool rightSize = (!m_expectation.body || m_received == m_expectation.body->size())
        && (!m_expectation.bodyBytes || m_received == *m_expectation.bodyBytes);
    if (m_differs || !rightSize)
        return lost(Loss::WrongBody);
    return Verdict::Right;
}

} // namespace yardmaster::lab
