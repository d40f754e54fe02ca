/*
 * Copies, compares, exports and signs with keys, by the interfaces of OpenSSL 3 and by those before it.
 *
 * copies ROUNDS: with each of two keys that OpenSSL makes, with a copy of it, with one that is read from its encoding,
 * with one that is built from its exported numbers, and with one that went through the older interface, it signs ROUNDS
 * times, and verifies with the first. Prints the number of signatures.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "common.h"
#include <openssl/x509.h>

enum { WAYS = 5 };

static void sign_and_verify(EVP_PKEY *signer, EVP_PKEY *verifier, int number)
{
    unsigned char signature[1024];
    size_t length = sizeof signature;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    must(EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, signer) == 1, "EVP_DigestSignInit");
    must(EVP_DigestSign(context, signature, &length, (unsigned char *)&number, sizeof number) == 1, "EVP_DigestSign");
    EVP_MD_CTX_reset(context);
    must(EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, verifier) == 1, "EVP_DigestVerifyInit");
    must(EVP_DigestVerify(context, signature, length, (unsigned char *)&number, sizeof number) == 1, "a signature is wrong");
    EVP_MD_CTX_free(context);
}

/* A key from the encoding of another, which is encoded in the same way. */
static EVP_PKEY *encoded(EVP_PKEY *key)
{
    unsigned char *bytes = NULL, *again = NULL;
    int length = i2d_PrivateKey(key, &bytes);
    const unsigned char *at = bytes;
    must(length > 0, "i2d_PrivateKey");
    EVP_PKEY *other = d2i_AutoPrivateKey(NULL, &at, length);
    must(other != NULL, "d2i_AutoPrivateKey");
    PKCS8_PRIV_KEY_INFO *info = EVP_PKEY2PKCS8(other);
    must(info != NULL, "EVP_PKEY2PKCS8");
    EVP_PKEY *third = EVP_PKCS82PKEY(info);
    must(third != NULL, "EVP_PKCS82PKEY");
    must(i2d_PrivateKey(third, &again) == length && memcmp(bytes, again, length) == 0, "the encodings are the same");
    PKCS8_PRIV_KEY_INFO_free(info);
    EVP_PKEY_free(other);
    OPENSSL_free(bytes);
    OPENSSL_free(again);
    return third;
}

/* A key from the exported numbers of another. */
static EVP_PKEY *exported(EVP_PKEY *key, const char *name)
{
    OSSL_PARAM *numbers = NULL;
    EVP_PKEY *other = NULL;
    must(EVP_PKEY_todata(key, EVP_PKEY_KEYPAIR, &numbers) == 1, "EVP_PKEY_todata");
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, name, NULL);
    must(EVP_PKEY_fromdata_init(context) == 1, "EVP_PKEY_fromdata_init");
    must(EVP_PKEY_fromdata(context, &other, EVP_PKEY_KEYPAIR, numbers) == 1, "EVP_PKEY_fromdata");
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(numbers);
    return other;
}

/* A key that holds a copy made by the interface before OpenSSL 3; it is not foreign to the providers. */
static EVP_PKEY *older(EVP_PKEY *key)
{
    EVP_PKEY *other = EVP_PKEY_new();
    if (EVP_PKEY_is_a(key, "RSA")) {
        RSA *rsa = EVP_PKEY_get1_RSA(key), *copy = RSAPrivateKey_dup(rsa);
        must(copy != NULL, "RSAPrivateKey_dup");
        must(RSA_get_method(copy) == RSA_PKCS1_OpenSSL(), "an RSA key has OpenSSL's method");
        must(EVP_PKEY_assign_RSA(other, copy) == 1, "EVP_PKEY_assign_RSA");
        RSA_free(rsa);
    } else {
        EC_KEY *ec = EVP_PKEY_get1_EC_KEY(key), *copy = EC_KEY_dup(ec);
        must(copy != NULL, "EC_KEY_dup");
        must(EC_KEY_get_method(copy) == EC_KEY_OpenSSL(), "a key of a curve has OpenSSL's method");
        must(EVP_PKEY_assign_EC_KEY(other, copy) == 1, "EVP_PKEY_assign_EC_KEY");
        EC_KEY_free(ec);
    }
    return other;
}

int main(int count, char **arguments)
{
    int rounds = count > 1 ? atoi(arguments[1]) : 1, made = 0;
    const char *names[] = { "RSA", "EC" };
    for (int i = 0; i < 2; i++) {
        EVP_PKEY *first = i == 0 ? EVP_RSA_gen(2048) : EVP_EC_gen("P-384");
        must(first != NULL, "a key is made");
        must(EVP_PKEY_up_ref(first) == 1, "EVP_PKEY_up_ref");
        EVP_PKEY *keys[WAYS] = { first, EVP_PKEY_dup(first), encoded(first), exported(first, names[i]), older(first) };
        for (int way = 0; way < WAYS; way++) {
            must(keys[way] != NULL, "a key is copied");
            must(EVP_PKEY_eq(first, keys[way]) == 1, "the keys are equal");
            EVP_PKEY *copy = EVP_PKEY_dup(keys[way]);
            must(copy != NULL, "a copy is copied");
            for (int round = 0; round < rounds; round++, made += 2) {
                sign_and_verify(keys[way], first, made);
                sign_and_verify(copy, keys[way], made + 1);
            }
            EVP_PKEY_free(copy);
            EVP_PKEY_free(keys[way]);
        }
        EVP_PKEY_free(first);
    }
    printf("%d\n", made);
    return 0;
}
