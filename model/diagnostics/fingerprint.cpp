#include "warpline/diagnostics/fingerprint.hpp"

#include <fmt/format.h>

namespace warpline {

void Fingerprint::add(std::string_view piece) {
    for (const char c : piece) {
        hash_ ^= static_cast<unsigned char>(c);
        hash_ *= 0x100000001b3U;
    }
}

std::string Fingerprint::text() const {
    return fmt::format("{:016x}", hash_);
}

std::string fingerprint(std::string_view text) {
    Fingerprint whole;
    whole.add(text);
    return whole.text();
}

}  // namespace warpline
