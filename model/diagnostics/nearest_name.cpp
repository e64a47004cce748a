#include "warpline/diagnostics/failure.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

namespace warpline {
namespace {

char lower(char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

/// Edits that turn `a` into `b`: insertions, deletions, substitutions and swaps of two neighbours.
/// Case does not count.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        last[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const char x = lower(a[i - 1]);
            const char y = lower(b[j - 1]);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (x == y ? 0U : 1U)});
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
        before_last.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
    // Longer than any name of the project: comparing would be slow and the answer useless.
    constexpr std::size_t longest = 128;
    if (name.size() > longest) {
        return {};
    }
    // A third of the letters may be wrong; with more, a suggestion misleads.
    const std::size_t tolerated = std::max<std::size_t>(1, name.size() / 3);
    std::size_t best = std::numeric_limits<std::size_t>::max();
    std::string nearest;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(name, candidate);
        if (distance < best && distance < candidate.size()) {
            best = distance;
            nearest = candidate;
        }
    }
    return best <= tolerated ? nearest : std::string{};
}

}  // namespace warpline
