#include "parse_json.hpp"

#include <istream>

namespace warpline::test {

nlohmann::json parse_json(const std::string& text) {
    return nlohmann::json::parse(text);
}

nlohmann::json parse_json(std::istream& text) {
    return nlohmann::json::parse(text);
}

}  // namespace warpline::test
