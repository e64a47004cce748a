#include "warpline/validate/importers/text_fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace warpline {

std::vector<std::string> words_of(std::string_view line) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < line.size();) {
        const std::size_t begin = line.find_first_not_of(" \t", at);
        if (begin == std::string_view::npos) {
            break;
        }
        at = std::min(line.find_first_of(" \t", begin), line.size());
        words.emplace_back(line.substr(begin, at - begin));
    }
    return words;
}

std::optional<double> grouped_number(std::string_view text) {
    std::string plain;
    std::copy_if(text.begin(), text.end(), std::back_inserter(plain),
                 [](char c) { return c != ','; });
    double value = 0.0;
    const char* const end = plain.data() + plain.size();
    const auto [stop, error] = std::from_chars(plain.data(), end, value);
    return error == std::errc() && stop == end && std::isfinite(value)
               ? std::optional<double>(value)
               : std::nullopt;
}

std::optional<double> milliseconds_in(std::string_view unit) {
    for (const auto& [names, factor] :
         {std::pair{std::vector<std::string_view>{"ns", "nsecond", "nsec"}, 1e-6},
          {std::vector<std::string_view>{"us", "usecond", "usec"}, 1e-3},
          {std::vector<std::string_view>{"ms", "msecond", "msec"}, 1.0},
          {std::vector<std::string_view>{"s", "second", "sec"}, 1e3}}) {
        if (std::find(names.begin(), names.end(), unit) != names.end()) {
            return factor;
        }
    }
    return std::nullopt;
}

std::string value_behind(std::string_view line, std::string_view key) {
    for (std::size_t at = line.find(key); at != std::string_view::npos;
         at = line.find(key, at + 1)) {
        const bool starts =
            at == 0 || line[at - 1] == ' ' || line[at - 1] == ',' || line[at - 1] == '-';
        std::size_t next = line.find_first_not_of(' ', at + key.size());
        if (!starts || next == std::string_view::npos || line[next] != '=') {
            continue;
        }
        next = line.find_first_not_of(' ', next + 1);
        if (next == std::string_view::npos) {
            return {};
        }
        const std::size_t end = std::min(line.find_first_of(", -\r", next), line.size());
        return std::string(line.substr(next, end - next));
    }
    return {};
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        if (!line.empty() && line.back() == '\r') {
            line.remove_suffix(1);
        }
        lines.push_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::string exact_text(double value) {
    return fmt::format("{}", value);
}

std::string family_of_backend(std::string_view name) {
    std::string lower;
    std::transform(name.begin(), name.end(), std::back_inserter(lower), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    for (const auto& [start, family] : {std::pair<std::string_view, const char*>{"fav2", "fa2"},
                                        {"fa2", "fa2"},
                                        {"flash2", "fa2"},
                                        {"flash-2", "fa2"},
                                        {"fav3", "fa3"},
                                        {"fa3", "fa3"},
                                        {"flash-3", "fa3"},
                                        {"fav4", "fa4"},
                                        {"fa4", "fa4"},
                                        {"fa python", "fa4"},
                                        {"cudnn", "cudnn"},
                                        {"triton", "triton"},
                                        {"gluon", "gluon"}}) {
        if (lower.compare(0, start.size(), start) == 0) {
            return family;
        }
    }
    return {};
}

}  // namespace warpline
