// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/sozu_json.h"

#include "backend/agent/sozu_json_fields.h"
#include "backend/protocol/request_names.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace yardmaster::agent {

namespace {

using Json = nlohmann::json;

class JsonWriter {
public:
    explicit JsonWriter(Json& out)
        : m_out(out) {
        m_out = Json::object();
    }

    template <typename T, typename Set>
    void scalar(const char* name, bool has, const T& value, const Set&) {
        m_out[name] = has ? Json(value) : Json();
    }
    template <typename T, typename Set>
    void enumeration(const char* name, bool has, T value, bool (*)(int), const Set&) {
        m_out[name] = has ? Json(static_cast<int>(value)) : Json();
    }
    template <typename Get>
    void message(const char* name, bool has, const Get& get) {
        m_out[name] = Json();
        if (has)
            write(m_out[name], get());
    }
    /// A field Sozu does not have: written only when there is something to write.
    template <typename Get>
    void ownMessage(const char* name, bool has, const Get& get) {
        if (has && get().ByteSizeLong() > 0)
            write(m_out[name], get());
    }
    template <typename T>
    void repeated(const char* name, google::protobuf::RepeatedPtrField<T>& values) {
        Json& list = m_out[name] = Json::array();
        for (T& value : values) {
            if constexpr (std::is_same_v<T, std::string>)
                list.push_back(value);
            else
                write(list.emplace_back(), value);
        }
    }
    void repeatedEnum(const char* name, google::protobuf::RepeatedField<int>& values, bool (*)(int)) {
        Json& list = m_out[name] = Json::array();
        for (const int value : values)
            list.push_back(value);
    }
    void map(const char* name, google::protobuf::Map<std::string, std::string>& values) {
        Json& object = m_out[name] = Json::object();
        for (const auto& [key, value] : values)
            object[key] = value;
    }
    template <typename Set>
    void bytes(const char* name, bool has, const std::string& value, const Set&) {
        m_out[name] = has ? Json(std::vector<unsigned char>(value.begin(), value.end())) : Json();
    }
    void ip(const char* name, proto::IpAddress& address) {
        Json& inner = m_out[name]["inner"];
        if (address.has_v4())
            inner["V4"] = address.v4();
        else
            write(inner["V6"], *address.mutable_v6());
    }

private:
    template <typename Message>
    static void write(Json& out, Message& message) {
        JsonWriter writer(out);
        json_fields::fields(writer, message);
    }

    Json& m_out;
};

/// Reads what is there and keeps the first mistake, by the path of its field.
class JsonReader {
public:
    JsonReader(const Json& in, std::string path, std::string& mistake)
        : m_in(in)
        , m_path(std::move(path))
        , m_mistake(mistake) {
        if (!in.is_object())
            complain(nullptr, "must be an object");
    }

    template <typename T, typename Set>
    void scalar(const char* name, bool, const T&, const Set& set) {
        const Json* value = find(name);
        if (!value)
            return;
        if constexpr (std::is_same_v<T, std::string>) {
            if (!value->is_string())
                complain(name, "must be a string");
            else
                set(value->template get<std::string>());
        } else if constexpr (std::is_same_v<T, bool>) {
            if (!value->is_boolean())
                complain(name, "must be true or false");
            else
                set(value->template get<bool>());
        } else {
            number<T>(name, *value, set);
        }
    }
    template <typename T, typename Set>
    void enumeration(const char* name, bool, T, bool (*isValid)(int), const Set& set) {
        const Json* value = find(name);
        if (!value)
            return;
        number<int>(name, *value, [&](int read) {
            if (isValid(read))
                set(read);
            else
                complain(name, "has no such value");
        });
    }
    template <typename Get>
    void message(const char* name, bool, const Get& get) {
        if (const Json* value = find(name))
            read(*value, pathOf(name), get());
    }
    template <typename Get>
    void ownMessage(const char* name, bool has, const Get& get) {
        message(name, has, get);
    }
    template <typename T>
    void repeated(const char* name, google::protobuf::RepeatedPtrField<T>& values) {
        const Json* list = findArray(name);
        if (!list)
            return;
        for (const Json& element : *list) {
            if constexpr (std::is_same_v<T, std::string>) {
                if (element.is_string())
                    *values.Add() = element.get<std::string>();
                else
                    complain(name, "must hold strings");
            } else {
                read(element, pathOf(name), *values.Add());
            }
        }
    }
    void repeatedEnum(const char* name, google::protobuf::RepeatedField<int>& values, bool (*isValid)(int)) {
        const Json* list = findArray(name);
        if (!list)
            return;
        for (const Json& element : *list)
            number<int>(name, element, [&](int value) {
                if (isValid(value))
                    values.Add(value);
                else
                    complain(name, "has no such value");
            });
    }
    void map(const char* name, google::protobuf::Map<std::string, std::string>& values) {
        const Json* object = find(name);
        if (!object)
            return;
        if (!object->is_object()) {
            complain(name, "must be an object");
            return;
        }
        for (const auto& [key, value] : object->items()) {
            if (value.is_string())
                values[key] = value.get<std::string>();
            else
                complain(name, "must hold strings");
        }
    }
    template <typename Set>
    void bytes(const char* name, bool, const std::string&, const Set& set) {
        const Json* list = findArray(name);
        if (!list)
            return;
        std::string value;
        for (const Json& element : *list)
            number<unsigned char>(
                name, element, [&](unsigned char byte) { value.push_back(static_cast<char>(byte)); });
        set(value);
    }
    void ip(const char* name, proto::IpAddress& address) {
        const Json* value = find(name);
        const Json* inner =
            value && value->is_object() && value->contains("inner") ? &(*value)["inner"] : nullptr;
        if (inner && inner->is_object() && inner->contains("V4"))
            number<std::uint32_t>(name, (*inner)["V4"], [&](std::uint32_t v4) { address.set_v4(v4); });
        else if (inner && inner->is_object() && inner->contains("V6"))
            read((*inner)["V6"], pathOf(name), *address.mutable_v6());
        else
            complain(name, "is no address");
    }

private:
    [[nodiscard]] std::string pathOf(const char* name) const { return m_path + "." + name; }
    void complain(const char* name, const char* what) {
        if (m_mistake.empty())
            m_mistake = (name ? pathOf(name) : m_path) + " " + what;
    }
    [[nodiscard]] const Json* find(const char* name) const {
        if (!m_in.is_object())
            return nullptr;
        const auto found = m_in.find(name);
        return found == m_in.end() || found->is_null() ? nullptr : &*found;
    }
    [[nodiscard]] const Json* findArray(const char* name) {
        const Json* list = find(name);
        if (!list || list->is_array())
            return list;
        complain(name, "must be an array");
        return nullptr;
    }
    template <typename T, typename Set>
    void number(const char* name, const Json& value, const Set& set) {
        if (value.is_number_unsigned()) {
            const auto read = value.get<std::uint64_t>();
            if (read <= static_cast<std::uint64_t>(std::numeric_limits<T>::max())) {
                set(static_cast<T>(read));
                return;
            }
        } else if (value.is_number_integer() && std::is_signed_v<T>) {
            const auto read = value.get<std::int64_t>();
            if (read >= static_cast<std::int64_t>(std::numeric_limits<T>::min())) {
                set(static_cast<T>(read));
                return;
            }
        }
        complain(name, "must be a whole number in its range");
    }
    template <typename Message>
    void read(const Json& value, std::string path, Message& message) {
        JsonReader reader(value, std::move(path), m_mistake);
        json_fields::fields(reader, message);
    }

    const Json& m_in;
    std::string m_path;
    std::string& m_mistake;
};

/// Calls `use` with the message of the request's kind; false for a kind that is not part of a saved state.
template <typename Use>
bool withContent(proto::Request::RequestTypeCase kind, proto::Request& request, const Use& use) {
    switch (kind) {
    case proto::Request::kAddHttpListener:
        use(*request.mutable_add_http_listener());
        return true;
    case proto::Request::kAddHttpsListener:
        use(*request.mutable_add_https_listener());
        return true;
    case proto::Request::kAddTcpListener:
        use(*request.mutable_add_tcp_listener());
        return true;
    case proto::Request::kAddUdpListener:
        use(*request.mutable_add_udp_listener());
        return true;
    case proto::Request::kActivateListener:
        use(*request.mutable_activate_listener());
        return true;
    case proto::Request::kAddCluster:
        use(*request.mutable_add_cluster());
        return true;
    case proto::Request::kAddHttpFrontend:
        use(*request.mutable_add_http_frontend());
        return true;
    case proto::Request::kAddHttpsFrontend:
        use(*request.mutable_add_https_frontend());
        return true;
    case proto::Request::kAddTcpFrontend:
        use(*request.mutable_add_tcp_frontend());
        return true;
    case proto::Request::kAddUdpFrontend:
        use(*request.mutable_add_udp_frontend());
        return true;
    case proto::Request::kAddCertificate:
        use(*request.mutable_add_certificate());
        return true;
    case proto::Request::kAddBackend:
        use(*request.mutable_add_backend());
        return true;
    default:
        return false;
    }
}

constexpr proto::Request::RequestTypeCase savedKinds[] = {proto::Request::kAddHttpListener,
    proto::Request::kAddHttpsListener, proto::Request::kAddTcpListener, proto::Request::kAddUdpListener,
    proto::Request::kActivateListener, proto::Request::kAddCluster, proto::Request::kAddHttpFrontend,
    proto::Request::kAddHttpsFrontend, proto::Request::kAddTcpFrontend, proto::Request::kAddUdpFrontend,
    proto::Request::kAddCertificate, proto::Request::kAddBackend};

constexpr const char* limitTag = "SET_MAX_CONNECTIONS_PER_IP";

tl::unexpected<Error> malformed(std::string what) {
    return failure(Error::Code::InvalidArgument, std::move(what), "record");
}

Expected<proto::Request> readEntry(const std::string& tag, const Json& content) {
    proto::Request request;
    if (tag == limitTag) {
        if (!content.is_number_unsigned())
            return malformed(tag + " must be a whole number");
        request.set_set_max_connections_per_ip(content.get<std::uint64_t>());
        return request;
    }
    for (const proto::Request::RequestTypeCase kind : savedKinds) {
        if (protocol::requestName(kind) != tag)
            continue;
        std::string mistake;
        bool complete = false;
        withContent(kind, request, [&](auto& message) {
            JsonReader reader(content, tag, mistake);
            json_fields::fields(reader, message);
            complete = message.IsInitialized();
        });
        if (!mistake.empty())
            return malformed(mistake);
        if (!complete)
            return malformed(tag + " lacks a required field");
        return request;
    }
    return failure(Error::Code::Unsupported, "this kind of request is no part of a saved state", "record");
}

} // namespace

Expected<std::string> requestToSozuJson(const std::string& id, const proto::Request& request) {
    Json content;
    proto::Request copy = request;
    const bool known = withContent(request.request_type_case(), copy, [&](auto& message) {
        JsonWriter writer(content);
        json_fields::fields(writer, message);
    });
    const std::string tag(protocol::requestName(request));
    if (request.has_set_max_connections_per_ip())
        content = request.set_max_connections_per_ip();
    else if (!known)
        return failure(Error::Code::Unsupported, tag + " is no part of a saved state");
    Json record;
    record["id"] = id;
    record["content"]["request_type"][tag] = std::move(content);
    try {
        return record.dump();
    } catch (const Json::exception&) {
        return malformed("holds text that is not UTF-8");
    }
}

Expected<proto::Request> requestFromSozuJson(std::string_view record) {
    const Json json = Json::parse(record, nullptr, false);
    if (!json.is_object())
        return malformed("is no JSON object");
    const auto content = json.find("content");
    if (content == json.end() || !content->is_object() || !content->contains("request_type"))
        return malformed("has no content.request_type");
    const Json& type = (*content)["request_type"];
    if (!type.is_object() || type.size() != 1)
        return malformed("content.request_type must be an object with one entry");
    return readEntry(type.begin().key(), type.begin().value());
}

} // namespace yardmaster::agent
