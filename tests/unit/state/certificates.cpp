// SPDX-License-Identifier: GPL-3.0-or-later
#include "certificates.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <stdexcept>

namespace yardmaster::test {

namespace {

template <typename T, auto function>
using Owned = std::unique_ptr<T, decltype([](T* pointer) { function(pointer); })>;
using BioPtr = Owned<BIO, &BIO_free>;
using CertificatePtr = Owned<X509, &X509_free>;
using KeyPtr = Owned<EVP_PKEY, &EVP_PKEY_free>;

std::string textOf(BIO* bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    return std::string(data, static_cast<std::size_t>(size));
}

} // namespace

proto::CertificateAndKey makeCertificate(
    const std::string& commonName, const std::vector<std::string>& dnsNames) {
    static long serial = 0;
    const KeyPtr key(EVP_EC_gen("P-256"));
    const CertificatePtr certificate(X509_new());
    X509* x509 = certificate.get();
    X509_set_version(x509, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(x509), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(x509), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x509), 30L * 24 * 3600);
    X509_set_pubkey(x509, key.get());
    X509_NAME* subject = X509_get_subject_name(x509);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
        reinterpret_cast<const unsigned char*>(commonName.data()), static_cast<int>(commonName.size()), -1,
        0);
    X509_set_issuer_name(x509, subject);
    if (!dnsNames.empty()) {
        std::string value;
        for (const auto& name : dnsNames)
            value += (value.empty() ? "DNS:" : ",DNS:") + name;
        const Owned<X509_EXTENSION, &X509_EXTENSION_free> extension(
            X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, value.c_str()));
        X509_add_ext(x509, extension.get(), -1);
    }
    if (X509_sign(x509, key.get(), EVP_sha256()) == 0)
        throw std::runtime_error("cannot sign the test certificate");

    const BioPtr certificateText(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509(certificateText.get(), x509);
    const BioPtr keyText(BIO_new(BIO_s_mem()));
    PEM_write_bio_PrivateKey(keyText.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    proto::CertificateAndKey pair;
    pair.set_certificate(textOf(certificateText.get()));
    pair.set_key(textOf(keyText.get()));
    return pair;
}

std::string fingerprintOf(const proto::CertificateAndKey& pair) {
    const BioPtr bio(BIO_new_mem_buf(pair.certificate().data(), static_cast<int>(pair.certificate().size())));
    const CertificatePtr certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    X509_digest(certificate.get(), EVP_sha256(), digest, &size);
    std::string text;
    for (unsigned int i = 0; i < size; ++i) {
        text += "0123456789abcdef"[digest[i] >> 4];
        text += "0123456789abcdef"[digest[i] & 15];
    }
    return text;
}

} // namespace yardmaster::test
