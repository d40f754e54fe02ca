// Signatures of three algorithms in one batch, and their verification.
//
//   c++ -std=c++17 signatures.cpp $(pkg-config --cflags --libs sunzi) -o signatures
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <sunzi.h>
#include <vector>

static void check(sunzi_status status) {
    if (status == SUNZI_STATUS_OK) return;
    std::string message(sunzi_error_message(nullptr, 0), '\0');
    sunzi_error_message(message.data(), message.size());
    throw std::runtime_error(message);
}

struct Free {
    void operator()(sunzi_engine *engine) const { sunzi_engine_free(engine); }
    void operator()(sunzi_private_key *key) const { sunzi_private_key_free(key); }
    void operator()(sunzi_public_key *key) const { sunzi_public_key_free(key); }
};

int main() {
    sunzi_engine *raw_engine;
    check(sunzi_engine_new(nullptr, 0, &raw_engine));
    std::unique_ptr<sunzi_engine, Free> engine(raw_engine);

    std::vector<std::unique_ptr<sunzi_private_key, Free>> owned;
    std::vector<std::unique_ptr<sunzi_public_key, Free>> owned_public;
    std::vector<const sunzi_private_key *> keys;
    std::vector<const sunzi_public_key *> public_keys;
    for (const char *name : {"RSA-2048", "P-256", "Ed25519"}) {
        sunzi_private_key *key;
        check(sunzi_private_key_generate(engine.get(), name, &key));
        owned.emplace_back(key);
        keys.push_back(key);
        sunzi_public_key *public_key;
        check(sunzi_private_key_public(key, &public_key));
        owned_public.emplace_back(public_key);
        public_keys.push_back(public_key);
    }

    const std::string text = "a message";
    const sunzi_bytes message = {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
    const std::vector<sunzi_bytes> messages(keys.size(), message);
    std::vector<std::vector<uint8_t>> room;
    for (auto *key : keys) room.emplace_back(sunzi_private_key_signature_size(key, nullptr));
    std::vector<sunzi_output> outputs;
    for (auto &bytes : room) outputs.push_back({bytes.data(), bytes.size(), 0});
    check(sunzi_sign(engine.get(), keys.size(), keys.data(), messages.data(), nullptr, outputs.data(),
                     nullptr));

    std::vector<sunzi_bytes> signatures;
    for (auto &output : outputs) signatures.push_back({output.data, output.length});
    check(sunzi_verify(engine.get(), keys.size(), public_keys.data(), messages.data(),
                       signatures.data(), nullptr, nullptr));
    std::printf("%zu signatures made and verified\n", signatures.size());
}
