// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/protocol/initial_state.h"

#include <google/protobuf/io/coded_stream.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <optional>

namespace yardmaster::protocol {

namespace {

using google::protobuf::io::CodedOutputStream;

constexpr std::uint8_t recordTag = 0x0a; // InitialState.requests
constexpr std::uint8_t idTag = 0x0a; // WorkerRequest.id
constexpr std::uint8_t contentTag = 0x12; // WorkerRequest.content
constexpr std::size_t flushBytes = 1 << 20;
constexpr std::size_t maxRecordBytes = 64 << 20;
constexpr std::size_t maxEnvelopeBytes = 64; // id, tags and lengths around a request

class Writer {
public:
    explicit Writer(int fd)
        : m_fd(fd) { }

    void add(const proto::Request& request) {
        if (m_error)
            return;
        if (!request.IsInitialized())
            return refuse("a required field is missing");
        const std::string id = "SAVE-" + std::to_string(m_records);
        const std::size_t contentBytes = request.ByteSizeLong();
        if (contentBytes > maxRecordBytes - maxEnvelopeBytes)
            return refuse("the request is longer than 64 MiB");
        const auto idSize = static_cast<std::uint32_t>(id.size());
        const auto contentSize = static_cast<std::uint32_t>(contentBytes);
        const auto recordSize = static_cast<std::uint32_t>(1 + CodedOutputStream::VarintSize32(idSize)
            + idSize + 1 + CodedOutputStream::VarintSize32(contentSize) + contentSize);
        // The WorkerRequest around it is written by hand, in place: no copy of the request is made.
        const std::size_t at = m_buffer.size();
        m_buffer.resize(at + 1 + CodedOutputStream::VarintSize32(recordSize) + recordSize);
        auto* out = reinterpret_cast<std::uint8_t*>(m_buffer.data()) + at;
        *out++ = recordTag;
        out = CodedOutputStream::WriteVarint32ToArray(recordSize, out);
        *out++ = idTag;
        out = CodedOutputStream::WriteVarint32ToArray(idSize, out);
        out = std::copy(id.begin(), id.end(), out);
        *out++ = contentTag;
        out = CodedOutputStream::WriteVarint32ToArray(contentSize, out);
        request.SerializeWithCachedSizesToArray(out);
        ++m_records;
        if (m_buffer.size() >= flushBytes)
            flush();
    }

    void flush() {
        std::string_view rest = m_buffer;
        while (!rest.empty() && !m_error) {
            const ssize_t written = ::write(m_fd, rest.data(), rest.size());
            if (written > 0) {
                rest.remove_prefix(static_cast<std::size_t>(written));
                m_bytes += static_cast<std::uint64_t>(written);
            } else if (written == 0 || errno != EINTR) {
                m_error = Error::fromErrno(errno, "write", "initial state");
                m_error->code = Error::Code::ResourceExhausted;
            }
        }
        m_buffer.clear();
    }

    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    [[nodiscard]] std::uint64_t records() const { return m_records; }
    [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }

private:
    void refuse(const char* why) {
        m_error = Error{Error::Code::InvalidArgument, why, "record " + std::to_string(m_records), {}};
    }

    int m_fd;
    std::string m_buffer;
    std::uint64_t m_records = 0;
    std::uint64_t m_bytes = 0;
    std::optional<Error> m_error;
};

class Mapping {
public:
    Mapping(int fd, std::size_t size)
        : m_size(size)
        , m_data(::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0)) {
        if (isValid())
            ::madvise(m_data, m_size, MADV_SEQUENTIAL);
    }
    ~Mapping() {
        if (isValid())
            ::munmap(m_data, m_size);
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    [[nodiscard]] bool isValid() const { return m_data != MAP_FAILED; }
    [[nodiscard]] std::string_view bytes() const { return {static_cast<const char*>(m_data), m_size}; }

private:
    std::size_t m_size;
    void* m_data;
};

// A file that can shrink must not be mapped: reading beyond its new end would kill the process (SIGBUS).
bool cannotShrink(int fd) {
    const int seals = ::fcntl(fd, F_GET_SEALS);
    return seals >= 0 && (seals & F_SEAL_SHRINK) != 0;
}

Expected<std::string> readAll(int fd, std::size_t size) {
    std::string bytes(size, '\0');
    std::size_t done = 0;
    while (done < size) {
        const ssize_t count = ::pread(fd, bytes.data() + done, size - done, static_cast<off_t>(done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return failure(Error::fromErrno(errno, "pread", "initial state"));
        if (count == 0)
            break;
        done += static_cast<std::size_t>(count);
    }
    bytes.resize(done);
    return bytes;
}

// A varint of at most five bytes; nothing when it is cut off or longer.
std::optional<std::uint32_t> takeVarint(std::string_view& bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(bytes.size(), 5); ++i) {
        const auto byte = static_cast<std::uint8_t>(bytes[i]);
        value |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * i);
        if ((byte & 0x80) == 0) {
            bytes.remove_prefix(i + 1);
            if (value > UINT32_MAX)
                return std::nullopt;
            return static_cast<std::uint32_t>(value);
        }
    }
    return std::nullopt;
}

} // namespace

Expected<InitialStateFile> writeInitialState(
    const std::function<void(const RequestSink&)>& produce, const char* name) {
    InitialStateFile file;
    file.fd.reset(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file.fd)
        return failure(Error::fromErrno(errno, "memfd_create", "initial state"));
    Writer writer(file.fd.get());
    produce([&writer](const proto::Request& request) { writer.add(request); });
    writer.flush();
    if (writer.error())
        return failure(*writer.error());
    // A Sozu worker reads from the offset on; ours does not care.
    if (::lseek(file.fd.get(), 0, SEEK_SET) != 0)
        return failure(Error::fromErrno(errno, "lseek", "initial state"));
    if (::fcntl(file.fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0)
        return failure(Error::fromErrno(errno, "fcntl(F_ADD_SEALS)", "initial state"));
    file.records = writer.records();
    file.bytes = writer.bytes();
    return file;
}

Expected<std::uint64_t> forEachInitialRequest(std::string_view bytes, const InitialStateVisitor& visit) {
    const char* const begin = bytes.data();
    proto::WorkerRequest record;
    std::uint64_t number = 0;
    while (!bytes.empty()) {
        const auto where = [&, offset = bytes.data() - begin] {
            return "record " + std::to_string(number) + " at byte " + std::to_string(offset);
        };
        if (static_cast<std::uint8_t>(bytes.front()) != recordTag)
            return failure(Error::Code::DataLoss, "not a record of an initial state", where());
        std::string_view rest = bytes.substr(1);
        const auto size = takeVarint(rest);
        if (!size)
            return failure(Error::Code::DataLoss, "the length of the record is malformed", where());
        if (*size > maxRecordBytes)
            return failure(Error::Code::DataLoss, "the record is longer than 64 MiB", where());
        if (*size > rest.size())
            return failure(Error::Code::DataLoss,
                "truncated: " + std::to_string(rest.size()) + " of " + std::to_string(*size)
                    + " bytes are there",
                where());
        if (!record.ParsePartialFromArray(rest.data(), static_cast<int>(*size)))
            return failure(Error::Code::DataLoss, "the record does not decode", where());
        if (!record.IsInitialized())
            return failure(Error::Code::DataLoss, "a required field is missing", where());
        if (auto visited = visit(record); !visited) {
            Error error = visited.error();
            error.where = error.where.empty() ? where() : error.where + ", " + where();
            return failure(std::move(error));
        }
        bytes = rest.substr(*size);
        ++number;
    }
    return number;
}

Expected<std::uint64_t> forEachInitialRequest(int fd, const InitialStateVisitor& visit) {
    struct stat status { };
    if (::fstat(fd, &status) != 0)
        return failure(Error::fromErrno(errno, "fstat", "initial state"));
    if (!S_ISREG(status.st_mode))
        return failure(Error::Code::InvalidArgument, "not a file", "initial state");
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0)
        return 0;
    if (cannotShrink(fd)) {
        const Mapping mapping(fd, size);
        if (!mapping.isValid())
            return failure(Error::fromErrno(errno, "mmap", "initial state"));
        return forEachInitialRequest(mapping.bytes(), visit);
    }
    const auto bytes = readAll(fd, size);
    if (!bytes)
        return failure(bytes.error());
    return forEachInitialRequest(std::string_view(*bytes), visit);
}

} // namespace yardmaster::protocol
