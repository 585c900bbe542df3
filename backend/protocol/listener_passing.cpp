// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/protocol/listener_passing.h"

#include "backend/protocol/worker_channel.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <set>

namespace yardmaster::protocol {

namespace {

constexpr std::size_t maxDataBytes = 4096; // Sozu's receive buffer
constexpr std::size_t maxAddressBytes = 127; // its length fits into one byte of varint
constexpr std::size_t overheadBytes = 2 + 3; // the delimiter and `more`
constexpr std::size_t maxListeners = 65'536;
constexpr const char* place = "listening sockets";

auto* addressesOf(proto::ListenersCount& count, proto::ListenerType type) {
    switch (type) {
    case proto::HTTP:
        return count.mutable_http();
    case proto::HTTPS:
        return count.mutable_tls();
    case proto::TCP:
        return count.mutable_tcp();
    case proto::UDP:
        break;
    }
    return count.mutable_udp();
}

std::string delimited(const proto::ListenersCount& count) {
    const std::string message = count.SerializeAsString();
    std::uint8_t prefix[5];
    const auto* end = google::protobuf::io::CodedOutputStream::WriteVarint32ToArray(
        static_cast<std::uint32_t>(message.size()), prefix);
    return std::string(reinterpret_cast<const char*>(prefix), static_cast<std::size_t>(end - prefix))
        + message;
}

// Byte by byte, because not one byte behind the message may be taken from the socket.
Expected<std::size_t> receiveLength(int scmFd, std::vector<UniqueFd>& fds, Deadline deadline) {
    std::uint32_t length = 0;
    for (int shift = 0; shift < 35; shift += 7) {
        char byte = 0;
        if (auto read = receiveWithFds(scmFd, std::span(&byte, 1), fds, deadline); !read) {
            Error error = read.error();
            if (shift > 0 && error.code == Error::Code::Unavailable)
                error.code = Error::Code::DataLoss; // closed within the number
            return failure(std::move(error));
        }
        length |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(byte) & 0x7f) << shift;
        if ((static_cast<std::uint8_t>(byte) & 0x80) == 0) {
            if (length > maxDataBytes)
                break;
            return length;
        }
    }
    return failure(
        Error::Code::DataLoss, "the list of addresses is longer than 4096 bytes or malformed", place);
}

struct Message {
    proto::ListenersCount count;
    std::vector<UniqueFd> fds;
};

Expected<Message> receiveMessage(int scmFd, Deadline deadline) {
    Message message;
    const auto length = receiveLength(scmFd, message.fds, deadline);
    if (!length)
        return failure(length.error());
    std::string data(*length, '\0');
    if (auto read = receiveWithFds(scmFd, data, message.fds, deadline); !read) {
        Error error = read.error();
        if (error.code == Error::Code::Unavailable)
            error.code = Error::Code::DataLoss; // closed behind the length
        return failure(std::move(error));
    }
    if (!message.count.ParseFromString(data))
        return failure(Error::Code::DataLoss, "the list of addresses does not decode", place);
    return message;
}

} // namespace

Expected<std::vector<ListenersMessage>> encodeListeners(
    std::span<const ListenerToSend> listeners, std::span<const int> leadingFds) {
    if (leadingFds.size() > maxFdsPerSendmsg - maxFdsPerMessage)
        return failure(Error::Code::InvalidArgument, "too many descriptors ahead of the listeners", place);
    for (const auto& listener : listeners)
        if (listener.address.empty() || listener.address.size() > maxAddressBytes || listener.fd < 0)
            return failure(
                Error::Code::InvalidArgument, "a listener without an address or descriptor", place);
    if (listeners.size() > maxListeners)
        return failure(Error::Code::InvalidArgument, "too many listeners", place);

    std::vector<const ListenerToSend*> sorted;
    for (const auto& listener : listeners)
        sorted.push_back(&listener);
    std::stable_sort(sorted.begin(), sorted.end(),
        [](const ListenerToSend* a, const ListenerToSend* b) { return a->type < b->type; });

    std::vector<ListenersMessage> messages;
    auto next = sorted.begin();
    do {
        auto& message = messages.emplace_back();
        if (messages.size() == 1)
            message.fds.assign(leadingFds.begin(), leadingFds.end());
        proto::ListenersCount count;
        std::size_t bytes = overheadBytes;
        for (int inMessage = 0; next != sorted.end() && inMessage < maxFdsPerMessage; ++next, ++inMessage) {
            bytes += 2 + (*next)->address.size();
            if (bytes > maxDataBytes)
                break;
            *addressesOf(count, (*next)->type)->Add() = (*next)->address;
            message.fds.push_back((*next)->fd);
        }
        if (next != sorted.end())
            count.set_more(true);
        message.data = delimited(count);
    } while (next != sorted.end());
    return messages;
}

Expected<void> sendListeners(int scmFd, std::span<const ListenerToSend> listeners, Deadline deadline,
    std::span<const int> leadingFds) {
    const auto messages = encodeListeners(listeners, leadingFds);
    if (!messages)
        return failure(messages.error());
    for (const auto& message : *messages)
        if (auto sent = sendWithFds(scmFd, message.data, message.fds, deadline); !sent)
            return sent;
    return {};
}

Expected<ReceivedListeners> receiveListeners(int scmFd, Deadline deadline, std::size_t leadingCount) {
    ReceivedListeners result;
    std::set<std::pair<int, std::string>> seen;
    for (bool more = true, first = true; more; first = false) {
        auto message = receiveMessage(scmFd, deadline);
        if (!message) {
            Error error = message.error();
            if (!first && error.code == Error::Code::Unavailable)
                error.code = Error::Code::DataLoss; // closed between two messages
            return failure(std::move(error));
        }
        proto::ListenersCount& count = message->count;
        auto& fds = message->fds;
        const auto named = static_cast<std::size_t>(
            count.http_size() + count.tls_size() + count.tcp_size() + count.udp_size());
        const std::size_t leading = first ? leadingCount : 0;
        if (fds.size() != leading + named)
            return failure(Error::Code::DataLoss,
                std::to_string(named) + " addresses are named but "
                    + (fds.size() < leading ? "only " + std::to_string(fds.size()) + " descriptors"
                                            : std::to_string(fds.size() - leading) + " sockets")
                    + " came",
                place);
        more = count.more();
        if (more && named == 0)
            return failure(Error::Code::DataLoss, "an empty list announces more", place);
        if (result.listeners.size() + named > maxListeners)
            return failure(Error::Code::DataLoss, "too many listeners", place);

        auto fd = fds.begin();
        for (std::size_t i = 0; i < leading; ++i)
            result.leading.push_back(std::move(*fd++));
        for (const auto type : {proto::HTTP, proto::HTTPS, proto::TCP, proto::UDP})
            for (auto& address : *addressesOf(count, type)) {
                if (!seen.emplace(type, address).second)
                    return failure(Error::Code::DataLoss, "an address is named twice", address);
                result.listeners.push_back({std::move(address), type, std::move(*fd++)});
            }
    }
    std::stable_sort(result.listeners.begin(), result.listeners.end(),
        [](const ReceivedListener& a, const ReceivedListener& b) { return a.type < b.type; });
    return result;
}

} // namespace yardmaster::protocol
