// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/state/listener_update.h"

#include "backend/protocol/canonical.h"

namespace yardmaster::state {

namespace {

template <typename Update>
Expected<void> refuseUnknown(const Update& update) {
    if (update.unknown_fields().empty())
        return {};
    return failure(Error::Code::Unsupported, "the update sets fields that are not supported here",
        "listener update", "HTTP/2 settings cannot be changed");
}

// The fields of all four kinds.
template <typename Update, typename Listener>
void mergeCommon(const Update& update, Listener& listener) {
    if (update.has_public_address())
        *listener.mutable_public_address() = update.public_address();
    if (update.has_front_timeout())
        listener.set_front_timeout(update.front_timeout());
    if (update.has_back_timeout())
        listener.set_back_timeout(update.back_timeout());
}

template <typename Update, typename Listener>
void mergeStream(const Update& update, Listener& listener) {
    mergeCommon(update, listener);
    if (update.has_expect_proxy())
        listener.set_expect_proxy(update.expect_proxy());
    if (update.has_connect_timeout())
        listener.set_connect_timeout(update.connect_timeout());
}

template <typename Update, typename Listener>
void mergeHttp(const Update& update, Listener& listener) {
    mergeStream(update, listener);
    if (update.has_sticky_name())
        listener.set_sticky_name(update.sticky_name());
    if (update.has_request_timeout())
        listener.set_request_timeout(update.request_timeout());
    if (update.has_http_answers())
        listener.mutable_http_answers()->MergeFrom(update.http_answers());
    if (update.has_request_id_header())
        listener.set_request_id_header(update.request_id_header());
    for (const auto& [status, answer] : update.answers())
        (*listener.mutable_answers())[status] = answer;
    if (update.has_elide_x_real_ip())
        listener.set_elide_x_real_ip(update.elide_x_real_ip());
    if (update.has_send_x_real_ip())
        listener.set_send_x_real_ip(update.send_x_real_ip());
    if (update.has_limits())
        listener.mutable_limits()->MergeFrom(update.limits());
}

// The other way round: everything that is present in `to` and differs.
template <typename Listener, typename Update>
void fillCommon(const Listener& from, const Listener& to, Update& update) {
    *update.mutable_address() = to.address();
    if (to.has_public_address()
        && (!from.has_public_address() || !protocol::sameMessage(from.public_address(), to.public_address())))
        *update.mutable_public_address() = to.public_address();
    if (from.front_timeout() != to.front_timeout())
        update.set_front_timeout(to.front_timeout());
    if (from.back_timeout() != to.back_timeout())
        update.set_back_timeout(to.back_timeout());
}

template <typename Listener, typename Update>
void fillStream(const Listener& from, const Listener& to, Update& update) {
    fillCommon(from, to, update);
    if (from.expect_proxy() != to.expect_proxy())
        update.set_expect_proxy(to.expect_proxy());
    if (from.connect_timeout() != to.connect_timeout())
        update.set_connect_timeout(to.connect_timeout());
}

template <typename Listener, typename Update>
void fillHttp(const Listener& from, const Listener& to, Update& update) {
    fillStream(from, to, update);
    if (from.sticky_name() != to.sticky_name())
        update.set_sticky_name(to.sticky_name());
    if (from.request_timeout() != to.request_timeout())
        update.set_request_timeout(to.request_timeout());
    if (to.has_http_answers() && !protocol::sameMessage(from.http_answers(), to.http_answers()))
        *update.mutable_http_answers() = to.http_answers();
    if (to.has_request_id_header() && from.request_id_header() != to.request_id_header())
        update.set_request_id_header(to.request_id_header());
    for (const auto& [status, answer] : to.answers()) {
        const auto old = from.answers().find(status);
        if (old == from.answers().end() || old->second != answer)
            (*update.mutable_answers())[status] = answer;
    }
    if (to.has_elide_x_real_ip() && from.elide_x_real_ip() != to.elide_x_real_ip())
        update.set_elide_x_real_ip(to.elide_x_real_ip());
    if (to.has_send_x_real_ip() && from.send_x_real_ip() != to.send_x_real_ip())
        update.set_send_x_real_ip(to.send_x_real_ip());
    if (to.has_limits() && !protocol::sameMessage(from.limits(), to.limits()))
        *update.mutable_limits() = to.limits();
}

// An update is offered only when applying it gives the target: that also covers fields added one day and
// forgotten above.
template <typename Listener, typename Update>
bool reaches(const Update& update, Listener from, const Listener& to) {
    if (!merge(update, from))
        return false;
    from.set_active(to.active());
    return protocol::sameMessage(from, to);
}

} // namespace

Expected<void> merge(const proto::UpdateHttpListenerConfig& update, proto::HttpListenerConfig& listener) {
    if (auto known = refuseUnknown(update); !known)
        return known;
    mergeHttp(update, listener);
    return {};
}

Expected<void> merge(const proto::UpdateHttpsListenerConfig& update, proto::HttpsListenerConfig& listener) {
    if (auto known = refuseUnknown(update); !known)
        return known;
    mergeHttp(update, listener);
    if (update.has_alpn_protocols())
        *listener.mutable_alpn_protocols() = update.alpn_protocols().values();
    if (update.has_strict_sni_binding())
        listener.set_strict_sni_binding(update.strict_sni_binding());
    if (update.has_disable_http11())
        listener.set_disable_http11(update.disable_http11());
    if (update.has_hsts())
        listener.mutable_hsts()->MergeFrom(update.hsts());
    return {};
}

Expected<void> merge(const proto::UpdateTcpListenerConfig& update, proto::TcpListenerConfig& listener) {
    if (auto known = refuseUnknown(update); !known)
        return known;
    mergeStream(update, listener);
    return {};
}

Expected<void> merge(const proto::UpdateUdpListenerConfig& update, proto::UdpListenerConfig& listener) {
    if (auto known = refuseUnknown(update); !known)
        return known;
    mergeCommon(update, listener);
    if (update.has_max_rx_datagram_size())
        listener.set_max_rx_datagram_size(update.max_rx_datagram_size());
    if (update.has_max_flows())
        listener.set_max_flows(update.max_flows());
    return {};
}

std::optional<proto::Request> updateBetween(
    const proto::HttpListenerConfig& from, const proto::HttpListenerConfig& to) {
    proto::Request request;
    auto& update = *request.mutable_update_http_listener();
    fillHttp(from, to, update);
    return reaches(update, from, to) ? std::optional(std::move(request)) : std::nullopt;
}

std::optional<proto::Request> updateBetween(
    const proto::HttpsListenerConfig& from, const proto::HttpsListenerConfig& to) {
    proto::Request request;
    auto& update = *request.mutable_update_https_listener();
    fillHttp(from, to, update);
    if (!std::equal(from.alpn_protocols().begin(), from.alpn_protocols().end(), to.alpn_protocols().begin(),
            to.alpn_protocols().end()))
        *update.mutable_alpn_protocols()->mutable_values() = to.alpn_protocols();
    if (to.has_strict_sni_binding()
        && (!from.has_strict_sni_binding() || from.strict_sni_binding() != to.strict_sni_binding()))
        update.set_strict_sni_binding(to.strict_sni_binding());
    if (to.has_disable_http11()
        && (!from.has_disable_http11() || from.disable_http11() != to.disable_http11()))
        update.set_disable_http11(to.disable_http11());
    if (to.has_hsts() && !protocol::sameMessage(from.hsts(), to.hsts()))
        *update.mutable_hsts() = to.hsts();
    return reaches(update, from, to) ? std::optional(std::move(request)) : std::nullopt;
}

std::optional<proto::Request> updateBetween(
    const proto::TcpListenerConfig& from, const proto::TcpListenerConfig& to) {
    proto::Request request;
    auto& update = *request.mutable_update_tcp_listener();
    fillStream(from, to, update);
    return reaches(update, from, to) ? std::optional(std::move(request)) : std::nullopt;
}

std::optional<proto::Request> updateBetween(
    const proto::UdpListenerConfig& from, const proto::UdpListenerConfig& to) {
    proto::Request request;
    auto& update = *request.mutable_update_udp_listener();
    fillCommon(from, to, update);
    if (from.max_rx_datagram_size() != to.max_rx_datagram_size())
        update.set_max_rx_datagram_size(to.max_rx_datagram_size());
    if (from.max_flows() != to.max_flows())
        update.set_max_flows(to.max_flows());
    return reaches(update, from, to) ? std::optional(std::move(request)) : std::nullopt;
}

} // namespace yardmaster::state
