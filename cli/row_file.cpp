#include "cli/row_file.hpp"

#include "warpline/reports/text.hpp"

#include <algorithm>
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
    std::int64_t lines = 0;  ///< complete ones
    std::int64_t bytes = 0;  ///< of those
    std::string rest;        ///< behind the last line break
    std::string trouble;     ///< of the first line that is not what belongs there; empty: none
};

bool begins_with(const std::string& text, const std::string& part) {
    return text.compare(0, part.size(), part) == 0;
}

/// What is wrong with line number `number` of a file; empty: nothing.
std::string trouble_of(const std::string& line, std::int64_t number, const RowLayout& layout) {
    const bool headed = !layout.header.empty();
    if (headed && number == 1) {
        return line + "\n" == layout.header ? "" : "its columns are not those of this study";
    }
    const std::int64_t row = number - (headed ? 2 : 1);
    if (line.find(layout.run) == std::string::npos) {
        return fmt::format("line {} is damaged, or of another study or version of Warpline",
                           number);
    }
    if (!begins_with(line, layout.beginning(row))) {
        return fmt::format("line {} is not the point that belongs there: is it of another shard?",
                           number);
    }
    const std::string problem = layout.problem(row, line);
    return problem.empty() ? "" : fmt::format("line {} is damaged: {}", number, problem);
}

std::optional<Content> read_content(const std::string& path, const RowLayout& layout) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return std::nullopt;
    }
    Content content;
    std::string line;
    while (std::getline(file, line) && !file.eof()) {
        ++content.lines;
        content.bytes += static_cast<std::int64_t>(line.size()) + 1;
        if (content.trouble.empty()) {
            content.trouble = trouble_of(line, content.lines, layout);
        }
        line.clear();
    }
    content.rest = std::move(line);
    return content;
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
    const std::string hint = "finish it as it was begun, or write to another file";
    if (!content.trouble.empty()) {
        return refuse(path, content.trouble, hint);
    }
    if (!content.rest.empty() && !rest_belongs(content, layout)) {
        return refuse(path,
                      fmt::format("what stands after line {} is not the line that belongs there",
                                  content.lines),
                      hint);
    }
    return std::max<std::int64_t>(0, content.lines - (layout.header.empty() ? 0 : 1));
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
    const auto content = read_content(path, layout);
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
