#include "json_schema.hpp"

#include <algorithm>
#include <regex>
#include <set>

namespace warpline::test {
namespace {

using Json = nlohmann::json;

bool has_type(const Json& value, const std::string& type) {
    return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
           (type == "string" && value.is_string()) || (type == "number" && value.is_number()) ||
           (type == "integer" && value.is_number_integer()) ||
           (type == "boolean" && value.is_boolean()) || (type == "null" && value.is_null());
}

bool has_any_type(const Json& value, const Json& types) {
    if (types.is_string()) {
        return has_type(value, types);
    }
    return std::any_of(types.begin(), types.end(),
                       [&](const Json& type) { return has_type(value, type); });
}

class Checker {
  public:
    std::vector<std::string> found;

    void check(const Json& schema, const Json& value, const std::string& path) {
        static const std::set<std::string> known = {
            "$schema", "title",   "description", "type",     "enum",  "minimum",
            "maximum", "pattern", "properties",  "required", "items", "additionalProperties"};
        for (const auto& [keyword, unused] : schema.items()) {
            report(known.count(keyword) == 0, path, "unknown keyword " + keyword);
        }
        report(schema.contains("type") && !has_any_type(value, schema["type"]), path, "type");
        if (schema.contains("enum")) {
            const Json& allowed = schema["enum"];
            report(std::find(allowed.begin(), allowed.end(), value) == allowed.end(), path, "enum");
        }
        if (value.is_number()) {
            check_range(schema, value, path);
        }
        if (value.is_string() && schema.contains("pattern")) {
            const std::regex pattern(schema["pattern"].get<std::string>());
            report(!std::regex_search(value.get<std::string>(), pattern), path, "pattern");
        }
        if (value.is_object()) {
            check_object(schema, value, path);
        }
        if (value.is_array() && schema.contains("items")) {
            for (std::size_t i = 0; i < value.size(); ++i) {
                check(schema["items"], value[i], path + "[" + std::to_string(i) + "]");
            }
        }
    }

  private:
    void report(bool violated, const std::string& path, const std::string& what) {
        if (violated) {
            found.push_back(path + ": " + what);
        }
    }

    void check_range(const Json& schema, const Json& value, const std::string& path) {
        report(schema.contains("minimum") && value < schema["minimum"], path, "minimum");
        report(schema.contains("maximum") && value > schema["maximum"], path, "maximum");
    }

    void check_object(const Json& schema, const Json& value, const std::string& path) {
        for (const Json& key : schema.value("required", Json::array())) {
            report(!value.contains(key.get<std::string>()), path,
                   "lacks " + key.get<std::string>());
        }
        const Json properties = schema.value("properties", Json::object());
        const Json others = schema.value("additionalProperties", Json(true));
        for (const auto& [key, field] : value.items()) {
            const std::string below = path + "." + key;
            if (properties.contains(key)) {
                check(properties[key], field, below);
            } else if (others.is_object()) {
                check(others, field, below);
            } else {
                report(others == Json(false), below, "not in the schema");
            }
        }
    }
};

}  // namespace

std::vector<std::string> schema_violations(const Json& schema, const Json& value,
                                           const std::string& path) {
    Checker checker;
    checker.check(schema, value, path);
    return checker.found;
}

}  // namespace warpline::test
