// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/state/certificate.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <climits>
#include <ctime>
#include <memory>

namespace yardmaster::state {

namespace {

template <auto function>
struct Free {
    template <typename T>
    void operator()(T* pointer) const {
        function(pointer);
    }
};
using BioPtr = std::unique_ptr<BIO, Free<&BIO_free>>;
using X509Ptr = std::unique_ptr<X509, Free<&X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Free<&EVP_PKEY_free>>;
using NamesPtr = std::unique_ptr<GENERAL_NAMES, Free<&GENERAL_NAMES_free>>;

// Errors of the library stay in a queue per thread and would surface in somebody else's TLS call.
struct ErrorQueueGuard {
    ErrorQueueGuard() { ERR_set_mark(); }
    ~ErrorQueueGuard() { ERR_pop_to_mark(); }
};

constexpr std::size_t maxPemBytes = 1 << 20;

tl::unexpected<Error> badCertificate(const char* what) {
    return failure(
        Error::Code::InvalidArgument, what, "certificate", "give PEM text: -----BEGIN CERTIFICATE----- ...");
}

BioPtr bioOf(std::string_view text) {
    return BioPtr(
        BIO_new_mem_buf(text.data(), static_cast<int>(std::min<std::size_t>(text.size(), INT_MAX))));
}

std::string hex(const unsigned char* bytes, std::size_t count) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(count * 2);
    for (std::size_t i = 0; i < count; ++i) {
        text += digits[bytes[i] >> 4];
        text += digits[bytes[i] & 15];
    }
    return text;
}

// The DER of the first certificate; what stands before it (a key, text) is passed over.
Expected<std::string> leafDer(std::string_view pem) {
    if (pem.size() > maxPemBytes)
        return badCertificate("the certificate is longer than 1 MiB");
    const BioPtr bio = bioOf(pem);
    unsigned char* data = nullptr;
    long length = 0;
    if (!bio
        || PEM_bytes_read_bio(&data, &length, nullptr, PEM_STRING_X509, bio.get(), nullptr, nullptr) != 1)
        return badCertificate("no certificate in the text");
    std::string der(reinterpret_cast<const char*>(data), static_cast<std::size_t>(length));
    OPENSSL_free(data);
    return der;
}

X509Ptr parseDer(const std::string& der) {
    const auto* at = reinterpret_cast<const unsigned char*>(der.data());
    const auto* const end = at + der.size();
    X509Ptr certificate(d2i_X509(nullptr, &at, static_cast<long>(der.size())));
    if (at != end)
        certificate.reset();
    return certificate;
}

std::vector<std::string> dnsNames(X509* certificate) {
    std::vector<std::string> names;
    const NamesPtr alternatives(
        static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
    for (int i = 0; alternatives && i < sk_GENERAL_NAME_num(alternatives.get()); ++i) {
        const GENERAL_NAME* name = sk_GENERAL_NAME_value(alternatives.get(), i);
        if (name->type != GEN_DNS)
            continue;
        const auto* text = reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName));
        names.emplace_back(text, static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName)));
    }
    if (names.empty()) { // RFC 6125 6.4.4: the common name only when there is no other
        const X509_NAME* subject = X509_get_subject_name(certificate);
        const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
        unsigned char* utf8 = nullptr;
        if (at >= 0) {
            const int length =
                ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
            if (length > 0)
                names.emplace_back(reinterpret_cast<const char*>(utf8), static_cast<std::size_t>(length));
            if (length >= 0)
                OPENSSL_free(utf8);
        }
    }
    return names;
}

// An encrypted key must not make the library ask for a password at the terminal.
int noPassword(char*, int, int, void*) {
    return -1;
}

std::int64_t unixSeconds(const ASN1_TIME* time) {
    std::tm parts{};
    return ASN1_TIME_to_tm(time, &parts) == 1 ? static_cast<std::int64_t>(::timegm(&parts)) : 0;
}

} // namespace

Expected<std::string> certificateFingerprint(std::string_view pem) {
    const ErrorQueueGuard guard;
    const auto der = leafDer(pem);
    if (!der)
        return failure(der.error());
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256(reinterpret_cast<const unsigned char*>(der->data()), der->size(), digest);
    return hex(digest, sizeof digest);
}

Expected<CertificateFacts> inspectCertificate(const proto::CertificateAndKey& certificate) {
    const ErrorQueueGuard guard;
    CertificateFacts facts;
    const auto der = leafDer(certificate.certificate());
    if (!der)
        return failure(der.error());
    const X509Ptr leaf = parseDer(*der);
    if (!leaf)
        return badCertificate("the certificate does not parse");
    const EVP_PKEY* publicKey = X509_get0_pubkey(leaf.get());
    if (publicKey == nullptr)
        return badCertificate("the certificate's public key is of an unknown kind");
    for (int i = 0; i < certificate.certificate_chain_size(); ++i) {
        const auto chainDer = leafDer(certificate.certificate_chain(i));
        if (!chainDer || !parseDer(*chainDer))
            return failure(Error::Code::InvalidArgument,
                "certificate " + std::to_string(i + 1) + " of the chain does not parse", "certificate_chain");
    }
    const BioPtr keyBio = bioOf(certificate.key());
    const KeyPtr key(keyBio && certificate.key().size() <= maxPemBytes
            ? PEM_read_bio_PrivateKey(keyBio.get(), nullptr, &noPassword, nullptr)
            : nullptr);
    if (!key)
        return failure(Error::Code::InvalidArgument, "the private key does not parse", "key",
            "give PEM text without a password");
    if (EVP_PKEY_eq(publicKey, key.get()) != 1)
        return failure(
            Error::Code::InvalidArgument, "the private key does not belong to the certificate", "key");
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256(reinterpret_cast<const unsigned char*>(der->data()), der->size(), digest);
    facts.fingerprint = hex(digest, sizeof digest);
    facts.names = dnsNames(leaf.get());
    facts.notAfterUnixS = unixSeconds(X509_get0_notAfter(leaf.get()));
    return facts;
}

} // namespace yardmaster::state
