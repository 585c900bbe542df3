// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/config_reader.h"

#include <algorithm>
#include <cctype>

namespace yardmaster::agent {

namespace {

std::string_view typeName(const toml::node& node) {
    switch (node.type()) {
    case toml::node_type::table:
        return "a table";
    case toml::node_type::array:
        return "an array";
    case toml::node_type::string:
        return "a string";
    case toml::node_type::integer:
        return "a whole number";
    case toml::node_type::floating_point:
        return "a number with a fraction";
    case toml::node_type::boolean:
        return "true or false";
    default:
        return "a date or time";
    }
}

char lower(char character) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
}

std::size_t editDistance(std::string_view left, std::string_view right) {
    std::vector<std::size_t> row(right.size() + 1);
    for (std::size_t index = 0; index <= right.size(); ++index)
        row[index] = index;
    for (std::size_t i = 1; i <= left.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= right.size(); ++j) {
            const std::size_t substituted = diagonal + (lower(left[i - 1]) == lower(right[j - 1]) ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row[right.size()];
}

} // namespace

std::string ConfigMistake::toString(std::string_view file) const {
    std::string text(file);
    if (line != 0)
        text += ":" + std::to_string(line) + ":" + std::to_string(column);
    text += ": ";
    if (!key.empty())
        text += key + ": ";
    text += what;
    if (!hint.empty())
        text += " (" + hint + ")";
    return text;
}

std::string nearestName(std::string_view word, const std::set<std::string, std::less<>>& names) {
    std::string nearest;
    std::size_t best = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (const std::string& name : names) {
        const std::size_t distance = editDistance(word, name);
        if (distance < best) {
            best = distance;
            nearest = name;
        }
    }
    return nearest;
}

ConfigReader::ConfigReader(const toml::table& table, std::string path, std::vector<ConfigMistake>& mistakes)
    : m_table(table)
    , m_path(std::move(path))
    , m_mistakes(mistakes) { }

std::string ConfigReader::pathOf(std::string_view key) const {
    if (m_path.empty())
        return std::string(key);
    return key.empty() ? m_path : m_path + "." + std::string(key);
}

void ConfigReader::mistake(std::string_view key, std::string what, std::string hint) {
    const toml::node* node = m_table.get(key);
    const toml::source_position position = node ? node->source().begin : m_table.source().begin;
    // A value's position is where it starts; the key is what a reader looks for, and stands on the same line.
    std::uint32_t column = position.column;
    for (const auto& [name, value] : m_table) {
        if (node == &value && name.source().begin.line != 0) {
            column = name.source().begin.column;
            m_mistakes.push_back(
                {name.source().begin.line, column, pathOf(key), std::move(what), std::move(hint)});
            return;
        }
    }
    m_mistakes.push_back({position.line, column, pathOf(key), std::move(what), std::move(hint)});
}

const toml::node* ConfigReader::find(std::string_view key) {
    m_known.emplace(key);
    return m_table.get(key);
}

void ConfigReader::wrongType(std::string_view key, const toml::node& node, std::string_view wanted) {
    mistake(key, "must be " + std::string(wanted) + ", not " + std::string(typeName(node)));
}

void ConfigReader::readString(std::string_view key, std::string& into, bool required) {
    const toml::node* node = find(key);
    if (!node) {
        if (required)
            mistake(key, "is missing");
        return;
    }
    if (const auto* text = node->as_string())
        into = text->get();
    else
        wrongType(key, *node, "a string");
}

void ConfigReader::readBool(std::string_view key, bool& into) {
    const toml::node* node = find(key);
    if (!node)
        return;
    if (const auto* value = node->as_boolean())
        into = value->get();
    else
        wrongType(key, *node, "true or false");
}

std::optional<std::int64_t> ConfigReader::integer(
    std::string_view key, std::int64_t lowest, std::int64_t highest) {
    const toml::node* node = find(key);
    if (!node)
        return std::nullopt;
    const auto* value = node->as_integer();
    if (!value) {
        wrongType(key, *node, "a whole number");
        return std::nullopt;
    }
    if (value->get() < lowest || value->get() > highest) {
        mistake(key, std::to_string(value->get()) + " is out of range",
            "from " + std::to_string(lowest) + " to " + std::to_string(highest));
        return std::nullopt;
    }
    return value->get();
}

std::optional<std::size_t> ConfigReader::readChoice(
    std::string_view key, std::initializer_list<std::string_view> names) {
    std::string word;
    if (!find(key))
        return std::nullopt;
    const std::size_t before = m_mistakes.size();
    readString(key, word);
    if (m_mistakes.size() != before)
        return std::nullopt;
    std::size_t index = 0;
    std::string all;
    std::set<std::string, std::less<>> known;
    for (const std::string_view name : names) {
        if (name == word)
            return index;
        all += (index == 0 ? "" : ", ") + std::string(name);
        known.emplace(name);
        ++index;
    }
    const std::string nearest = nearestName(word, known);
    mistake(
        key, "'" + word + "' is not one of " + all, nearest.empty() ? "" : "did you mean " + nearest + "?");
    return std::nullopt;
}

void ConfigReader::readStrings(std::string_view key, std::vector<std::string>& into) {
    const toml::node* node = find(key);
    if (!node)
        return;
    const auto* array = node->as_array();
    if (!array) {
        wrongType(key, *node, "an array of strings");
        return;
    }
    std::vector<std::string> values;
    for (const toml::node& element : *array) {
        if (const auto* text = element.as_string()) {
            values.push_back(text->get());
        } else {
            wrongType(key, element, "an array of strings");
            return;
        }
    }
    into = std::move(values);
}

const toml::table* ConfigReader::readTable(std::string_view key) {
    const toml::node* node = find(key);
    if (!node)
        return nullptr;
    if (!node->is_table())
        wrongType(key, *node, "a table");
    return node->as_table();
}

std::vector<const toml::table*> ConfigReader::readTables(std::string_view key) {
    const toml::node* node = find(key);
    if (!node)
        return {};
    const auto* array = node->as_array();
    if (!array) {
        wrongType(key, *node, "an array of tables");
        return {};
    }
    std::vector<const toml::table*> tables;
    for (const toml::node& element : *array) {
        if (const auto* table = element.as_table())
            tables.push_back(table);
        else
            mistake(key, "must hold tables only, not " + std::string(typeName(element)));
    }
    return tables;
}

void ConfigReader::finish() {
    for (const auto& [key, value] : m_table) {
        if (m_known.contains(key.str()))
            continue;
        const std::string nearest = nearestName(key.str(), m_known);
        mistake(key.str(), "unknown key", nearest.empty() ? "" : "did you mean " + nearest + "?");
    }
}

} // namespace yardmaster::agent
