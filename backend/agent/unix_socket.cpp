// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/unix_socket.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace yardmaster::agent {

namespace {

Expected<sockaddr_un> socketName(const std::string& path) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof name.sun_path)
        return failure(Error::Code::InvalidArgument, "a socket's path has 1 to 107 bytes", path);
    std::memcpy(name.sun_path, path.data(), path.size());
    return name;
}

const sockaddr* generic(const sockaddr_un& name) {
    return reinterpret_cast<const sockaddr*>(&name);
}

/// The umask belongs to the whole process; held as shortly as can be.
class PrivateUmask {
public:
    PrivateUmask()
        : m_previous(::umask(0177)) { }
    ~PrivateUmask() { ::umask(m_previous); }
    PrivateUmask(const PrivateUmask&) = delete;
    PrivateUmask& operator=(const PrivateUmask&) = delete;

private:
    mode_t m_previous;
};

Expected<void> removeStaleSocket(const std::string& path) {
    struct stat info { };
    if (::lstat(path.c_str(), &info) != 0)
        return {};
    if (!S_ISSOCK(info.st_mode))
        return failure(Error::Code::AlreadyExists, "there is a file that is no socket", path,
            "remove it or choose another path");
    if (connectUnix(path))
        return failure(Error::Code::AlreadyExists, "somebody answers on this socket", path,
            "is another yardmasterd running?");
    if (::unlink(path.c_str()) != 0 && errno != ENOENT)
        return failure(Error::fromErrno(errno, "unlink", path));
    return {};
}

} // namespace

Expected<UniqueFd> listenUnix(const std::string& path, int backlog) {
    const auto name = socketName(path);
    if (!name)
        return failure(name.error());
    if (auto removed = removeStaleSocket(path); !removed)
        return failure(removed.error());
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd)
        return failure(Error::fromErrno(errno, "socket", path));
    {
        const PrivateUmask umask;
        if (::bind(fd.get(), generic(*name), sizeof *name) != 0)
            return failure(Error::fromErrno(errno, "bind", path));
    }
    if (::listen(fd.get(), backlog) != 0)
        return failure(Error::fromErrno(errno, "listen", path));
    return fd;
}

Expected<UniqueFd> connectUnix(const std::string& path) {
    const auto name = socketName(path);
    if (!name)
        return failure(name.error());
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fd)
        return failure(Error::fromErrno(errno, "socket", path));
    if (::connect(fd.get(), generic(*name), sizeof *name) != 0) {
        Error error = Error::fromErrno(errno, "connect", path);
        if (errno == ENOENT || errno == ECONNREFUSED)
            error.code = Error::Code::Unavailable;
        return failure(std::move(error));
    }
    return fd;
}

void setSocketTimeouts(int fd, int timeoutMs) {
    const timeval timeout{timeoutMs / 1000, (timeoutMs % 1000) * 1000};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
}

std::string PeerCredentials::describe() const {
    std::string text = "uid " + std::to_string(uid);
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 4096> buffer{};
    if (::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) == 0 && found)
        text += std::string(" (") + found->pw_name + ")";
    return text + ", pid " + std::to_string(pid);
}

Expected<PeerCredentials> peerCredentials(int fd) {
    ucred credentials{};
    socklen_t length = sizeof credentials;
    if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0)
        return failure(Error::fromErrno(errno, "getsockopt SO_PEERCRED", "command socket"));
    return PeerCredentials{credentials.pid, credentials.uid, credentials.gid};
}

bool mayCommand(const PeerCredentials& peer, uid_t ownUid) {
    return peer.uid == ownUid || peer.uid == 0;
}

} // namespace yardmaster::agent
