// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QHostAddress>
#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

/// What /proc tells of a process of this host (proc(5)). Everything may be missing: the process may be gone,
/// belong to another user, or be in another pid namespace.
namespace yardmaster::control {

struct ProcessFigures {
    std::uint64_t rssBytes = 0;
    std::uint64_t cpuNs = 0; ///< user + system since its start
    std::int64_t startedUnixNs = 0;
};
[[nodiscard]] std::optional<ProcessFigures> readProcess(std::int32_t pid);

struct ListenSocket {
    QHostAddress address;
    std::uint16_t port = 0;
    std::uint64_t waiting = 0; ///< connections in the accept queue
    std::uint64_t inode = 0;
};
/// The LISTEN lines of a /proc/net/tcp or tcp6 table. Lines that cannot be read are left out.
[[nodiscard]] std::vector<ListenSocket> parseListenSockets(const QByteArray& table);
/// Of the network namespace of a process.
[[nodiscard]] std::vector<ListenSocket> readListenSockets(std::int32_t pid);

/// "127.0.0.1:8080" or "[::1]:8080".
[[nodiscard]] std::optional<ListenSocket> parseEndpoint(const QString& text);

} // namespace yardmaster::control
