// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/control/process_files.h"

#include <QFile>
#include <QList>

#include <cstring>
#include <unistd.h>

namespace yardmaster::control {

namespace {

constexpr int userTicksField = 11; ///< of stat, counted after the name; 14th of the whole line
constexpr int startTicksField = 19;
constexpr std::int64_t secondNs = 1'000'000'000;

QByteArray readAll(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QString procPath(std::int32_t pid, const char* file) {
    return QStringLiteral("/proc/%1/%2").arg(pid).arg(QLatin1String(file));
}

std::int64_t bootUnixS() {
    const QByteArray stat = readAll(QStringLiteral("/proc/stat"));
    const qsizetype at = stat.indexOf("\nbtime ");
    if (at < 0)
        return 0;
    const qsizetype from = at + 7;
    return stat.mid(from, stat.indexOf('\n', from) - from).toLongLong();
}

/// The kernel prints each 32-bit word of an address as the host's integer.
std::optional<QHostAddress> parseHexAddress(const QByteArray& hex) {
    QByteArray bytes;
    if (hex.size() % 8 != 0)
        return std::nullopt;
    for (qsizetype at = 0; at < hex.size(); at += 8) {
        bool isHex = false;
        const quint32 word = hex.mid(at, 8).toUInt(&isHex, 16);
        if (!isHex)
            return std::nullopt;
        bytes.append(reinterpret_cast<const char*>(&word), sizeof word);
    }
    if (bytes.size() == 4) {
        const auto at = [&bytes](
                            int i) { return static_cast<quint32>(static_cast<unsigned char>(bytes[i])); };
        return QHostAddress(at(0) << 24 | at(1) << 16 | at(2) << 8 | at(3));
    }
    if (bytes.size() != 16)
        return std::nullopt;
    Q_IPV6ADDR address;
    std::memcpy(&address, bytes.constData(), sizeof address);
    return QHostAddress(address);
}

} // namespace

std::optional<ProcessFigures> readProcess(std::int32_t pid) {
    if (pid <= 0)
        return std::nullopt;
    const QByteArray stat = readAll(procPath(pid, "stat"));
    const QList<QByteArray> memory = readAll(procPath(pid, "statm")).split(' ');
    // The second field is the program's name in parentheses and may hold spaces and parentheses itself.
    const qsizetype nameEnd = stat.lastIndexOf(')');
    if (nameEnd < 0 || memory.size() < 2)
        return std::nullopt;
    const QList<QByteArray> fields = stat.mid(nameEnd + 2).split(' ');
    if (fields.size() <= startTicksField)
        return std::nullopt;
    const std::int64_t ticks = ::sysconf(_SC_CLK_TCK);
    ProcessFigures figures;
    figures.rssBytes = memory[1].toULongLong() * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    figures.cpuNs = (fields[userTicksField].toULongLong() + fields[userTicksField + 1].toULongLong())
        * static_cast<std::uint64_t>(secondNs / ticks);
    if (const std::int64_t boot = bootUnixS(); boot > 0)
        figures.startedUnixNs = boot * secondNs + fields[startTicksField].toLongLong() * (secondNs / ticks);
    return figures;
}

std::vector<ListenSocket> parseListenSockets(const QByteArray& table) {
    constexpr auto listenState = "0A";
    std::vector<ListenSocket> sockets;
    for (const QByteArray& line : table.split('\n')) {
        // sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode
        const QList<QByteArray> fields = line.simplified().split(' ');
        if (fields.size() < 10 || fields[3] != listenState)
            continue;
        const qsizetype colon = fields[1].indexOf(':');
        const auto address = colon < 0 ? std::nullopt : parseHexAddress(fields[1].left(colon));
        if (!address)
            continue;
        ListenSocket socket;
        socket.address = *address;
        socket.port = fields[1].mid(colon + 1).toUShort(nullptr, 16);
        socket.waiting = fields[4].mid(fields[4].indexOf(':') + 1).toULongLong(nullptr, 16);
        socket.inode = fields[9].toULongLong();
        sockets.push_back(socket);
    }
    return sockets;
}

std::vector<ListenSocket> readListenSockets(std::int32_t pid) {
    std::vector<ListenSocket> sockets = parseListenSockets(readAll(procPath(pid, "net/tcp")));
    for (const ListenSocket& socket : parseListenSockets(readAll(procPath(pid, "net/tcp6"))))
        sockets.push_back(socket);
    return sockets;
}

std::optional<ListenSocket> parseEndpoint(const QString& text) {
    const qsizetype colon = text.lastIndexOf(QLatin1Char(':'));
    if (colon <= 0)
        return std::nullopt;
    QString host = text.left(colon);
    if (host.startsWith(QLatin1Char('[')) && host.endsWith(QLatin1Char(']')))
        host = host.mid(1, host.size() - 2);
    ListenSocket endpoint;
    bool isNumber = false;
    endpoint.port = text.mid(colon + 1).toUShort(&isNumber);
    if (!isNumber || !endpoint.address.setAddress(host))
        return std::nullopt;
    return endpoint;
}

} // namespace yardmaster::control
