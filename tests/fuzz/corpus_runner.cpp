// SPDX-License-Identifier: GPL-3.0-or-later
//
// Feeds a fuzz target with the files of a corpus directory and deterministic mutations of each, so that the
// targets run under CTest with any compiler: corpus_runner DIRECTORY MUTATIONS_PER_FILE
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t maxInputBytes = 1 << 16;

// What runs now, for the handler of a fatal signal, which may not allocate.
char currentInput[512] = "";

extern "C" void sayInputAndDie(int signalNumber) {
    const char text[] = "fatal signal while running: ";
    [[maybe_unused]] auto a = ::write(STDERR_FILENO, text, sizeof text - 1);
    [[maybe_unused]] auto b = ::write(STDERR_FILENO, currentInput, std::strlen(currentInput));
    [[maybe_unused]] auto c = ::write(STDERR_FILENO, "\n", 1);
    std::signal(signalNumber, SIG_DFL);
    std::raise(signalNumber);
}

Bytes readFile(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(stream), {});
}

std::size_t pick(std::mt19937_64& random, std::size_t bound) {
    return bound == 0 ? 0 : random() % bound;
}

void mutateOnce(Bytes& bytes, std::mt19937_64& random, const std::vector<Bytes>& corpus) {
    static constexpr std::uint8_t interesting[] = {
        0x00, 0x01, 0x07, 0x08, 0x0a, 0x0d, 0x20, 0x22, 0x2e, 0x2f, 0x3a, 0x7f, 0x80, 0xff};
    const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(pick(random, bytes.size()));
    switch (random() % 9) {
    case 0: // flip a bit
        if (!bytes.empty())
            *at ^= static_cast<std::uint8_t>(1U << (random() % 8));
        break;
    case 1: // any byte
        if (!bytes.empty())
            *at = static_cast<std::uint8_t>(random());
        break;
    case 2: // a byte that matters to parsers
        if (!bytes.empty())
            *at = interesting[random() % std::size(interesting)];
        break;
    case 3:
        bytes.insert(at, interesting[random() % std::size(interesting)]);
        break;
    case 4: // erase a run
        if (!bytes.empty())
            bytes.erase(at,
                at
                    + static_cast<std::ptrdiff_t>(
                        1 + pick(random, static_cast<std::size_t>(bytes.end() - at))));
        break;
    case 5: // truncate
        bytes.resize(pick(random, bytes.size() + 1));
        break;
    case 6: { // repeat a run
        if (bytes.empty())
            break;
        const Bytes run(at,
            at + static_cast<std::ptrdiff_t>(1 + pick(random, static_cast<std::size_t>(bytes.end() - at))));
        bytes.insert(
            bytes.begin() + static_cast<std::ptrdiff_t>(pick(random, bytes.size())), run.begin(), run.end());
        break;
    }
    case 7: { // the head of this with the tail of another
        const Bytes& other = corpus[pick(random, corpus.size())];
        bytes.erase(at, bytes.end());
        bytes.insert(bytes.end(), other.begin() + static_cast<std::ptrdiff_t>(pick(random, other.size() + 1)),
            other.end());
        break;
    }
    default: // a number near an edge over eight bytes
        if (bytes.size() >= 8) {
            const std::uint64_t edge = (std::uint64_t{1} << (random() % 64)) - (random() % 3);
            std::memcpy(&bytes[pick(random, bytes.size() - 7)], &edge, sizeof edge);
        }
    }
    if (bytes.size() > maxInputBytes)
        bytes.resize(maxInputBytes);
}

void run(const Bytes& bytes, const std::string& file, unsigned long mutation) {
    std::snprintf(currentInput, sizeof currentInput, "%s, mutation %lu", file.c_str(), mutation);
    // A heap copy of the exact size, so that a sanitizer sees a read beyond the end.
    const Bytes exact(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: %s CORPUS_DIRECTORY MUTATIONS_PER_FILE\n", argv[0]);
        return 2;
    }
    for (const int signalNumber : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL})
        std::signal(signalNumber, sayInputAndDie);

    std::error_code error;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(argv[1], error))
        if (entry.is_regular_file())
            files.push_back(entry.path());
    if (files.empty()) {
        std::fprintf(stderr, "no corpus in %s %s\n", argv[1], error.message().c_str());
        return 2;
    }
    std::sort(files.begin(), files.end());
    std::vector<Bytes> corpus;
    for (const auto& file : files)
        corpus.push_back(readFile(file));

    const unsigned long mutations = std::strtoul(argv[2], nullptr, 10);
    unsigned long runs = 0;
    try {
        run({}, "empty input", 0);
        for (std::size_t i = 0; i < corpus.size(); ++i) {
            const std::string file = files[i].filename().string();
            run(corpus[i], file, 0);
            for (unsigned long mutation = 1; mutation <= mutations; ++mutation, ++runs) {
                // Seeded by place, so that one mutation can be run again without the others.
                std::mt19937_64 random(i * 1'000'003 + mutation);
                Bytes bytes = corpus[i];
                for (std::uint64_t steps = 1 + random() % 4; steps > 0; --steps)
                    mutateOnce(bytes, random, corpus);
                run(bytes, file, mutation);
            }
        }
    } catch (const std::exception& exception) {
        std::fprintf(stderr, "exception while running %s: %s\n", currentInput, exception.what());
        return 1;
    }
    std::printf("%zu files, %lu mutations\n", corpus.size(), runs);
    return 0;
}
