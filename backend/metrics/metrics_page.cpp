// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/metrics/metrics_page.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yardmaster::metrics {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "the page is shared between processes");

namespace {

constexpr std::string_view otherClusters = "(other)";
constexpr std::string_view unnamedCluster = "(unnamed)"; // an empty name would leave the slot free

Expected<MetricsPageLayout*> mapPage(int fd) {
    void* address = ::mmap(nullptr, sizeof(MetricsPageLayout), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (address == MAP_FAILED)
        return failure(Error::fromErrno(errno, "mmap", "metrics page"));
    // Atomics of zero are valid as they lie; the kernel gives zeroed pages.
    return static_cast<MetricsPageLayout*>(address);
}

/// At most `limit` bytes, not within a UTF-8 sequence.
std::string_view cutUtf8(std::string_view text, std::size_t limit) {
    if (text.size() <= limit)
        return text;
    while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80)
        --limit;
    return text.substr(0, limit);
}

} // namespace

MetricsPage::MetricsPage(UniqueFd fd, MetricsPageLayout* layout)
    : m_fd(std::move(fd))
    , m_layout(layout) { }

MetricsPage::MetricsPage(MetricsPage&& other) noexcept
    : m_fd(std::move(other.m_fd))
    , m_layout(std::exchange(other.m_layout, nullptr)) { }

MetricsPage& MetricsPage::operator=(MetricsPage&& other) noexcept {
    std::swap(m_fd, other.m_fd);
    std::swap(m_layout, other.m_layout);
    return *this;
}

MetricsPage::~MetricsPage() {
    if (m_layout)
        ::munmap(m_layout, sizeof(MetricsPageLayout));
}

Expected<MetricsPage> MetricsPage::create(std::uint32_t workerId) {
    UniqueFd fd(::memfd_create("yardmaster-metrics", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd)
        return failure(Error::fromErrno(errno, "memfd_create", "metrics page"));
    if (::ftruncate(fd.get(), sizeof(MetricsPageLayout)) != 0)
        return failure(Error::fromErrno(errno, "ftruncate", "metrics page"));
    // Neither side can pull the page from under the other's mapping.
    if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return failure(Error::fromErrno(errno, "fcntl(F_ADD_SEALS)", "metrics page"));
    auto layout = mapPage(fd.get());
    if (!layout)
        return failure(layout.error());
    (*layout)->workerId.store(workerId, std::memory_order_relaxed);
    (*layout)->sizeBytes.store(sizeof(MetricsPageLayout), std::memory_order_relaxed);
    (*layout)->magic.store(MetricsPageLayout::magicValue, std::memory_order_release);
    return MetricsPage(std::move(fd), *layout);
}

Expected<MetricsPage> MetricsPage::open(int fd) {
    struct stat info { };
    if (::fstat(fd, &info) != 0)
        return failure(Error::fromErrno(errno, "fstat", "metrics page"));
    if (static_cast<std::size_t>(info.st_size) != sizeof(MetricsPageLayout))
        return failure(Error::Code::DataLoss,
            "is " + std::to_string(info.st_size) + " bytes, expected "
                + std::to_string(sizeof(MetricsPageLayout)),
            "metrics page", "agent and worker are of different versions");
    // Without this seal the other side could shrink the file, and reading the mapping would end in SIGBUS.
    const int seals = ::fcntl(fd, F_GET_SEALS);
    if (seals < 0 || !(seals & F_SEAL_SHRINK))
        return failure(
            Error::Code::InvalidArgument, "is not a memfd sealed against shrinking", "metrics page");
    UniqueFd own(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
    if (!own)
        return failure(Error::fromErrno(errno, "fcntl(F_DUPFD_CLOEXEC)", "metrics page"));
    auto layout = mapPage(own.get());
    if (!layout)
        return failure(layout.error());
    MetricsPage page(std::move(own), *layout);
    if (page.layout().magic.load(std::memory_order_acquire) != MetricsPageLayout::magicValue
        || page.layout().sizeBytes.load(std::memory_order_relaxed) != sizeof(MetricsPageLayout))
        return failure(Error::Code::DataLoss, "has no valid head", "metrics page");
    return page;
}

MetricsBlock& MetricsPage::clusterBlock(std::string_view clusterId) {
    const std::string_view name =
        clusterId.empty() ? unnamedCluster : cutUtf8(clusterId, maxClusterNameBytes);
    for (std::uint32_t index = 0; index < maxClusterSlots; ++index) {
        ClusterSlot& slot = m_layout->clusters[index];
        const std::string_view taken = slot.clusterName();
        if (taken == name)
            return slot.block;
        if (!taken.empty())
            continue;
        const std::string_view given = index == maxClusterSlots - 1 ? otherClusters : name;
        std::memcpy(slot.name, given.data(), given.size());
        slot.nameBytes.store(static_cast<std::uint32_t>(given.size()), std::memory_order_release);
        return slot.block;
    }
    return m_layout->clusters[maxClusterSlots - 1].block;
}

void readHistogram(const MetricsBlock& block, Histogram& into) {
    for (std::uint32_t index = 0; index < HistogramLayout::bucketCount; ++index)
        into.addBucket(index, block.buckets[index].load(std::memory_order_relaxed));
    into.noteMax(block.latencyMaxUs.load(std::memory_order_relaxed));
    into.noteSum(block.latencySumUs.load(std::memory_order_relaxed));
}

} // namespace yardmaster::metrics
