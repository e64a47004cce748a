// Whatever happens to a file, loading ends in a plan or in a failure that says something.
#include "pipeline_fixture.hpp"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::test;

namespace {

void loads_or_fails(const std::string& text) {
    const auto plan = load(text);
    if (!plan) {
        REQUIRE_FALSE(plan.error().diagnostics.empty());
        for (const Diagnostic& diagnostic : plan.error().diagnostics) {
            REQUIRE_FALSE(diagnostic.message.empty());
        }
    }
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
        lines.push_back(text.substr(at, end - at + 1));
        at = end + 1;
    }
    return lines;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += line;
    }
    return text;
}

const std::vector<std::string>& sources() {
    static const std::vector<std::string> all = {
        base_text(),
        one_role("- loop: blocks\n  do:\n    - when: first 1\n      do:\n        - sync: named\n"
                 "      else:\n        - sync: named\n    - producer_acquire: kv\n      as: k\n"
                 "    - producer_commit: k\n    - consumer_wait: kv\n      as: j\n"
                 "    - async: copy\n      from: global\n      to: q[0]\n      class: c\n"
                 "    - drain: c\n    - consumer_release: j\n    - unroll:\n        t: two\n"
                 "      do:\n        - issue: ffma2\n          count: 3 + t\n")};
    return all;
}

}  // namespace

TEST_CASE("files with characters changed never crash") {
    std::mt19937 random(20240607);
    const std::string alphabet = "abkmst_019 -:[]{}()<>=!&|*#'\",.%+\n\t\\~?@`\x01\xff";
    for (std::size_t round = 0; round < 400; ++round) {
        std::string text = sources()[round % sources().size()];
        const int edits = 1 + static_cast<int>(random() % 4);
        for (int edit = 0; edit < edits; ++edit) {
            const std::size_t at = random() % text.size();
            const char c = alphabet[random() % alphabet.size()];
            switch (random() % 3) {
                case 0:
                    text[at] = c;
                    break;
                case 1:
                    text.insert(text.begin() + static_cast<std::ptrdiff_t>(at), c);
                    break;
                default:
                    text.erase(at, 1 + random() % 6);
                    break;
            }
        }
        loads_or_fails(text);
    }
}

TEST_CASE("files with lines moved, lost or repeated never crash") {
    std::mt19937 random(7);
    for (std::size_t round = 0; round < 400; ++round) {
        std::vector<std::string> lines = lines_of(sources()[round % sources().size()]);
        const int edits = 1 + static_cast<int>(random() % 3);
        for (int edit = 0; edit < edits && lines.size() > 2; ++edit) {
            const auto at = static_cast<std::ptrdiff_t>(random() % lines.size());
            const auto other = static_cast<std::ptrdiff_t>(random() % lines.size());
            switch (random() % 3) {
                case 0:
                    std::swap(lines[static_cast<std::size_t>(at)],
                              lines[static_cast<std::size_t>(other)]);
                    break;
                case 1:
                    lines.erase(lines.begin() + at);
                    break;
                default:
                    lines.insert(lines.begin() + other, lines[static_cast<std::size_t>(at)]);
                    break;
            }
        }
        loads_or_fails(joined(lines));
    }
}

TEST_CASE("values replaced by other values never crash") {
    std::mt19937 random(99);
    const std::vector<std::string> values = {"0",
                                             "-1",
                                             "1e18",
                                             "1e300",
                                             "0.5",
                                             "blocks",
                                             "tile_kv",
                                             "kv",
                                             "kv[0]",
                                             "kv[k]",
                                             "s[99999999]",
                                             "[]",
                                             "{}",
                                             "[1, 2]",
                                             "null",
                                             "''",
                                             "tiles",
                                             "load",
                                             "1 / 0",
                                             "min(",
                                             "not first",
                                             "first",
                                             "chance index",
                                             "index",
                                             "hw.smem.width",
                                             "9007199254740993",
                                             "registers",
                                             "peer kv",
                                             "all"};
    for (std::size_t round = 0; round < 600; ++round) {
        std::vector<std::string> lines = lines_of(sources()[round % sources().size()]);
        std::string& line = lines[random() % lines.size()];
        if (const std::size_t colon = line.find(": "); colon != std::string::npos) {
            line = line.substr(0, colon + 2) + values[random() % values.size()] + "\n";
        }
        loads_or_fails(joined(lines));
    }
}
