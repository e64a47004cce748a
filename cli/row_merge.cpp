#include "cli/row_merge.hpp"

#include "warpline/reports/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

constexpr std::size_t piece = std::size_t{1} << 20U;

/// One file: rows [first, first + rows) of the run.
struct Part {
    std::string path;
    std::int64_t first = 0, rows = 0;
};

tl::unexpected<Failure> refuse(const std::string& path, const std::string& why,
                               const std::string& hint = {}) {
    return fail(FailureKind::input, fmt::format("{}: {}", printable(path), why), hint);
}

/// The number of a row, found by what the rows of the layout begin with.
std::int64_t number_of(const std::string& line, const RowLayout& layout, std::int64_t rows) {
    // Beginnings hold the number in decimal after a fixed prefix, so that comparing digits with
    // those of row 0 tells it.
    const std::string zero = layout.beginning(0);
    const std::size_t at = zero.find('0');
    std::int64_t number = 0;
    for (std::size_t i = at; i < line.size() && line[i] >= '0' && line[i] <= '9'; ++i) {
        number = std::min(rows, number * 10 + (line[i] - '0'));
    }
    return number;
}

bool begins_with(const std::string& text, const std::string& part) {
    return text.compare(0, part.size(), part) == 0;
}

/// Reads a part through and checks every row.
Result<Part> examine(const std::string& path, const RowLayout& layout, std::int64_t rows) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return refuse(path, fmt::format("cannot be read: {}", std::strerror(errno)));
    }
    Part part{path, 0, 0};
    std::string line;
    std::int64_t number = 0;
    for (bool header = !layout.header.empty(); std::getline(file, line);) {
        ++number;
        if (file.eof()) {
            return refuse(path, fmt::format("line {} has no end: the run was cut off", number),
                          "finish it with --resume first");
        }
        if (header) {
            header = false;
            if (line + "\n" != layout.header) {
                return refuse(path, "its columns are not those of this study");
            }
            continue;
        }
        if (line.find(layout.run) == std::string::npos) {
            return refuse(path, fmt::format("line {} is of another study, or of another version "
                                            "of Warpline",
                                            number));
        }
        if (part.rows == 0) {
            part.first = number_of(line, layout, rows);
        }
        if (!begins_with(line, layout.beginning(part.first + part.rows))) {
            return refuse(path,
                          fmt::format("line {} is not point {}", number, part.first + part.rows));
        }
        if (const std::string problem = layout.problem(part.first + part.rows, line);
            !problem.empty()) {
            return refuse(path, fmt::format("line {} is damaged: {}", number, problem));
        }
        ++part.rows;
    }
    return part;
}

Result<void> check_complete(const std::vector<Part>& parts, std::int64_t rows) {
    std::int64_t next = 0;
    for (const Part& part : parts) {
        if (part.first < next) {
            return refuse(part.path, fmt::format("point {} is in another file, too", part.first));
        }
        if (part.first > next) {
            break;
        }
        next += part.rows;
    }
    if (next == rows) {
        return {};
    }
    const auto after = std::find_if(parts.begin(), parts.end(),
                                    [next](const Part& part) { return part.first > next; });
    return fail(FailureKind::input,
                fmt::format("points {} to {} are in none of the files", next,
                            (after == parts.end() ? rows : after->first) - 1),
                "name the files of all shards; --resume finishes one that was cut off");
}

/// Copies the rows of a part, its header left out.
Result<void> copy_rows(const Part& part, const RowLayout& layout, RowFile& out) {
    std::ifstream file(part.path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(layout.header.size()));
    std::string rows(piece, '\0');
    while (file.read(rows.data(), static_cast<std::streamsize>(rows.size())) || file.gcount() > 0) {
        if (!out.append({rows.data(), static_cast<std::size_t>(file.gcount())})) {
            return fail(FailureKind::input,
                        fmt::format("the merged file cannot be written: {}", std::strerror(errno)),
                        "the parts are as they were");
        }
    }
    return {};
}

}  // namespace

Result<void> merge_rows(const std::vector<std::string>& paths, const std::string& path,
                        const RowLayout& layout, std::int64_t rows) {
    std::vector<Part> parts;
    for (const std::string& one : paths) {
        auto part = examine(one, layout, rows);
        if (!part) {
            return tl::unexpected(part.error());
        }
        if (part->rows > 0) {
            parts.push_back(std::move(*part));
        }
    }
    std::sort(parts.begin(), parts.end(),
              [](const Part& a, const Part& b) { return a.first < b.first; });
    if (auto complete = check_complete(parts, rows); !complete) {
        return complete;
    }
    auto out = RowFile::create(path, layout);
    if (!out) {
        return tl::unexpected(out.error());
    }
    for (const Part& part : parts) {
        if (auto copied = copy_rows(part, layout, *out); !copied) {
            return copied;
        }
    }
    return {};
}

}  // namespace warpline::cli
