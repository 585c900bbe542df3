// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/state_file.h"

#include "backend/agent/sozu_json.h"
#include "backend/base/unique_fd.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <unistd.h>

namespace yardmaster::agent {

namespace {

constexpr std::string_view separator("\n\0", 2);

Expected<void> writeAll(int fd, std::string_view bytes, const std::string& path) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(fd, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return failure(Error::fromErrno(errno, "write", path));
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return {};
}

/// Removes the unfinished file unless it was moved into place.
class TemporaryFile {
public:
    explicit TemporaryFile(std::string path)
        : m_path(std::move(path))
        , m_fd(::open(m_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600)) { }
    ~TemporaryFile() {
        if (!m_isMoved && m_fd)
            ::unlink(m_path.c_str());
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    [[nodiscard]] int fd() const { return m_fd.get(); }
    [[nodiscard]] const std::string& path() const { return m_path; }
    [[nodiscard]] Expected<void> moveTo(const std::string& target) {
        if (::fsync(m_fd.get()) != 0)
            return failure(Error::fromErrno(errno, "fsync", m_path));
        if (::rename(m_path.c_str(), target.c_str()) != 0)
            return failure(Error::fromErrno(errno, "rename", target));
        m_isMoved = true;
        const std::string parent = std::filesystem::path(target).parent_path().string();
        const UniqueFd directory(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (directory)
            ::fsync(directory.get());
        return {};
    }

private:
    std::string m_path;
    UniqueFd m_fd;
    bool m_isMoved = false;
};

} // namespace

Expected<std::size_t> saveStateFile(const state::ConfigState& state, const std::string& path) {
    if (!std::filesystem::path(path).is_absolute())
        return failure(Error::Code::InvalidArgument, "the path is not absolute", path);
    TemporaryFile file(path + "." + std::to_string(::getpid()) + ".new");
    if (file.fd() < 0)
        return failure(Error::fromErrno(errno, "open", file.path()));
    constexpr std::size_t flushBytes = 1'000'000;
    std::size_t records = 0;
    std::string buffer;
    Expected<void> result;
    state.forEachRequest([&](const proto::Request& request) {
        if (!result)
            return;
        const auto json = requestToSozuJson("SAVE-" + std::to_string(records), request);
        if (!json) {
            result = failure(json.error());
            return;
        }
        ++records;
        buffer += *json;
        buffer += separator;
        if (buffer.size() > flushBytes) {
            result = writeAll(file.fd(), buffer, file.path());
            buffer.clear();
        }
    });
    if (result)
        result = writeAll(file.fd(), buffer, file.path());
    if (result)
        result = file.moveTo(path);
    if (!result)
        return failure(result.error());
    return records;
}

Expected<std::vector<proto::Request>> loadStateFile(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
        return failure(Error::Code::NotFound, "the state file cannot be read", path);
    std::ostringstream content;
    content << stream.rdbuf();
    const std::string text = std::move(content).str();
    std::vector<proto::Request> requests;
    std::string_view rest = text;
    for (std::size_t number = 1; !rest.empty(); ++number) {
        const std::size_t end = rest.find('\0');
        const std::string_view record = rest.substr(0, end);
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
        if (record.find_first_not_of(" \t\r\n") == std::string_view::npos)
            continue;
        auto request = requestFromSozuJson(record);
        if (!request) {
            Error error = request.error();
            error.where = path + ", record " + std::to_string(number);
            return failure(std::move(error));
        }
        requests.push_back(std::move(*request));
    }
    return requests;
}

} // namespace yardmaster::agent
