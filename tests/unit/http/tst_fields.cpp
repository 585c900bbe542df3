// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/http/fields.h"
#include "backend/http/forwarded.h"
#include "backend/http/head_reader.h"

#include "string_compare.h"

#include <map>

using namespace yardmaster::http;

class TestFields : public QObject {
    Q_OBJECT

private slots:
    void knows_names_in_any_case();
    void a_changed_byte_is_another_name();
    void knows_methods();
    void tokens();
    void list_members_data();
    void list_members();
    void hop_by_hop_marks();
    void reason_phrases();
    void forwarded_values_data();
    void forwarded_values();
    void request_ids();
    void field_lines_of_trailers();
};

namespace {

const std::map<std::string, FieldId>& knownNames() {
    static const std::map<std::string, FieldId> names{
        {"host", FieldId::Host},
        {"content-length", FieldId::ContentLength},
        {"transfer-encoding", FieldId::TransferEncoding},
        {"connection", FieldId::Connection},
        {"keep-alive", FieldId::KeepAlive},
        {"proxy-connection", FieldId::ProxyConnection},
        {"te", FieldId::Te},
        {"trailer", FieldId::Trailer},
        {"upgrade", FieldId::Upgrade},
        {"expect", FieldId::Expect},
        {"proxy-authenticate", FieldId::ProxyAuthenticate},
        {"proxy-authorization", FieldId::ProxyAuthorization},
        {"forwarded", FieldId::Forwarded},
        {"x-forwarded-for", FieldId::XForwardedFor},
        {"x-forwarded-proto", FieldId::XForwardedProto},
        {"x-forwarded-port", FieldId::XForwardedPort},
        {"x-forwarded-host", FieldId::XForwardedHost},
        {"x-real-ip", FieldId::XRealIp},
        {"x-request-id", FieldId::XRequestId},
        {"cookie", FieldId::Cookie},
        {"date", FieldId::Date},
        {"server", FieldId::Server},
    };
    return names;
}

} // namespace

void TestFields::knows_names_in_any_case() {
    for (const auto& [name, id] : knownNames()) {
        for (unsigned pattern = 0; pattern < 16; ++pattern) {
            std::string written = name;
            for (std::size_t i = 0; i < written.size(); ++i) {
                if (((pattern >> (i % 4)) & 1) != 0 && written[i] >= 'a' && written[i] <= 'z') {
                    written[i] = static_cast<char>(written[i] - 32);
                }
            }
            QVERIFY2(fieldIdOf(written) == id, written.c_str());
        }
    }
    QVERIFY(fieldIdOf("") == FieldId::Other);
    QVERIFY(fieldIdOf("x-forwarded-prefix-and-more-text") == FieldId::Other);
}

void TestFields::a_changed_byte_is_another_name() {
    for (const auto& [name, id] : knownNames()) {
        for (std::size_t i = 0; i < name.size(); ++i) {
            for (int byte = 0; byte < 256; ++byte) {
                std::string changed = name;
                changed[i] = static_cast<char>(byte);
                std::string lower = changed;
                if (byte >= 'A' && byte <= 'Z') {
                    lower[i] = static_cast<char>(byte + 32);
                }
                const auto known = knownNames().find(lower);
                QVERIFY2(fieldIdOf(changed) == (known == knownNames().end() ? FieldId::Other : known->second),
                    changed.c_str());
            }
        }
    }
}

void TestFields::knows_methods() {
    const std::vector<std::pair<std::string_view, Method>> methods{{"GET", Method::Get},
        {"HEAD", Method::Head}, {"POST", Method::Post}, {"PUT", Method::Put}, {"DELETE", Method::Delete},
        {"CONNECT", Method::Connect}, {"OPTIONS", Method::Options}, {"TRACE", Method::Trace},
        {"PATCH", Method::Patch}, {"get", Method::Other}, {"GETS", Method::Other}, {"", Method::Other},
        {"Head", Method::Other}, {"PROPFIND", Method::Other}, {"DELETED", Method::Other}};
    for (const auto& [text, method] : methods) {
        QVERIFY2(methodOf(text) == method, std::string(text).c_str());
    }
}

void TestFields::tokens() {
    QVERIFY(!isToken(""));
    const std::string allowed = "!#$%&'*+-.^_`|~";
    for (int byte = 0; byte < 256; ++byte) {
        const char c = static_cast<char>(byte);
        const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        QCOMPARE(isToken(std::string(1, c)), alphanumeric || allowed.find(c) != std::string::npos);
        QCOMPARE(isToken("a" + std::string(1, c)), isToken(std::string(1, c)));
    }
    QVERIFY(equalsIgnoringCase("aB-9", "Ab-9"));
    QVERIFY(!equalsIgnoringCase("ab", "abc"));
    QVERIFY(!equalsIgnoringCase("a[", "a{"));
    QVERIFY(!equalsIgnoringCase("@", "`"));
}

void TestFields::list_members_data() {
    QTest::addColumn<QByteArray>("list");
    QTest::addColumn<bool>("found");
    QTest::newRow("alone") << QByteArray("close") << true;
    QTest::newRow("case") << QByteArray("CLOSE") << true;
    QTest::newRow("second") << QByteArray("a,close") << true;
    QTest::newRow("blanks") << QByteArray("a ,\t close\t, b") << true;
    QTest::newRow("empty items") << QByteArray(",, ,close,") << true;
    QTest::newRow("empty") << QByteArray() << false;
    QTest::newRow("only commas") << QByteArray(",,") << false;
    QTest::newRow("longer") << QByteArray("closed") << false;
    QTest::newRow("shorter") << QByteArray("clos") << false;
    QTest::newRow("parameter") << QByteArray("close;x") << false;
    QTest::newRow("two words") << QByteArray("not close") << false;
}

void TestFields::list_members() {
    QFETCH(QByteArray, list);
    QFETCH(bool, found);
    QCOMPARE(listContains(list.toStdString(), "close"), found);
}

void TestFields::hop_by_hop_marks() {
    std::vector<Field> fields;
    for (const auto& [name, id] : knownNames()) {
        fields.push_back(Field{name, "x", id, false});
    }
    fields.push_back(Field{"X_Forwarded-For", "1", FieldId::Other, false});
    fields.push_back(Field{"Secret", "1", FieldId::Other, false});
    fields.push_back(Field{"Kept", "1", FieldId::Other, true});
    const std::string named =
        "secret, host, content-length, x-forwarded-for, forwarded, x-request-id, cookie";
    for (Field& field : fields) {
        if (field.id == FieldId::Connection) {
            field.value = named;
        }
    }
    markHopByHop(fields);
    std::string marked;
    for (const Field& field : fields) {
        marked += field.hopByHop ? std::string(field.name) + " " : std::string();
    }
    QCOMPARE(marked,
        std::string("connection cookie keep-alive proxy-authenticate proxy-authorization proxy-connection te "
                    "transfer-encoding upgrade X_Forwarded-For Secret "));
}

void TestFields::reason_phrases() {
    QCOMPARE(reasonPhrase(200), std::string_view("OK"));
    QCOMPARE(reasonPhrase(404), std::string_view("Not Found"));
    QCOMPARE(reasonPhrase(413), std::string_view("Content Too Large"));
    QCOMPARE(reasonPhrase(431), std::string_view("Request Header Fields Too Large"));
    QCOMPARE(reasonPhrase(502), std::string_view("Bad Gateway"));
    QCOMPARE(reasonPhrase(504), std::string_view("Gateway Timeout"));
    for (const int unknown : {-1, 0, 99, 299, 418, 600, 1000}) {
        QCOMPARE(reasonPhrase(unknown), std::string_view());
    }
}

void TestFields::forwarded_values_data() {
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<bool>("right");
    const auto row = [](const char* value, bool right) {
        QTest::newRow(value) << QByteArray(value) << right;
    };
    row("for=192.0.2.43", true);
    row("for=\"_gazonk\"", true);
    row("For=\"[2001:db8:cafe::17]:4711\"", true);
    row("for=192.0.2.60;proto=http;by=203.0.113.43", true);
    row("for=192.0.2.43, for=198.51.100.17", true);
    row("for=a , for=b", true);
    row("for=\"a\\\"b\"", true);
    row("for=\"a,b;c\"", true);
    row("for=a;;proto=http", true);
    row("", true);
    row("for=\"a", false);
    row("for=\"a\\\"", false);
    row("for=\"a\"b", false);
    row("for", false);
    row("for=", false);
    row("=a", false);
    row("for =a", false);
    row("for= a", false);
    row("for=[::1]", false);
    row("for=1.2.3.4:80", false);
    row("for=a for=b", false);
}

void TestFields::forwarded_values() {
    QFETCH(QByteArray, value);
    QFETCH(bool, right);
    QCOMPARE(isForwardedValue(value.toStdString()), right);
}

void TestFields::request_ids() {
    QVERIFY(isSaneRequestId("0f8fad5b-d9cb-469f-a165-70867728950e"));
    QVERIFY(isSaneRequestId(std::string(128, 'a')));
    QVERIFY(!isSaneRequestId(std::string(129, 'a')));
    QVERIFY(!isSaneRequestId(""));
    QVERIFY(!isSaneRequestId("a b"));
    QVERIFY(!isSaneRequestId("a/b"));
    QVERIFY(!isSaneRequestId("\"a\""));
    QVERIFY(!isSaneRequestId("\xc3\xa9"));
}

void TestFields::field_lines_of_trailers() {
    Field field;
    QCOMPARE(readFieldLine("Digest: \t abc \t", field), nullptr);
    QCOMPARE(field.name, std::string_view("Digest"));
    QCOMPARE(field.value, std::string_view("abc"));
    for (const std::string_view wrong : {"", "a", ":b", " a: b", "a : b", "a\r: b", "a: \r", "a: b\x7f"}) {
        QVERIFY2(readFieldLine(wrong, field) != nullptr, std::string(wrong).c_str());
    }
    QVERIFY(readFieldLine(std::string_view("a: \0", 4), field) != nullptr);
}

QTEST_APPLESS_MAIN(TestFields)
#include "tst_fields.moc"
