#include "cli/row_file.hpp"

#include "warpline/reports/text.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

constexpr mode_t permissions = 0644;

tl::unexpected<Failure> refuse(const std::string& path, const std::string& why,
                               const std::string& hint = {}) {
    return fail(FailureKind::input, fmt::format("{}: {}", printable(path), why), hint);
}

tl::unexpected<Failure> cannot_write(const std::string& path) {
    return refuse(path, fmt::format("cannot be written: {}", std::strerror(errno)));
}

bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

/// What is in a file already, found in one pass.
struct Content {
    std::string first, second, last;  ///< complete lines, without line breaks
    std::int64_t lines = 0;           ///< complete ones
    std::int64_t bytes = 0;           ///< of those
    std::string rest;                 ///< behind the last line break
};

std::optional<Content> read_content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return std::nullopt;
    }
    Content content;
    std::string line;
    while (std::getline(file, line) && !file.eof()) {
        ++content.lines;
        content.bytes += static_cast<std::int64_t>(line.size()) + 1;
        if (content.lines == 1) {
            content.first = line;
        } else if (content.lines == 2) {
            content.second = line;
        }
        content.last = line;
        line.clear();
    }
    content.rest = std::move(line);
    return content;
}

bool begins_with(const std::string& text, const std::string& part) {
    return text.compare(0, part.size(), part) == 0;
}

/// Whether `text` is where a writer of `whole` may have been cut off; of a row only its beginning
/// is known.
bool is_cut_off(const std::string& text, const std::string& whole, bool more_may_follow) {
    return begins_with(whole, text) || (more_may_follow && begins_with(text, whole));
}

/// Whether what stands behind the last complete line is the line that belongs there.
bool rest_belongs(const Content& content, const RowLayout& layout) {
    if (!layout.header.empty() && content.lines == 0) {
        return is_cut_off(content.rest, layout.header, false);
    }
    const std::int64_t rows = content.lines - (layout.header.empty() ? 0 : 1);
    return is_cut_off(content.rest, layout.beginning(rows), true);
}

Result<std::int64_t> rows_in(const std::string& path, const Content& content,
                             const RowLayout& layout) {
    const bool headed = !layout.header.empty();
    const std::int64_t rows = content.lines - (headed ? 1 : 0);
    const std::string hint = "finish it as it was begun, or write to another file";
    if (headed && content.lines > 0 && content.first + "\n" != layout.header) {
        return refuse(path, "its columns are not those of this study", hint);
    }
    if (!content.rest.empty() && !rest_belongs(content, layout)) {
        return refuse(path,
                      fmt::format("what stands after line {} is not the line that belongs there",
                                  content.lines),
                      hint);
    }
    if (rows <= 0) {
        return std::int64_t{0};
    }
    const std::string& first_row = headed ? content.second : content.first;
    for (const std::string& row : {first_row, content.last}) {
        if (row.find(layout.run) == std::string::npos) {
            return refuse(path, "it is of another study, or of another version of Warpline", hint);
        }
    }
    if (!begins_with(first_row, layout.beginning(0)) ||
        !begins_with(content.last, layout.beginning(rows - 1))) {
        return refuse(path,
                      fmt::format("line {} is not the point that belongs there: is it of "
                                  "another shard?",
                                  content.lines),
                      hint);
    }
    return rows;
}

}  // namespace

Result<RowFile> RowFile::create(const std::string& path, const RowLayout& layout) {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        return refuse(path, "there are results in it already",
                      "--resume goes on with them; or remove it, or write elsewhere");
    }
    const int descriptor =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, permissions);
    if (descriptor < 0) {
        return cannot_write(path);
    }
    RowFile file(descriptor, 0);
    if (!write_all(descriptor, layout.header)) {
        return cannot_write(path);
    }
    return file;
}

Result<RowFile> RowFile::resume(const std::string& path, const RowLayout& layout) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || status.st_size == 0) {
        return create(path, layout);
    }
    if (!S_ISREG(status.st_mode)) {
        return refuse(path, "is not a file that can be continued");
    }
    const auto content = read_content(path);
    if (!content) {
        return refuse(path, "cannot be read");
    }
    const auto rows = rows_in(path, *content, layout);
    if (!rows) {
        return tl::unexpected(rows.error());
    }
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (descriptor < 0) {
        return cannot_write(path);
    }
    RowFile file(descriptor, *rows);
    const bool headless = content->lines == 0;
    if (::ftruncate(descriptor, content->bytes) != 0 ||
        (headless && !write_all(descriptor, layout.header))) {
        return cannot_write(path);
    }
    return file;
}

RowFile::RowFile(RowFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), rows_(other.rows_) {}

RowFile::~RowFile() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

bool RowFile::append(std::string_view row) {
    struct stat status {};
    const bool known = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
    if (!write_all(descriptor_, row)) {
        const int why = errno;
        if (known && ::ftruncate(descriptor_, status.st_size) != 0) {
            errno = why;  // --resume repairs the line
        }
        errno = why;
        return false;
    }
    ++rows_;
    return true;
}

}  // namespace warpline::cli
