// What expressions gave, for as long as the names that they read keep their values.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpline {

/// What an expression gave while the names that it reads had these values.
struct Remembered {
    std::vector<std::pair<std::string, double>> read;
    std::vector<std::vector<double>> points;  ///< where it was tabulated; none: it was not
    std::vector<double> results;
};

/// Most expressions of a file are evaluated for a few warps and steps that are told apart by names
/// they do not read, or by few values of one that they do.
class ExpressionMemo {
  public:
    using Values = std::map<std::string, double, std::less<>>;

    /// Null when it was not asked with these values.
    [[nodiscard]] const Remembered* find(const std::string& text,
                                         const std::vector<std::vector<double>>& points,
                                         const Values& values) const {
        const auto known = entries_.find(text);
        if (known == entries_.end()) {
            return nullptr;
        }
        const auto still_has = [&](const std::pair<std::string, double>& name) {
            const auto value = values.find(name.first);
            return value != values.end() && value->second == name.second;
        };
        for (const Remembered& entry : known->second) {
            if (entry.points == points &&
                std::all_of(entry.read.begin(), entry.read.end(), still_has)) {
                return &entry;
            }
        }
        return nullptr;
    }

    /// Of many values of one text the latest are kept.
    void keep(const std::string& text, Remembered entry) {
        std::vector<Remembered>& known = entries_[text];
        if (known.size() >= most_values) {
            known.erase(known.begin());
        }
        known.push_back(std::move(entry));
    }

  private:
    static constexpr std::size_t most_values = 8;
    std::unordered_map<std::string, std::vector<Remembered>> entries_;
};

}  // namespace warpline
