// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::agent {

/// One mistake in a configuration file, for a person who has it open in an editor.
struct ConfigMistake {
    std::uint32_t line = 0; ///< from 1; 0 when the whole file is meant
    std::uint32_t column = 0;
    std::string key; ///< "clusters.web.backends[1].address"
    std::string what;
    std::string hint;

    /// "file:3:1: worker_cuont: unknown key (did you mean worker_count?)"
    [[nodiscard]] std::string toString(std::string_view file) const;
};

/// Reads one table of a TOML file by typed keys and writes every mistake down instead of stopping at the
/// first. Each key asked for is known; finish() reports the others with the nearest known name. A value of a
/// wrong type or outside its range is reported and the default kept.
class ConfigReader {
public:
    ConfigReader(const toml::table& table, std::string path, std::vector<ConfigMistake>& mistakes);

    void readString(std::string_view key, std::string& into, bool required = false);
    void readBool(std::string_view key, bool& into);
    /// Whole numbers; the range is inclusive.
    template <typename Integer>
    void readInteger(std::string_view key, Integer& into, std::int64_t lowest, std::int64_t highest) {
        if (const auto value = integer(key, lowest, highest))
            into = static_cast<Integer>(*value);
    }
    /// One of `names`; the index of it.
    [[nodiscard]] std::optional<std::size_t> readChoice(
        std::string_view key, std::initializer_list<std::string_view> names);
    void readStrings(std::string_view key, std::vector<std::string>& into);

    [[nodiscard]] const toml::table* readTable(std::string_view key);
    /// The tables of an array (`[[listeners]]`); an element of another type is a mistake and left out.
    [[nodiscard]] std::vector<const toml::table*> readTables(std::string_view key);

    [[nodiscard]] bool has(std::string_view key) const { return m_table.contains(key); }
    [[nodiscard]] std::string pathOf(std::string_view key) const;
    /// A mistake at a key (or at the table when it is absent).
    void mistake(std::string_view key, std::string what, std::string hint = {});
    /// Reports the keys nobody asked for.
    void finish();

private:
    [[nodiscard]] const toml::node* find(std::string_view key);
    [[nodiscard]] std::optional<std::int64_t> integer(
        std::string_view key, std::int64_t lowest, std::int64_t highest);
    void wrongType(std::string_view key, const toml::node& node, std::string_view wanted);

    const toml::table& m_table;
    std::string m_path;
    std::vector<ConfigMistake>& m_mistakes;
    std::set<std::string, std::less<>> m_known;
};

/// The name most like `word` (case-insensitive edit distance, at most a third of its length off), empty when
/// none is near.
[[nodiscard]] std::string nearestName(std::string_view word, const std::set<std::string, std::less<>>& names);

} // namespace yardmaster::agent
